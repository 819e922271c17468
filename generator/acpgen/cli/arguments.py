"""The arguments of `acpgen validate`, read without what the other commands need.

Typer declares them too, in `acpgen.cli.validate`; a test holds both equal. It gets all that is not
plain use: to help, to complete, and to say what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acpgen.report.forms import COUNTING

FORMS = ("text", "json", "ndjson", "github", "sarif", "junit")
SENDERS = ("client", "agent", "proxy")
FAIL_ON = ("error", "warning")
VALUES: Mapping[str, tuple[str, ...] | None] = {
    "--from": SENDERS,
    "--schema": None,
    "--format": FORMS,
    "--max-errors": None,
    "--fail-on": FAIL_ON,
}
"""The options that take a value, and the values they take where not any will do."""
FLAGS = ("--strict", "--quiet", "-q", "--summary", "--show-keys", "--follow", "-f")
"""The options that take none."""


class Options:
    """What is asked of `acpgen validate`.

    Of the files, `-` is standard input. `sender` is one of `SENDERS` or None for anybody, `schema`
    a path or None for the schema that comes with acpgen, `form` one of `FORMS`; `max_errors` is
    positive, or None for all there are; `fail_on` is one of `FAIL_ON`. To follow,
    there is one file; for a summary, a form with numbers.
    """

    __slots__ = (
        "fail_on",
        "files",
        "follow",
        "form",
        "max_errors",
        "quiet",
        "schema",
        "sender",
        "show_keys",
        "strict",
        "summary",
    )

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
        """Whether there is one file to follow."""
        return len(self.files) == 1 and self.files != ("-",)

    @property
    def can_count(self) -> bool:
        """Whether the form tells how many findings there are."""
        return self.form in COUNTING


def parse(arguments: Sequence[str]) -> Options | None:
    """What the arguments after `validate` ask for; None where Typer has to look at them."""
    files: list[str] = []
    given: dict[str, str] = {}
    flags: set[str] = set()
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            files += rest
        elif not argument.startswith("-") or argument == "-":
            files.append(argument)
        elif argument in FLAGS:
            flags.add(argument)
        else:
            name, equals, value = argument.partition("=")
            if name not in VALUES:
                return None
            found = value if equals else next(rest, None)
            allowed = VALUES[name]
            if not found or (allowed is not None and found not in allowed):
                return None
            given[name] = found
    limit = given.get("--max-errors")
    if limit is not None and not (limit.isdecimal() and int(limit)):
        return None
    options = Options(
        files,
        sender=given.get("--from"),
        schema=given.get("--schema"),
        form=given.get("--format", "text"),
        max_errors=None if limit is None else int(limit),
        fail_on=given.get("--fail-on", "error"),
        strict="--strict" in flags,
        quiet=not flags.isdisjoint(("--quiet", "-q")),
        summary="--summary" in flags,
        show_keys="--show-keys" in flags,
        follow=not flags.isdisjoint(("--follow", "-f")),
    )
    senseless = (options.follow and not options.can_follow) or (
        options.summary and not options.can_count
    )
    return None if senseless else options
