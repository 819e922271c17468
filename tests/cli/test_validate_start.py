"""How `acpgen validate` starts: what it imports, and which parser reads its arguments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import unavailable
from acpgen import resources
from acpgen.cli.report import FailOn
from acpgen.emit import manifest
from acpgen.findings import Format
from acpgen.model import Side
from acpgen.startup import checker_source, options, shipped
from acpgen.startup.options import Options
from command_calls import APP

GOOD = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
BAD = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}}\n'
HEAVY = frozenset(
    {
        *("typer", "click", "rich", "pydantic", "jinja2", "jsonschema", "jsonschema_rs", "msgspec"),
        *("orjson", "datamodel_code_generator", "argparse", "importlib.metadata"),
    }
)
"""What no single message is worth."""
SLOW = frozenset(
    {"typing", "dataclasses", "pathlib", "inspect", "contextlib", "hashlib", "acpgen.model"}
)
"""What a short input isn't either."""
PROGRAM = """
import sys
sys.argv = ["acpgen", "validate", {file!r}]
from acpgen.cli import main
try:
    main()
except SystemExit as ended:
    status = ended.code
print(status, *sorted(sys.modules), file=sys.stderr)
"""


def fresh_or_skip() -> None:
    if not shipped.fresh():
        unavailable.skip("the checkers are stale: run `acpgen generate`")


def search_path(root: Path) -> str:
    """Where to import from in a checkout, without what `site` imports at the start."""
    site = [path for path in sys.path if path.endswith("site-packages")]
    roots = (root / "generator", root / "generated/python", root / "runtime/acp-wire")
    return os.pathsep.join([*map(str, roots), *site])


def start(message: bytes, folder: Path) -> tuple[int, set[str]]:
    """The status that judging one message ends with, and the modules imported by then."""
    file = folder / "message.json"
    file.write_bytes(message)
    command = [sys.executable, "-S", "-c", PROGRAM.format(file=str(file))]
    environment = {**os.environ, "PYTHONPATH": search_path(resources.ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    status, *modules = done.stderr.splitlines()[-1].split()
    return int(status), set(modules)


def test_a_valid_message_needs_nothing_that_takes_long_to_import(tmp_path: Path) -> None:
    fresh_or_skip()
    status, modules = start(GOOD, tmp_path)
    assert status == 0
    assert modules & (HEAVY | SLOW) == set()
    assert "acp_v2.checkers" in modules


def test_an_invalid_message_is_explained_without_the_schema(tmp_path: Path) -> None:
    fresh_or_skip()
    status, modules = start(BAD, tmp_path)
    assert status == 1
    assert modules & (HEAVY | SLOW | {"acpgen.load", "difflib"}) == set()
    assert "acpgen.judge.check" in modules


def test_long_input_is_decoded_by_msgspec(tmp_path: Path) -> None:
    fresh_or_skip()
    status, modules = start(GOOD * (checker_source.LONG // len(GOOD) + 1), tmp_path)
    assert status == 0
    assert "msgspec" in modules
    assert modules & HEAVY <= {"msgspec", "importlib.metadata"}


def checkout(folder: Path) -> Path:
    """A checkout with what judging needs, and nothing that others compile meanwhile."""
    for name in ("generator/acpgen", "generated/python/acp_v2", "runtime/acp-wire", "schema"):
        compiled = shutil.ignore_patterns("__pycache__")
        shutil.copytree(resources.ROOT / name, folder / name, ignore=compiled)
    shutil.copy(resources.ROOT / "generated/manifest.json", folder / "generated/manifest.json")
    return folder


def judged_in(root: Path, message: bytes) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": search_path(root)}
    command = [sys.executable, "-S", "-m", "acpgen", "validate"]
    return subprocess.run(
        command, env=environment, input=message, capture_output=True, cwd=root, check=False
    )


def test_an_edited_schema_counts_at_once(tmp_path: Path) -> None:
    fresh_or_skip()
    root = checkout(tmp_path)
    unchanged = judged_in(root, GOOD)
    assert (unchanged.returncode, unchanged.stderr) == (0, b"1 message: 1 accepted, 0 refused\n")
    file = root / "schema" / "v2" / "session_list.json"
    edited = file.read_text("utf-8").replace('"session/list"', '"session/lists"')
    file.write_text(edited, "utf-8")
    result = judged_in(root, GOOD)
    assert b"error[unknown-method]" in result.stdout
    assert result.returncode == 1


def test_without_the_checkers_messages_are_judged_all_the_same(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    shutil.rmtree(root / "generated")
    result = judged_in(root, GOOD + BAD)
    assert b"error[type] -32602 /params/cwd" in result.stdout
    assert result.returncode == 1


def test_the_digest_is_that_of_the_manifest() -> None:
    recorded = manifest.inputs(resources.SCHEMA, resources.TEMPLATES)["schema"]
    assert shipped.digest(str(resources.SCHEMA)) == recorded


def declared() -> set[str]:
    """The options of the command, by each of their names."""
    group: Any = typer.main.get_command(APP)
    parameters = group.commands["validate"].params
    return {name for p in parameters if p.param_type_name == "option" for name in p.opts}


def test_both_parsers_have_the_same_options() -> None:
    assert declared() - {"--help", "-h"} == {
        n for option in options.OPTIONS.values() for n in option.names
    }


def test_the_values_are_those_of_the_rest_of_acpgen() -> None:
    assert tuple(Format) == options.FORMS
    assert tuple(FailOn) == options.FAIL_ON
    assert {*options.SENDERS} < {*Side}


PLAIN: list[list[str]] = [
    [],
    ["a.json"],
    ["-", "a.json"],
    ["--from", "client", "a.json"],
    ["--from=agent", "b", "--format", "json"],
    ["a", "--", "--from", "-x"],
    ["--format", "json", "--format=text"],
    ["--schema", "-x", "a"],
    ["--schema", str(resources.SCHEMA)],
    ["--from", "proxy", "--schema=other.json", "-"],
    ["--strict", "--quiet", "--summary", "--show-keys", "a"],
    ["-q", "--max-errors", "3", "--max-errors=07", "a"],
    ["--fail-on", "warning", "a"],
    ["--fail-on=error"],
    ["--follow", "a"],
    ["a", "-f"],
    ["--schema", "one", "--schema=two", "a"],
    ["--read-as", "prefixed", "--client", ">>>", "a"],
    ["--message-at", "/msg", "--sender-at=/dir", "--connection-at", "/conn"],
    ["--as", "session/prompt#result", "a"],
    ["--max-line", "1000", "--max-findings=7"],
]


def by_typer(argv: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Options:
    found: list[Options] = []

    def run(options: Options) -> int:
        found.append(options)
        return 0

    monkeypatch.setattr(sys.modules["acpgen.cli.validate"], "run", run)
    result = CliRunner().invoke(APP, ["validate", *argv])
    assert result.exit_code == 0, result.output
    return found[0]


def members(options: Options) -> dict[str, object]:
    return {name: getattr(options, name) for name in Options.__slots__}


@pytest.mark.parametrize("argv", PLAIN, ids=" ".join)
def test_both_parsers_read_arguments_alike(
    argv: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = options.parse(argv)
    assert parsed is not None
    assert members(parsed) == members(by_typer(argv, monkeypatch))


@pytest.mark.parametrize(
    "argv",
    [
        ["--help"],
        ["-h"],
        ["--from"],
        ["--from", "nobody", "a"],
        ["--from="],
        ["--format", "yaml"],
        ["--fail-on", "note"],
        ["--unknown"],
        ["-x"],
        ["--fro", "client"],
        ["--max-errors", "0"],
        ["--max-errors", "-1"],
        ["--max-errors", "many"],
        ["--max-line", "0"],
        ["--read-as", "guess"],
        ["--follow"],
        ["--follow", "a", "b"],
        ["-qf", "a"],
        ["--summary", "--format", "junit", "a"],
        ["a", "--help"],
    ],
    ids=" ".join,
)
def test_all_else_is_left_to_typer(argv: list[str]) -> None:
    assert options.parse(argv) is None


def test_completion_is_left_to_typer() -> None:
    environment = {**os.environ, "_ACPGEN_COMPLETE": "complete_bash", "COMP_CWORD": "2"}
    environment["COMP_WORDS"] = "acpgen validate --fo"
    program = (
        "import sys; sys.argv[:] = ['acpgen', 'validate']; from acpgen.cli import main; main()"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "--format" in done.stdout
    assert done.stderr == ""


def test_usage_errors_are_those_of_typer() -> None:
    command = [sys.executable, "-m", "acpgen", "validate", "--from", "nobody"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Usage" in done.stderr
    assert done.stdout == ""
