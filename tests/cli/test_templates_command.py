"""`acpgen templates` as those use it who want other output."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen import resources
from acpgen.emit.templates import files
from command_calls import APP

GOLDEN = Path(__file__).parents[1] / "golden" / "schema" / "v9"
PAGE = Path("docs/errors.md.jinja")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, arguments)


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_export_writes_all_of_them() -> None:
    result = run("templates", "export", "mine")
    own = {name: path.read_bytes() for name, path in files(resources.TEMPLATES).items()}
    expected = {**contents(resources.TEMPLATES), **own}
    assert "languages/python/table.py.jinja" in expected
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"mine: wrote {len(expected)} files\n"
    assert contents(Path("mine")) == expected


def test_export_overwrites_nothing_and_then_writes_nothing() -> None:
    (Path("mine") / PAGE).parent.mkdir(parents=True)
    (Path("mine") / PAGE).write_text("my own")
    result = run("templates", "export", "mine")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"acpgen: {Path('mine') / PAGE} exists already and stays as it is; name another folder\n"
    )
    assert contents(Path("mine")) == {PAGE.as_posix(): b"my own"}


def test_export_into_a_file_is_2() -> None:
    Path("mine").write_text("")
    result = run("templates", "export", "mine")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "can't be written" in result.stderr


def test_one_kept_template_changes_its_page_and_no_other() -> None:
    pages = ("--schema", str(GOLDEN), "--target", "pages")
    assert run("generate", *pages, "--out", "before").exit_code == 0
    assert run("templates", "export", "mine").exit_code == 0
    for path in sorted(Path("mine").rglob("*.jinja")):
        if path != "mine" / PAGE:
            path.unlink()
    text = ("mine" / PAGE).read_text().replace("A request that fails", "What fails")
    ("mine" / PAGE).write_text(text)
    assert run("generate", *pages, "--templates", "mine", "--out", "after").exit_code == 0
    before, after = contents(Path("before")), contents(Path("after"))
    assert before.keys() == after.keys()
    changed = {path for path in before if before[path] != after[path]}
    assert changed == {"docs/errors.md", "manifest.json"}
    assert b"What fails is answered" in after["docs/errors.md"]


def test_a_change_of_a_template_is_drift() -> None:
    Path("mine").mkdir()
    order = ("generate", "--schema", str(GOLDEN), "--target", "pages", "--templates", "mine")
    assert run(*order, "--out", "out").exit_code == 0
    assert run(*order, "--out", "out", "--check").exit_code == 0
    ("mine" / PAGE).parent.mkdir()
    ("mine" / PAGE).write_text("[//]: # ({{ header }})\n\nmine\n")
    result = run(*order, "--out", "out", "--check")
    assert result.exit_code == 1
    assert "out/docs/errors.md: error[drift-changed]" in result.stdout


@pytest.mark.parametrize("check", [[], ["--check"]])
@pytest.mark.parametrize(
    "code",
    ["''.__class__.__mro__[1].__subclasses__()", "groups.append(1)", "cycler.__init__.__globals__"],
)
def test_a_template_stays_in_the_sandbox(code: str, check: list[str]) -> None:
    (Path("mine") / PAGE).parent.mkdir(parents=True)
    (Path("mine") / PAGE).write_text(f"<!-- {{{{ header }}}} -->\n{{{{ {code} }}}}\n")
    chosen = ["--schema", str(GOLDEN), "--target", "pages", "--templates", "mine", "--out", "out"]
    result = run("generate", *chosen, *check)
    assert result.exit_code == 2
    assert f"{PAGE}:2: " in result.stderr
    assert "Traceback" not in result.stderr
