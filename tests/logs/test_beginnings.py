"""Every command tells the same connections apart, whatever names and ids a log has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from acp_wire.beginnings import Beginnings
from acpgen.model import JsonValue
from case_folders import folders
from command_calls import APP
from proofs import amount, scaled
from transcripts import CASES, TRIALS, lines

Row = dict[str, JsonValue]
Message = dict[str, JsonValue]
REPEATED = "error[repeated-initialize]"
BEFORE = "error[request-before-initialize]"
PARTIAL = "note[partial-connection]"


def call(id_: JsonValue, method: str, **params: JsonValue) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params}}


def result(id_: JsonValue, **members: JsonValue) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "result": {**members}}


def refusal(id_: JsonValue, code: int) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": "no"}}


INFO: JsonValue = {"name": "n", "version": "1"}
KEYED: Row = {
    "sessionId": "s",
    "prompt": [{"type": "text", "text": "deploy"}],
    "idempotencyKey": "0123-4567-89ab-cdef",
}


def begins(id_: JsonValue) -> Message:
    return call(id_, "initialize", protocolVersion=2, info=INFO)


def welcome(id_: JsonValue) -> Message:
    return result(id_, protocolVersion=2, info=INFO, capabilities={"session": {}})


FIRST = [begins(0), welcome(0), call(1, "session/new", cwd="/w"), result(1, sessionId="s")]
LOST = [*FIRST, call(2, "session/prompt", **KEYED)]


def again(first: int) -> list[Message]:
    """What a client sends that has connected again, with ids from a number on."""
    return [
        begins(first),
        welcome(first),
        call(first + 1, "session/resume", sessionId="s", cwd="/w"),
        result(first + 1),
        call(first + 2, "session/prompt", **KEYED),
        result(first + 2, messageId="m"),
    ]


def arrows(messages: Sequence[Message]) -> bytes:
    ways = [("->" if "method" in message else "<-", message) for message in messages]
    return "".join(f"{way} {json.dumps(message)}\n" for way, message in ways).encode()


LOGS: dict[str, tuple[list[Message], int, set[str]]] = {
    "ids begin again": ([*LOST, *again(0)], 2, set()),
    "ids go on": ([*LOST, *again(3)], 2, set()),
    "ids are random": ([each | {"id": f"r-{each['id']}"} for each in [*LOST, *again(3)]], 2, set()),
    "answer to initialize is lost, too": ([*LOST, begins(0), *again(0)], 3, set()),
    "answer to initialize is lost, too, and ids go on": ([*LOST, begins(3), *again(4)], 3, set()),
    "first initialize is refused": (
        [*LOST, begins(0), refusal(0, -32603), *again(1)],
        2,
        set(),
    ),
    "no initialize is accepted": ([*LOST, begins(0), refusal(0, -32603)], 2, set()),
    "refused, and the connection goes on": (
        [*FIRST, begins(2), refusal(2, -32603), call(3, "session/list"), result(3, sessions=[])],
        1,
        {REPEATED},
    ),
    "refused as repeated": ([*FIRST, begins(2), refusal(2, -32600), *again(3)], 2, {REPEATED}),
    "sent twice with one id, and refused twice": (
        [begins(0), begins(0), refusal(0, -32600), refusal(0, -32600), *again(1)],
        1,
        {"error[duplicate-id]"},
    ),
    "repeated at once": ([begins(0), welcome(0), *again(1)], 1, set()),
    "beginning is missing": ([*LOST[4:], *again(0)], 2, {PARTIAL}),
    "beginning is missing, and ids go on": ([*LOST[2:], *again(3)], 2, {PARTIAL}),
    "prompt before initialize": (
        [call(0, "session/list"), result(0, sessions=[]), *again(1)],
        1,
        {BEFORE},
    ),
    "refused before initialize": (
        [call(1, "session/list"), refusal(1, -32002), *again(2)],
        1,
        {BEFORE},
    ),
    "answer is recorded before initialize": ([welcome(0), begins(0), *FIRST[2:]], 1, set()),
}


def run(command: str, log: bytes, folder: Path) -> tuple[str, str]:
    path = folder / "session.log"
    path.write_bytes(log)
    page = ["-o", str(folder / "session.html")] if command == "view" else []
    done = CliRunner().invoke(APP, [command, str(path), *page])
    assert done.exit_code in (0, 1), done.output
    return done.stdout, done.stderr


def counted(stderr: str) -> int:
    found = re.search(r" on (\d+) connections?", stderr)
    assert found is not None, stderr
    return int(found[1])


def labels(stdout: str) -> set[str]:
    return set(re.findall(r"\w+\[[a-z-]+\]", stdout))


SURE = {REPEATED, BEFORE, PARTIAL, "error[duplicate-id]", "error[retry-before-resume]"}


@pytest.mark.parametrize("name", LOGS)
def test_commands_agree_on_where_connections_begin(name: str, tmp_path: Path) -> None:
    messages, connections, expected = LOGS[name]
    log = arrows(messages)
    stdout, stderr = run("trace", log, tmp_path)
    assert (labels(stdout) & SURE, counted(stderr)) == (expected, connections)
    written, _ = run("convert", log, tmp_path)
    converted, stderr = run("trace", written.encode(), tmp_path)
    assert (converted, counted(stderr)) == (stdout, connections)
    _, stderr = run("view", log, tmp_path)
    assert counted(stderr) == connections
    assert "duplicate-id" not in run("validate", log, tmp_path)[0]


@dataclass(frozen=True)
class Recorded:
    """A message of a transcript, with the number of its connection."""

    sender: str
    which: int
    message: Message


def recorded(folder: Path) -> list[Recorded]:
    """The messages of a case whose connections come one after another; none of other cases.

    Each begins with `initialize`, and all but the last one have another request.
    """
    rows = [json.loads(line) for line in lines(folder)]
    names = list(dict.fromkeys(row.get("connection", "") for row in rows))
    found = [
        Recorded(row["from"], names.index(row.get("connection", "")), row["message"])
        for row in rows
    ]
    order = [each.which for each in found]
    if len(names) < 2 or order != sorted(order) or any(e.sender == "proxy" for e in found):
        return []
    for which in range(len(names)):
        calls = [
            each.message.get("method")
            for each in found
            if each.which == which and each.sender == "client" and "id" in each.message
        ]
        calls = [method for method in calls if method is not None]
        begun = next(each for each in found if each.which == which).message.get("method")
        if begun != "initialize" or calls.count("initialize") > 1 or len(calls) < 2:
            return []
    return found


CONNECTED = [folder for folder in [*folders(CASES), *folders(TRIALS)] if recorded(folder)]
Ids = Callable[[int, int], JsonValue]
"""The id of a request, by its number on its connection, and among all requests."""


def with_ids(messages: Sequence[Recorded], ids: Ids) -> list[Recorded]:
    """The messages with other ids, where each side of a connection counts for itself."""
    known: dict[tuple[int, str, JsonValue], JsonValue] = {}
    numbers: dict[tuple[int, str], int] = {}
    total = count()
    written = []
    for each in messages:
        message = dict(each.message)
        if "id" in message:
            asker = each.sender
            if "method" not in message:
                asker = "agent" if each.sender == "client" else "client"
                message["id"] = known.get((each.which, asker, message["id"]), message["id"])
            else:
                number = numbers.get((each.which, asker), 0)
                numbers[each.which, asker] = number + 1
                new = ids(number, next(total))
                known[each.which, asker, message["id"]] = new
                message["id"] = new
        written.append(Recorded(each.sender, each.which, message))
    return written


def transcript(messages: Sequence[Recorded], *, named: bool) -> bytes:
    rows = [
        {
            **({"connection": each.which} if named else {}),
            "from": each.sender,
            "message": each.message,
        }
        for each in messages
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def prefixed(messages: Sequence[Recorded], name: str = "") -> bytes:
    ways = {"client": "->", "agent": "<-"}
    return "".join(f"{name}{ways[e.sender]} {json.dumps(e.message)}\n" for e in messages).encode()


IDS: dict[str, Ids] = {
    "begin again": lambda number, _: number,
    "go on": lambda _, total: total,
    "random": lambda _, total: str(UUID(int=total * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**128)),
}
WRITTEN: dict[str, Callable[[Sequence[Recorded]], bytes]] = {
    "transcript": lambda messages: transcript(messages, named=False),
    "arrows": prefixed,
    "one name": lambda messages: prefixed(messages, "my-agent "),
}


def found(command: str, log: bytes, folder: Path) -> list[tuple[str, str]]:
    """The lines of the findings of a command, and their rules."""
    stdout, _ = run(command, log, folder)
    return re.findall(r":(\d+): .*?(\w+\[[a-z-]+\])", stdout)


@scaled("random ways to write a transcript")
@settings(max_examples=amount(6, 150), deadline=None)
@given(
    folder=st.sampled_from(CONNECTED),
    ids=st.sampled_from(sorted(IDS)),
    way=st.sampled_from(sorted(WRITTEN)),
)
def test_names_and_ids_change_no_verdict(
    tmp_path_factory: pytest.TempPathFactory, folder: Path, ids: str, way: str
) -> None:
    tmp_path = tmp_path_factory.mktemp("written")
    messages = with_ids(recorded(folder), IDS[ids])
    named, log = transcript(messages, named=True), WRITTEN[way](messages)
    connections = messages[-1].which + 1
    expected, stderr = found("trace", named, tmp_path), run("trace", named, tmp_path)[1]
    assert counted(stderr) == connections
    assert counted(run("trace", log, tmp_path)[1]) == connections
    assert found("trace", log, tmp_path) == expected
    assert found("trace", run("convert", log, tmp_path)[0].encode(), tmp_path) == expected
    assert counted(run("view", log, tmp_path)[1]) == connections
    assert found("validate", log, tmp_path) == found("validate", named, tmp_path)


def test_a_repeated_initialize_is_found_where_the_connection_is_named(tmp_path: Path) -> None:
    rows = [Recorded("client" if "method" in m else "agent", 0, m) for m in [*LOST, *again(3)]]
    assert REPEATED in run("trace", transcript(rows, named=True), tmp_path)[0]
    assert REPEATED not in run("trace", transcript(rows, named=False), tmp_path)[0]


def test_there_are_cases_with_several_connections() -> None:
    assert len(CONNECTED) > 5


def test_a_beginning_is_known_with_its_answer() -> None:
    beginnings = Beginnings()
    beginnings.asked("", "initialize", 0)
    beginnings.asked("", "session/list", 1)
    beginning = beginnings.asked("", "initialize", 2)
    assert beginning is not None
    assert (beginning.begins, beginnings.may_be_several("")) == (None, True)
    beginnings.answered("", 2, -32600)
    assert (beginning.begins, beginnings.may_be_several("")) == (False, False)
