r"""Patterns for RE2, the engine of Go and others, which looks neither ahead nor behind."""

from __future__ import annotations

import re

from acpgen.patterns.parser import UnsupportedPatternError
from acpgen.patterns.syntax import Choice, Look, Node, Repeat, Sequence
from acpgen.patterns.writing import WORD_EDGE, written

_MOST_REPEATED = 1000
"""How often RE2 repeats a part, the repetitions around it included."""

_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|[\s\S])")


def spelled_for_re2(node: Node) -> str:
    """A pattern as RE2 reads it.

    Raises:
        UnsupportedPatternError: RE2 can't be given such a pattern.
    """
    _require_plain(node, 1)
    text = written(node, "$").replace(WORD_EDGE, r"\b")
    return _ESCAPE.sub(lambda found: f"\\x{{{found[1]}}}" if found[1] else found[0], text)


def _require_plain(node: Node, times: int) -> None:
    match node:
        case Look(behind=behind):
            raise UnsupportedPatternError(f"looks {'behind' if behind else 'ahead'}")
        case Repeat(body=body, least=least, most=most):
            times *= max(1, least if most is None else most)
            if times > _MOST_REPEATED:
                raise UnsupportedPatternError(f"repeats a part more than {_MOST_REPEATED} times")
            _require_plain(body, times)
        case Choice(options=parts) | Sequence(parts=parts):
            for part in parts:
                _require_plain(part, times)
        case _:
            pass
