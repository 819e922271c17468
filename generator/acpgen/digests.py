"""SHA-256 digests of files, without what takes long to import."""

# Importing pathlib takes longer than hashing a schema.
# ruff: noqa: PTH123
from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    class Hash(Protocol):
        """A digest that is being made."""

        def update(self, data: bytes, /) -> None: ...  # noqa: D102
        def hexdigest(self) -> str: ...  # noqa: D102


def of_bytes(content: bytes) -> str:
    """The digest of some bytes: `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{_sha256()(content).hexdigest()}"


def of_text_file(path: str) -> str:
    """The digest of a file whose line ends don't count, as CRLF and LF are the same.

    Raises:
        OSError: it can't be read.
    """
    with open(path, "rb", buffering=0) as file:
        return of_bytes(file.read().replace(b"\r\n", b"\n"))


def of_text_files(paths: Mapping[str, str]) -> str:
    """One digest of files and of the names that they go by, to which their paths are given.

    Raises:
        OSError: one of them can't be read.
    """
    total = _sha256()(b"")
    for name, path in sorted(paths.items()):
        total.update(f"{name}\0{of_text_file(path)}\n".encode())
    return f"sha256:{total.hexdigest()}"


@cache
def _sha256() -> Callable[[bytes], Hash]:
    """SHA-256 from where it comes quickest: all of hashlib takes longer than the digest itself."""
    from importlib import import_module

    for name in ("_sha2", "_sha256", "hashlib"):
        try:
            new: Callable[[bytes], Hash] = import_module(name).sha256
        except (ImportError, AttributeError):
            continue
        return new
    raise AssertionError
