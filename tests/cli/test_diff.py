"""`acpgen diff` as people and CI call it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema_rs
import pytest
from markdown_it import MarkdownIt

from acpgen import resources
from diff_calls import (
    BREAKS,
    FOUND,
    LABEL,
    MEMBER,
    MOOD,
    PRICE,
    WHAT,
    WORDS,
    line_of,
    run,
    write,
    write_two,
)
from small_schema import BASE, schema


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_two()
    return tmp_path


def test_no_change_is_0() -> None:
    result = run("old/v2", "new/v2")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "old/v2 -> new/v2: no changes\n"


def test_a_break_is_1_and_names_its_place() -> None:
    write(LABEL)
    result = run("old/v2", "new/v2")
    assert result.exit_code == 1
    assert result.stdout == FOUND.format(line=line_of(MEMBER))
    assert result.stderr == "old/v2 -> new/v2: 1 change: 1 breaking for clients\n"


@pytest.mark.parametrize(
    ("definitions", "fails"),
    [
        (LABEL, {"client", "any"}),
        (PRICE, {"agent", "any"}),
        (MOOD, set()),
        (WORDS, set()),
    ],
    ids=["clients", "agents", "recovered", "docs"],
)
@pytest.mark.parametrize("fail_on", ["client", "agent", "any", "none"])
def test_fail_on(definitions: object, fails: set[str], fail_on: str) -> None:
    write(definitions)
    result = run("old/v2", "new/v2", "--fail-on", fail_on)
    assert result.exit_code == (1 if fail_on in fails else 0)


@pytest.mark.parametrize(
    ("fail_on", "status"), [("client", 0), ("agent", 0), ("any", 1), ("none", 0)]
)
def test_what_breaks_proxies_only_fails_for_any(fail_on: str, status: int) -> None:
    for name, longest in (("old", 20), ("new", 10)):
        hop = {
            "description": "Hands a parcel on.",
            "x-method": "proxy/hop",
            "x-side": "proxy",
            "x-retry-class": "not_retried",
            "x-resend": "Hands it on twice.",
            "type": "object",
            "properties": {"to": {"description": "To.", "type": "string", "maxLength": longest}},
        }
        write({"HopNotification": hop}, name)
    result = run("old/v2", "new/v2", "--fail-on", fail_on)
    assert "breaks proxies: " in result.stdout
    assert result.exit_code == status


@pytest.mark.parametrize(
    ("fail_on", "status"), [("client", 1), ("agent", 1), ("any", 1), ("none", 0)]
)
def test_a_method_without_class_fails_for_everybody(fail_on: str, status: int) -> None:
    request = {"description": "Pings.", "x-method": "ping", "x-side": "agent", "type": "object"}
    write({"PingNotification": request})
    result = run("old/v2", "new/v2", "--fail-on", fail_on)
    assert "error[method-without-class]" in result.stdout
    assert result.exit_code == status


@pytest.mark.parametrize(("options", "shown"), [((), False), (("--all",), True)])
def test_words_are_shown_on_demand(options: tuple[str, ...], shown: bool) -> None:
    write(WORDS)
    result = run("old/v2", "new/v2", *options)
    assert ("note[docs-changed] /$defs/Address: description changed" in result.stdout) is shown
    assert result.stderr == "old/v2 -> new/v2: 1 change: 1 docs only\n"


def test_json_has_a_message_that_shows_the_break() -> None:
    write(LABEL)
    document = json.loads(run("old/v2", "new/v2", "--format", "json").stdout)
    assert {key: document[key] for key in ("format", "old", "new")} == {
        "format": "acpgen.diff/1",
        "old": "old/v2",
        "new": "new/v2",
    }
    (change,) = document["changes"]
    witness = change.pop("witness")
    assert change == {
        "rule": "limit-tightened",
        "severity": "error",
        "effect": "narrows",
        "standing": "stable",
        "breaks": ["client"],
        "recovers": [],
        "methods": ["parcel/send"],
        "path": "SendRequest.label",
        "what": WHAT,
        "file": "new/v2/parcels.json",
        "line": line_of(MEMBER),
        "pointer": "/$defs/SendRequest/properties/label",
        "old": "20",
        "new": "10",
        "message": f"`maxLength` was 20 and is 10; {BREAKS}",
        "accepted": False,
        "reason": None,
    }
    value = witness.pop("value")
    assert witness == {
        "method": "parcel/send",
        "part": "params",
        "sender": "client",
        "acceptedBy": "old",
    }
    verdicts = [
        jsonschema_rs.Draft202012Validator(
            {"$ref": "#/$defs/SendRequest", "$defs": schema(definitions)["$defs"]}
        ).is_valid(value)
        for definitions in ({}, LABEL)
    ]
    assert verdicts == [True, False]


def test_an_error_that_no_message_is_found_for_says_so() -> None:
    pattern = {"description": "L.", "type": "string", "pattern": r"^\b[0-9a-f]{8}$"}
    write({"SendRequest": {"properties": {"label": pattern}}}, "old")
    write({"SendRequest": {"properties": {"label": {**pattern, "pattern": r"^\b[0-9a-g]{8}$"}}}})
    result = run("old/v2", "new/v2")
    assert result.exit_code == 1
    assert result.stdout.endswith("; no message found that shows it\n")


def test_json_of_nothing() -> None:
    assert json.loads(run("old/v2", "new/v2", "--format", "json").stdout)["changes"] == []


def test_github_annotates_the_new_file() -> None:
    write(LABEL)
    assert run("old/v2", "new/v2", "--format", "github").stdout == (
        f"::error file=new/v2/parcels.json,line={line_of(MEMBER)},title=limit-tightened::"
        f"parcel/send /$defs/SendRequest/properties/label: `maxLength` was 20 and is 10; {BREAKS}\n"
    )


def test_markdown_is_a_changelog() -> None:
    write({**LABEL, **PRICE, **WORDS, "SendNotification": None})
    assert run("old/v2", "new/v2", "--format", "markdown").stdout == (
        "# `old/v2` to `new/v2`\n\n"
        "## Breaking for clients\n\n"
        f"- `SendRequest.label`: `maxLength` was 20 and is 10; {BREAKS}. "
        "Carried by `parcel/send`.\n\n"
        "## Breaking for agents\n\n"
        "- `SendResponse.price`: was a number and is an integer; breaks agents: newer peers do not "
        "accept what they send. Carried by `parcel/send`.\n\n"
        "## Docs only\n\n"
        "The texts about `Address`.\n"
    )


def test_markdown_of_a_promise() -> None:
    write({"SendRequest": {"x-retry-class": "not_retried"}})
    assert run("old/v2", "new/v2", "--format", "markdown").stdout == (
        "# `old/v2` to `new/v2`\n\n"
        "## Retry promises\n\n"
        "- `parcel/send`: its retry class was `idempotent` and is `not_retried`; breaks clients. "
        "Older clients send it again unchanged, which is not allowed any more. Newer clients do "
        "not send it again, so nothing changes for agents.\n"
    )


def test_markdown_of_a_new_method_tells_whether_to_send_it_again() -> None:
    document = json.loads(Path("new/v2/parcels.json").read_text("utf-8"))
    request = {**document["$defs"]["SignRequest"], "x-method": "parcel/pin"}
    write({"PinRequest": {**request, "x-retry-class": "idempotent"}})
    result = run("old/v2", "new/v2", "--format", "markdown")
    assert result.stdout == (
        "# `old/v2` to `new/v2`\n\n"
        "## Additions\n\n"
        "- `parcel/pin`: is new; its retry class is `idempotent`.\n"
    )
    assert result.stderr == "old/v2 -> new/v2: 1 change: 1 addition\n"


@pytest.mark.parametrize(
    "text", ["<b>`|", "*/ {x} ${y}", "a\n\n# b", "](x)", "---\n\u2028- c", "\\`"]
)
def test_hostile_text_opens_no_markup(text: str) -> None:
    write({"SendRequest": {"properties": {text: {"description": text, "type": "string"}}}})
    result = run("old/v2", "new/v2", "--format", "markdown")
    tokens = [t.type for t in MarkdownIt().parse(result.stdout) if t.type != "inline"]
    assert result.exit_code == 0
    assert tokens.count("list_item_open") == 1
    assert set(tokens) == {
        f"{name}_{end}"
        for name in ("heading", "bullet_list", "list_item", "paragraph")
        for end in ("open", "close")
    }


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_nothing_turns_the_direction_of_writing(form: str) -> None:
    write({"SendRequest": {"properties": {"label": {"pattern": "\u202e\u009b"}}}})
    reported = run("old/v2", "new/v2", "--format", form).stdout
    assert "\\u202e" in reported
    assert not {"\u202e", "\u009b"} & set(reported)


def test_a_release_of_another_protocol_version_is_none(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "SCHEMA", workplace / "new" / "v2")
    released = Path("new/released")
    released.mkdir()
    for name in ("acp-v2-1.0.0", "acp-v3-2.0.0"):
        shutil.copy("old/v2/parcels.json", released / f"{name}.schema.json")
    result = run()
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "new/released/acp-v2-1.0.0.schema.json -> new/v2: no changes\n"


def test_without_a_release_it_says_what_to_do(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "SCHEMA", workplace / "new" / "v2")
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "acpgen: new/released: has no release to compare with yet; make the first one with "
        "`acpgen release 0.1.0`, or name what to compare with, as in `acpgen diff git:HEAD`\n"
    )


def test_without_a_checkout_there_are_no_releases_to_make(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "SCHEMA", workplace / "new" / "v2")
    monkeypatch.setattr(resources, "ROOT", workplace)
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "acpgen: no release comes with acpgen; name what to compare with: `acpgen diff OLD`\n"
    )


def test_a_release_called_by_no_version(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "SCHEMA", workplace / "new" / "v2")
    Path("new/released").mkdir()
    Path("new/released/acp-v2-1.0.x.schema.json").touch()
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("acpgen: new/released: 1.0.x is not a version; ")


def test_a_schema_that_is_none() -> None:
    Path("new/v2/parcels.json").write_text('{"$defs": {"A": {"type": "strnig"}}}', "utf-8")
    result = run("old/v2", "new/v2")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "new/v2/parcels.json:1: error[meta-schema] /$defs/A/type: " in result.stderr
    assert result.stderr.endswith("acpgen: new/v2: is not a schema that can be compared\n")


def test_a_version_that_is_no_path_leads_to_its_release(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "SCHEMA", workplace / "new" / "v2")
    Path("new/released").mkdir()
    Path("new/released/acp-v2-1.0.0.schema.json").touch()
    missing = "acpgen: {}: No such file or directory{}\n"
    question = "; did you mean new/released/acp-v2-1.0.0.schema.json?"
    assert run("1.0.0", "new/v2").stderr == missing.format("1.0.0", question)
    assert run("1.0.1", "new/v2").stderr == missing.format("1.0.1", "")


def test_a_path_that_is_not_there() -> None:
    result = run("old/v2", "nowhere.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "acpgen: nowhere.json: No such file or directory\n"


def test_a_revision_names_its_files(workplace: Path) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "One"]):
        subprocess.run(["git", *identity, *arguments], cwd=workplace, check=True)
    write(LABEL, "old")
    result = run("old/v2", "git:HEAD:new/v2")
    assert result.exit_code == 1
    assert result.stdout.startswith(
        f"git:HEAD:new/v2/parcels.json:{line_of(MEMBER)}: parcel/send: error[limit-loosened] "
    )
    assert result.stderr == ("old/v2 -> git:HEAD:new/v2: 1 change: 1 breaking for agents\n")


def test_a_revision_with_two_schemas_side_by_side_asks_for_one(workplace: Path) -> None:
    Path("old/v2/copy.json").write_bytes(Path("old/v2/parcels.json").read_bytes())
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "One"]):
        subprocess.run(["git", *identity, *arguments], cwd=workplace, check=True)
    result = run("git:HEAD:old/v2", "new/v2")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "git:HEAD:old/v2/parcels.json:1: error[repeated-definition]: defines "
        f"{len(BASE['$defs'])} of the types in copy.json again; if each of these files is a schema "
        "by itself, name the one that is meant\n"
        "acpgen: git:HEAD:old/v2: is not a schema that can be compared\n"
    )


def test_a_revision_that_is_none(workplace: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=workplace, check=True)
    result = run("git:nope")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("acpgen: nope: is not a revision of ")
