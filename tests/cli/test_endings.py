"""How the program ends when it can't go on: interrupted, without a module, with odd names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import unavailable
from acpgen import cli, resources
from acpgen.cli.app import typer_app
from acpgen.cli.crash import account
from proofs import a_few
from waiting import HANGS


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """The exit status of the program."""
    monkeypatch.setattr(sys, "argv", ["acpgen", *arguments])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    return caught.value.code


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("acpgen.cli.generate.work_out", ["generate"]),
        ("acpgen.cli.lint._find", ["lint"]),
        ("acpgen.cli.upstream._require_file", ["upstream", "compare", "a.json"]),
        ("acpgen.cli.app.typer_app", ["lint"]),
        ("acpgen.startup.main.parse", ["validate"]),
    ],
)
def test_an_interruption_is_2(
    function: str,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(function, interrupt)
    assert called(monkeypatch, *arguments) == 2
    assert capsys.readouterr() == ("", "acpgen: interrupted\n")


@pytest.mark.parametrize(("path", "status"), [("none", 2), (str(Path(__file__)), 1)])
def test_other_exit_statuses_stay(
    path: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "lint", path) == status
    assert "interrupted" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    a_few(
        (["lint"], ["diff", str(resources.SCHEMA)], ["upstream", "compare"]),
        [["lint"]],
        "starts one more process",
    ),
)
def test_no_name_moves_the_cursor(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", *command, "a\x1b[2J\n::error::b\x9b"],
        capture_output=True,
        check=False,
    )
    reported = done.stderr.decode()
    assert done.returncode == 2
    assert r"a\x1b[2J\n::error::b\x9b" in reported
    assert (reported.count("\n"), "\x1b" in reported, "\x9b" in reported) == (1, False, False)


@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (ModuleNotFoundError("SECRET", name="acpgen.judge"), "ModuleNotFoundError of acpgen.judge"),
        (ImportError("SECRET", name="numpy"), "ImportError of numpy"),
        (ImportError("SECRET"), "ImportError"),
    ],
)
def test_an_account_names_the_module_that_lacks(error: ImportError, reported: str) -> None:
    assert account(error) == (
        f"acpgen: can't go on: {reported} in acpgen itself; please report it with these lines\n"
    )


def test_an_account_of_a_file_moves_no_cursor() -> None:
    error = OSError(28, "No space left on device", "a\x1b[2J\n")
    assert account(error) == "acpgen: can't go on: a\\x1b[2J\\n: No space left on device\n"


@pytest.mark.parametrize(
    ("name", "hinted"), [("acpgen.targets.gone", False), ("acpgen", False), ("acpgenx", True)]
)
def test_only_what_can_be_installed_is_hinted_at(
    name: str, hinted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lack(*_: object) -> None:
        raise ModuleNotFoundError("lacks", name=name)

    monkeypatch.setattr("acpgen.cli.generate.worked_out", lack)
    result = CliRunner().invoke(typer_app(["generate"]), ["generate"])
    assert ("generating needs more packages: pip install " in result.stderr) is hinted
    assert isinstance(result.exception, ModuleNotFoundError) is not hinted


@pytest.mark.parametrize(
    "command", [["lint"], ["methods"], ["--help"], ["validate", "--from", "client"], ["rules"]]
)
def test_a_closed_output_is_2(command: list[str]) -> None:
    line = f"exec {sys.executable} -m acpgen {' '.join(command)} >&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "acpgen: standard output is closed\n"


@pytest.mark.parametrize(
    "command",
    a_few(
        (["rules"], ["--help"], ["convert"], ["trace"], ["view", "-o", "-"]),
        [["rules"], ["convert"]],
        "starts one more process",
    ),
)
def test_a_full_output_is_2_with_the_same_words(command: list[str]) -> None:
    if not Path("/dev/full").exists():
        unavailable.skip("this system does not have /dev/full")
    message = b'-> {"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "acpgen", *command],
            input=message,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    reported = b"acpgen: can't go on: standard output: No space left on device\n"
    assert done.stderr.endswith(reported)
    assert b"written" not in done.stderr


@pytest.mark.parametrize("command", ["validate", "trace"])
@pytest.mark.parametrize("form", a_few(("text", "json"), {"json"}, "starts one more process"))
def test_a_closed_input_is_2(command: str, form: str) -> None:
    line = f"exec {sys.executable} -m acpgen {command} --format {form} - <&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "<stdin>: is closed\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_error_output_changes_no_status() -> None:
    line = f"exec {sys.executable} -m acpgen lint none 2>&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    "command",
    a_few(
        (["methods"], ["rules"], ["explain", "missing-retry-class"], ["lint", "--help"]),
        [["methods"], ["lint", "--help"]],
        "starts one more process",
    ),
)
def test_a_reader_that_leaves_is_2(command: list[str]) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "acpgen", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout
    assert program.stderr
    program.stdout.close()
    error = program.stderr.read()
    program.stderr.close()
    assert (program.wait(), error) == (2, b"")


@pytest.mark.parametrize(
    "command",
    a_few(
        (["lint"], ["methods", "--schema"], ["diff", str(resources.SCHEMA)], ["validate"]),
        [["lint"], ["validate"]],
        "starts one more process",
    ),
)
def test_a_name_that_is_not_utf_8_is_2(command: list[str], tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\xfe.json"
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", *command, path], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"acpgen itself" not in done.stderr


@pytest.mark.parametrize("device", ["/dev/zero", "fifo"])
def test_a_schema_that_is_not_a_file_is_2(device: str, tmp_path: Path) -> None:
    (tmp_path / "v2").mkdir()
    if device == "fifo":
        os.mkfifo(tmp_path / "v2" / "a.json")
    else:
        (tmp_path / "v2" / "a.json").symlink_to(device)
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", "lint", str(tmp_path / "v2")],
        capture_output=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_recursion_without_end_is_reported_in_few_lines() -> None:
    def deeper() -> None:
        deeper()

    with pytest.raises(RecursionError) as raised:
        deeper()
    lines = account(raised.value).splitlines()
    assert lines[0].startswith("acpgen: can't go on: RecursionError in acpgen itself;")
    assert len(lines) == 42
    assert sum(line.endswith(" more lines") for line in lines) == 1
