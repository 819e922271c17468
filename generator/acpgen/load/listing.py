"""Which files of a folder are taken for what acpgen reads."""

from __future__ import annotations

from pathlib import Path

SCHEMA_FILE = ".json"


def is_hidden(name: str) -> bool:
    """Whether a file is a program's own, such as the lock of an editor: its name begins with a dot.

    Such a lock is often a link that leads nowhere.
    """
    return name.startswith(".")


def is_schema_file(name: str) -> bool:
    """Whether a file of a schema's folder, by its name, is part of the schema."""
    return name.endswith(SCHEMA_FILE) and not is_hidden(name)


def schema_files(folder: Path) -> list[Path]:
    """The files of a schema's folder that are part of the schema, by name.

    Raises:
        OSError: the folder can't be read.
    """
    return sorted(path for path in folder.iterdir() if is_schema_file(path.name))
