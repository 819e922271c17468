"""The options of `acpgen validate`: declared once, for Typer and for the parser here.

The parser handles plain use only; help, completion and wrong usage are left to Typer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

SENDERS = ("client", "agent", "proxy")
FORMS = ("text", "json", "ndjson", "github", "sarif", "junit")
FAIL_ON = ("error", "warning")
SHAPES = (
    *("lines", "transcript", "wrapped", "prefixed", "values", "array", "sse", "frames", "markdown"),
)
COUNTING = ("text", "json")
"""The forms of `--summary`."""


class Option:
    """One option: its names, its help, and the values that it takes.

    Args:
        names: the long name, and perhaps a short one.
        help: what it does, for `--help`.
        values: all the values that it takes; None if it takes any text.
        flag: whether it takes no value.
        number: whether its value is a positive number.
        several: whether it may be given several times, and all values count.
    """

    __slots__ = ("flag", "help", "names", "number", "several", "values")

    def __init__(
        self,
        names: tuple[str, ...],
        help: str,  # noqa: A002 - as Typer calls it
        *,
        values: tuple[str, ...] | None = None,
        flag: bool = False,
        number: bool = False,
        several: bool = False,
    ) -> None:
        self.names = names
        self.help = help
        self.values = values
        self.flag = flag
        self.number = number
        self.several = several

    def takes(self, value: str) -> bool:
        """True if a text is a value of the option."""
        if self.number:
            return value.isdecimal() and int(value) > 0
        return self.values is None or value in self.values


OPTIONS = {
    "sender": Option(
        ("--from",), "Who sent the messages. A transcript says so itself.", values=SENDERS
    ),
    "part": Option(
        ("--as",), "Judge bare params, as session/prompt, or results: session/prompt#result."
    ),
    "schemas": Option(
        ("--schema",),
        "A folder of domain files or a single-file release; several judge a version each.",
        several=True,
    ),
    "read_as": Option(
        ("--read-as",), "The shape of the log, where it is not found out.", values=SHAPES
    ),
    "message_at": Option(("--message-at",), "Where the message is in each value: /msg."),
    "sender_at": Option(("--sender-at",), "Where the direction or the sender is: /dir."),
    "connection_at": Option(("--connection-at",), "Where the connection is: /conn."),
    "client": Option(("--client",), "What is there if the client sent the message: '>>>'."),
    "max_line": Option(
        ("--max-line",), "Skip lines and values of more bytes; 67108864 by default.", number=True
    ),
    "max_findings": Option(
        ("--max-findings",),
        "Print at most this many findings of one message; 1000 by default.",
        number=True,
    ),
    "form": Option(("--format",), "How to print what is found.", values=FORMS),
    "max_errors": Option(("--max-errors",), "Stop after this many errors.", number=True),
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
    "jobs": Option(("--jobs", "-j"), "Judge so many files at once, in processes.", number=True),
}
"""Each option of `acpgen validate`, by its name in `Options`."""
_BY_NAME = {name: (member, option) for member, option in OPTIONS.items() for name in option.names}


class Options:
    """The arguments of one call of `acpgen validate`.

    Args:
        files: the paths to read. `-`, or no path, is standard input.
        sender: one of `SENDERS`, or None for any of them.
        part: the method whose params the values are, or with `#result` whose results.
        schemas: paths, or none for the schema that comes with acpgen.
        read_as: one of `SHAPES`, or None to find out.
        message_at: the pointer of the message in a value, or None to find out.
        sender_at: the pointer of its direction or sender.
        connection_at: the pointer of its connection.
        client: the value there that means the client.
        max_line: how many bytes of a line or a value are held, or None for the default.
        max_findings: how many findings of one message are printed, or None for the default.
        form: one of `FORMS`.
        max_errors: a positive number, or None for no limit.
        fail_on: one of `FAIL_ON`.
        strict: refuse what receivers only recover from.
        quiet: print no count of messages.
        summary: count the findings of each rule instead of printing them.
        show_keys: print idempotency keys.
        follow: wait for more lines in the one file.
        jobs: how many processes judge, or None for this one.
    """

    __slots__ = ("files", *OPTIONS)

    def __init__(
        self,
        files: Sequence[str] = (),
        *,
        sender: str | None = None,
        part: str | None = None,
        schemas: Sequence[str] = (),
        read_as: str | None = None,
        message_at: str | None = None,
        sender_at: str | None = None,
        connection_at: str | None = None,
        client: str | None = None,
        max_line: int | None = None,
        max_findings: int | None = None,
        form: str = "text",
        max_errors: int | None = None,
        fail_on: str = "error",
        strict: bool = False,
        quiet: bool = False,
        summary: bool = False,
        show_keys: bool = False,
        follow: bool = False,
        jobs: int | None = None,
    ) -> None:
        self.files = tuple(files) or ("-",)
        self.sender = sender
        self.part = part
        self.schemas = tuple(schemas)
        self.read_as = read_as
        self.message_at = message_at
        self.sender_at = sender_at
        self.connection_at = connection_at
        self.client = client
        self.max_line = max_line
        self.max_findings = max_findings
        self.form = form
        self.max_errors = max_errors
        self.fail_on = fail_on
        self.strict = strict
        self.quiet = quiet
        self.summary = summary
        self.show_keys = show_keys
        self.follow = follow
        self.jobs = jobs

    @property
    def can_follow(self) -> bool:
        """True if there is exactly one file, and it is not standard input."""
        return len(self.files) == 1 and self.files != ("-",)

    @property
    def is_plain(self) -> bool:
        """True if clean messages need nothing but the shipped checkers, and print nothing."""
        return self.form == "text" and not (
            self.schemas
            or self.part
            or self.follow
            or self.read_as
            or self.message_at
            or self.sender_at
            or self.connection_at
            or self.client
            or self.max_line
        )

    @property
    def can_count(self) -> bool:
        """True if a summary has this form."""
        return self.form in COUNTING


def option_in(
    argument: str, rest: Iterator[str], by_name: Mapping[str, tuple[str, Option]]
) -> tuple[str, Option, str] | None:
    """The member, the option and the value that an argument begins; a flag has the value "".

    None where Typer has to read it. The value may be the next argument.
    """
    name, equals, value = argument.partition("=")
    member, option = by_name.get(name, ("", None))
    if option is None or (option.flag and equals):
        return None
    found = value if equals or option.flag else next(rest, "")
    return (member, option, found) if found or option.flag else None


def parse(arguments: Sequence[str]) -> Options | None:
    """Read the arguments after `validate`; None if Typer has to."""
    files: list[str] = []
    values: dict[str, str] = {}
    numbers: dict[str, int] = {}
    lists: dict[str, list[str]] = {}
    flags: dict[str, bool] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            files += rest
            continue
        if not argument.startswith("-") or argument == "-":
            files.append(argument)
            continue
        stated = option_in(argument, rest, _BY_NAME)
        if stated is None:
            return None
        member, option, found = stated
        if option.flag:
            flags[member] = True
            continue
        if not option.takes(found):
            return None
        if option.number:
            numbers[member] = int(found)
        elif option.several:
            lists.setdefault(member, []).append(found)
        else:
            values[member] = found
    options = Options(files, **numbers, **lists, **values, **flags)  # type: ignore[arg-type]
    if (options.follow and not options.can_follow) or (options.summary and not options.can_count):
        return None
    return options
