"""The lines of places in schema files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from acpgen.findings import Finding
from acpgen.load.schema_text import lines_of
from acpgen.model import Location, Pointer


def located(findings: Iterable[Finding]) -> list[Finding]:
    """Add missing line numbers to findings.

    Raises:
        OSError: a file can't be read any more.
    """
    lines = Lines()
    return [
        finding
        if finding.line is not None
        else finding.replaced(line=lines.of(Location(finding.file, Pointer(finding.pointer))))
        for finding in findings
    ]


class Lines:
    """The lines of places. A file is read when one of its places is first looked up."""

    def __init__(self) -> None:
        self._files: dict[str, Mapping[Pointer, int]] = {}

    def of(self, location: Location) -> int | None:
        """The 1-based line of a place, or of its nearest ancestor; None if it is not in a file.

        Raises:
            OSError: the file can't be read any more.
        """
        if location.file not in self._files:
            path = Path(location.file)
            text = path.read_bytes().decode("utf-8") if path.is_file() else ""
            self._files[location.file] = lines_of(text)
        lines, pointer = self._files[location.file], location.pointer
        while pointer not in lines and pointer:
            pointer = Pointer(pointer.rpartition("/")[0])
        return lines.get(pointer)
