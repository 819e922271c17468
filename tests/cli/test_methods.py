"""`acpgen methods` on a terminal, in a pipe, and for programs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen import resources
from acpgen.cli.plain_cards import card
from acpgen.emit.templates import Templates
from acpgen.targets.tables import retry
from command_calls import APP, call_acpgen
from whole_schema import whole_schema

ESCAPE = "\x1b"


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(APP, ["methods", *arguments])


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


def test_a_pipe_gets_the_same_table_without_the_modules_that_lay_it_out() -> None:
    script = (
        "import sys; from acpgen.startup.method_list import prints; assert prints([])\n"
        "assert not {'typer', 'rich', 'acpgen.load', 'pathlib'} & sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == run().stdout


def test_a_pipe_gets_the_same_cards_without_typer_and_rich() -> None:
    protocol = whole_schema()
    names = [*dict.fromkeys(method.name for method in protocol.methods)]
    for name in names:
        chosen = [method for method in protocol.methods if method.name == name]
        assert card(chosen, protocol) == run(name).stdout
    script = (
        "import sys; from acpgen.startup.method_list import may_print_card as may\n"
        "from acpgen.cli.plain_cards import prints\n"
        f"assert may(['{names[0]}']) and prints('{names[0]}')\n"
        "assert not {'typer', 'rich', 'pydantic', 'acpgen.logs'} & sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == run(names[0]).stdout


def test_a_card_that_is_not_plain_is_left_to_rich() -> None:
    protocol = whole_schema()
    method = protocol.methods[0]
    assert card([method], protocol) is not None
    for docs in ("wide 漢字", "x" * 101):
        assert card([replace(method, docs=docs)], protocol) is None
    assert card([], protocol) is None


def test_an_unknown_method_has_no_card() -> None:
    status, out, err = call_acpgen("methods", "session/promt")
    assert (status, out) == (2, "")
    assert "did you mean session/prompt?" in err


def test_in_a_pipe_each_method_is_a_line() -> None:
    head, *rows = run().stdout.splitlines()
    protocol = whole_schema()
    assert [row.split()[0] for row in rows] == [method.name for method in protocol.methods]
    column = head.index("A COPY")
    assert [row[column:] for row in rows] == [method.resend for method in protocol.methods]
    assert ESCAPE not in head


@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_it_fits_the_terminal_and_cuts_no_name(width: int) -> None:
    lines = run(COLUMNS=str(width)).stdout.splitlines()
    assert max(map(len, lines)) <= width
    for method in whole_schema().methods:
        assert any(line.startswith(f"{method.name} ") for line in lines)
    assert ("A COPY" in lines[0]) == (width >= 140)


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (60, ["METHOD", "CLASS"]),
        (80, ["METHOD", "KIND", "CLASS", "STABILITY"]),
        (120, ["METHOD", "KIND", "DIRECTION", "CLASS", "STABILITY"]),
    ],
)
def test_a_narrow_table_has_fewer_columns_and_breaks_no_word(
    width: int, columns: list[str]
) -> None:
    head, *rows = run(COLUMNS=str(width)).stdout.splitlines()
    assert head.split() == columns
    assert len(rows) == len(whole_schema().methods)


def test_the_columns_are_aligned() -> None:
    head, *rows = run(COLUMNS="120").stdout.splitlines()
    for title in ("KIND", "DIRECTION", "CLASS", "STABILITY"):
        column = head.index(title)
        assert all(row[column - 1] == " " and row[column] != " " for row in rows)


def test_a_card_tells_all_and_wraps() -> None:
    result = run("session/prompt", COLUMNS="70")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 70
    flat = " ".join(result.stdout.split())
    for part in (
        "session/prompt request, Client to Agent, stable",
        "Class Keyed",
        "Rule The sender may send it again with the key of the first attempt.",
        "Key idempotencyKey, a string of 1 to 255 characters",
        "Params PromptRequest",
        "Result PromptResponse",
        "Errors -32002 Resource not found: ",
    ):
        assert part in flat


def test_a_wide_terminal_does_not_stretch_a_card() -> None:
    assert max(map(len, run("session/prompt", COLUMNS="300").stdout.splitlines())) <= 100


def test_both_kinds_of_a_method_are_reported() -> None:
    text = run("mcp/message").stdout
    assert "notification, Client to Agent" in text
    assert "request, Agent to Client" in text


def test_colours_are_asked_for() -> None:
    assert ESCAPE in run(FORCE_COLOR="1").stdout
    assert ESCAPE in run("session/prompt", FORCE_COLOR="1").stdout
    assert ESCAPE not in run(FORCE_COLOR="1", NO_COLOR="1").stdout
    assert ESCAPE not in run("session/prompt", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_an_unknown_name_is_2_with_what_may_be_meant() -> None:
    result = run("session/promt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "acpgen: no method is called session/promt; did you mean session/prompt?\n"
    )
    assert "`acpgen methods` lists all" in run("nonsense").stderr


def test_programs_get_the_rows_of_the_retry_table() -> None:
    rows = json.loads(run("--format", "json").stdout)
    protocol = whole_schema()
    table = retry(protocol, Templates(resources.TEMPLATES))["json/methods.json"]
    bare = [{k: v for k, v in row.items() if k != "errors"} for row in rows]
    assert bare == json.loads(table)["methods"]
    assert [[error["code"] for error in row["errors"]] for row in rows] == [
        [error.code for error in method.errors] for method in protocol.methods
    ]
    (prompt,) = json.loads(run("session/prompt", "--format", "json").stdout)
    assert prompt in rows


def test_a_schema_without_classes_is_listed(upstream_schemas: Path) -> None:
    schema = str(upstream_schemas / "v2" / "schema.json")
    assert "not stated" in run("--schema", schema).stdout
    assert run("session/prompt", "--schema", schema).exit_code == 0
    rows = json.loads(run("--schema", schema, "--format", "json").stdout)
    assert {row["retryClass"] for row in rows} == {None}


def test_no_text_of_a_schema_moves_the_cursor(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[1] / "golden" / "schema" / "v9", tmp_path / "v9")
    file = tmp_path / "v9" / "kettle.json"
    schema = json.loads(file.read_text())
    for definition in schema["$defs"].values():
        definition["description"] = f"a{ESCAPE}[2J\x9b1m\u2028[red]b"
        if "x-resend" in definition:
            definition["x-resend"] = f"c{ESCAPE}]0;t\x07\r[/]d"
    file.write_text(json.dumps(schema))
    for name in ((), ("kettle/pour",)):
        text = run(*name, "--schema", str(tmp_path / "v9")).stdout
        assert not set(text) & {ESCAPE, "\x9b", "\u2028", "\r", "\x07"}
        assert "[/]d" in text


def test_a_broken_schema_is_2(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    result = run("--schema", str(tmp_path / "x.json"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error[not-json]" in result.stderr
    assert run("--schema", str(tmp_path / "none.json")).exit_code == 2
