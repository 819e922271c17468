"""The newest release of a schema, as the changelog beside the schema has it."""

from __future__ import annotations

import re
from pathlib import Path

from acpgen.model import SchemaRelease
from acpgen.startup.digests import content_of

FOLDER = "released"
"""The folder of releases, beside the folder of the schema."""

CHANGELOG = "CHANGELOG.md"
_ENTRY = re.compile(r"^## (\S+)$", re.MULTILINE)


def changelog_beside(schema: Path) -> Path | None:
    """Return the changelog of a schema's releases, or None without one."""
    path = schema.resolve().parent / FOLDER / CHANGELOG
    return path if path.exists() else None


def last_release(schema: Path) -> SchemaRelease:
    """Return the newest release of a schema. Without one, its version is 0.0.0.

    Raises:
        OSError: the changelog can't be read.
    """
    path = changelog_beside(schema)
    if path is None:
        return SchemaRelease()
    text = content_of(str(path)).decode("utf-8", errors="replace")
    newest = _ENTRY.search(text)
    if newest is None:
        return SchemaRelease()
    return SchemaRelease(newest[1], text[newest.start() :])
