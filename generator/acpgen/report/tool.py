"""The name and the version of the program that writes a report."""

from __future__ import annotations

from acpgen import __version__

NAME = "acpgen"


def version() -> str:
    """Return the version of acpgen."""
    return __version__
