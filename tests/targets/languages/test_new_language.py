"""A language is one folder: without another edit, it appears wherever languages are listed."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests" / "toy_language"
SCHEMA = ("--schema", "tests/golden/schema/v9")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout to which the folder of the language was added, and nothing else."""
    folder = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("node_modules")  # what is compiled stays so
    for copied in ("generator", "templates", "tests/support", "tests/targets/languages"):
        shutil.copytree(ROOT / copied, folder / copied, ignore=ignored)
    for linked in ("schema", "runtime", "generated", "tests/golden"):
        (folder / linked).symlink_to(ROOT / linked)
    shutil.copy(ROOT / "README.md", folder)
    shutil.copytree(TOY, folder / "generator/acpgen/targets/languages/toy", ignore=ignored)
    (folder / "tests/targets/languages/toy").mkdir()
    shutil.copy(TOY / "subject.py", folder / "tests/targets/languages/toy")
    return folder


def python(checkout: Path, *arguments: str) -> str:
    paths = [checkout / "generator", checkout / "tests/support"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_a_target_and_in_the_guides_to_the_vectors(checkout: Path) -> None:
    targets = ("--target", "toy", "--target", "vectors")
    python(checkout, "-m", "acpgen", "generate", *SCHEMA, "--out", "out", *targets)
    table = runpy.run_path(str(checkout / "out/toy/v9/toy.py"))
    assert table["resend"]("tea/list", {}).reason in set(table["Reason"])
    for guide, loop in (("README.md", "check_messages"), ("resend/README.md", "check_resending")):
        text = (checkout / "out/vectors" / guide).read_text("utf-8")
        assert "### Toy#\n" in text
        assert f"```toy\n{loop}(" in text


def test_it_is_in_the_readme(checkout: Path) -> None:
    python(checkout, "-m", "acpgen", "docs", "inject", "README.md")
    readme = (checkout / "README.md").read_text("utf-8")
    assert "| Toy# | `toy` | `toy/v2/toy.py` |" in readme
    assert (
        "| `toy` | retry-class table and the decision about resending: Toy# | `toy/*` |" in readme
    )


@pytest.mark.prove("renders all templates to see what each is given")
def test_its_templates_are_in_the_reference(checkout: Path) -> None:
    python(checkout, "-m", "acpgen", "docs", "inject", "templates/README.md")
    reference = (checkout / "templates/README.md").read_text("utf-8")
    for template in ("table.py", "messages.md", "resend.md"):
        assert f"`languages/toy/{template}.jinja`" in reference


def test_its_templates_are_exported(checkout: Path) -> None:
    python(checkout, "-m", "acpgen", "templates", "export", "mine")
    assert (checkout / "mine/languages/toy/table.py.jinja").is_file()


def test_the_tests_find_its_subject(checkout: Path) -> None:
    listed = python(checkout, "-c", "import language_tools; print(*language_tools.LANGUAGES)")
    assert "toy" in listed.split()
