"""`acp_v2.check`: the verdict on the text of one message, without acpgen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

import acp_v2
from acp_wire.reader import read, read_once
from acpgen import resources
from acpgen.judge.message_verdict import ErrorCode
from agreement import checkers, decoders

LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'
CANCEL = b'{"jsonrpc":"2.0","method":"session/cancel","params":{}}'
ANSWER = b'{"jsonrpc":"2.0","id":"a","result":{}}'
ENGINES = (
    checkers().check,
    checkers().accepts_bytes,
    checkers().clean,
    decoders().accepts_bytes,
    decoders().clean,
)


@pytest.mark.parametrize(
    ("message", "code", "id_"),
    [
        (b"{", ErrorCode.PARSE_ERROR, None),
        (b"[]", ErrorCode.INVALID_REQUEST, None),
        (b'{"id":7}', ErrorCode.INVALID_REQUEST, 7),
        (LIST.replace(b"2.0", b"1.0"), ErrorCode.INVALID_REQUEST, 1),
        (LIST.replace(b'"id":1', b'"id":1.0'), ErrorCode.INVALID_REQUEST, None),
        (LIST.replace(b'"id":1', b'"id":null'), ErrorCode.INVALID_REQUEST, None),
        (LIST.replace(b'"params"', b'"result"'), ErrorCode.INVALID_REQUEST, 1),
        (LIST.replace(b"session/list", b"session/lists"), ErrorCode.METHOD_NOT_FOUND, 1),
        (LIST.replace(b"session/list", b"session/cancel"), ErrorCode.METHOD_NOT_FOUND, 1),
        (LIST.replace(b"{}", b'{"cwd":5}'), ErrorCode.INVALID_PARAMS, 1),
        (LIST.replace(b',"params":{}', b""), ErrorCode.INVALID_PARAMS, 1),
        (CANCEL, None, None),
        (ANSWER.replace(b"{}", b'{},"error":{"code":1,"message":"x"}'), -32600, "a"),
        (ANSWER.replace(b'"result"', b'"error"'), None, "a"),
    ],
    ids=str,
)
def test_what_is_invalid(message: bytes, code: int | None, id_: int | str | None) -> None:
    verdict = checkers().check(message)
    assert not verdict
    assert (verdict.valid, verdict.code, verdict.id) == (False, code, id_)


def test_what_is_valid() -> None:
    verdict = checkers().check(LIST, sender="client")
    assert verdict
    assert (verdict.valid, verdict.code, verdict.id) == (True, None, 1)


def test_the_other_side_does_not_handle_it() -> None:
    verdict = checkers().check(LIST, sender="agent")
    assert (verdict.valid, verdict.code) == (False, ErrorCode.METHOD_NOT_FOUND)


def test_a_result_is_judged_by_the_method_that_it_answers() -> None:
    assert checkers().check(ANSWER)
    assert not checkers().check(ANSWER, answers="session/new")


def test_nobody_sends_as_another_side() -> None:
    with pytest.raises(ValueError, match="there is no sender editor"):
        checkers().check(LIST, sender="editor")


@pytest.mark.parametrize("engine", ENGINES)
def test_nobody_answers_what_is_not_a_request(engine: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="'session/nwe' is not a request of the protocol"):
        engine(LIST, answers="session/nwe")
    with pytest.raises(ValueError, match="'session/cancel' is not a request of the protocol"):
        engine(ANSWER, answers="session/cancel")
    assert engine(ANSWER, answers="_mine")
    assert not engine(ANSWER, answers="session/new")


@pytest.mark.parametrize("engine", [*ENGINES, read, read_once])
def test_a_message_is_bytes(engine: Callable[..., object]) -> None:
    assert engine(bytearray(LIST))
    assert engine(memoryview(LIST))
    with pytest.raises(TypeError, match="a message is read from its bytes, not from str"):
        engine(LIST.decode())


def test_no_verdict_shows_what_is_in_the_message() -> None:
    keyed = LIST.replace(b"{}", b'{"idempotencyKey":"secret"}')
    assert repr(checkers().check(keyed)) == "<Verdict valid=True code=None>"


def test_the_package_offers_it_and_imports_it_late() -> None:
    program = (
        "import sys, acp_v2; assert 'acp_v2.checkers' not in sys.modules\n"
        f"assert acp_v2.check({LIST!r}) and not acp_v2.check(b'')\n"
        "assert isinstance(acp_v2.check(b''), acp_v2.Verdict)\n"
        "print(sorted({'pydantic', 'msgspec', 'acpgen'} & sys.modules.keys()))"
    )
    paths = [str(resources.ROOT / folder) for folder in ("generated/python", "runtime/acp-wire")]
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {paths}\n{program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_package_has_nothing_else() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'checks'"):
        acp_v2.checks  # type: ignore[attr-defined]  # noqa: B018
