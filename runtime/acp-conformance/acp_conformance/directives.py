"""Directives in the text of test prompts: what an agent under test may do for them.

An agent that ignores them is judged, too. What only a directive can cause is then not exercised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["DIRECTIVES", "Directive", "read_directive", "scaled"]

DIRECTIVES: Final = {
    "hold": "hold Nms: hold the prompt for N milliseconds, then insert it",
    "work": "work Nms: insert the prompt, then keep the session at work for N milliseconds",
    "steer": "steer: insert the prompt at once, also while the session is at work",
    "fail": "fail once: answer the first such prompt of this very text with an error, insert none",
    "local": "local: answer with a messageId, and keep the message in no history",
    "compact": "compact: insert the prompt, compact the context, and tell so when that is done",
}
"""The directives by their first word, each with its meaning."""

_PATTERN = re.compile(r"acp-conformance: (\w+)(?: (\d+)ms)?")


@dataclass(frozen=True, slots=True)
class Directive:
    """The directive of a prompt. `verb` is empty for a prompt without a directive."""

    verb: str = ""
    seconds: float = 0.0


def read_directive(text: str) -> Directive:
    """Read the directive that a prompt's text begins with."""
    match = _PATTERN.match(text)
    if match is None or match[1] not in DIRECTIVES:
        return Directive()
    return Directive(match[1], int(match[2] or 0) / 1000)


def scaled(text: str, factor: float) -> str:
    """Multiply the time in a directive by a factor. Any other text is returned unchanged."""
    match = _PATTERN.match(text)
    if match is None or match[2] is None or match[1] not in DIRECTIVES:
        return text
    start, end = match.span(2)
    return f"{text[:start]}{round(int(match[2]) * factor)}{text[end:]}"
