"""Changes that are accepted beforehand, and releases to compare with."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from acpgen import resources
from diff_calls import (
    BREAKS,
    FOUND,
    LABEL,
    MEMBER,
    MOOD,
    PLACE,
    PRICE,
    WHAT,
    line_of,
    run,
    write,
    write_two,
)
from small_schema import BASE


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_two()
    return tmp_path


def accept(reason: str, rule: str = "limit-tightened", name: str = "new/accepted.toml") -> Path:
    path = Path(name)
    path.write_text(
        f'[[accepted]]\nrule = "{rule}"\npointer = "/$defs/SendRequest/properties/label"\n'
        f'what = "{WHAT}"\nfrom = "20"\nto = "10"\nreason = "{reason}"\n',
        "utf-8",
    )
    return path


def test_an_accepted_change_breaks_no_peer() -> None:
    write(LABEL)
    accept("No label was ever longer.")
    result = run("old/v2", "new/v2")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "old/v2 -> new/v2: 1 change: 1 accepted\n"


def test_an_accepted_change_is_a_note_for_who_asks() -> None:
    write(LABEL)
    accept("No label was ever longer.")
    result = run("old/v2", "new/v2", "--all")
    assert result.exit_code == 0
    assert result.stdout == (
        FOUND.format(line=line_of(MEMBER)).replace("error[", "note[").rstrip("\n")
        + "; accepted (No label was ever longer.)\n"
    )


def test_an_accepted_change_is_in_the_document() -> None:
    write(LABEL)
    accept("No label was ever longer.")
    document = json.loads(run("old/v2", "new/v2", "--format", "json").stdout)
    assert [(change["accepted"], change["reason"]) for change in document["changes"]] == [
        (True, "No label was ever longer.")
    ]
    assert {label: n for label, n in document["counts"].items() if n} == {"accepted": 1}


def test_an_accepted_change_is_the_last_section_of_markdown() -> None:
    write({**LABEL, **PRICE})
    accept("No label was ever *longer*.")
    result = run("old/v2", "new/v2", "--format", "markdown")
    assert result.exit_code == 1
    assert "Breaking for clients" not in result.stdout
    assert result.stdout.endswith(
        "\n## Accepted\n\n- `SendRequest.label`: `maxLength` was 20 and is 10; "
        f"{BREAKS}; accepted (No label was ever \\*longer\\*.)\n"
    )


def test_markdown_of_what_is_all_accepted_has_no_other_section() -> None:
    write(LABEL)
    accept("Fine.")
    reported = run("old/v2", "new/v2", "--format", "markdown").stdout
    assert reported.startswith("# `old/v2` to `new/v2`\n\n## Accepted\n\n- `SendRequest.label`: ")


def test_a_file_of_accepted_changes_may_be_named() -> None:
    write(LABEL)
    path = accept("No label was ever longer.", name="mine.toml")
    assert run("old/v2", "new/v2", "--accepted", str(path)).exit_code == 0


@pytest.mark.parametrize(
    ("reason", "rule", "complaint"),
    [
        (
            " ",
            "limit-tightened",
            f"accepts limit-tightened {PLACE} without a reason, which has no effect",
        ),
        (
            "Fine.",
            "pattern-added",
            f"no pattern-added at {PLACE} is among the changes; correct this or remove it",
        ),
        ("Fine.", "limit-tigtened", "no rule is called 'limit-tigtened'"),
    ],
)
def test_what_accepts_nothing(reason: str, rule: str, complaint: str) -> None:
    write(LABEL)
    accept(reason, rule)
    result = run("old/v2", "new/v2")
    assert (result.exit_code, "accepted" in result.stdout) == (1, False)
    assert result.stderr == (
        f"new/accepted.toml:1: warning[stale-acceptance]: {complaint}\n"
        "old/v2 -> new/v2: 1 change: 1 breaking for clients\n"
    )


def test_another_change_at_the_same_place_is_not_accepted() -> None:
    write({"SendRequest": {"properties": {"label": {"maxLength": 9}}}})
    accept("No label was ever longer than 10.")
    result = run("old/v2", "new/v2")
    assert result.exit_code == 1
    assert result.stderr == (
        f"new/accepted.toml:1: warning[stale-acceptance]: accepts limit-tightened {PLACE} "
        f'what = "{WHAT}", from = "20", to = "10", and what changed is what = "{WHAT}", '
        'from = "20", to = "9"; correct this or remove it\n'
        "old/v2 -> new/v2: 1 change: 1 breaking for clients\n"
    )


def test_of_two_changes_at_a_place_an_entry_accepts_one() -> None:
    write({"SendRequest": {"properties": {"label": {"minLength": 10, "maxLength": 10}}}})
    accept("No label was ever longer than 10.")
    result = run("old/v2", "new/v2")
    assert result.exit_code == 1
    assert [line.partition(": `")[2] for line in result.stdout.splitlines()] == [
        f"minLength` was 1 and is 10; {BREAKS}"
    ]


def test_toml_is_what_accepts_all_that_breaks() -> None:
    write({**LABEL, **PRICE, **MOOD, "Size": {"oneOf": BASE["$defs"]["Size"]["oneOf"][:1]}})
    result = run("old/v2", "new/v2", "--format", "toml")
    assert result.exit_code == 1
    entries = tomllib.loads(result.stdout)["accepted"]
    assert entries[0] == {
        "rule": "limit-tightened",
        "pointer": PLACE,
        "what": WHAT,
        "from": "20",
        "to": "10",
        "reason": "",
    }
    assert [entry["what"] for entry in entries[1:2]] == ["SendResponse.price #4c2fbf426b2b"]
    unread = run("old/v2", "new/v2", "--accepted", str(save(result.stdout)))
    assert unread.exit_code == 1
    reasoned = result.stdout.replace('reason = ""', 'reason = "Nobody cares."')
    done = run("old/v2", "new/v2", "--accepted", str(save(reasoned)))
    assert (done.exit_code, "warning" in done.stderr) == (0, False)


def save(text: str) -> Path:
    path = Path("mine.toml")
    path.write_text(text, "utf-8")
    return path


def test_nothing_in_toml_turns_the_direction_of_writing() -> None:
    write({"SendRequest": {"properties": {"label": {"pattern": '\u202e\x7f"'}}}})
    reported = run("old/v2", "new/v2", "--format", "toml").stdout
    assert not {"\u202e", "\x7f"} & set(reported)
    assert [entry["to"] for entry in tomllib.loads(reported)["accepted"]] == ['\u202e\x7f"']


def test_accepted_changes_that_cannot_be_read() -> None:
    Path("mine.toml").write_text("[[accepted", "utf-8")
    result = run("old/v2", "new/v2", "--accepted", "mine.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("acpgen: mine.toml: is not TOML: ")


def test_a_stale_acceptance_is_reported_beside_the_newest_release(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "SCHEMA", workplace / "new" / "v2")
    released = Path("new/released")
    released.mkdir()
    Path("old/v2/parcels.json").rename(released / "acp-v2-1.0.0.schema.json")
    accept("No label was ever longer.")
    result = run()
    assert result.exit_code == 0
    assert result.stdout == (
        "new/accepted.toml:1: warning[stale-acceptance]: no limit-tightened at "
        "/$defs/SendRequest/properties/label is among the changes; correct this or remove it\n"
    )
    assert result.stderr == "new/released/acp-v2-1.0.0.schema.json -> new/v2: no changes\n"
