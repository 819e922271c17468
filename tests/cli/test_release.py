"""`acpgen release` as a maintainer calls it. Nothing here touches the schema's own releases."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen import resources
from acpgen.diff import diff
from acpgen.load import load
from command_calls import APP
from small_schema import patched, schema
from whole_schema import whole_schema

ADDED = {"SendResponse": {"properties": {"eta": {"description": "When.", "type": "string"}}}}
BROKEN = {"SendRequest": {"properties": {"label": {"maxLength": 10}}}}
LABEL = "SendRequest.label maxLength"
WORDS = {"Address": {"description": "Where to."}}
LINTED = {"Rule": None, "Street": None, "SendRequest": {"x-errors": None, "x-docs": None}}
"""Mends what the small schema has wrong on purpose."""
LOG = Path("schema/released/CHANGELOG.md")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["release", "--schema", "schema/v2", *arguments])


def released() -> list[str]:
    return sorted(path.name for path in Path("schema/released").iterdir())


def write(definitions: object) -> None:
    path = Path("schema/v2/parcels.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {k: v for k, v in schema(definitions).items() if not k.startswith("x-")}
    document["$defs"] = patched(document["$defs"], LINTED)
    path.write_text(json.dumps(document), "utf-8")


def accept(rule: str, pointer: str, what: str, old: str, new: str) -> None:
    Path("schema/accepted.toml").write_text(
        f'[[accepted]]\nrule = "{rule}"\npointer = "{pointer}"\nwhat = "{what}"\n'
        f'from = "{old}"\nto = "{new}"\n'
        'reason = "Nobody wrote more."\n',
        "utf-8",
    )


def entry(version: str) -> str:
    """What the changelog tells of a version."""
    text = LOG.read_text("utf-8")
    return text.partition(f"## {version}\n\n")[2].partition("\n## ")[0]


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({})


def test_the_first_release_may_have_any_version() -> None:
    result = run("1.4.0-rc.1")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith(
        "schema/released/acp-v2-1.4.0-rc.1.schema.json: written, "
        "with an entry in schema/released/CHANGELOG.md\n"
        "acpgen publishes nothing. To publish 1.4.0-rc.1, in this order:\n"
        "  1. acpgen generate, and commit: "
    )
    assert "\n  2. git tag v1.4.0-rc.1, and push it: " in result.stderr
    assert released() == ["CHANGELOG.md", "acp-v2-1.4.0-rc.1.schema.json"]
    assert LOG.read_text("utf-8").endswith("## 1.4.0-rc.1\n\nThe first release.\n")


def test_a_release_is_the_whole_schema(tmp_path: Path) -> None:
    result = CliRunner().invoke(APP, ["release", "0.1.0", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0
    release = load(tmp_path / "out" / "acp-v2-0.1.0.schema.json")
    assert diff(whole_schema(), release) == ()
    assert diff(release, whole_schema()) == ()


def test_releasing_twice_writes_the_same() -> None:
    run("1.0.0", "--out", "one")
    run("1.0.0", "--out", "two")
    texts = [
        {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        for folder in ("one", "two")
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("definitions", "version", "status"),
    [
        (BROKEN, "1.1.0", 1),
        (BROKEN, "2.0.0", 0),
        (BROKEN, "2.0.0-alpha.1", 0),
        (ADDED, "1.0.1", 1),
        (ADDED, "1.1.0", 0),
        (WORDS, "1.0.1", 0),
        (WORDS, "1.0.0", 1),
        (WORDS, "0.9.0", 1),
    ],
)
def test_the_version_must_fit_the_changes(definitions: object, version: str, status: int) -> None:
    run("1.0.0")
    write(definitions)
    result = run(version)
    assert result.exit_code == status
    assert len(released()) == (2 if status else 3)
    assert (f"## {version}\n" in LOG.read_text("utf-8").replace("## 1.0.0\n", "")) is not status


def test_a_refusal_names_what_broke_and_the_version_it_takes() -> None:
    run("1.0.0")
    write({**BROKEN, **ADDED})
    result = run("1.1.0")
    assert result.exit_code == 1
    assert result.stdout == (
        "schema/v2/parcels.json:1: parcel/send: error[limit-tightened] "
        "/$defs/SendRequest/properties/label: `maxLength` was 20 and is 10; breaks clients: newer "
        "peers do not accept what they send\n"
    )
    assert result.stderr == (
        "schema/released/acp-v2-1.0.0.schema.json -> schema/v2: 2 changes: "
        "1 breaking for clients, 1 addition\n"
        "acpgen: no release: what changed breaks 1.0.0; that takes 2.0.0 or later, not 1.1.0\n"
    )


def test_nothing_new_is_not_a_release() -> None:
    run("1.0.0")
    result = run("1.0.1")
    assert result.exit_code == 1
    assert result.stderr.endswith("acpgen: no release: nothing has changed since 1.0.0\n")


def test_an_accepted_break_needs_no_major_version() -> None:
    run("1.0.0")
    write(BROKEN)
    accept("limit-tightened", "/$defs/SendRequest/properties/label", LABEL, "20", "10")
    assert run("1.0.1").exit_code == 0
    assert entry("1.0.1") == (
        "### Accepted\n\n- `SendRequest.label`: `maxLength` was 20 and is 10; breaks clients: "
        "newer peers do not accept what they send; accepted (Nobody wrote more.)\n"
    )


def test_what_is_accepted_stands_apart_from_the_rest() -> None:
    run("1.0.0")
    write({**BROKEN, **ADDED})
    accept("limit-tightened", "/$defs/SendRequest/properties/label", LABEL, "20", "10")
    assert run("1.1.0").exit_code == 0
    text = LOG.read_text("utf-8")
    assert re.findall("^### (.*)$", text, re.MULTILINE) == ["Additions", "Accepted"]


def test_a_pre_release_hides_no_break() -> None:
    run("1.0.0")
    write(ADDED)
    assert run("1.1.0-rc.1").exit_code == 0
    write({**ADDED, **BROKEN})
    result = run("1.1.0")
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "what changed breaks 1.0.0; that takes 2.0.0 or later, not 1.1.0\n"
    )
    assert run("2.0.0").exit_code == 0


def test_a_pre_release_may_become_the_release_as_it_is() -> None:
    run("1.0.0-rc.1")
    assert run("1.0.0").exit_code == 0
    assert entry("1.0.0") == "The first full release.\n"


def test_the_changelog_of_a_release_tells_what_changed_since_the_last_full_one() -> None:
    run("1.0.0")
    write(ADDED)
    assert run("1.1.0-rc.1").exit_code == 0
    write({**ADDED, **WORDS})
    assert run("1.1.0-rc.2").exit_code == 0
    assert run("1.1.0").exit_code == 0
    assert "eta" not in entry("1.1.0-rc.2")
    assert entry("1.1.0") == (
        "### Additions\n\n"
        "- `SendResponse.eta`: is new, and optional. Carried by `parcel/send`.\n\n"
        "### Docs only\n\n"
        "The texts about `Address`.\n"
    )


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("0.10.0", "1.0.0", 0),
        ("0.10.0", "0.11.0", 0),
        ("1.0.0", "2.0.0-rc.1", 0),
        ("1.0.0-rc.1", "1.0.0", 0),
        ("0.10.0", "0.10.1", 1),
        ("1.0.0", "1.0.1-rc.1", 1),
        ("1.0.0-rc.1", "1.0.0-rc.2", 1),
    ],
)
def test_what_is_settled_needs_no_change(first: str, second: str, status: int) -> None:
    run(first)
    result = run(second)
    assert result.exit_code == status
    assert (f"nothing has changed since {first}\n" in result.stderr) is bool(status)


@pytest.mark.parametrize(
    ("version", "status"), [("1.0.0-foo.1", 2), ("1.0.0-rc.1.2", 2), ("1.0.0-beta.2", 0)]
)
def test_a_version_that_no_wheel_can_have_is_refused(version: str, status: int) -> None:
    result = run(version)
    assert result.exit_code == status
    reason = f"no wheel can have the version {version}; end it in alpha.N, beta.N or rc.N"
    assert (reason in result.stderr) is bool(status)


def test_what_was_accepted_accepts_nothing_else_later() -> None:
    def write_class(word: str) -> None:
        write({"SendRequest": {"x-retry-class": word}})

    run("1.0.0")
    write_class("duplicating")
    accept("retry-class-changed", "/$defs/SendRequest", "parcel/send", "idempotent", "duplicating")
    assert run("1.0.1").exit_code == 0
    write_class("not_retried")
    result = run("1.0.2")
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "acpgen: no release: what changed breaks 1.0.1; that takes 2.0.0 or later, not 1.0.2\n"
    )
    assert released()[-1] == "acp-v2-1.0.1.schema.json"


def test_an_entry_that_is_left_over_is_not_a_release() -> None:
    run("1.0.0")
    write(BROKEN)
    accept("limit-tightened", "/$defs/SendRequest/properties/label", LABEL, "20", "10")
    assert run("1.0.1").exit_code == 0
    write({**BROKEN, **ADDED})
    result = run("1.1.0")
    assert (result.exit_code, result.stdout) == (
        1,
        "schema/accepted.toml:1: warning[stale-acceptance]: no limit-tightened at "
        "/$defs/SendRequest/properties/label is among the changes; correct this or remove it\n",
    )
    assert result.stderr == (
        "acpgen: no release: these entries accept no change; correct or remove them\n"
    )
    Path("schema/accepted.toml").unlink()
    assert run("1.1.0").exit_code == 0


def test_what_a_pre_release_was_accepted_for_is_accepted_for_the_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run("1.0.0")
    write(BROKEN)
    accept("limit-tightened", "/$defs/SendRequest/properties/label", LABEL, "20", "10")
    assert run("1.1.0-rc.1").exit_code == 0
    monkeypatch.setattr(resources, "SCHEMA", Path("schema/v2").resolve())
    compared = CliRunner().invoke(APP, ["diff"])
    assert (compared.exit_code, compared.stdout) == (0, "")
    assert compared.stderr == (
        "schema/released/acp-v2-1.1.0-rc.1.schema.json -> schema/v2: no changes\n"
    )
    assert run("1.1.0").exit_code == 0
    assert "accepted (Nobody wrote more.)" in entry("1.1.0")


def test_a_method_without_class_is_never_released() -> None:
    run("1.0.0")
    request = {"description": "Pings.", "x-method": "ping", "x-side": "agent", "type": "object"}
    write({"PingNotification": request})
    result = run("2.0.0")
    assert result.exit_code == 1
    assert "parcels.json:1: ping: error[missing-retry-class] " in result.stdout
    assert result.stderr == "acpgen: no release: `acpgen lint` finds errors in this schema\n"


def test_what_lint_refuses_is_never_released() -> None:
    shutil.copytree(resources.SCHEMA, "other/v2")
    shutil.copy(resources.ACCEPTED, "other")
    file = Path("other/v2/prompt.json")
    text = file.read_text("utf-8")
    assert text.count('"maxLength": 255') == 1
    file.write_text(text.replace('"maxLength": 255', '"maxLength": 100'), "utf-8")
    result = run("1.0.0", "--schema", "other/v2")
    assert (result.exit_code, Path("other/released").exists()) == (1, False)
    assert "must be a string with minLength 1, maxLength 255, nothing else" in result.stdout
    assert result.stderr == "acpgen: no release: `acpgen lint` finds errors in this schema\n"


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("kept", "utf-8")
    LOG.parent.mkdir()
    for name in (LOG.name, "acp-v2-1.0.0.schema.json"):
        LOG.with_name(f".{name}.tmp").symlink_to(other)
    assert run("1.0.0").exit_code == 0
    assert other.read_text("utf-8") == "kept"


def test_what_is_not_a_version() -> None:
    result = run("one")
    assert (result.exit_code, Path("schema/released").exists()) == (2, False)
    assert result.stderr == ("acpgen: one is not a version; write it as 1.2.3 or 1.2.3-alpha.1\n")


def test_a_schema_that_is_none() -> None:
    Path("schema/v2/parcels.json").write_text("{", "utf-8")
    result = run("1.0.0")
    assert (result.exit_code, Path("schema/released").exists()) == (2, False)
    assert result.stderr.endswith("acpgen: schema/v2: is not a schema that can be compared\n")


def test_a_folder_that_cannot_be_written() -> None:
    Path("file").touch()
    result = run("1.0.0", "--out", "file")
    assert result.exit_code == 2
    assert result.stderr == "acpgen: file: can't be written: File exists\n"


@pytest.mark.prove("releases the whole schema twice")
def test_the_schema_of_this_repository_can_be_released(tmp_path: Path) -> None:
    folder = tmp_path / "released"
    options = ["--schema", str(resources.SCHEMA), "--out", str(folder)]
    assert CliRunner().invoke(APP, ["release", "0.1.0", *options]).exit_code == 0
    result = CliRunner().invoke(APP, ["release", "0.1.1", *options])
    assert result.exit_code == 1
    assert "nothing has changed since 0.1.0" in result.stderr


def test_the_schema_of_an_installed_acpgen_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "ROOT", tmp_path)
    result = CliRunner().invoke(APP, ["release", "1.0.0"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "acpgen: this is the schema that comes with acpgen; name yours with --schema, or an --out\n"
    )


def test_releases_at_once_keep_every_entry() -> None:
    command = [sys.executable, "-m", "acpgen", "release", "--schema", "schema/v2"]
    versions = ("0.1.0", "0.2.0", "0.3.0")
    programs = [subprocess.Popen([*command, v], stderr=subprocess.PIPE) for v in versions]
    for program in programs:
        program.communicate()
    kept = [v for v, program in zip(versions, programs, strict=True) if program.returncode == 0]
    assert kept
    assert [version for version in kept if not entry(version)] == []
