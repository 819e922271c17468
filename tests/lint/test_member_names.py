"""A member that the rules let through can be read and written by the models, whatever its name."""

from __future__ import annotations

import json
import keyword
from pathlib import Path

import pytest

from acp_v2.models import AcpModel
from acpgen.lint import lint
from acpgen.load import load
from acpgen.model import Protocol
from model_packages import build

METHOD = {"x-method": "save", "x-side": "agent", "type": "object", "description": "Saves it."}
METHOD |= {"x-retry-class": "idempotent", "x-resend": "Saves it once more."}
OURS = [name for name in dir(AcpModel) if not name.startswith("_")]
NAMES = sorted({*keyword.kwlist, *OURS, "_a", "__init__", "self", "a b", "1a", "c'd", "é", "Field"})


def protocol(folder: Path, names: list[str]) -> Protocol:
    members = {name: {"type": "string"} for name in names}
    definitions = {"SaveRequest": {**METHOD, "properties": members}}
    file = folder / "schema.json"
    file.write_text(json.dumps({"$defs": definitions}), "utf-8")
    return load(file)


def reserved(found: Protocol) -> set[str]:
    faults = (f for f in lint(found) if f.rule == "reserved-member")
    return {f.pointer.rpartition("/")[2] for f in faults}


def test_members_have_any_name_that_is_not_reserved(tmp_path: Path) -> None:
    refused = reserved(protocol(tmp_path, NAMES))
    assert {"to_wire", "from_wire", "from_wire_tolerant", "model_dump_json"} <= refused
    names = [name for name in NAMES if name not in refused]
    models = build(protocol(tmp_path, names), tmp_path)
    wire = dict.fromkeys(names, "x")
    assert json.loads(models.SaveRequest.from_wire(json.dumps(wire)).to_wire()) == wire


@pytest.mark.parametrize("name", ["to_wire", "from_wire", "model_dump"])
def test_a_reserved_name_would_break_them(tmp_path: Path, name: str) -> None:
    models = build(protocol(tmp_path, [name]), tmp_path)
    with pytest.raises((UserWarning, TypeError)):
        models.SaveRequest.from_wire(json.dumps({name: "x"})).to_wire()
