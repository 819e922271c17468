"""How `acpgen tap` starts: which parser reads its arguments, and what it imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from acpgen.tap import tap_options
from acpgen.tap.tap_options import TapOptions, parse
from command_calls import APP

HEAVY = {"typer", "click", "rich", "pydantic", "jsonschema_rs", "msgspec", "acp_v2", "acpgen.judge"}
"""What an agent's start should not wait for."""

PLAIN = [
    ["--", "agent"],
    ["--", "agent", "--", "", "-x"],
    ["--record", "t.ndjson", "--check", "--", "agent", "--check"],
    ["--record=t.ndjson", "--show-keys", "--", "agent"],
    ["--lose", "answer:a", "--lose=answer:b:2", "--once", "done.txt", "--", "agent"],
    [
        "--delay",
        "answer:a=1",
        "--cut",
        "after:answer:a",
        "--kill",
        "agent:after:answer:a",
        "--",
        "a",
    ],
]


def by_typer(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> TapOptions:
    found: list[TapOptions] = []

    def run(options: TapOptions, *_: object) -> int:
        found.append(options)
        return 0

    monkeypatch.setattr(sys.modules["acpgen.cli.tap"], "run", run)
    result = CliRunner().invoke(APP, ["tap", *argv])
    assert result.exit_code == 0, result.output
    return found[0]


def members(options: TapOptions) -> dict[str, object]:
    return {name: getattr(options, name) for name in TapOptions.__slots__}


@pytest.mark.parametrize("argv", PLAIN, ids=" ".join)
def test_both_parsers_read_arguments_alike(
    argv: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = parse(argv)
    assert parsed is not None
    assert members(parsed) == members(by_typer(argv, monkeypatch))


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["agent"],
        ["--"],
        ["--help"],
        ["--record"],
        ["--record", "--"],
        ["--record=", "--", "agent"],
        ["--check=yes", "--", "agent"],
        ["--unknown", "--", "agent"],
        ["x", "--", "agent"],
    ],
    ids=" ".join,
)
def test_all_else_is_left_to_typer(argv: list[str]) -> None:
    assert parse(argv) is None


def test_both_parsers_have_the_same_options() -> None:
    group: Any = typer.main.get_command(APP)
    parameters = group.commands["tap"].params
    declared = {name for p in parameters if p.param_type_name == "option" for name in p.opts}
    assert declared - {"--help", "-h"} == {
        name for option in tap_options.OPTIONS.values() for name in option.names
    }


@pytest.mark.parametrize("options", [[], ["--record", "t.ndjson", "--lose", "answer:_a"]])
def test_nothing_heavy_is_imported(options: list[str], tmp_path: Any) -> None:
    program = f"""
import sys
sys.argv = ["acpgen", "tap", *{options!r}, "--", "true"]
from acpgen.cli import main
try:
    main()
except SystemExit as ended:
    print(ended.code, *sys.modules, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    status, *modules = done.stderr.splitlines()[-1].split()
    assert status == "0"
    assert HEAVY & set(modules) == set()


def test_blank_values_are_refused() -> None:
    command = [sys.executable, "-m", "acpgen", "tap", "--record", " ", "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "acpgen: the value of --record is blank: is a variable unset?\n",
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--record", "--", "true"], "FILE is missing before --"),
        (["--record", "a", "--record", "b", "--", "true"], "there is one FILE"),
        (["--once", "--", "true"], "FILE is missing before --"),
        (["--once", "a", "--once", "b", "--", "true"], "there is one FILE"),
    ],
    ids=["no-record", "two-records", "no-once", "two-onces"],
)
def test_an_option_names_one_file(
    words: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse(words) is None
    result = CliRunner().invoke(APP, ["tap", *words])
    assert result.exit_code == 2
    assert reason in result.output
    assert list(tmp_path.iterdir()) == []
