"""Failures that are known: a file with the id of a requirement on each line.

A line may end with `#` and a reason. Blank lines and lines that begin with `#` are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from acp_conformance.requirements import BY_ID, Role

__all__ = ["ExpectationError", "expected_failures"]


_CLOSE: Final = 0.75
"""How similar a requirement has to be, from 0 to 1, to be suggested."""


class ExpectationError(ValueError):
    """A line of the file is not a requirement; the text gives file, line and the reason."""


def expected_failures(path: Path, roles: Collection[Role]) -> dict[str, int]:
    """Return the requirements that are expected to fail, each with its line in the file.

    Raises:
        ExpectationError: an entry is unknown, of a role that is not judged, or there twice.
        OSError: the file can't be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    found: dict[str, int] = {}
    for number, id_ in _entries(path.read_text("utf-8")):
        where = f"{path}:{number}"
        if id_ not in BY_ID:
            near = get_close_matches(id_, BY_ID, n=1, cutoff=_CLOSE)
            hint = f"did you mean {near[0]}?" if near else "see --list"
            raise ExpectationError(f"{where}: there is no requirement {id_}: {hint}")
        if BY_ID[id_].role not in roles:
            judged = " or ".join(roles)
            raise ExpectationError(
                f"{where}: {id_} is for the role {BY_ID[id_].role}, not {judged}"
            )
        if id_ in found:
            raise ExpectationError(f"{where}: {id_} is on line {found[id_]} already: remove one")
        found[id_] = number
    return found


def _entries(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if entry := line.partition("#")[0].strip():
            yield number, entry
