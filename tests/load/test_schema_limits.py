"""A schema beyond a limit is refused before it costs time or memory; the limits can be raised."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.load import SchemaError, load
from acpgen.load.listing import read_within
from acpgen.load.type_depth import too_deep
from acpgen.model import Array, Location, Pointer, Ref, Scalar, ScalarType, Type, TypeDef, TypeName
from acpgen.targets.checkers import checkers
from command_calls import APP

COMMANDS = [["lint"], ["generate", "--out", "out", "--schema"], ["methods", "--schema"]]


def write(folder: Path, *files: dict[str, Any]) -> None:
    for number, definitions in enumerate(files):
        (folder / f"{number}.json").write_text(json.dumps({"$defs": definitions}))


def types(number: int) -> dict[str, Any]:
    return {f"T{index}": {"type": "string"} for index in range(number)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    schema = Path("schema")
    schema.mkdir()
    return schema


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_too_many_files_are_2(folder: Path, command: list[str]) -> None:
    for number in range(1_001):
        (folder / f"{number}.json").touch()
    done = CliRunner().invoke(APP, [*command, "schema"])
    advice = "if that is meant, set ACPGEN_SCHEMA_FILES"
    assert done.stderr == f"acpgen: schema: has more than 1000 files; {advice}\n"
    assert done.exit_code == 2


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("named", ["schema", "schema/big.json"])
def test_too_many_bytes_are_2(folder: Path, command: list[str], named: str) -> None:
    with (folder / "big.json").open("wb") as file:
        file.truncate(2**40)  # without a block on the disk
    done = CliRunner().invoke(APP, [*command, named])
    advice = "if that is meant, set ACPGEN_SCHEMA_BYTES"
    assert done.stderr == f"acpgen: {named}: has more than 16777216 bytes; {advice}\n"
    assert done.exit_code == 2


def test_a_file_that_grows_is_read_up_to_the_limit() -> None:
    with pytest.raises(OSError, match="has too many bytes; if that is meant, set ACPGEN_SCHEMA_"):
        read_within(Path("/dev/zero"), 1_000)
    assert read_within(Path("/dev/null"), 1_000) == b""


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ([types(1_000), {f"U{n}": {} for n in range(1_001)}], "2000 definitions"),
        ([types(1), {"Unit": {"enum": [*range(100_000)]}}], "100000 values"),
    ],
    ids=["definitions", "values"],
)
def test_too_much_in_the_files_is_one_finding(
    folder: Path, files: list[dict[str, Any]], what: str
) -> None:
    write(folder, *files)
    with pytest.raises(SchemaError) as refused:
        load(folder)
    name = what.split()[1]
    assert [(f.rule, f.file, f.message) for f in refused.value.findings] == [
        (
            "schema-size",
            "schema/1.json",
            f"is where the schema has more than {what}; "
            f"if that is meant, set ACPGEN_SCHEMA_{name.upper()}",
        )
    ]


def test_as_much_as_the_limits_allow_loads(folder: Path) -> None:
    write(folder, types(1_000), {f"U{n}": {"type": "string"} for n in range(1_000)})
    assert len(load(folder).types) == 2_000


def refusal(folder: Path) -> str:
    """Why a schema is refused; empty if it loads."""
    try:
        load(folder)
    except SchemaError as error:
        return error.findings[0].message
    except OSError as error:
        return error.strerror or ""
    return ""


@pytest.mark.parametrize(
    ("limit", "value"), [("FILES", "1"), ("BYTES", "50"), ("DEFINITIONS", "2"), ("VALUES", "9")]
)
def test_each_limit_can_be_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: str
) -> None:
    write(folder, types(2), {"Other": {"type": "string"}})
    assert len(load(folder).types) == 3
    monkeypatch.setenv(f"ACPGEN_SCHEMA_{limit}", value)
    text = refusal(folder)
    assert f"more than {value} " in text
    assert text.endswith(f"set ACPGEN_SCHEMA_{limit}")


def test_patterns_that_are_examined_for_long_are_one_finding(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = ("^a{1,20}b$", "^a{1,20}b$", "^c{1,20}d$", "^e{1,20}f$")
    write(folder, {f"T{n}": {"type": "string", "pattern": p} for n, p in enumerate(patterns)})
    assert refusal(folder) == ""
    monkeypatch.setenv("ACPGEN_SCHEMA_PATTERN_STEPS", "400")
    with pytest.raises(SchemaError) as refused:
        load(folder)
    (finding,) = refused.value.findings
    assert (finding.rule, finding.pointer) == ("schema-size", "/$defs/T2/pattern")
    complaint = "is where examining the patterns takes more than 400 steps"
    advice = "if that is meant, set ACPGEN_SCHEMA_PATTERN_STEPS"
    assert finding.message == f"{complaint}; {advice}"


def test_parts_can_be_limited(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {"T": {"type": "object", "properties": {"a": {"type": "string"}}}})
    assert refusal(folder) == ""
    monkeypatch.setenv("ACPGEN_SCHEMA_PARTS", "1")
    assert refusal(folder) == (
        "has more than 1 parts when its bases and variants are written out; name each base once; "
        "if that is meant, set ACPGEN_SCHEMA_PARTS"
    )


@pytest.mark.parametrize("value", ["", "0", "-1", "many", "1" * 30])
def test_a_limit_that_is_not_a_number_is_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    write(folder, types(1))
    monkeypatch.setenv("ACPGEN_SCHEMA_DEPTH", value)
    done = CliRunner().invoke(APP, ["lint", "schema"])
    assert done.stderr == "acpgen: ACPGEN_SCHEMA_DEPTH: is not a whole number above 0\n"
    assert done.exit_code == 2


def test_a_depth_that_cant_be_followed_is_2(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, types(1))
    monkeypatch.setenv("ACPGEN_SCHEMA_DEPTH", "2001")
    done = CliRunner().invoke(APP, ["lint", "schema"])
    complaint = "is more than 2000, the most that works"
    assert done.stderr == f"acpgen: ACPGEN_SCHEMA_DEPTH: {complaint}\n"
    assert done.exit_code == 2


STRING = Scalar(ScalarType.STRING)


def defined(**bodies: Type) -> dict[TypeName, TypeDef]:
    return {
        TypeName(name): TypeDef(TypeName(name), body, "", "", Location("", Pointer("")))
        for name, body in bodies.items()
    }


def refer(name: str) -> Array:
    return Array(Ref(TypeName(name)))


def depths(types: dict[TypeName, TypeDef], most: int) -> list[tuple[str, int]]:
    return [(definition.name, depth) for definition, depth in too_deep(types, most)]


def test_depth_counts_the_levels_through_references() -> None:
    types = defined(A=refer("B"), B=refer("C"), C=STRING)
    assert depths(types, 5) == []
    assert depths(types, 4) == [("A", 5)]
    assert depths(types, 2) == [("B", 3)]


def test_the_deepest_way_counts_and_the_order_does_not() -> None:
    types = defined(C=STRING, A=refer("C"), D=refer("A"), B=Array(Array(Array(STRING))))
    assert depths(types, 4) == [("D", 5)]


def test_a_circle_counts_each_of_its_types_once() -> None:
    types = defined(A=refer("B"), B=refer("A"), C=refer("A"))
    assert depths(types, 5) == [("C", 6)]
    assert [depth for _, depth in depths(types, 3)] == [4]


@pytest.mark.parametrize("ends", [True, False], ids=["chain", "circle"])
def test_types_on_many_levels_are_walked_through(folder: Path, ends: bool) -> None:
    def node(number: int) -> dict[str, Any]:
        next_ = {"description": "Next.", "$ref": f"#/$defs/T{(number + 1) % 300}x"}
        return {"type": "object", "properties": {} if ends and number == 299 else {"next": next_}}

    limit = sys.getrecursionlimit()
    method = {"x-method": "save", "x-side": "agent", "x-retry-class": "not_retried"}
    save = node(-1) | method | {"x-resend": "Saves it once more."}
    write(folder, {f"T{n}x": node(n) for n in range(300)} | {"SaveNotification": save})
    try:
        made = checkers(load(folder), Templates(resources.TEMPLATES))
    finally:
        sys.setrecursionlimit(limit)
    assert "T298x" in made["python/acp_v0/decoders.py"]


def test_a_chain_of_any_length_is_followed() -> None:
    chain = {f"T{n}": refer(f"T{n + 1}") for n in range(5_000)}
    assert depths(defined(**chain, T5000=STRING), 10_000) == [("T0", 10_001)]
