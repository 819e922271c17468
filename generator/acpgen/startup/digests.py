"""SHA-256 digests of files, without hashlib, which takes longer to import than they take."""

# Importing pathlib takes longer than hashing a schema.
# ruff: noqa: PTH123
from __future__ import annotations

from collections.abc import Mapping

from acp_wire.hashing import sha256


def of_bytes(content: bytes) -> str:
    """The digest of some bytes: `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{sha256(content).hexdigest()}"


def of_text_file(path: str) -> str:
    """The digest of a file in which CRLF counts as LF.

    Raises:
        OSError: it can't be read.
    """
    with open(path, "rb", buffering=0) as file:
        return of_bytes(file.read().replace(b"\r\n", b"\n"))


def of_text_files(paths: Mapping[str, str]) -> str:
    """One digest of several files and their names. `paths` has the path of each name.

    Raises:
        OSError: one of them can't be read.
    """
    names = sorted(paths.items())
    return of_bytes(b"".join(f"{name}\0{of_text_file(path)}\n".encode() for name, path in names))
