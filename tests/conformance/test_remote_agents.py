"""The kit judges agents behind the HTTP and WebSocket servers of the official SDKs."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from websockets.sync.server import ServerConnection, serve

import reference_server
from acp_conformance.requirements import BY_ID, Role
from acp_conformance.transport_faults import TransportFault
from conform_calls import conform
from proofs import a_few
from remote_servers import SDKS, sdk_server

FEW = ("retry-after-restart", "two-connections", "initialize-again", "remote-answer-lost")
ONE_INITIALIZE = {"initialize-once"}
"""Over HTTP each `initialize` opens a connection. The TypeScript server refuses a second one on a
socket by itself, which is a plain statement of the RFD, and so advice."""

OF_POSTS = {"server-takes-post-again"}
HTTP_ONLY = {TransportFault.LOST_POST, TransportFault.LOST_ACCEPTANCE}

KILLED_LATE = {"stored-with-message", "known-after-restart"}
"""A restart command kills a fast agent only after the insertion, so some crashes prove nothing."""

CASES = [(scheme, sdk) for scheme in ("http", "ws") for sdk in SDKS]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    reference_server.finish(tmp_path)


def judge(folder: Path, scheme: str, sdk: str, agent: str, *options: str) -> tuple[int, str, str]:
    sdk_server(sdk, 0)  # skips, if it can't run
    port = reference_server.start(folder, sdk, agent)
    program = [sys.executable, reference_server.__file__, str(folder), sdk, agent]
    url, restart = f"{scheme}://127.0.0.1:{port}/acp", shlex.join(program)
    return conform("--url", url, "--restart-command", restart, *options)


def statuses(report: str) -> dict[str, str]:
    return {each["id"]: each["status"] for each in json.loads(report)["requirements"]}


@pytest.mark.parametrize("case", a_few(CASES, CASES[1:2], "starts servers of other SDKs"), ids=str)
def test_a_few_traces(folder: Path, case: tuple[str, str]) -> None:
    scheme, sdk = case
    chosen = [word for name in FEW for word in ("--trace", name)]
    status, report, errors = judge(folder, scheme, sdk, "right", "--format", "json", *chosen)
    found = statuses(report)
    assert status in (0, 2), errors  # the core is not exercised by these few
    assert found["known-after-restart"] == found["server-knows-lost-answer"] == "partly"
    assert "faults of the transport that were played: lost-answer 1\n" in errors
    assert "fail" not in found.values()
    assert ("without the header" in errors) == ((scheme, sdk) == ("http", "python"))


@pytest.mark.bulk
@pytest.mark.prove("all traces over each transport and server")
@pytest.mark.parametrize(("scheme", "sdk"), CASES)
def test_all_traces(folder: Path, scheme: str, sdk: str) -> None:
    status, report, errors = judge(folder, scheme, sdk, "right", "--format", "json")
    assert status == 0, report + errors
    missing = {id_ for id_, found in statuses(report).items() if found != "pass"}
    refused = ONE_INITIALIZE if scheme == "http" or sdk == "typescript" else set()
    assert missing - KILLED_LATE == refused | (OF_POSTS if scheme == "ws" else set())
    failed = {id_ for id_, found in statuses(report).items() if found == "fail"}
    assert failed == (ONE_INITIALIZE if (scheme, sdk) == ("ws", "typescript") else set())
    roles = (Role.AGENT, Role.SERVER)
    assert len(statuses(report)) == sum(each.role in roles for each in BY_ID.values())
    summary = errors.partition(" were played: ")[2].partition("\n")[0]
    assert {*re.findall(r"([a-z-]+) \d", summary)} == {*TransportFault} - (
        HTTP_ONLY if scheme == "ws" else set()
    )


def test_an_agent_that_forgets_keys_is_found(folder: Path) -> None:
    options = ("--format", "json", "--trace", "retry-new-connection")
    status, report, _ = judge(folder, "http", "typescript", "forgetful", *options)
    assert status == 1
    assert statuses(report)["known-across-connections"] == "fail"


def test_without_a_restart_command_crashes_are_not_exercised(folder: Path) -> None:
    sdk_server("typescript", 0)
    port = reference_server.start(folder, "typescript")
    url = f"ws://127.0.0.1:{port}/acp"
    status, report, _ = conform("--url", url, "--trace", "retry-after-restart")
    assert status == 2
    assert "not exercised" in report
    assert "can't be killed from here: give --restart-command" in report


def test_a_server_that_cannot_be_reached_is_named_once_without_secrets() -> None:
    url = "http://me:secret@127.0.0.1:9/acp"
    status, out, err = conform("--url", url, "--trace", "retry-answer")
    begin = "acpgen: http://127.0.0.1:9/acp: the server can't be reached: "
    assert err.startswith(begin)
    assert err.count("can't be reached") == err.count("\n") == 1
    assert "pipes" not in err
    assert (status, out) == (2, "")


class _Refusal(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Answer that the method is not implemented."""
        self.send_response(501)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep standard error clean."""


def test_a_server_that_refuses_initialize_is_named_with_its_status() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusal) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/acp"
        status, out, err = conform("--url", url, "--trace", "retry-answer")
        server.shutdown()
    assert err == f"acpgen: {url}: the server answered initialize with 501\n"
    assert (status, out) == (2, "")


def _noisy(socket: ServerConnection) -> None:
    """Answer everything as initialize, after two texts that are no messages."""
    result = {"protocolVersion": 2, "info": {"name": "n", "version": "1"}, "capabilities": {}}
    for text in socket:
        for noise in ("log", "[]"):
            socket.send(noise)
        socket.send(json.dumps({"jsonrpc": "2.0", "id": json.loads(text)["id"], "result": result}))


def test_what_is_not_a_message_is_counted() -> None:
    with serve(_noisy, "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}/acp"
        options = ("--trace", "shape-initialize", "--format", "json")
        status, out, err = conform("--url", url, *options)
        server.shutdown()
    report = json.loads(out)
    assert (status, report["run"]["noise"], report["traces"][0]["noise"]) == (0, 2, 2)
    assert "2 lines of the agent are not messages, in shape-initialize\n" in err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--url", "ftp://host"], "not a URL of http, https, ws or wss"),
        (["--url", "ws://127.0.0.1:9/acp", "--trace", "retry-answer"], "127.0.0.1:9"),
        (["--url", "http://host", "--", "agent"], "give COMMAND, after --, or --url, not both"),
        ([], "give COMMAND, after --, or --url"),
        (["--header", "A: b", "--", "agent"], "--header is for --url only"),
        (["--url", "http://host", "--header", "blank"], "--header takes NAME:VALUE"),
        (["--url", "http://host", "--second-command", "x"], "any number of connections"),
        (["--client", "--url", "http://host"], "--url is for agents only"),
        (["--url", ""], "the value of --url is blank"),
        (["--url", "http://host", "--view", " "], "the value of --view is blank"),
    ],
)
def test_refusals(options: list[str], reason: str) -> None:
    status, _, errors = conform(*options)
    assert status == 2
    assert reason in errors
