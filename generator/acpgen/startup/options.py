"""The options of `acpgen validate`: declared once, for Typer and for the parser here.

The parser handles plain use only; help, completion and wrong usage are left to Typer.
"""

from __future__ import annotations

from collections.abc import Sequence

SENDERS = ("client", "agent", "proxy")
FORMS = ("text", "json", "ndjson", "github", "sarif", "junit")
FAIL_ON = ("error", "warning")
COUNTING = ("text", "json")
"""The forms of `--summary`."""


class Option:
    """One option: its names, its help, and the values that it takes.

    Args:
        names: the long name, and perhaps a short one.
        help: what it does, for `--help`.
        values: all the values that it takes; None if it takes any text.
        flag: whether it takes no value.
    """

    __slots__ = ("flag", "help", "names", "values")

    def __init__(
        self,
        names: tuple[str, ...],
        help: str,  # noqa: A002 - as Typer calls it
        *,
        values: tuple[str, ...] | None = None,
        flag: bool = False,
    ) -> None:
        self.names = names
        self.help = help
        self.values = values
        self.flag = flag


OPTIONS = {
    "sender": Option(
        ("--from",), "Who sent the messages. A transcript says so itself.", values=SENDERS
    ),
    "schema": Option(("--schema",), "A folder of domain files or a single-file release."),
    "form": Option(("--format",), "How to print what is found.", values=FORMS),
    "max_errors": Option(("--max-errors",), "Stop after this many errors."),
    "fail_on": Option(
        ("--fail-on",), "The mildest finding that makes the status 1.", values=FAIL_ON
    ),
    "strict": Option(("--strict",), "Refuse what receivers only recover from.", flag=True),
    "quiet": Option(("--quiet", "-q"), "Don't print the number of messages.", flag=True),
    "summary": Option(
        ("--summary",), "Count the findings of each rule instead of printing them.", flag=True
    ),
    "show_keys": Option(("--show-keys",), "Print idempotency keys, not their hashes.", flag=True),
    "follow": Option(
        ("--follow", "-f"), "Wait for more lines in FILE, until interrupted.", flag=True
    ),
}
"""Each option of `acpgen validate`, by its name in `Options`."""
_BY_NAME = {name: (member, option) for member, option in OPTIONS.items() for name in option.names}


class Options:
    """The arguments of one call of `acpgen validate`.

    Args:
        files: the paths to read. `-`, or no path, is standard input.
        sender: one of `SENDERS`, or None for any of them.
        schema: a path, or None for the schema that comes with acpgen.
        form: one of `FORMS`.
        max_errors: a positive number, or None for no limit.
        fail_on: one of `FAIL_ON`.
        strict: refuse what receivers only recover from.
        quiet: print no count of messages.
        summary: count the findings of each rule instead of printing them.
        show_keys: print idempotency keys.
        follow: wait for more lines in the one file.
    """

    __slots__ = ("files", *OPTIONS)

    def __init__(
        self,
        files: Sequence[str] = (),
        *,
        sender: str | None = None,
        schema: str | None = None,
        form: str = "text",
        max_errors: int | None = None,
        fail_on: str = "error",
        strict: bool = False,
        quiet: bool = False,
        summary: bool = False,
        show_keys: bool = False,
        follow: bool = False,
    ) -> None:
        self.files = tuple(files) or ("-",)
        self.sender = sender
        self.schema = schema
        self.form = form
        self.max_errors = max_errors
        self.fail_on = fail_on
        self.strict = strict
        self.quiet = quiet
        self.summary = summary
        self.show_keys = show_keys
        self.follow = follow

    @property
    def can_follow(self) -> bool:
        """Whether there is exactly one file, and it is not standard input."""
        return len(self.files) == 1 and self.files != ("-",)

    @property
    def can_count(self) -> bool:
        """Whether a summary has this form."""
        return self.form in COUNTING


def parse(arguments: Sequence[str]) -> Options | None:
    """Read the arguments after `validate`; None if Typer has to."""
    files: list[str] = []
    values: dict[str, str] = {}
    flags: dict[str, bool] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            files += rest
            continue
        if not argument.startswith("-") or argument == "-":
            files.append(argument)
            continue
        name, equals, value = argument.partition("=")
        member, option = _BY_NAME.get(name, ("", None))
        if option is None or (option.flag and equals):
            return None
        if option.flag:
            flags[member] = True
            continue
        found = value if equals else next(rest, None)
        if not found or (option.values is not None and found not in option.values):
            return None
        values[member] = found
    limit = values.pop("max_errors", None)
    if limit is not None and not (limit.isdecimal() and int(limit)):
        return None
    number = None if limit is None else int(limit)
    options = Options(files, max_errors=number, **values, **flags)  # type: ignore[arg-type]
    if (options.follow and not options.can_follow) or (options.summary and not options.can_count):
        return None
    return options
