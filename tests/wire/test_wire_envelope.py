"""The envelope: its kind, its faults, and the error owed for them."""

from __future__ import annotations

import pytest

from acp_wire.envelope import (
    ErrorCode,
    MessageKind,
    envelope_faults,
    is_id,
    kind_of,
    owed_code,
    request_id,
    require_sender,
)

CALL = {"jsonrpc": "2.0", "method": "a/b"}
REQUEST = {**CALL, "id": 1}
RESULT = {"jsonrpc": "2.0", "id": 1, "result": {}}
ERROR: dict[str, object] = {"jsonrpc": "2.0", "id": None, "error": {}}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (CALL, MessageKind.NOTIFICATION),
        (REQUEST, MessageKind.REQUEST),
        (RESULT, MessageKind.RESPONSE),
        (ERROR, MessageKind.RESPONSE),
        ({"jsonrpc": "2.0", "id": 1}, None),
        ([REQUEST], None),
        (None, None),
    ],
)
def test_a_message_has_one_kind(message: object, kind: MessageKind | None) -> None:
    assert kind_of(message) is kind


@pytest.mark.parametrize("message", [CALL, REQUEST, {**CALL, "id": "x"}, RESULT, ERROR])
def test_a_sound_envelope_has_no_faults(message: dict[str, object]) -> None:
    assert envelope_faults(message) == ()


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"method": "a"}, [("required", "jsonrpc")]),
        ({**CALL, "jsonrpc": 2}, [("const", "jsonrpc")]),
        ({**CALL, "id": None}, [("type", "id")]),
        ({**CALL, "id": True}, [("type", "id")]),
        ({**CALL, "id": 1.0}, [("type", "id")]),
        ({**CALL, "method": 5}, [("type", "method")]),
        ({**CALL, "result": 1}, [("exclusive-member", "result")]),
        ({**RESULT, "error": {}}, [("exclusive-member", "error")]),
        ({**RESULT, "id": None}, [("type", "id")]),
        ({"jsonrpc": "2.0", "error": {}}, [("required", "id")]),
    ],
)
def test_each_broken_member_is_a_fault(
    message: dict[str, object], found: list[tuple[str, str]]
) -> None:
    assert [(fault.rule, fault.member) for fault in envelope_faults(message)] == found
    assert owed_code(message, lambda _: True) is ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    ("message", "knows", "code"),
    [
        (REQUEST, True, ErrorCode.INVALID_PARAMS),
        (REQUEST, False, ErrorCode.METHOD_NOT_FOUND),
        (CALL, True, None),
        (RESULT, True, None),
        ([], True, ErrorCode.INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1}, True, ErrorCode.INVALID_REQUEST),
    ],
)
def test_the_first_broken_layer_gives_the_error(
    message: object, *, knows: bool, code: ErrorCode | None
) -> None:
    assert owed_code(message, lambda _: knows) is code


@pytest.mark.parametrize("value", [0, -1, 2**70, "", "x"])
def test_an_id_is_text_or_an_integer(value: int | str) -> None:
    assert is_id(value)
    assert request_id({"id": value}) == value


@pytest.mark.parametrize("value", [None, True, 1.5, [], {}])
def test_nothing_else_is_an_id(value: object) -> None:
    assert not is_id(value)
    assert request_id({"id": value}) is None


def test_a_sender_is_one_of_three() -> None:
    require_sender(None)
    require_sender("proxy")
    with pytest.raises(ValueError, match="use one of agent, client, proxy"):
        require_sender("editor")
