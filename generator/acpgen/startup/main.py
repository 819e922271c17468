"""Runs the command line. It imports no more than one call needs.

No exception is printed with its message, which may quote a key.
"""

# Importing pathlib takes longer than judging a message.
# ruff: noqa: PTH123
from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from acpgen.startup import accept, method_list
from acpgen.startup.blank_arguments import blank
from acpgen.startup.commands import HELP, NAMES, overview
from acpgen.startup.options import parse
from acpgen.startup.output import flush

_COMPLETING = "_ACPGEN_COMPLETE"
"""The variable that a shell sets to ask for completion."""
_GARBAGE = 20_000
"""After how many new objects cycles are looked for. To import alone makes more than Python's 700,
and neither that nor judging makes cycles in numbers."""
_TYPER_INTERRUPTED = 130
"""The exit status that Typer gives to Ctrl-C, which no command of acpgen has."""


def main() -> None:
    """Run the command line, and exit with its status.

    The status is 2 where the reader of the output closes it early, and where Ctrl-C interrupts a
    command that doesn't end by it.
    """
    gc.set_threshold(_GARBAGE, 20, 100)
    _require_streams()
    stdout = sys.stdout
    try:
        try:
            status = _run(sys.argv[1:])
        finally:
            flush(stdout)  # Python would do so at its end, with a status of its own
    except BrokenPipeError:
        status = _give_up_output()
    except KeyboardInterrupt:
        status = _interrupted()
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # which Typer and Rich turn into 1
            status = _give_up_output()
        elif error.code == _TYPER_INTERRUPTED:
            status = _interrupted()
        else:
            raise
    except Exception as error:
        from acpgen.cli.crash import account
        from acpgen.report.forms import CountsOnlyError
        from acpgen.stated_limits import StatedLimitError

        known = isinstance(error, CountsOnlyError)
        text = f"acpgen: {error}\n" if known else account(error)
        if isinstance(error, StatedLimitError):
            text = f"acpgen: {error.filename}: {error.strerror}\n"
        sys.stderr.write(text)
        try:
            stdout.flush()
            status = 2
        except OSError:
            status = _give_up_output()
    sys.exit(status)


def _run(arguments: Sequence[str]) -> int:
    """Run one command; Typer exits by itself."""
    completing = _COMPLETING in os.environ
    if not completing:
        if not arguments or arguments[0] in HELP:
            sys.stdout.write(overview())
            return 0 if arguments else 2
        found = blank(_own_words(arguments))
        if found:
            sys.stderr.write(f"acpgen: {found} is blank: is a variable unset?\n")
            return 2
        if _is_done(arguments):
            return 0
        options = parse(arguments[1:]) if arguments[0] == "validate" else None
        if options is not None:
            status = accept.judged(options)
            if status is not None:
                return status
            if (options.jobs or 1) > 1:
                from acpgen.cli.parallel_validation import run as run_apart

                return run_apart(options)
            from acpgen.cli.validation import run

            return run(options)
    if not completing and arguments[0] == "tap":
        status = _tapped(arguments[1:])
        if status is not None:
            return status
    from acpgen.cli.app import typer_app

    words = os.environ.get("COMP_WORDS", "").split()[1:] if completing else arguments
    typer_app([name for name in NAMES if name in words[:1]])()
    return 0


def _is_done(arguments: Sequence[str]) -> bool:
    """Run a call that needs nothing of Typer; False where it is left to others."""
    if arguments[0] == "methods":
        return method_list.prints(arguments[1:]) or _has_printed_card(arguments[1:])
    if arguments == ["generate", "--check"]:
        from acpgen.cli.unchanged import passes

        return passes()
    return False


def _has_printed_card(arguments: Sequence[str]) -> bool:
    """Print the card of a method into a pipe; False where it is left to others."""
    if not method_list.may_print_card(arguments):
        return False
    from acpgen.cli.plain_cards import prints

    return prints(arguments[0])


def _own_words(arguments: Sequence[str]) -> Sequence[str]:
    """The words after the name of a command, but for those of programs, which may be blank."""
    if arguments[0] == "conform":
        return ()
    if arguments[0] == "tap" and "--" in arguments:
        return arguments[1 : arguments.index("--")]
    return arguments[1:]


def _tapped(arguments: Sequence[str]) -> int | None:
    """Run `acpgen tap`; None where Typer has to read the arguments.

    Agents are started often, and by programs that wait for them. Judging is imported in the process
    that judges.
    """
    if os.name != "posix":
        sys.stderr.write("acpgen: tap needs POSIX, such as Linux or macOS\n")
        return 2
    from acpgen.tap.session import run
    from acpgen.tap.tap_options import parse as parse_tap

    options = parse_tap(arguments)
    if options is None:
        return None

    def check(pipe: int) -> None:
        from acpgen.cli.tap_checking import check as check_lines

        check_lines(pipe, schemas=options.schema, show_keys=options.show_keys)

    def complaint(methods: Sequence[str]) -> str | None:
        from acpgen.startup.method_list import names

        if (names() or frozenset()).issuperset(methods):
            return None
        from acpgen.cli.tap_methods import complaint as complain

        return complain(methods)

    return run(options, check, complaint)


def _require_streams() -> None:
    """Exit with status 2 if standard output is closed; drop messages if standard error is."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open until the end
    if sys.stdout is None:
        sys.stderr.write("acpgen: standard output is closed\n")
        sys.exit(2)


def _give_up_output() -> int:
    """Keep Python from trying, at its end, to write what has no reader."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 2


def _interrupted() -> int:
    sys.stderr.write("acpgen: interrupted\n")
    return 2
