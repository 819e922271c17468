"""Logs that are broken, endless or not logs: a finding or status 2, and nothing is lost."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from acpgen import logs
from acpgen.judge.inputs import InputError
from acpgen.logs import Hints
from command_calls import APP

CASES = Path(__file__).parent / "cases"
LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
BAD = b'{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"cwd":5}}\n'


def run(data: bytes, *arguments: str) -> Result:
    return CliRunner().invoke(APP, ["validate", *arguments], input=data)


LONE = r"{\"jsonrpc\":\"2.0\",\"method\":\"x/\ud800\"}"


@pytest.mark.parametrize(
    "line",
    [
        f'{{"dir":">","msg":"{LONE}"}}',
        f'{{"log":"-> {LONE}"}}',
        f'{{"text":"data: {LONE}\\n\\n"}}',
        f'{{"dir":">","\\ud800":"{LONE}"}}',
    ],
)
@pytest.mark.parametrize("command", ["validate", "trace", "convert", "view"])
def test_an_escaped_surrogate_is_not_a_crash(line: str, command: str, tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    wrapped = json.dumps({"dir": ">", "msg": BAD.decode().strip()})
    path.write_text(f"{wrapped}\n{line}\n{wrapped}\n", "utf-8")
    out = ["-o", str(tmp_path / "page.html")] if command == "view" else []
    result = CliRunner().invoke(APP, [command, str(path), *out])
    assert result.exit_code in (0, 1, 2)
    assert "error in acpgen itself" not in result.output
    assert command != "validate" or result.stdout.count("error[type] -32602 /params/cwd") == 2


@pytest.mark.parametrize(
    "before",
    [
        b"oops\nmore\n" * 3,
        b"\0" * 1000 + b"\n",
        b'{"a":' * 200_000 + b"\n",
        b"{\n" * 50,
        b"{\n  not: 'JSON'\n}\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Length: 5000\r\n\r\n",
        b'{"jsonrpc":"2.0","id":1,"meth\n',
        b'{"jsonrpc":"2.0","id":1,"method":"session/list"\n',
        b'{\n "jsonrpc": "2.0",\n "id": 1,\n',
        b"\xff\xfe\xfa\n",
        b"data: not JSON\n\n",
        b"[INFO] {x} {y\n",
    ],
    ids=lambda text: repr(text[:24]),
)
@pytest.mark.parametrize("prefix", [b"", b"-> "])
def test_what_comes_after_is_judged(before: bytes, prefix: bytes) -> None:
    result = run(before + prefix + LIST + prefix + BAD)
    assert "session/list: error[type] -32602 /params/cwd" in result.stdout
    assert result.exit_code in (1, 2)


@pytest.mark.parametrize(
    "data",
    [
        b"# Title\n\nSome text.\n",
        b"<a>\n<b>{}</b>\n",
    ],
)
def test_what_has_no_messages_is_2(data: bytes) -> None:
    result = run(data)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no line is a message; line 1 is the first: " in result.stderr
    assert "--message-at /msg --sender-at /dir --client '>>>' --connection-at" in result.stderr


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"[%s]\n[%s]\n", [1, 2]),
        (b"[%s, %s]\n\n{}\n", [1]),
        (b"{}\n[%s,%s]\n", [2]),
        (b"Starting\n[%s, %s]\n", [2]),
        (b"-> [%s]\n<- [%s]\n", [1, 2]),
    ],
)
def test_an_array_of_messages_on_a_line_is_a_batch(data: bytes, lines: list[int]) -> None:
    one = LIST.strip()
    result = run(data.replace(b"{}", one) % (one, one))
    found = [int(line.split(":")[1]) for line in result.stdout.splitlines()]
    assert (result.exit_code, found) == (1, lines)
    assert result.stdout.count("-32600: must be an object, not an array; there are no batches") == (
        len(lines)
    )


@pytest.mark.parametrize(
    "line",
    ["Sent [%s]", "<x><![CDATA[%s]]></x>", "payload=[%s]", "DEBUG rpc: message [%s] took 3ms"],
)
def test_the_brackets_of_a_logger_are_no_batch(line: str) -> None:
    text = line.replace("%s", LIST.decode().strip())
    other = text.replace('"id":1', '"id":2')
    result = run(f"{text}\n{other}\n".encode())
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith("2 messages: 2 accepted, 0 refused\n")


@pytest.mark.parametrize(
    "wrap", ['{"dir":"out","msg":[%s]}', '{"msg":[%s,%s],"from":"a","to":"b"}']
)
def test_an_array_inside_a_wrapper_is_a_batch(wrap: str) -> None:
    one = LIST.strip().decode()
    line = wrap.replace("%s", one)
    result = run(f'{{"dir":"in","msg":{one}}}\n{line}\n'.encode())
    assert result.stdout.count("-32600: must be an object, not an array; there are no batches") == 1
    assert result.stdout.startswith("<stdin>:2: ")
    assert result.stderr.endswith("2 messages: 1 accepted, 1 refused\n")


def test_a_log_that_is_an_array_is_not_a_batch(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_bytes(b"[" + LIST.strip() + b"]\n\n")
    read = run(b"", str(log))
    assert (read.exit_code, read.stdout) == (0, "")
    assert "read as an array of 1 message, not as a batch\n" in read.stderr
    sent = run(log.read_bytes(), "--from", "client")
    assert (sent.exit_code, sent.stdout.count("there are no batches")) == (1, 1)


@pytest.mark.parametrize(
    "broken", ["{oops}", '{\n "jsonrpc": oops\n}', '{"jsonrpc":"2.0","id":"x}', "oops"]
)
@pytest.mark.parametrize("mark", [",", ",\n", ", "])
def test_what_comes_after_a_broken_item_of_an_array_is_judged(broken: str, mark: str) -> None:
    one, other = json.loads(LIST), json.loads(BAD)
    for indents in product((None, 1), repeat=3):
        around = [
            json.dumps(each, indent=indent)
            for each, indent in zip((one, other, one), indents, strict=True)
        ]
        result = run(f"[{mark.join([around[0], broken, *around[1:]])}]".encode())
        assert result.stdout.count("error[type] -32602 /params/cwd") == 1, indents


def test_arrays_that_never_end_are_read_in_linear_time() -> None:
    result = run(b"[\n" * 20_000 + BAD)
    assert result.stdout.startswith("<stdin>:20001: session/list: error[type] -32602 /params/cwd")


@pytest.mark.parametrize("command", ["validate", "trace", "convert", "view"])
@pytest.mark.parametrize("shape", ["%s", "x %s", "-> %s", '{"dir":"out","msg":%s}'])
def test_members_of_any_type_are_no_crash(shape: str, command: str, tmp_path: Path) -> None:
    members = ("jsonrpc", "id", "method", "params", "result", "error")
    values: list[object] = [{}, [], [1], {"a": []}, True, None, 1.5, "", "x"]
    whole = {"jsonrpc": "2.0", "id": 1, "method": "session/list"}
    lines = [shape % json.dumps({**whole, member: value}) for member in members for value in values]
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
    log = tmp_path / "log.txt"
    log.write_text("\n".join([shape % json.dumps(first), *lines, *lines]) + "\n", "utf-8")
    page = ["-o", str(tmp_path / "page.html")] if command == "view" else []
    result = CliRunner().invoke(APP, [command, str(log), *page], catch_exceptions=False)
    assert "error in acpgen itself" not in result.stderr
    if command == "validate":
        assert f"{len(lines) * 2 + 1} messages:" in result.stderr


@pytest.mark.parametrize("har", [False, True])
def test_a_finding_in_an_array_on_one_line_has_the_number_of_its_message(*, har: bool) -> None:
    texts = [LIST, LIST.replace(b'"id":1', b'"id":2'), BAD, LIST.replace(b'"id":1', b'"id":3')]
    messages = [json.loads(text) for text in texts]
    frames = [{"type": "send", "data": text.decode()} for text in texts]
    archive = {"log": {"entries": [{"_webSocketMessages": frames}]}}
    data = json.dumps(archive if har else messages).encode()
    result = run(data)
    assert result.stdout.startswith("<stdin>:1: message 3: session/list: error[type]")
    (finding,) = json.loads(run(data, "--format", "json").stdout)["findings"]
    assert (finding["line"], finding["number"]) == (1, 3)
    spread = run(json.dumps(archive if har else messages, indent=1).encode())
    assert ": session/list: error[type]" in spread.stdout
    assert "message 3" not in spread.stdout


@pytest.mark.parametrize("packed", [False, True], ids=["text", "base64"])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("posted", [False, True], ids=["response", "both"])
def test_the_events_of_a_response_in_a_har_file_are_read(
    indent: int | None, *, packed: bool, posted: bool
) -> None:
    events = b"event: message\ndata: " + BAD + b"\n: wait\n\ndata: " + LIST + b"\n"
    content: dict[str, str] = {"mimeType": "text/event-stream", "text": events.decode()}
    if packed:
        content |= {"encoding": "base64", "text": base64.b64encode(events).decode()}
    request = {"method": "POST", "url": "http://h/"}
    sent = {**request, "postData": {"mimeType": "application/json", "text": LIST.decode()}}
    entry = {"request": sent if posted else request, "response": {"content": content}}
    data = json.dumps({"log": {"entries": [entry]}}, indent=indent).encode()
    result = run(data)
    assert result.stdout.count("error[type] -32602 /params/cwd") == 1
    assert "read as a HAR file" in result.stderr
    assert f"{3 if posted else 2} messages: {2 if posted else 1} accepted" in result.stderr


@pytest.mark.parametrize("number", [1, 2])
def test_the_lines_of_a_logger_that_are_not_json_are_not_refused(number: int) -> None:
    line = b"acp:send {jsonrpc: '2.0', id: 1, method: 'session/list', params: [Object]}\n"
    result = run(line * number)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no line is a message; line 1 is the first: " in result.stderr
    assert "its messages are in another notation than JSON" in result.stderr
    sent = run(line, "--from", "client")
    assert (sent.exit_code, sent.stdout.count("error[not-json] -32700")) == (1, 1)


@pytest.mark.parametrize(
    "line",
    [
        'rpc.lua:27\t"rpc.send"\t{ id = 1, jsonrpc = "2.0", method = "initialize" }',
        '((:object (jsonrpc . "2.0") (id . 1) (method . "initialize")))',
        "DEBUG sent {jsonrpc: '2.0', id: 1, method: 'initialize'}",
    ],
    ids=["Lua", "Emacs Lisp", "JavaScript"],
)
def test_another_notation_is_named(line: str) -> None:
    result = run(line.encode())
    assert (result.exit_code, result.stdout) == (2, "")
    assert "its messages are in another notation than JSON: log the text" in result.stderr


def test_a_line_of_plain_text_is_not_a_message() -> None:
    result = run(b"Agent is starting\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no line is a message; line 1 is the first: 'Agent is starting'; " in result.stderr


@pytest.mark.parametrize(
    "line",
    [
        'key idempotencyKey="sekret-key-123456" sent prompt',
        "prompt sekret-key-123456 idempotency-key",
        "export API_KEY=sekret-key-123456",
        "Authorization: Bearer sekret-key-123456",
    ],
)
def test_a_line_that_may_hold_a_secret_is_not_shown(line: str) -> None:
    result = run(f"{line}\n".encode())
    assert (result.exit_code, result.stdout) == (2, "")
    assert "line 1 is the first: it may hold a secret, so it is not shown" in result.stderr
    assert "sekret" not in result.stderr


FOREIGN = [
    '{"jsonrpc"=>"2.0", "id"=>1, "method"=>"session/list"}',
    '{"jsonrpc" => "2.0", "id" => 1}',
    'Object {"jsonrpc": String("2.0"), "id": Number(1)}',
    'Object {\n    "jsonrpc": String("2.0"),\n    "id": Number(1),\n}',
    '{"jsonrpc":"2.0", "params":map[string]string{"a": "b"}',
    '{"jsonrpc":"2.0", "id":1, "result":nil}',
    '{"jsonrpc"->"2.0", "id"->1}',
]


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("command", ["validate", "trace", "convert"])
def test_a_log_in_another_notation_is_2(text: str, command: str) -> None:
    data = f"out: {text}\nin: {text}\n".encode()
    result = CliRunner().invoke(APP, [command], input=data)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "its messages are in another notation than JSON" in result.stderr
    assert "line 1 is the first: " in result.stderr


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("before", [True, False])
def test_another_notation_in_a_log_of_json_is_refused(text: str, *, before: bool) -> None:
    one = b"out: " + LIST
    other = f"in: {text}\n".encode()
    result = run(other + one if before else one + other)
    assert result.stdout.count("error[not-json] -32700") == 1
    assert "2 messages: 1 accepted, 1 refused" in result.stderr


def test_another_notation_from_a_named_sender_is_refused() -> None:
    result = run(f"{FOREIGN[0]}\n{FOREIGN[1]}\n".encode(), "--from", "agent")
    assert (result.exit_code, result.stdout.count("error[not-json] -32700")) == (1, 2)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("address", ["https://example.org/log.json", "./log.schema.json", 5])
def test_a_log_may_name_its_own_schema(address: object, indent: int | None) -> None:
    lines = [{"dir": "out", "msg": json.loads(text)} for text in (LIST, BAD)]
    log = {"$schema": address, "messages": lines}
    result = run(json.dumps(log, indent=indent).encode())
    assert result.stdout.count("error[type] -32602 /params/cwd") == 1
    each = "\n".join(json.dumps({"$schema": address, **line}) for line in lines)
    assert run(each.encode()).stdout.startswith("<stdin>:2: session/list: error[type]")


@pytest.mark.parametrize(
    "member",
    [
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"$schema": "x", "type": "object"},
        {"$schema": "x", "properties": {}},
        {"$defs": {}},
    ],
)
def test_any_schema_with_messages_is_not_a_log(member: dict[str, object]) -> None:
    text = json.dumps({**member, "samples": [json.loads(BAD), json.loads(LIST)]}, indent=1)
    result = run(text.encode())
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has a JSON Schema or an OpenRPC document, which is not a log" in result.stderr


@pytest.mark.parametrize("name", ["$schema", "openrpc"])
def test_a_schema_is_not_a_log(name: str) -> None:
    examples = [json.loads(BAD), json.loads(LIST)]
    text = json.dumps({name: "x", "examples": examples}, indent=1).encode()
    result = run(text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has a JSON Schema or an OpenRPC document, which is not a log" in result.stderr


def test_the_places_can_be_named() -> None:
    lines = [{"a": {"b": json.loads(LIST)}, "w": "x"}, {"a": {"b": json.loads(BAD)}, "w": "y"}]
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    result = run(data, "--message-at", "/a/b", "--sender-at", "/w", "--client", "x")
    assert "<stdin>:2: session/list: error[wrong-side] -32601 /method" in result.stdout


def test_the_cells_of_rows_can_be_named() -> None:
    rows = [["x", 1, json.loads(LIST)], ["y", 2, json.loads(BAD)]]
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    result = run(data, "--message-at", "/2", "--sender-at", "/0", "--client", "x")
    assert "<stdin>:2: session/list: error[wrong-side] -32601 /method" in result.stdout


def test_a_line_beyond_the_limit_is_skipped() -> None:
    result = run(LIST + b"x" * 2000 + b"\n" + BAD, "--max-line", "1000")
    assert result.stdout.startswith("<stdin>:3: session/list: error[type]")
    assert "is longer than 1000 bytes, so it is not judged" in result.stderr
    assert result.exit_code == 2


def test_a_bomb_is_not_unpacked_into_memory(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    with gzip.open(bomb, "wb") as file:
        file.write(LIST)
        for _ in range(300):
            file.write(b"a" * 1_000_000)
        file.write(b"\n" + BAD)
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'acpgen', 'validate', *sys.argv[1:]])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(bomb), "--max-line", "1000000"],
        capture_output=True,
        text=True,
        check=True,
    )
    found, peak = done.stdout.splitlines()
    assert "bomb.gz:3: session/list: error[type]" in found
    assert int(peak) < 100_000  # KiB


def test_the_findings_of_one_message_are_bounded() -> None:
    folders = ",".join(["5"] * 50_000)
    data = LIST.replace(b"session/list", b"session/new").replace(
        b"{}", b'{"cwd":"/","additionalDirectories":[%s]}' % folders.encode()
    )
    result = run(data, "--max-findings", "3")
    assert result.stdout.count("\n") == 3
    assert "--max-findings leaves out" in result.stdout.splitlines()[-1]


def test_an_endless_log_is_read_as_it_comes() -> None:
    def endless() -> Iterator[tuple[int, bytes]]:
        number = 0
        while True:
            yield number + 1, b"other output\n"
            yield number + 2, b"more of it\n"
            yield number + 3, b"> " + LIST
            number += 3

    messages = logs.read(endless()).messages(guess=True)
    assert [message.line for message in islice(messages, 500)][:2] == [3, 6]


@given(
    st.sampled_from(sorted(path for path in CASES.iterdir() if path.suffix not in (".gz", ".zst"))),
    st.integers(0),
    st.binary(max_size=8),
)
def test_a_damaged_log_is_still_read(path: Path, place: int, junk: bytes) -> None:
    data = path.read_bytes()
    at = place % len(data)
    lines = (data[:at] + junk + data[at:]).splitlines(keepends=True)
    log = logs.read(iter([*enumerate(lines, 1)]), Hints())
    try:
        messages = list(log.messages(guess=True))
    except InputError:
        return
    assert all(message.text and message.sender for message in messages)
