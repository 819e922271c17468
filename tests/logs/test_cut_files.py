"""A file that breaks off: what came before is judged alike by all commands, with status 2."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

LIST = '{"jsonrpc":"2.0","id":%d,"method":"session/list","params":{"cwd":%s}}'
COMMANDS = ("validate", "trace", "view", "convert")
PACKED_CUT = "is cut off: the gzip or zstd in it has no end; what came before was read"


def run(command: str, path: Path) -> Result:
    out = ["-o", str(path.with_suffix(".out"))] if command in ("view", "convert") else []
    return CliRunner().invoke(APP, [command, str(path), *out])


@pytest.mark.parametrize("lead", ["-> ", ""])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_comes_before_the_end_of_a_cut_gzip_is_judged(
    command: str, lead: str, tmp_path: Path
) -> None:
    """The last 1,000 messages are noise for a packer, so the cut is among them."""
    noise = Random(1)
    lines = [lead + LIST % (number, f'"/{noise.randbytes(40).hex()}"') for number in range(2_000)]
    lines[3] = lead + LIST % (3, "5")
    packed = gzip.compress("".join(f"{line}\n" for line in lines).encode())
    path = tmp_path / "a.log.gz"
    path.write_bytes(packed[: len(packed) // 2])
    result = run(command, path)
    assert result.exit_code == 2
    assert result.stderr.count(PACKED_CUT) == 1
    if command == "validate":
        assert ":4: session/list: error[type] -32602 /params/cwd" in result.stdout
    if command in ("view", "convert"):
        assert path.with_suffix(".out").exists()
    counted = [word for word in result.stderr.split() if word.isdigit()]
    assert 500 < int(counted[0]) < 1_500


@pytest.mark.parametrize("command", COMMANDS)
def test_a_cut_gzip_without_messages_has_one_reason(command: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"x" * 50)[:-12])
    result = run(command, path)
    assert result.exit_code == 2
    assert PACKED_CUT in result.stderr
    assert "no line is a message" not in result.stderr
    assert not path.with_suffix(".out").exists()


@pytest.mark.parametrize("lead", ["-> ", "", '{"from":"client","message":'])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_last_line_that_is_cut_in_mid_message_is_no_fault_of_a_peer(
    command: str, lead: str, tmp_path: Path
) -> None:
    close = "}" if lead.startswith("{") else ""
    whole = "".join(f"{lead}{LIST % (number, 'null')}{close}\n" for number in (1, 2))
    cut = f"{lead}{LIST % (3, 'null')}"[:-9]
    path = tmp_path / "a.log"
    path.write_text(whole + cut)
    result = run(command, path)
    assert result.exit_code == (0 if command == "view" else 2)
    assert "3 is cut off, so it is" in result.stderr or ":3: is cut off, so it is" in result.stderr
    assert "not-json" not in result.stdout
    if command == "validate":
        assert "2 messages: 2 accepted, 0 refused" in result.stderr


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'-> {LIST % (1, "null")}\n-> {{"jsonrpc":"2.0",\n', id="its line has an end"),
        pytest.param(f'-> {LIST % (1, "null")}\n-> {{"jsonrpc":"2.0",]', id="it is broken before"),
        pytest.param(f'-> {{"jsonrpc":"2.0",\n-> {LIST % (1, "null")}', id="another one follows"),
        pytest.param('{"jsonrpc":"2.0",', id="it is all there is"),
    ],
)
def test_other_broken_messages_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(text)
    result = run("validate", path)
    assert result.exit_code == 1
    assert result.stdout.count("error[not-json] -32700") == 1
    assert "cut off" not in result.stderr


@pytest.mark.parametrize("command", COMMANDS[1:])
@pytest.mark.parametrize("rest", ['{"jsonrpc":"2.0",\n', '{"jsonrpc":"2.0",]'])
def test_no_command_calls_them_cut_off(command: str, rest: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"-> {LIST % (1, 'null')}\n-> {rest}")
    result = run(command, path)
    assert result.exit_code == (0 if command == "view" else 2)
    assert "cut off" not in result.stderr
    assert command == "view" or ":2: is not JSON" in result.stderr
