"""The place of a change: the nearest one in the new schema, or where a removed method was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.diff import Change, diff
from acpgen.load import load
from acpgen.load.place_lines import Lines
from acpgen.model import Location, Pointer, Protocol
from acpgen.targets.bundles import bundles
from proofs import amount, scaled
from small_schema import loaded, schema
from whole_schema import whole_schema

NAME = "session/list"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    """The schema as one file, which has no domains."""
    file = tmp_path_factory.mktemp("release") / "v2" / "acp.json"
    file.parent.mkdir()
    file.write_text(bundles(whole_schema())["schema/acp-v2.unstable.schema.json"])
    return load(file)


def edited(folder: Path, file: str, *replacements: tuple[str, str]) -> Protocol:
    """The schema with some text of one of its files replaced."""
    copy = folder / "v2"
    copy.mkdir()
    for path in resources.SCHEMA.glob("*.json"):
        text = path.read_text("utf-8")
        if path.name == file:
            for old, new in replacements:
                assert old in text
                text = text.replace(old, new)
        (copy / path.name).write_text(text, "utf-8")
    return load(copy)


def only(changes: tuple[Change, ...], kind: str) -> Change:
    (change,) = (change for change in changes if change.rule.id == kind)
    return change


def place(change: Change) -> tuple[str, str]:
    """The file and the line that a change is reported at."""
    number = Lines().of(change.location)
    assert number is not None
    file = Path(change.location.file)
    return file.name, file.read_text("utf-8").splitlines()[number - 1].strip()


def test_a_method_that_became_unstable_is_where_it_was(release: Protocol, tmp_path: Path) -> None:
    marked = [
        (f'"{name}": {{', f'"{name}": {{ "x-stability": "unstable",')
        for name in ("ListSessionsRequest", "ListSessionsResponse")
    ]
    new = edited(tmp_path, "session_list.json", *marked)
    change = only(diff(release, new), "method-removed")
    assert change.pointer == "/$defs/ListSessionsRequest"
    assert place(change) == (
        "session_list.json",
        '"ListSessionsRequest": { "x-stability": "unstable",',
    )


def test_a_method_of_another_name_is_renamed_where_its_params_are(
    release: Protocol, tmp_path: Path
) -> None:
    new = edited(tmp_path, "session_list.json", ('"session/list"', '"session/enumerate"'))
    change = only(diff(release, new), "method-renamed")
    assert change.words == "was called `session/list`"
    assert place(change) == ("session_list.json", '"ListSessionsRequest": {')


def test_a_method_renamed_with_its_types_is_where_the_new_one_is(
    release: Protocol, tmp_path: Path
) -> None:
    new = edited(
        tmp_path,
        "session_list.json",
        ('"session/list"', '"session/enumerate"'),
        ("ListSessions", "EnumerateSessions"),
    )
    change = only(diff(release, new), "method-renamed")
    assert change.pointer == "/$defs/EnumerateSessionsRequest"
    assert place(change) == ("session_list.json", '"EnumerateSessionsRequest": {')


def test_a_removed_method_is_where_it_was(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    method = {"type": "object", "x-method": "a/b", "x-side": "agent"}
    for folder in (old, new):
        folder.mkdir()
        (folder / "one.json").write_text(json.dumps({"$defs": {"Left": {"type": "string"}}}))
        kin = {"$defs": {"OtherNotification": {**method, "x-method": "a/bc"}}}
        (folder / "two.json").write_text(json.dumps(kin))
    gone = {"$defs": {"Left": {"type": "string"}, "GoneNotification": method}}
    (old / "one.json").write_text(json.dumps(gone))
    change = only(diff(load(old), load(new)), "method-removed")
    assert change.location == Location(str(old / "one.json"), Pointer("/$defs/GoneNotification"))


def test_what_is_gone_from_a_renamed_type_is_at_the_new_one(tmp_path: Path) -> None:
    whole = {
        "Parcel": {
            "type": "object",
            "properties": {"left": {"type": "string"}, "gone": {"type": "string"}},
        },
        "Size": {"oneOf": [{"const": "s", "type": "string"}, {"const": "l", "type": "string"}]},
        "SendNotification": {
            "type": "object",
            "x-method": "a/b",
            "x-side": "agent",
            "properties": {
                "parcel": {"$ref": "#/$defs/Parcel"},
                "size": {"$ref": "#/$defs/Size"},
            },
        },
    }
    text = json.dumps({"$defs": whole})
    for old, new in (("Parcel", "Package"), ("Size", "Extent")):
        text = text.replace(f'"{old}"', f'"{new}"').replace(f"/{old}", f"/{new}")
    document = json.loads(text)
    del document["$defs"]["Package"]["properties"]["gone"]
    del document["$defs"]["Extent"]["oneOf"][0]
    before = loaded({"$defs": whole}, tmp_path / "old.json")
    changes = diff(before, loaded(document, tmp_path / "new.json"))
    member = only(changes, "optional-member-removed")
    assert member.pointer == "/$defs/Parcel/properties/gone"
    assert member.location.pointer == "/$defs/Package/properties/gone"
    value = only(changes, "value-removed")
    assert value.pointer == "/$defs/Size/oneOf/0"
    assert value.location.pointer == "/$defs/Extent/oneOf"


@scaled("compares all cases")
def test_every_change_of_a_case_is_at_a_place_of_the_new_schema(tmp_path: Path) -> None:
    """Of all cases, whatever is gone: no change is reported at the top of the file."""
    for case in sorted((Path(__file__).parent / "cases").iterdir())[:: amount(4, 1)]:
        document = json.loads(case.read_text("utf-8"))
        protocols = [
            loaded(schema(document.get(side, {})), tmp_path / f"{side}.json")
            for side in ("old", "new")
        ]
        for old, new in (protocols, reversed(protocols)):
            lines = Lines()
            for change in diff(old, new):
                assert (lines.of(change.location) or 0) > 1, (case.stem, change.message)
