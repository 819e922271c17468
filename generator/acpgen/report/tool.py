"""Who reports."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

NAME = "acpgen"


def version() -> str | None:
    """The version that is installed; None for sources that are run where they lie."""
    try:
        return installed(NAME)
    except PackageNotFoundError:
        return None
