"""Short input is judged without the rest of acpgen, and gets the same output and status."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from acp_wire.reader import Decoded, attempt
from acpgen import resources
from acpgen.cli import validation
from acpgen.load import reload
from acpgen.logs.messages import ENVELOPE
from acpgen.startup import accept, shipped
from acpgen.startup.options import Options
from acpgen.types.type_table import type_table
from mutants import damaged

KEYED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "session/prompt",
    "params": {"sessionId": "s", "prompt": [], "idempotencyKey": ""},
}
ODD = (
    {**KEYED, "params": {"sessionId": 5, "idempotencyKey": "a-key-of-17-chars"}},
    {**KEYED, "params": {**KEYED["params"], "idempotencyKey": "k" * 256}},  # type: ignore[dict-item]
    {**KEYED, "method": "session/promt"},
    {**KEYED, "method": "session/update", "id": None},
    {"jsonrpc": "1.0", "method": "session/list", "id": 1, "params": {}},
    {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s", "a\nb": 1}},
)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert shipped.fresh(), "the checkers are stale: run `acpgen generate`"


def printed(
    judge: Callable[[Options], int | None], options: Options, capsys: pytest.CaptureFixture[str]
) -> tuple[int | None, str, str]:
    status = judge(options)
    out, err = capsys.readouterr()
    return status, out, err


def calls() -> list[bytes]:
    """Damaged calls that are not about the version, and calls with each kind of fault.

    A text as params is not among them: it may be the mark of a log that left them out.
    """
    messages = (message for message, _, _ in islice(damaged(), 800))
    found = [each for each in messages if isinstance(each, dict) and "method" in each]
    plain = [each for each in found if "jsonrpc" in each and each["method"] != "initialize"]
    whole = [each for each in plain if not isinstance(each.get("params"), str)]
    own = [each for each in whole if each.keys() <= ENVELOPE]
    texts = [json.dumps(each).encode() for each in (*own, *ODD)]
    return [text for text in texts if len(text) < 1000 and isinstance(attempt(text), Decoded)]


@pytest.mark.parametrize("sender", [None, "client", "agent"])
def test_findings_are_those_of_the_whole_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sender: str | None
) -> None:
    file = tmp_path / "calls.json"
    texts = calls()
    assert len(texts) > 100
    for start in range(0, len(texts), 40):
        file.write_bytes(b"\n\n".join(texts[start : start + 40]))
        options = Options([str(file)], sender=sender)
        short = printed(accept.judged, options, capsys)
        assert short == printed(validation.run, options, capsys)
        assert short[0] == 1


@pytest.mark.parametrize(
    "options",
    [{"strict": True}, {"summary": True}, {"fail_on": "warning"}, {"max_errors": 1}],
    ids=lambda options: next(iter(options)),
)
def test_what_counts_findings_in_another_way_is_left_to_others(
    tmp_path: Path, options: dict[str, bool]
) -> None:
    file = tmp_path / "calls.json"
    file.write_text(json.dumps(KEYED))
    assert accept.judged(Options([str(file)], **options)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}',
        b'{"method":"session/list","id":1,"params":{"cwd":5}}',
        b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5},"dir":"in"}',
        b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}',
        b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":"[truncated]"}',
        b"[]",
    ],
)
def test_what_is_not_a_plain_call_is_left_to_others(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "message.json"
    file.write_bytes(text)
    assert accept.judged(Options([str(file)])) is None


def test_the_generated_table_is_that_of_the_schema() -> None:
    made = type_table(reload(resources.SCHEMA))
    table = shipped.table()
    assert (table.version, table.methods) == (made.version, made.methods)
    assert dict(table.types) == dict(made.types)
