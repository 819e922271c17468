"""The checkers that come with acpgen, for the schema that comes with it.

A generator must not need its own output, so nothing in acpgen imports `acp_v2`, but for this one
module: to judge by the schema that both were made from is no generating, and to compile that schema
again at every start would take longer than to judge a thousand messages. An installed schema can't
differ from the checkers beside it. In a checkout it can, until somebody generates, and so can they:
there the digests of both are compared, and checkers that are stale or edited are not used.
"""

# Importing pathlib takes longer than comparing the digests.
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH121, PTH123, PTH208
from __future__ import annotations

import os
from functools import cache

from acpgen import digests
from acpgen.load.listing import is_schema_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_wire.checking import Checkers
    from acp_wire.decoding import Decoders


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_BUNDLED = os.path.join(_PACKAGE, "_resources")


@cache
def fresh() -> bool:
    """Whether the checkers are there, as they were generated, and those of the schema.

    Raises:
        OSError: the schema can't be read.
    """
    if os.path.isdir(_BUNDLED):
        return _stands_in(os.path.dirname(_PACKAGE))
    root = os.path.dirname(os.path.dirname(_PACKAGE))
    generated = os.path.join(root, "generated")
    schema, files = _recorded(generated)
    return (
        _stands_in(os.path.join(generated, "python"))
        and schema == digest(os.path.join(root, "schema", "v2"))
        and bool(files)
        and all(_holds(os.path.join(generated, path), value) for path, value in files.items())
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


def digest(folder: str) -> str:
    """The digest of a folder's schema, as `acpgen.emit.manifest` records it.

    Raises:
        OSError: it can't be read.
    """
    names = filter(is_schema_file, os.listdir(folder))
    return digests.of_text_files({name: os.path.join(folder, name) for name in names})


def _recorded(generated: str) -> tuple[str, dict[str, str]]:
    """The digest of the schema that the checkers were made from, and theirs by path, if known."""
    import json

    try:
        with open(os.path.join(generated, "manifest.json"), "rb") as file:
            manifest = json.load(file)
        return manifest["inputs"]["schema"], dict(manifest["outputs"]["checkers"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", {}


def _holds(path: str, recorded: str) -> bool:
    """Whether a file stands as it was recorded. As everywhere, line ends don't count."""
    try:
        return recorded == digests.of_text_file(path)
    except OSError:
        return False


def _stands_in(folder: str) -> bool:
    """Whether the package that gets imported is the one in a folder."""
    try:
        import acp_v2
    except ImportError:
        return False
    place = os.path.dirname(os.path.dirname(os.path.abspath(acp_v2.__file__)))
    return os.path.samefile(place, folder) if os.path.isdir(folder) else False
