"""Schemas for comparing: a small one, and edits of it as JSON merge patches (RFC 7396)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from acpgen.diff import Change
from acpgen.load import load
from acpgen.model import Protocol

FOLDER = Path(__file__).parents[1] / "diff"
BASE: dict[str, Any] = json.loads((FOLDER / "base.json").read_text("utf-8"))


def patched(document: Any, patch: Any) -> Any:
    """A document with a merge patch applied: null removes a member, arrays are replaced."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = copy.deepcopy(document) if isinstance(document, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = patched(result.get(name), value)
    return result


def schema(definitions: Any) -> dict[str, Any]:
    """The small schema with its definitions patched."""
    document: dict[str, Any] = patched(BASE, {"$defs": definitions})
    return document


def loaded(document: Any, path: Path) -> Protocol:
    """The protocol of a schema, which is written to a file first."""
    path.write_text(json.dumps(document, indent=1), "utf-8")
    return load(path)


def line(change: Change) -> str:
    """A change on one line."""
    return f"{change.severity.value}[{change.rule.id}] {change.path}: {change.message}"
