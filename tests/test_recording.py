"""The recordings of the official peer are what it says today, and its own schema accepts them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import unavailable
from proofs import a_few

INTEROP = Path(__file__).parent / "interop"
RECORDINGS = ["session.ndjson", "faults.ndjson"]


def node(script: str, *args: Path) -> subprocess.CompletedProcess[str]:
    if shutil.which("node") is None or not (INTEROP / "node_modules").is_dir():
        reason = "the official peer is not installed: run `npm ci` in tests/interop"
        unavailable.skip(reason)
    return subprocess.run(
        ["node", script, *args],
        cwd=INTEROP,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_recording_again_gives_the_same_bytes(tmp_path: Path) -> None:
    done = node("record.mjs", tmp_path)
    kept = {name: (INTEROP / name).read_bytes() for name in RECORDINGS}
    counts = "".join(f"{name}: {len(kept[name].splitlines())} messages\n" for name in RECORDINGS)
    assert (done.stdout, done.stderr, done.returncode) == (counts, "", 0)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == kept


@pytest.mark.parametrize("name", a_few(RECORDINGS, RECORDINGS[:1], "checks one more recording"))
def test_the_official_schema_accepts_the_recording(name: str) -> None:
    done = node("check.mjs", INTEROP / name)
    counted = sum(int(line.split()[0]) for line in done.stdout.splitlines())
    assert (done.stderr, done.returncode) == ("", 0)
    assert counted == (INTEROP / name).read_bytes().count(b"\n")


def test_the_check_refuses_what_the_official_schema_refuses(tmp_path: Path) -> None:
    file = tmp_path / "bad.ndjson"
    file.write_text(
        '{"from":"client","message":'
        '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}}}\n'
    )
    done = node("check.mjs", file)
    assert done.stderr.startswith("line 1: client → agent  session/list  Request: /cwd ")
    assert done.returncode == 1
