"""`acpgen generate` as people and CI call it."""

from __future__ import annotations

import contextlib
import errno
import json
import shlex
import shutil
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen import resources
from acpgen.emit.header import HEADER
from acpgen.emit.templates import files
from command_calls import APP

GOLDEN = Path(__file__).parents[1] / "golden" / "schema" / "v9"
OPTIONS = ("--schema", "v9", "--out", "out", "--target", "retry")
FIX = "to fix: acpgen generate --schema v9 --out out --target retry\n"
METHODS = Path("out/json/methods.json")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["generate", *arguments])


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a schema and what was generated from it."""
    folder = tmp_path_factory.mktemp("generated")
    shutil.copytree(GOLDEN, folder / "v9")
    with contextlib.chdir(folder):
        assert run(*OPTIONS).exit_code == 0
    return folder


@pytest.fixture(autouse=True)
def _workplace(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(generated, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("full", [[], ["--full"]])
def test_clean_is_0(full: list[str]) -> None:
    result = run(*OPTIONS, "--check", *full)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "out: as generated\n")


def test_a_clean_tree_is_a_document_without_findings() -> None:
    result = run(*OPTIONS, "--check", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)["findings"]) == (0, [])


def test_missing_and_surplus_are_1() -> None:
    METHODS.rename("out/json/old.json")
    result = run(*OPTIONS, "--check")
    assert (result.exit_code, result.stderr) == (1, FIX)
    assert result.stdout == (
        "out/json/methods.json: error[drift-missing]: is missing\n"
        "out/json/old.json: error[drift-surplus]: "
        "was generated once, and nothing in the schema leads to it any more\n"
    )


def test_changed_is_1_and_shows_the_diff() -> None:
    lines = METHODS.read_text().splitlines(keepends=True)
    METHODS.write_text("".join(lines) + "odd\n")
    result = run(*OPTIONS, "--check")
    assert (result.exit_code, result.stderr) == (1, FIX)
    assert result.stdout == (
        "out/json/methods.json: error[drift-changed]: is not as generated\n"
        "--- json/methods.json (on disk)\n+++ json/methods.json (generated)\n"
        f"@@ -{len(lines)},2 +{len(lines)} @@\n {lines[-1]}-odd\n"
    )


def test_other_formats() -> None:
    METHODS.unlink()
    result = run(*OPTIONS, "--check", "--format", "json")
    assert (result.exit_code, result.stderr) == (1, FIX)
    report = json.loads(result.stdout)
    assert report["command"] == "generate"
    assert [f["rule"] for f in report["findings"]] == ["drift-missing"]
    result = run(*OPTIONS, "--check", "--format", "github")
    assert (result.exit_code, result.stderr) == (1, FIX)
    assert result.stdout == ("::error file=out/json/methods.json,title=drift-missing::is missing\n")


@pytest.mark.parametrize(
    ("name", "hint"), [("tea", "there are bundles, "), ("model", "did you mean models?\n")]
)
def test_an_unknown_target_is_2(name: str, hint: str) -> None:
    result = run("--target", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"acpgen: no target is called {name}; {hint}")


def test_targets_are_completed() -> None:
    found = CliRunner().invoke(
        APP,
        [],
        prog_name="acpgen",
        env={
            "_ACPGEN_COMPLETE": "complete_bash",
            "COMP_WORDS": "acpgen generate --target re",
            "COMP_CWORD": "3",
        },
    )
    assert found.stdout.split() == ["retry"]


def test_what_was_done_is_reported_in_numbers() -> None:
    assert run(*OPTIONS).stderr == "out: up to date\n"
    METHODS.unlink()
    assert run(*OPTIONS).stderr == "out: wrote 1 file (1 new), in json\n"
    METHODS.rename("out/json/old.json")
    METHODS.write_text(Path("out/json/old.json").read_text() + "odd\n")
    assert run(*OPTIONS).stderr == (
        "out/json/old.json: removed, since nothing in the schema leads to it\n"
        "out: wrote 1 file (1 changed), removed 1, in json\n"
    )
    METHODS.with_name("old.json").write_text(METHODS.read_text())
    assert run(*OPTIONS).stderr == (
        "out/json/old.json: removed, since nothing in the schema leads to it\n"
        "out: removed 1 file, in json\n"
    )
    shutil.rmtree("out")
    assert run(*OPTIONS).stderr == "out: wrote 3 files (3 new), in json and python\n"


def break_class() -> None:
    """Make a method keyed that takes no key."""
    file = Path("v9/kettle.json")
    schema = json.loads(file.read_text())
    for definition in schema["$defs"].values():
        if definition.get("x-retry-class") == "idempotent":
            definition["x-retry-class"] = "keyed"
            break
    file.write_text(json.dumps(schema, indent=2))


@pytest.mark.parametrize("mode", [[], ["--check"], ["--full"]])
def test_an_error_of_lint_is_1_and_nothing_is_written(mode: list[str]) -> None:
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    break_class()
    result = run(*OPTIONS, *mode)
    assert (result.exit_code, result.stderr) == (1, "")
    (line,) = result.stdout.splitlines()
    assert "error[keyed-without-key]" in line
    assert before == {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}


def test_an_error_of_lint_is_printed_as_lint_does() -> None:
    break_class()
    printed = CliRunner().invoke(APP, ["lint", "v9"]).stdout.splitlines()
    assert run(*OPTIONS).stdout.splitlines() == [line for line in printed if " error[" in line]


def test_an_error_that_is_accepted_is_none() -> None:
    break_class()
    finding = run(*OPTIONS).stdout
    pointer = finding.split("] ")[1].split(": ")[0]
    Path("accepted.toml").write_text(
        f'[[accepted]]\nrule = "keyed-without-key"\npointer = "{pointer}"\nreason = "A test."\n'
    )
    result = run(*OPTIONS)
    assert (result.exit_code, result.stdout) == (0, "")
    Path("accepted.toml").unlink()
    assert run(*OPTIONS).exit_code == 1


def test_acceptances_that_cant_be_read_are_2() -> None:
    Path("accepted.toml").write_text("accepted = 1\n")
    result = run(*OPTIONS)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("acpgen: accepted.toml: must hold ")


def test_a_foreign_file_in_the_way_is_2() -> None:
    METHODS.write_text("by hand\n")
    result = run(*OPTIONS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "was not written by acpgen" in result.stderr
    assert METHODS.read_text() == "by hand\n"
    assert HEADER not in METHODS.read_text()


def test_a_lost_header_is_found_and_the_hint_is_true() -> None:
    text = METHODS.read_text()
    METHODS.write_text("".join(line for line in text.splitlines(True) if HEADER not in line))
    result = run(*OPTIONS, "--check")
    assert (result.exit_code, result.stdout) == (
        1,
        "out/json/methods.json: error[drift-foreign]: was not written by acpgen, or has lost its "
        "header, so it is left alone\n",
    )
    assert result.stderr == (
        "to fix: move out/json/methods.json away, then "
        "acpgen generate --schema v9 --out out --target retry\n"
    )
    assert run(*OPTIONS).exit_code == 2
    METHODS.rename("elsewhere.json")
    assert run(*OPTIONS).exit_code == 0
    assert METHODS.read_text() == text
    assert run(*OPTIONS, "--check").exit_code == 0


def test_the_hint_repeats_every_option_and_can_be_pasted() -> None:
    shutil.copytree(resources.TEMPLATES, "my templates")
    options = ["--schema", "v9", "--out", "my out", "--target", "retry", "--target", "bundles"]
    options += ["--templates", "my templates"]
    result = run(*options, "--check")
    assert result.exit_code == 1
    mend, _, command = result.stderr.partition(": ")
    assert mend == "to fix"
    words = shlex.split(command)
    assert words[:2] == ["acpgen", "generate"]
    assert run(*words[2:]).exit_code == 0
    assert run(*options, "--check").exit_code == 0


def test_the_current_folder_can_be_written_into(monkeypatch: pytest.MonkeyPatch) -> None:
    METHODS.unlink()
    monkeypatch.chdir("out")
    result = run("--schema", "../v9", "--out", ".", "--target", "retry")
    assert (result.exit_code, result.stdout) == (0, "")
    monkeypatch.chdir("..")
    assert METHODS.is_file()


def test_an_out_that_is_a_file_is_2() -> None:
    Path("file").write_text("")
    for mode in ([], ["--check"]):
        result = run("--schema", "v9", "--out", "file", *mode)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "acpgen: file is not a folder; choose another --out\n"


def test_an_out_below_a_file_is_2() -> None:
    Path("file").write_text("")
    result = run("--schema", "v9", "--out", "file/out", "--target", "retry")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("acpgen: file/out: can't be written: ")
    assert "choose another --out" in result.stderr


def test_an_out_that_cant_be_written_is_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Path:
        raise PermissionError(errno.EACCES, "Permission denied", "hidden")

    METHODS.unlink()
    monkeypatch.setattr(Path, "replace", refuse)
    result = run(*OPTIONS)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("acpgen: hidden: can't be written: Permission denied; ")
    assert "choose another --out" in result.stderr


def test_a_missing_schema_is_2_and_a_broken_one_1() -> None:
    result = run("--schema", "none", "--out", "out")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    Path("v9/tea.json").write_text("{")
    result = run(*OPTIONS)
    assert (result.exit_code, result.stderr) == (1, "")
    assert "v9/tea.json:1: error[not-json]: ends before the JSON value does" in result.stdout


TEMPLATE = Path("templates/languages/python/table.py.jinja")


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("\n{% if %}", ":2: ", "Expected an expression"),
        ("\n\n{{ no_such_name }}", ":3: ", "'no_such_name' is undefined"),
        ("{{ header.no.such }}", ":1: ", "has no attribute 'no'"),
        ("{{ header + 1 }}", ":1: ", 'can only concatenate str (not "int") to str'),
        ("{{ 1 | no_such_filter }}", ":1: ", "No filter named 'no_such_filter'"),
        ("{% include 'none' %}", "", "templates/none: is missing"),
    ],
)
def test_a_broken_template_is_2_and_tells_the_line(text: str, where: str, what: str) -> None:
    TEMPLATE.parent.mkdir(parents=True)
    TEMPLATE.write_text(text)
    result = run(*OPTIONS, "--templates", "templates")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    if where:
        assert result.stderr.startswith(f"acpgen: {TEMPLATE}{where}")
    assert what in result.stderr


def test_missing_templates_are_2() -> None:
    result = run(*OPTIONS, "--templates", "none")
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr == "acpgen: none: is not a folder of templates; name one with --templates\n"
    )


def test_the_version_is_printed() -> None:
    result = CliRunner().invoke(APP, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"acpgen {metadata.version('acpgen')}\n")


@pytest.mark.parametrize("mode", [[], ["--full"]])
def test_line_ends_of_git_are_named_as_such(mode: list[str]) -> None:
    for path in (METHODS, Path("out/manifest.json")):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    result = run(*OPTIONS, "--check", *mode)
    assert result.exit_code == 1
    drifted = "error[drift-changed]: has lines that end in CRLF, and is as generated but for that\n"
    assert result.stdout == f"out/json/methods.json: {drifted}out/manifest.json: {drifted}"
    assert result.stderr == (
        "git writes CRLF where core.autocrlf is on; to prevent that, put the line "
        f"`out/** eol=lf` into .gitattributes beside out\n{FIX}"
    )
    assert run(*OPTIONS).exit_code == 0
    assert run(*OPTIONS, "--check").exit_code == 0


def test_another_change_beside_the_line_ends_shows_the_diff() -> None:
    METHODS.write_bytes(METHODS.read_bytes().replace(b"\n", b"\r\n") + b"odd\r\n")
    result = run(*OPTIONS, "--check")
    assert result.stdout.startswith("out/json/methods.json: error[drift-changed]: is not as gen")
    assert "-odd" in result.stdout
    assert "autocrlf" not in result.stderr


@pytest.mark.parametrize(
    ("name", "target"),
    [("languages/rust/table.rs.jinja", "rust"), ("docs/page.md.jinja", "pages")],
)
def test_a_template_without_the_header_is_2_and_nothing_is_written(name: str, target: str) -> None:
    own = Path("templates") / name
    own.parent.mkdir(parents=True)
    lines = files(resources.TEMPLATES)[name].read_text("utf-8").splitlines(keepends=True)
    own.write_text("".join(line for line in lines if "header" not in line), "utf-8")
    order = ("--schema", "v9", "--out", "new", "--target", target, "--templates", "templates")
    result = run(*order)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"acpgen: {own}: does not write the header, by which acpgen knows its files; "
        "put {{ header }} in a comment in the first 5 lines\n"
    )
    assert not Path("new").exists()
    own.write_text(f"\n\n\n\n\n{''.join(lines)}", "utf-8")
    assert f"{own}: does not write the header" in run(*order).stderr
    own.write_text("".join(lines), "utf-8")
    assert run(*order).exit_code == 0


def test_a_guide_without_its_method_is_reported_with_its_line() -> None:
    schema = json.loads(Path("v9/kettle.json").read_text("utf-8"))
    name = next(n for n, d in schema["$defs"].items() if "x-retry-class" in d)
    schema["$defs"][name]["x-docs"] = "prompt-lifecycle"
    Path("v9/kettle.json").write_text(json.dumps(schema, indent=1), "utf-8")
    result = run(*OPTIONS)
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    text = Path("v9/kettle.json").read_text("utf-8").splitlines()
    number = next(n for n, each in enumerate(text, 1) if '"x-docs"' in each)
    assert line.startswith(f"v9/kettle.json:{number}: ")
    assert "error[unknown-guide]" in line
    assert "the guide 'prompt-lifecycle' is about the key of session/prompt, which" in line
