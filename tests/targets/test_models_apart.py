"""Targets of one package, generated apart: what is missing or of another schema is reported."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import acp_wire
from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.checkers import checkers
from acpgen.targets.tables import retry
from agreement import acp

LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'
CHECK = "acp_v2.check"
ROW = "import acp_v2.models as m; m.signature('session/list').retry_class"
TEMPLATES = Templates(resources.TEMPLATES)
OTHER = replace(acp(), title="Another Protocol")
WITHOUT_LIST = replace(acp(), methods=tuple(m for m in acp().methods if m.name != "session/list"))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A root of packages with what the target `models` writes, as far as it needs no pydantic."""
    package = resources.GENERATED / "python" / "acp_v2"
    (tmp_path / "acp_wire").symlink_to(Path(acp_wire.__file__).parent)
    for name in ("__init__.py", "models/__init__.py", "models/_methods.py"):
        file = tmp_path / "acp_v2" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes((package / name).read_bytes())
    return tmp_path


def write(root: Path, tree: dict[str, str]) -> None:
    for path, text in tree.items():
        if path.startswith("python/"):
            (root / Path(path).relative_to("python")).write_text(text, "utf-8")


def run(root: Path, program: str) -> tuple[str, str]:
    """What a program with the packages of a root prints, and how it fails."""
    command = f"import sys; sys.path.insert(0, {str(root)!r}); import acp_v2\n{program}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", command], capture_output=True, text=True, check=False
    )
    return done.stdout, done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize("name", ["check", "Verdict"])
def test_without_the_checkers_it_says_how_to_make_them(models: Path, name: str) -> None:
    assert run(models, f"print(acp_v2.__all__); acp_v2.{name}") == (
        "['Verdict', 'check']\n",
        "ImportError: acp_v2.checkers is missing; run `acpgen generate --target checkers`",
    )


def test_what_is_missing_in_the_checkers_is_not_the_checkers(models: Path) -> None:
    (models / "acp_v2" / "checkers.py").write_text("import nowhere_to_be_found\n", "utf-8")
    _, error = run(models, CHECK)
    assert error == "ModuleNotFoundError: No module named 'nowhere_to_be_found'"


def test_without_the_table_it_says_how_to_make_it(models: Path) -> None:
    _, error = run(models, ROW)
    assert error == "LookupError: acp_v2.retry is missing; run `acpgen generate --target retry`"


def test_what_is_of_the_same_schema_is_taken(models: Path) -> None:
    write(models, {**checkers(acp(), TEMPLATES), **retry(acp(), TEMPLATES)})
    assert run(models, f"print(bool(acp_v2.check({LIST!r})))") == ("True\n", "")
    assert run(models, f"{ROW}; print(m.signature('session/list').retry_class)") == (
        "idempotent\n",
        "",
    )


def test_checkers_of_another_schema_are_refused(models: Path) -> None:
    write(models, checkers(OTHER, TEMPLATES))
    _, error = run(models, CHECK)
    assert error == (
        "ImportError: acp_v2.checkers is made of another schema than acp_v2; run `acpgen generate` "
        "for both targets, `models` and `checkers`, with one schema"
    )


@pytest.mark.parametrize("protocol", [OTHER, WITHOUT_LIST], ids=["other", "without the method"])
def test_a_table_of_another_schema_is_refused(models: Path, protocol: Protocol) -> None:
    write(models, retry(protocol, TEMPLATES))
    _, error = run(models, ROW)
    assert error == (
        "LookupError: acp_v2.retry is made of another schema than acp_v2.models; run `acpgen "
        "generate` for both targets, `models` and `retry`, with one schema"
    )
