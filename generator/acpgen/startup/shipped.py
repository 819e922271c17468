"""The generated Python that comes with acpgen, for the schema that comes with it.

A generator must not need its own output, so no other module of acpgen imports `acp_v2`. To judge by
the schema that both were made from generates nothing, and to compile that schema at every start
would take longer than to judge a thousand messages. An installed acpgen requires the version of
`acp_v2` that was made from its schema. In a checkout, the schema and the checkers can be edited.
There the digests of both are compared, and checkers that are out of date or edited are not used.
"""

# Importing pathlib takes longer than comparing the digests.
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH121, PTH123, PTH208
from __future__ import annotations

import os
from functools import cache

from acpgen.startup import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_v2.retry import Method
    from acp_wire.checking import Checkers
    from acp_wire.decoding import Decoders
    from acp_wire.type_rows import TypeTable

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_BUNDLED = os.path.join(_PACKAGE, "_resources")


@cache
def fresh(target: str = "checkers") -> bool:
    """True if a target's files were generated from the schema, and not edited since.

    Raises:
        OSError: the schema can't be read.
    """
    if os.path.isdir(_BUNDLED):
        return _is_imported_from(os.path.dirname(_PACKAGE))
    root = os.path.dirname(os.path.dirname(_PACKAGE))
    generated = os.path.join(root, "generated")
    schema, files = _recorded(generated, target)
    return (
        _is_imported_from(os.path.join(generated, "python"))
        and schema == digest(os.path.join(root, "schema", "v2"))
        and bool(files)
        and all(
            _is_unchanged(os.path.join(generated, path), value) for path, value in files.items()
        )
    )


def checkers() -> Checkers:
    """The checkers."""
    from acp_v2.checkers import CHECKERS

    return CHECKERS


def decoders() -> Decoders | None:
    """The decoders; None where msgspec isn't installed."""
    try:
        from acp_v2.decoders import DECODERS_OF_SCHEMA
    except ImportError:
        return None
    return DECODERS_OF_SCHEMA


def table() -> TypeTable:
    """The types and methods."""
    from acp_v2.type_table import TABLE

    return TABLE


def methods() -> tuple[Method, ...] | None:
    """The methods of the generated table; None where it is out of date.

    Raises:
        OSError: the schema can't be read.
    """
    if not fresh("retry"):
        return None
    from acp_v2.retry import METHODS

    return METHODS


def digest(folder: str) -> str:
    """The digest of the schema in a folder, as `acpgen.emit.manifest` records it.

    Raises:
        OSError: it can't be read.
    """
    names = [n for n in os.listdir(folder) if n.endswith(".json") and not n.startswith(".")]
    return digests.of_text_files({name: os.path.join(folder, name) for name in names})


def _recorded(generated: str, target: str) -> tuple[str, dict[str, str]]:
    """The recorded digests of the schema and, by path, of a target's files, if known."""
    import json

    try:
        with open(os.path.join(generated, "manifest.json"), "rb") as file:
            manifest = json.load(file)
        return manifest["inputs"]["schema"], dict(manifest["outputs"][target])
    except (OSError, ValueError, KeyError, TypeError):
        return "", {}


def _is_unchanged(path: str, recorded: str) -> bool:
    """True if a file is as it was recorded, apart from its line ends."""
    try:
        return recorded == digests.of_text_file(path)
    except OSError:
        return False


def _is_imported_from(folder: str) -> bool:
    """True if the package that gets imported is the one in a folder."""
    try:
        import acp_v2
    except ImportError:
        return False
    place = os.path.dirname(os.path.dirname(os.path.abspath(acp_v2.__file__)))
    return os.path.samefile(place, folder) if os.path.isdir(folder) else False
