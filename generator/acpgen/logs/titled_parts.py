"""Messages whose parts are below a title, as the traces of VS Code's language clients have them.

    [Trace - 10:00:01 AM] Received response 'session/list - (3)' in 5ms.
    Result: {
        "sessions": []
    }

A title without any part is of a trace that leaves the parts out, and is not a message.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from acpgen.logs.rebuilding import is_error
from acpgen.logs.scanning import blank, value_at

_TITLE = re.compile(
    r"(?P<way>Sending|Sent|Received|Receiving) (?P<kind>request|notification|response) "
    r"'(?P<method>[^']{0,200}?)(?: - \((?P<id>[^')]{1,100})\))?'"
    r"(?P<rest>[^\n]*)"
)
_FAILED = re.compile(r"Request failed: (?P<message>.*) \((?P<code>-?\d{1,9})\)\.\s*$")
_PART = re.compile(r"\s*(?P<name>Params|Result|Error data):\s*(?=[\[{\"\w-])")
_NONE = re.compile(r"\s*No (?:parameters provided|result returned)\.\s*$")


@dataclass(frozen=True, slots=True)
class Title:
    """What the title of a message shows; `way` is a word for its direction."""

    way: str
    kind: str
    method: str
    id: str | None
    rest: str

    def message(self, part: str | None) -> str:
        """The message with this title as JSON, from the JSON of the part below it, if any."""
        members = ['"jsonrpc":"2.0"']
        if self.id is not None and self.kind != "notification":
            members.append(f'"id":{self.id if self.id.isdecimal() else json.dumps(self.id)}')
        failed = _FAILED.search(self.rest)
        if self.kind != "response":
            members.append(f'"method":{json.dumps(self.method)}')
            members += [] if part is None else [f'"params":{part}']
        elif failed is None and part is not None and _is_error(part):
            members.append(f'"error":{part}')
        elif failed is None:
            members.append(f'"result":{"null" if part is None else part}')
        else:
            data = "" if part is None else f',"data":{part}'
            text = json.dumps(failed["message"], ensure_ascii=False)
            members.append(f'"error":{{"code":{failed["code"]},"message":{text}{data}}}')
        return f"{{{','.join(members)}}}"

    @property
    def is_whole(self) -> bool:
        """True if the title alone shows the message: a request that failed."""
        return self.kind == "response" and _FAILED.search(self.rest) is not None


def _is_error(part: str) -> bool:
    value, _ = value_at(part, blank(part, 0))
    return is_error(value)


def title_of(line: str) -> Title | None:
    """The title that a line is, behind a time."""
    found = _TITLE.search(line, 0, 600) if " '" in line else None
    if found is None:
        return None
    return Title(found["way"], found["kind"], found["method"], found["id"], found["rest"])


def part_at(line: str) -> int | None:
    """Where the JSON of a part starts on its first line; None if the line begins no part."""
    found = _PART.match(line)
    return None if found is None else found.end()


def is_without_part(line: str) -> bool:
    """True for a line that says that a message has no params or no result."""
    return _NONE.match(line) is not None
