"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acpgen.startup.commands import NAMES
from acpgen.targets import TARGETS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
SHOWN = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
WRITES = ("make ", "acpgen generate\n")


def commands() -> list[tuple[str, str]]:
    """The commands that the README shows with their output, but for those that write."""
    blocks = "\n".join(SHOWN).split("$ ")[1:]
    pairs = [block.partition("\n")[::2] for block in blocks]
    return [(c, o) for c, o in pairs if o.strip() and not f"{c}\n".startswith(WRITES)]


def test_the_python_sessions_are_true() -> None:
    parser = doctest.DocTestParser()
    sessions = "\n".join(re.findall(r"```pycon\n(.*?)```", README, flags=re.DOTALL))
    test = parser.get_doctest(sessions, {}, "README.md", "README.md", 0)
    assert len(test.examples) > 10
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.failed == 0


@pytest.mark.parametrize(("command", "output"), commands(), ids=lambda value: value[:40])
def test_the_commands_print_what_is_shown(command: str, output: str) -> None:
    done = subprocess.run(
        command.replace("acpgen ", f"{sys.executable} -m acpgen "),
        shell=True,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == output.strip()


def test_there_are_commands_to_try() -> None:
    assert len(commands()) >= 3


def test_every_target_is_named() -> None:
    table = README.split("## Targets")[1].split("## Languages")[0]
    assert {target.name for target in TARGETS} <= set(re.findall(r"^\| `([a-z]+)`", table, re.M))


def test_every_command_is_in_the_table() -> None:
    assert set(NAMES) == set(re.findall(r"`acpgen ([a-z]+)", README.split("## Commands")[1]))


PAGES = ("README.md", "CONTRIBUTING.md", "schema/README.md", "templates/README.md", "docs")


@pytest.mark.parametrize("page", PAGES)
def test_the_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for file in sorted(path.rglob("*.md")) if path.is_dir() else [path]:
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", file.read_text("utf-8")):
            assert "://" in link or (file.parent / link).exists(), f"{file}: {link}"
