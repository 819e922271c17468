"""The marks by which generated models carry what pydantic has no word for.

The generator writes them as `json_schema_extra`, and the other modules here read them.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "DEFAULT",
    "EXCLUDES",
    "INTEGER",
    "META",
    "ON_ERROR",
    "ON_NULL",
    "OPEN",
    "SKIP_ITEMS",
    "TAG",
    "VARIANTS",
]

META: Final = "_meta"
"""The member for custom data, which every implementation may use."""

ON_ERROR: Final = "x-deserialize-default-on-error"
"""On a member: in a tolerant reading, a malformed value counts as omitted."""

ON_NULL: Final = "x-deserialize-default-on-null"
"""On a member: in a tolerant reading, null counts as omitted."""

SKIP_ITEMS: Final = "x-deserialize-skip-invalid-items"
"""On a member: in a tolerant reading, malformed items of its list are left out."""

DEFAULT: Final = "x-default"
"""On a member: the value that its absence means."""

INTEGER: Final = "x-integer"
"""On a member that lists integers: a float that equals one of them is refused."""

TAG: Final = "x-tag"
"""On a union: the wire name of the member that selects a variant."""

EXCLUDES: Final = "x-excludes"
"""On a class: the names of classes that must not take what it takes."""

OPEN: Final = "x-open"
"""On a class: it has members of any name, so the constructor takes any keyword."""

VARIANTS: Final = "x-variants"
"""On a class that is a union: the names of the classes that extend it."""
