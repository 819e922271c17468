"""Real agents in processes of their own: the reference, and two on the official TypeScript SDK."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import acp_conformance
import unavailable
from acp_conformance.launchers import Programs
from acp_conformance.requirements import Role
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import Script, scripts
from acp_conformance.verdict import TraceResult, VerdictStatus, status_of, verdicts
from acpgen.findings import Severity
from log_inputs import entries_of, read_input
from transcripts import trace
from waiting import HANGS
from whole_schema import whole_schema

PEER = Path(__file__).with_name("peer.mjs")
SDK = Path(__file__).parents[1] / "interop" / "node_modules"
AT_ONCE = 6
PATIENCE = AgentTimeouts(answer=60.0, quiet=0.3)
FAULTS_OF_THE_KIT = {
    ("initialize-again", "repeated-initialize"),
    ("initialize-twice", "repeated-initialize"),
    ("reused-key", "key-reused"),
    ("reused-key-stays", "key-reused"),
}
UNSUPPORTED = {
    "reused-key-stays",  # it does not compare prompts
    "known-mid-turn",  # it does no work
    "no-second-round",
    "known-live-only",  # it stores every message
    "fork-is-another-session",
    "known-on-any-connection",  # standard input and output only
    "ids-are-per-connection",
}


FAILED = {
    "support-keys",
    "reject-malformed-key",
    "malformed-is-not-omitted",
    "insert-once",
    "reused-key",
    "join-held",
    "concurrent-attempts",
    "cancel-answers-all",
    "cancel-too-late",
    "known-across-connections",
    "known-after-restart",
    "known-after-others",
    "known-while-kept",
    "stored-with-message",
}
"""The requirements that an agent on the SDK's typed handlers breaks, which see no key."""

A_FEW = {"retry-answer", "retry-after-restart", "malformed-keys-refused"}
"""The traces that `make test` plays."""


def examine(
    agent: Callable[[Path], Programs], folder: Path, names: Collection[str] = ()
) -> list[TraceResult]:
    """Play traces, by default every one, each with a storage of its own."""

    def one(script: Script) -> TraceResult:
        own = folder / script.name
        own.mkdir()
        return play(script, agent(own), PATIENCE)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        played = [script for script in scripts() if not names or script.name in names]
        return list(pool.map(one, played))


def reference(sockets: Path) -> Callable[[Path], Programs]:
    def programs(folder: Path) -> Programs:
        socket = str(sockets / folder.name)
        command = [sys.executable, "-m", "acp_conformance.reference", "--socket", socket]
        return Programs([*command, "--store", f"{folder}/store.db"], second=[*command, "--join"])

    return programs


def peer(*flags: str) -> Callable[[Path], Programs]:
    if shutil.which("node") is None or not SDK.is_dir():
        unavailable.skip("the official peer is not installed: run `npm ci` in tests/interop")
    return lambda folder: Programs(["node", str(PEER), f"{folder}/store.json", *flags])


def having(results: list[TraceResult], status: VerdictStatus) -> dict[str, list[str]]:
    found = verdicts(results, Role.AGENT)
    return {v.requirement.id: [*v.details] for v in found if v.status is status}


def errors(results: list[TraceResult]) -> set[tuple[str, str]]:
    """Return the trace and the rule of each error that `acpgen trace` finds in the transcripts."""
    protocol = whole_schema()
    return {
        (result.trace, finding.rule)
        for result in results
        for finding in trace(entries_of(read_input(result.transcript)), protocol, result.trace)
        if finding.severity is Severity.ERROR
    }


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder with a short name: the path of a socket has 107 bytes at most."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_the_reference_keeps_the_core(tmp_path: Path, sockets: Path) -> None:
    results = examine(reference(sockets), tmp_path, A_FEW)
    assert [(result.trace, [*result.broken], result.reason) for result in results] == [
        (name, [], "") for name in sorted(A_FEW)
    ]
    assert errors(results) == set()


def test_an_sdk_without_keys_fails_the_core(tmp_path: Path) -> None:
    results = examine(peer(), tmp_path, {"retry-answer", "malformed-keys-refused"})
    assert having(results, VerdictStatus.FAIL).keys() >= {"support-keys", "reject-malformed-key"}


def test_an_agent_on_that_sdk_can_keep_the_core(tmp_path: Path) -> None:
    results = examine(peer("--keys"), tmp_path, A_FEW)
    assert having(results, VerdictStatus.FAIL) == {}


@pytest.mark.prove("plays all traces with processes")
def test_the_reference_keeps_everything(tmp_path: Path, sockets: Path) -> None:
    results = examine(reference(sockets), tmp_path)
    assert having(results, VerdictStatus.FAIL) == {}
    assert having(results, VerdictStatus.NOT_EXERCISED) == {}
    assert [result.trace for result in results if result.unparsed] == []
    assert errors(results) == FAULTS_OF_THE_KIT


def test_a_second_connection_ends_alone(sockets: Path) -> None:
    command = [sys.executable, "-m", "acp_conformance.reference", "--socket", str(sockets / "s")]
    asked = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2}}\n'
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdin.write(asked)
        first.stdin.flush()
        assert b"protocolVersion" in first.stdout.readline()
        joined = [*command, "--join"]
        done = subprocess.run(joined, input=asked, capture_output=True, check=True, timeout=HANGS)
        assert b"protocolVersion" in done.stdout
        assert first.poll() is None


def test_the_guide_names_the_faults_of_the_kit() -> None:
    page = (Path(acp_conformance.__file__).parents[1] / "README.md").read_text("utf-8")
    paragraph = next(part for part in page.split("\n\n") if "which are the kit's" in part)
    words = {word for fault in FAULTS_OF_THE_KIT for word in fault}
    assert {word for word in words if f"`{word}`" not in paragraph} == set()
    assert (
        f"finds {['no', 'one', 'two', 'three', 'four'][len(FAULTS_OF_THE_KIT)]} errors" in paragraph
    )


def test_the_guide_counts_what_the_agents_on_that_sdk_keep() -> None:
    page = (Path(acp_conformance.__file__).parents[1] / "README.md").read_text("utf-8")
    kept = len(verdicts((), Role.AGENT)) - len(UNSUPPORTED)
    assert f" {len(FAILED)} requirements fail.\n" in page
    assert f"the key none fails, and {kept} are kept, at least partly." in page


@pytest.mark.prove("plays all traces with processes")
def test_an_sdk_without_keys_fails_what_needs_them(tmp_path: Path) -> None:
    results = examine(peer(), tmp_path)
    assert having(results, VerdictStatus.FAIL).keys() == FAILED


@pytest.mark.prove("plays all traces with processes")
def test_an_agent_on_that_sdk_can_keep_them(tmp_path: Path) -> None:
    results = examine(peer("--keys"), tmp_path)
    assert having(results, VerdictStatus.FAIL) == {}
    assert having(results, VerdictStatus.NOT_EXERCISED).keys() == UNSUPPORTED
    assert status_of(verdicts(results, Role.AGENT)) == 0
    assert status_of(verdicts(results, Role.AGENT), strict=True) == 2


@pytest.mark.parametrize("line", ["not JSON", "[]", "5"])
def test_lines_that_are_not_messages_are_counted(tmp_path: Path, line: str) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        f"print({line!r}, flush=True)\nfrom acp_conformance.reference import main\nmain()\n",
        "utf-8",
    )
    script = next(script for script in scripts() if script.name == "retry-answer")
    result = play(script, Programs([sys.executable, str(agent)]), PATIENCE)
    assert result.unparsed == 1
    assert result.kept == {"support-keys"}


@pytest.mark.parametrize("socket", [[], ["--socket", "missing"]], ids=["no socket", "no agent"])
def test_joining_says_what_is_missing(socket: list[str], tmp_path: Path) -> None:
    joined = subprocess.run(
        [sys.executable, "-m", "acp_conformance.reference", "--join", *socket],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS,
    )
    assert (joined.returncode, joined.stdout) == (2, "")
    missing = "no agent takes connections at missing" if socket else "--join needs --socket PATH"
    assert missing in joined.stderr.splitlines()[-1]
