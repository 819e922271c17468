"""Which lines of a log are messages, and whether it is a transcript."""

from __future__ import annotations

from io import BytesIO

import pytest

from acpgen.judge.inputs import InputError
from acpgen.logs import lines_of, read
from log_inputs import entries_of, read_input

LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'
CANCEL = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}'
LINE = b'{"from":"client","message":' + LIST + b"}"
PRETTY = b'{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "session/list",\n  "params": {}\n}'
CUT = LIST[:30]


@pytest.mark.parametrize(
    ("data", "transcript", "entries"),
    [
        pytest.param(LIST, False, [(1, LIST)], id="one-without-newline"),
        pytest.param(LIST + b"\n", False, [(1, LIST)], id="one"),
        pytest.param(LIST + b"\r\n\r\n" + CANCEL, False, [(1, LIST), (3, CANCEL)], id="crlf"),
        pytest.param(PRETTY, False, [(1, PRETTY)], id="pretty"),
        pytest.param(b"\n\n" + PRETTY, False, [(3, PRETTY)], id="pretty-after-blank-lines"),
        pytest.param(b"[\n" + LIST + b"\n]", False, [(2, LIST)], id="array"),
        pytest.param(
            b"[" + LIST + b",\n" + LIST + b"]", False, [(1, LIST), (2, LIST)],
            id="array-closed-on-the-second-line",
        ),
        pytest.param(CUT, False, [(1, CUT)], id="cut-short"),
        pytest.param(CUT + b"\n" + LIST, False, [(1, CUT), (2, LIST)], id="broken-first-line"),
        pytest.param(
            b"oops\noops\n\n" + LIST, False, [(4, LIST)], id="two-lines-of-other-output-first",
        ),
        pytest.param(LIST + b"\n" + CUT, False, [(1, LIST), (2, CUT)], id="broken-last-line"),
        pytest.param(LINE + b"\n" + LIST, True, [(1, LINE), (2, LIST)], id="transcript"),
        pytest.param(CUT + b"\n" + LINE, True, [(1, CUT), (2, LINE)], id="transcript-broken-first"),
        pytest.param(b"[\n" + LINE, False, [(2, LIST)], id="array-of-lines-cut-short"),
        pytest.param(LIST + b"\n" + LINE, False, [(1, LIST), (2, LINE)], id="messages-first"),
        pytest.param(
            '{"a":"\u2028\u0085"}'.encode(), False, [(1, '{"a":"\u2028\u0085"}'.encode())],
            id="lines-end-at-newline-only",
        ),
        pytest.param(
            LIST.decode().encode("utf-16"), False, [(1, LIST)], id="utf-16",
        ),
    ],
)  # fmt: skip
def test_read(data: bytes, transcript: bool, entries: list[tuple[int, bytes]]) -> None:
    found = read_input(data)
    assert found.transcript is transcript
    assert [(entry.line, entry.text.rstrip(b"\n")) for entry in entries_of(found)] == entries


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "no messages, so there is nothing to judge", id="nothing"),
        pytest.param(b"\n \r\n\t\n", "no messages, so there is nothing", id="blank-lines"),
        pytest.param(
            b"oops\noops", "no line is a message; line 1 is the first: 'oops'", id="other-output"
        ),
    ],
)
def test_a_log_without_messages_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read_input(data)


def test_lines_are_read_when_they_are_asked_for() -> None:
    class Endless(BytesIO):
        def readline(self, *_: object) -> bytes:
            return LIST + b"\n"

    found = read(lines_of(Endless())).canonical
    assert found is not None
    entries = entries_of(found)
    assert [next(entries).line for _ in range(3)] == [1, 2, 3]
