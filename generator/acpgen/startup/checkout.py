"""The checkout of the project that the current folder belongs to.

An acpgen that was installed without `--editable` brings a copy of the schema. To use the
schema of a checkout, the caller has to name it.
"""

# Importing pathlib takes longer than looking for a checkout.
# ruff: noqa: PTH100, PTH109, PTH112, PTH113, PTH118, PTH120, PTH121
from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_BUNDLED = os.path.join(_PACKAGE, "_resources")
_ROOT = _BUNDLED if os.path.isdir(_BUNDLED) else os.path.dirname(os.path.dirname(_PACKAGE))
_SCHEMA = os.path.join("schema", "v2")
_DIALECT = os.path.join("schema", "dialect.schema.json")


def other_schema() -> str | None:
    """The schema of the checkout around the current folder, relative to this folder.

    None outside a checkout, and where that schema is the one that acpgen uses by default.
    """
    try:
        folder = os.getcwd()
        while not _is_checkout(folder):
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            folder = parent
        found = os.path.join(folder, _SCHEMA)
        own = os.path.join(_ROOT, _SCHEMA)
        return None if os.path.samefile(found, own) else os.path.relpath(found)
    except OSError:
        return None


def _is_checkout(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, _DIALECT)) and os.path.isdir(
        os.path.join(folder, _SCHEMA)
    )
