"""`acpgen upstream` as maintainers who follow upstream call it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen.load import load
from command_calls import APP
from language_subjects import Subject, expected, messages
from language_tools import LANGUAGES, drivers, records, require, write
from proofs import a_few

V1 = ("overlay", "v1/schema.json", "--other-version")
STABLE = Path("v2/schema.json")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["upstream", *arguments])


@pytest.fixture(autouse=True)
def _workplace(upstream_schemas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for version in ("v1", "v2"):
        shutil.copytree(upstream_schemas / version, version)


def edit(old: str, new: str) -> None:
    text = STABLE.read_text("utf-8")
    assert old in text
    STABLE.write_text(text.replace(old, new, 1), "utf-8")


def test_an_equal_release_is_0() -> None:
    result = run("compare", str(STABLE))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "v2/schema.json: 7 different, 190 equal, 1 ours-only; none undeclared or unused\n"
    )


def test_all_definitions_are_listed_with_the_reasons() -> None:
    lines = run("compare", "--all", str(STABLE)).stdout.splitlines()
    assert len(lines) == 198
    assert "equal        AbsolutePath" in lines
    assert "ours-only    IdempotencyKey  the RFD" in lines
    assert "different    PromptRequest  the RFD" in lines


def test_an_undeclared_difference_is_1_and_tells_where() -> None:
    edit('"CancelTerminalResponse": {', '"CancelTerminalResponse": {\n      "title": "New",')
    result = run("compare", str(STABLE))
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    place, _, rest = line.partition(": ")
    number = int(place.removeprefix("v2/schema.json:"))
    assert STABLE.read_text("utf-8").splitlines()[number - 1].strip() == '"title": "New",'
    assert rest == (
        "error[upstream-different] /$defs/CancelTerminalResponse/title: "
        'upstream has "New", here is nothing'
    )
    assert result.stderr.endswith("; 1 undeclared or unused\n")


def test_a_declared_difference_is_0_and_a_stale_one_1() -> None:
    own = Path("own.toml")
    declared = Path(__file__).parents[2] / "schema" / "upstream.toml"
    entry = '\n[[declared]]\nrule = "different"\ndefinition = "CancelTerminalResponse"\n'
    entry += 'pointer = "/title"\ntheirs = \'"New"\'\nours = "nothing"\nreason = "a test"\n'
    own.write_text(declared.read_text() + entry)
    stale = run("compare", str(STABLE), "--declared", "own.toml")
    assert stale.exit_code == 1
    assert "own.toml: warning[stale-declaration]: CancelTerminalResponse is not" in stale.stdout
    edit('"CancelTerminalResponse": {', '"CancelTerminalResponse": {\n      "title": "New",')
    assert run("compare", str(STABLE), "--declared", "own.toml").exit_code == 0


def test_programs_read_the_findings() -> None:
    edit('"CancelTerminalResponse": {', '"CancelTerminalResponse": {\n      "title": "New",')
    report = json.loads(run("compare", "--all", str(STABLE), "--format", "json").stdout)
    assert [finding["rule"] for finding in report["findings"]] == ["upstream-different"]


@pytest.mark.parametrize(
    ("command", "path", "complaint"),
    [
        ("compare", "v1/schema.json", "is version 1, and this schema is version 2"),
        ("compare", "plain.json", "does not state its version"),
        ("overlay", "plain.json", "does not state its version"),
        ("compare", "none.json", "none.json: No such file"),
        ("overlay", "broken.json", "broken.json: is not a schema that can be read"),
        ("overlay", "v2", "v2: is a folder; name the one file of a release"),
        ("compare", "v2", "v2: is a folder; name the one file of a release"),
    ],
)
def test_what_cant_be_reported_is_2(command: str, path: str, complaint: str) -> None:
    shutil.copy(STABLE, "plain.json")
    Path("broken.json").write_text("{")
    result = run(command, path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in result.stderr


def test_declarations_that_cant_be_read_are_2() -> None:
    Path("own.toml").write_text("x = 1\n")
    result = run("compare", str(STABLE), "--declared", "own.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("acpgen: own.toml: must hold")
    assert run("compare", str(STABLE), "--declared", "none.toml").exit_code == 2


@pytest.mark.parametrize(
    "name",
    a_few(
        ["v1/schema.json", "v2/schema.json", "v2/schema.unstable.json"],
        {"v2/schema.json"},
        "overlays each release",
    ),
)
def test_git_takes_the_patch(name: str) -> None:
    assert run("overlay", name, "--other-version", "--out", "whole.json").exit_code == 0
    patch = run("overlay", name, "--other-version")
    assert patch.exit_code == 0
    removed = [line for line in patch.stdout.splitlines() if line.startswith("-")]
    # A line changes only for the comma that what follows it needs.
    assert all(f"+{line[1:]}," in patch.stdout for line in removed[1:])
    subprocess.run(
        ["git", "apply", "-"], input=patch.stdout, text=True, check=True, encoding="utf-8"
    )
    assert Path(name).read_bytes() == Path("whole.json").read_bytes()


def test_what_is_annotated_already_stays() -> None:
    assert run("overlay", str(STABLE), "--out", str(STABLE)).exit_code == 0
    result = run("overlay", str(STABLE))
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_release_of_another_version_gets_no_class_unless_a_flag_asks() -> None:
    result = run("overlay", "v1/schema.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--other-version copies the classes" in result.stderr


def test_what_is_lacking_is_reported() -> None:
    assert run("overlay", str(STABLE)).stderr.startswith(
        "v2/schema.json: 18 methods now have a class; not in this release: auth/status, "
    )
    assert "without one: authenticate, fs/read_text_file" in run(*V1).stderr


@pytest.mark.prove("overlays a release once more")
def test_of_another_version_only_classes_are_lacking_and_the_help_says_so() -> None:
    result = run(*V1, "--out", "v1/schema.json")
    (reported,) = (line for line in result.stderr.splitlines() if "without one: " in line)
    listed = reported.partition("without one: ")[2].split(", ")
    linted = CliRunner().invoke(APP, ["lint", "v1/schema.json"]).stdout.splitlines()
    assert {line.split(": ")[1] for line in linted} == set(listed)
    assert all(": error[missing-retry-class] " in line for line in linted)
    reported = " ".join(run("overlay", "--help").stdout.split())
    assert "the methods without a class are listed" in reported


def test_a_method_of_another_side_gets_no_class_and_nothing_is_handed_over() -> None:
    schema = json.loads(STABLE.read_text("utf-8"))
    for definition in schema["$defs"].values():
        if definition.get("x-method") == "session/list":
            definition["x-side"] = "client"
    STABLE.write_text(json.dumps(schema, indent=2), "utf-8")
    result = run("overlay", str(STABLE), "--out", "whole.json")
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    assert "session/list: error[missing-retry-class] /$defs/ListSessionsRequest" in line
    assert result.stderr.splitlines()[0] == (
        "v2/schema.json: session/list (request, side client) is session/list (request, side agent) "
        "here, so it doesn't get its class"
    )
    assert not Path("whole.json").exists()


@pytest.mark.prove("generates a whole tree from an overlaid release")
def test_another_version_has_tables_once_what_lacks_a_class_is_accepted() -> None:
    """In Python, TypeScript, Rust and Go, which compile and agree."""
    assert run(*V1, "--out", "v1/schema.json").exit_code == 0
    order = ["generate", "--schema", "v1/schema.json", "--out", "out"]
    assert CliRunner().invoke(APP, order).exit_code == 1
    protocol = load(Path("v1/schema.json"))
    Path("v1/accepted.toml").write_text(
        "".join(
            f'[[accepted]]\nrule = "missing-retry-class"\npointer = "{method.location.pointer}"\n'
            'reason = "Nobody has decided about it."\n'
            for method in protocol.methods
            if method.retry is None
        ),
        "utf-8",
    )
    result = CliRunner().invoke(APP, order)
    assert (result.exit_code, result.stdout) == (0, "")
    rows = json.loads(Path("out/json/methods.json").read_text("utf-8"))["methods"]
    assert len(rows) == 13
    subject = Subject(protocol, messages(protocol))
    table, wanted = expected(subject)
    assert [row[0] for row in table] == [row["method"] for row in rows]
    output = {
        message["method"]: output for message, output in zip(subject.messages, wanted, strict=True)
    }
    assert output["session/prompt"][:2] == ["not_at_all", "unknown-method"]
    assert output["session/prompt"][-1].startswith("session/prompt is not a method of this table")
    for language in (LANGUAGES["typescript"], LANGUAGES["rust"], LANGUAGES["go"]):
        require(language.name, *language.needs)
        folder = Path(language.name).resolve()
        folder.mkdir()
        files = write(language, folder, [protocol])
        text = Path("out", language.name, files[0].relative_to(folder)).read_text("utf-8")
        assert files[0].read_text("utf-8") == text
        language.compile(folder, files, drivers(language, folder, [subject.version]))
        assert records(language, folder, subject) == [*table, *wanted]


@pytest.mark.prove("generates from a release")
def test_an_annotated_release_generates(tmp_path: Path) -> None:
    assert run("overlay", str(STABLE), "--out", str(STABLE)).exit_code == 0
    order = ["generate", "--schema", str(STABLE), "--out", "out"]
    targets = ["--target", "retry", "--target", "pages", "--target", "bundles"]
    assert CliRunner().invoke(APP, [*order, *targets]).exit_code == 0
    table = json.loads((tmp_path / "out/json/methods.json").read_text())
    assert {r["method"]: r["retryClass"] for r in table["methods"]}["session/prompt"] == "keyed"


def test_a_release_that_is_not_clean_then_is_1_and_not_handed_over() -> None:
    text = STABLE.read_text("utf-8").replace('"session/close"', '"session/shut"')
    STABLE.write_text(text.replace("CloseSession", "ShutSession"), "utf-8")
    result = run("overlay", str(STABLE), "--out", "whole.json")
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    assert "session/shut: error[missing-retry-class] /$defs/ShutSessionRequest" in line
    assert line.startswith("v2/schema.json:")
    assert not Path("whole.json").exists()


def their_own(edits: dict[str, dict[str, object]]) -> None:
    """Have the release say something of its own in some definitions."""
    schema = json.loads(STABLE.read_text("utf-8"))
    for name, members in edits.items():
        schema["$defs"].setdefault(name, {}).update(members)
    STABLE.write_text(json.dumps(schema, indent=2), "utf-8")


def found(command: str) -> set[tuple[str, str]]:
    result = run(command, str(STABLE))
    assert result.exit_code == 1
    findings = (line.split(": ")[1] for line in result.stdout.splitlines())
    return {(rule, place) for rule, _, place in (f.partition(" ") for f in findings)}


CLASS: dict[str, object] = {"x-retry-class": "not_retried", "x-resend": "Nobody knows."}


def test_a_class_of_upstreams_own_is_found_and_stays() -> None:
    their_own({"NewSessionRequest": CLASS})
    place = "/$defs/NewSessionRequest"
    assert found("compare") == {
        ("error[upstream-different]", f"{place}/x-retry-class"),
        ("error[upstream-different]", f"{place}/x-resend"),
    }
    assert found("overlay") == {
        ("error[overwritten-value]", f"{place}/x-retry-class"),
        ("error[overwritten-value]", f"{place}/x-resend"),
    }


def test_a_key_of_upstreams_own_is_found_and_stays() -> None:
    own = {"type": ["string", "null"], "maxLength": 64}
    schema = json.loads(STABLE.read_text("utf-8"))
    members = schema["$defs"]["PromptRequest"]["properties"]
    their_own({"PromptRequest": {"properties": {**members, "idempotencyKey": own}}})
    place = "/$defs/PromptRequest/properties/idempotencyKey"
    assert found("compare") == {
        ("warning[stale-declaration]", ""),
        *(("error[upstream-different]", f"{place}/{k}") for k in ("type", "maxLength", "anyOf")),
    }
    assert found("overlay") == {("error[overwritten-value]", place)}
    assert run("overlay", str(STABLE), "--out", "whole.json").exit_code == 1
    assert not Path("whole.json").exists()


def test_a_keys_type_of_upstreams_own_is_found_and_stays() -> None:
    their_own({"IdempotencyKey": {"type": "string", "maxLength": 64}})
    assert found("overlay") == {("error[overwritten-value]", "/$defs/IdempotencyKey")}


def test_errors_that_ours_lacks_are_not_lost_in_silence() -> None:
    their_own({"CloseSessionRequest": {"x-errors": [{"code": -32002, "when": "Never."}]}})
    assert found("overlay") == {("error[overwritten-value]", "/$defs/CloseSessionRequest/x-errors")}


@pytest.mark.prove("overlays a release once more")
def test_it_is_overwritten_where_that_is_asked_for() -> None:
    their_own({"NewSessionRequest": CLASS})
    assert run("overlay", str(STABLE), "--overwrite", "--out", "whole.json").exit_code == 0
    annotated = json.loads(Path("whole.json").read_text("utf-8"))["$defs"]["NewSessionRequest"]
    assert annotated["x-retry-class"] == "duplicating"
    assert run("overlay", str(STABLE)).stderr.endswith(
        "2 values would be replaced, so nothing is written; --overwrite replaces them\n"
    )


def test_of_another_version_too() -> None:
    path = Path("v1/schema.json")
    schema = json.loads(path.read_text("utf-8"))
    schema["$defs"]["NewSessionRequest"] |= CLASS
    path.write_text(json.dumps(schema, indent=2), "utf-8")
    assert run("overlay", "--other-version", str(path)).exit_code == 1
    assert "which would become" in run("overlay", "--other-version", str(path)).stdout


@pytest.mark.prove("overlays a release once more")
def test_a_planted_link_is_not_followed() -> None:
    Path("other").write_text("kept", "utf-8")
    Path(".whole.json.tmp").symlink_to("other")
    assert run("overlay", str(STABLE), "--out", "whole.json").exit_code == 0
    assert Path("other").read_text("utf-8") == "kept"


def test_an_out_that_cant_be_written_is_2() -> None:
    result = run("overlay", str(STABLE), "--out", "none/whole.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "can't be written" in result.stderr
