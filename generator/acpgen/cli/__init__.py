"""The command line. Findings go to stdout, all else to stderr.

Exit status: 0 clean, 1 findings, 2 could not tell. The commands are in `acpgen.cli.app`, which is
imported when it is needed: judging a message takes less time than that.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from acpgen.cli.arguments import Options

_COMPLETING = "_ACPGEN_COMPLETE"
"""What a shell sets that asks for completion."""
_TYPER_INTERRUPTED = 130
"""The exit status that Typer makes of Ctrl-C, which no command of acpgen has."""


def main() -> None:
    """Run the command line. A reader that closes the pipe early ends it without a word.

    Ctrl-C leaves with status 2 where a command doesn't take it for its end. No exception is shown
    with its words, which may quote a key.

    Plain use of `validate` goes without Typer, which takes longer to import than to judge.
    """
    try:
        try:
            _run()
        finally:
            sys.stdout.flush()  # Python would do so at its end, with a status of its own
    except BrokenPipeError:
        _give_up_output()
        sys.exit(2)
    except KeyboardInterrupt:
        _end_interrupted()
    except SystemExit as error:
        if error.code != _TYPER_INTERRUPTED:
            raise
        _end_interrupted()
    except Exception as error:
        from acpgen.cli.crash import account
        from acpgen.report.forms import CountsOnlyError

        known = isinstance(error, CountsOnlyError)
        sys.stderr.write(f"acpgen: {error}\n" if known else account(error))
        try:
            sys.stdout.flush()
        except OSError:
            _give_up_output()
        sys.exit(2)


def _run() -> None:
    _refuse_blanks()
    options = _plain_validate()
    if options is None:
        from acpgen.cli.app import NAMES, typer_app

        chosen = sys.argv[1:2] if sys.argv[1:2] and sys.argv[1] in NAMES else NAMES
        typer_app(NAMES if _COMPLETING in os.environ else chosen)()
    else:
        from acpgen.cli.validation import run

        sys.exit(run(options))


def _refuse_blanks() -> None:
    """Leave with status 2 if a word is blank. `conform` looks at its own, whose COMMAND may be."""
    from acpgen.cli.blanks import blank

    found = None if sys.argv[1:2] == ["conform"] else blank(sys.argv[2:])
    if found and _COMPLETING not in os.environ:
        sys.stderr.write(f"acpgen: {found} is blank: is a variable unset?\n")
        sys.exit(2)


def _give_up_output() -> None:
    """Have Python not try once more, at its end, to write what nobody takes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end_interrupted() -> NoReturn:
    sys.stderr.write("acpgen: interrupted\n")
    sys.exit(2)


def _plain_validate() -> Options | None:
    if sys.argv[1:2] != ["validate"] or _COMPLETING in os.environ:
        return None
    from acpgen.cli.arguments import parse

    return parse(sys.argv[2:])
