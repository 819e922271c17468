"""`acpgen diff` of two versions of a small schema in the current folder."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from command_calls import APP
from small_schema import BASE, schema

WORDS = {"Address": {"description": "Where to."}}
LABEL = {"SendRequest": {"properties": {"label": {"maxLength": 10}}}}
PRICE = {"SendResponse": {"properties": {"price": {"type": "integer"}}}}
MOOD = {
    "Mood": {
        "oneOf": [
            *BASE["$defs"]["Mood"]["oneOf"],
            {"type": "string", "const": "so so", "description": "So so."},
        ]
    }
}
MEMBER = '"label"'
PLACE = "/$defs/SendRequest/properties/label"
WHAT = "SendRequest.label maxLength"
BREAKS = "breaks clients: newer peers do not accept what they send"
FOUND = (
    "new/v2/parcels.json:{line}: parcel/send: error[limit-tightened] "
    f"/$defs/SendRequest/properties/label: `maxLength` was 20 and is 10; {BREAKS}\n"
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["diff", *arguments])


def write_two() -> None:
    """Write an old and a new version that are alike into the current folder."""
    for name in ("old", "new"):
        Path(name, "v2").mkdir(parents=True)
        write({}, name)


def write(definitions: object, name: str = "new") -> Path:
    path = Path(name, "v2", "parcels.json")
    document = {k: v for k, v in schema(definitions).items() if not k.startswith("x-")}
    path.write_text(json.dumps(document, indent=2), "utf-8")
    return path


def line_of(text: str) -> int:
    lines = Path("new/v2/parcels.json").read_text("utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)
