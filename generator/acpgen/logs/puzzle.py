"""Why a log has no messages, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.judge.inputs import EmptyPageError, InputError
from acpgen.logs.excerpts import shown
from acpgen.logs.unit import has_notation, is_binary

_EMPTY_PAGE = "no block of the page has messages; blocks of ```json are read"
_PAGE_HELP = "`acpgen validate --as METHOD` judges params by themselves"
_NOTATION = "its messages are in another notation than JSON: log the text that is sent and received"
_IF_SENT = "if this is the text, name its sender with --from"
_HELP = (
    "name the place of the message, for example --message-at /msg --sender-at /dir --client '>>>' "
    "--connection-at /session, "
    "or the shape with --read-as"
)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The first line of other output in a log without messages: its number, 0 if there is none.

    `is_foreign` is whether it has objects in another notation than JSON.
    """

    line: int
    text: str
    is_foreign: bool

    def error(self, *, page: bool, has_schema: bool) -> InputError:
        """The error of a log, which may be a `page` in Markdown, or a schema."""
        made = EmptyPageError if page else InputError
        if has_schema:
            return made("has a JSON Schema or an OpenRPC document, which is not a log")
        if not self.line:
            return made(_EMPTY_PAGE if page else "no messages, so there is nothing to judge")
        first = f"line {self.line} is the first: {shown(self.text)}"
        if self.is_foreign:
            return made(f"{_NOTATION}; {_IF_SENT}; {first}")
        if is_binary(self.text):
            return made(f"line {self.line} is binary data, and no line is a message: give text")
        advice = _PAGE_HELP if page else _NOTATION if has_notation(self.text) else _HELP
        return made(f"no line is a message; {first}; {advice}")
