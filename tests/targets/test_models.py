"""The generated models as a Python programmer meets them."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from acp_v2.models import (
    MISSING,
    AgentMessage,
    ContentBlockOther,
    ContentBlockText,
    CreateElicitationRequest,
    ElicitationContentValue,
    Error,
    NewSessionRequest,
    PlanEntryPriority,
    PromptRequest,
    PromptResponse,
    RequestId,
    SessionUpdate,
    SessionUpdateStateUpdateIdleEndTurn,
    ToolCallUpdate,
    UpdateSessionNotification,
    dump,
    parse,
)
from prompt_models import TEXT, prompt, request

CASES = Path(__file__).parents[1] / "cases"
KEYS = [json.loads(line) for line in (CASES / "trials-keys.jsonl").read_text("utf-8").splitlines()]
SECRET = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"


def test_a_request_is_built_with_python_names_and_written_with_wire_names() -> None:
    built = request("k")
    assert built.idempotency_key == "k"
    assert type(built.idempotency_key) is str
    assert json.loads(built.to_wire()) == prompt(idempotencyKey="k")


def test_wire_names_do_in_python_too() -> None:
    assert PromptRequest(**prompt(idempotencyKey="k")) == request("k")


def test_only_wire_names_do_on_the_wire() -> None:
    with pytest.raises(ValidationError, match=r"sessionId\s+Field required"):
        PromptRequest.from_wire(json.dumps({"session_id": "s", "prompt": [TEXT]}))


@pytest.mark.parametrize("case", KEYS, ids=lambda case: case["id"])
def test_keys(case: dict[str, Any]) -> None:
    data = prompt(idempotencyKey=case["value"])
    if case["valid"]:
        assert PromptRequest.from_wire(json.dumps(data)).idempotency_key == case["value"]
        assert request(case["value"]).idempotency_key == case["value"]
        assert PromptRequest.from_wire_tolerant(data).idempotency_key == case["value"]
        return
    for refuse in (PromptRequest.from_wire, PromptRequest.from_wire_tolerant):
        with pytest.raises(ValidationError, match="idempotencyKey"):
            refuse(json.dumps(data))
    with pytest.raises(ValidationError, match="idempotencyKey"):
        request(case["value"])


@pytest.mark.parametrize("character", ["a", "\U0001f600", "\u0301"])
def test_keys_are_counted_in_code_points(character: str) -> None:
    assert request(character * 255).idempotency_key == character * 255
    with pytest.raises(ValidationError, match="at most 255"):
        request(character * 256)


@pytest.mark.parametrize("value", [True, 5, 1.5, [], ["a"], {}, b"k"])
def test_what_is_not_a_string_is_not_a_key(value: Any) -> None:
    with pytest.raises(ValidationError, match="valid string"):
        request(value)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("idempotencykey", "did you mean 'idempotency_key'"),
        ("idempotencyKeyy", "did you mean 'idempotency_key'"),
        ("idempotency-key", "did you mean 'idempotency_key'"),
        ("key", "has no member 'key'"),
    ],
)
def test_a_misspelt_member_is_refused(wrong: str, hint: str) -> None:
    with pytest.raises(TypeError, match=hint) as refusal:
        PromptRequest(**prompt(**{wrong: SECRET}))
    assert SECRET not in str(refusal.value)
    with pytest.raises(TypeError, match=hint):
        request().model_copy(update={wrong: SECRET})


def test_a_member_is_given_once() -> None:
    with pytest.raises(TypeError, match="both 'sessionId' and 'session_id'"):
        PromptRequest(**prompt(session_id="other"))


def test_an_unknown_variant_takes_members_of_any_name() -> None:
    block = ContentBlockOther(type="_acme", volume=11)  # type: ignore[call-arg]
    assert json.loads(block.to_wire()) == {"type": "_acme", "volume": 11}


@pytest.mark.parametrize(
    "data",
    [
        prompt(),
        prompt(idempotencyKey=None),
        prompt(idempotencyKey="k"),
        prompt(_meta=None),
        prompt(_meta={"a": [1, 1.0, True, None, "x"]}),
        prompt(meta={}, session_id="not the session", idempotency_key="not the key"),
        prompt(whatever={"deep": [{"er": None}]}),
        {"sessionId": "s", "prompt": [{"type": "_acme/sketch", "lines": [1, 2]}]},
        {"sessionId": "s", "prompt": [{"type": "text", "text": "x", "extra": 1}]},
    ],
)
def test_round_trip(data: dict[str, Any]) -> None:
    written = json.loads(PromptRequest.from_wire(json.dumps(data)).to_wire())
    assert json.dumps(written, sort_keys=True) == json.dumps(data, sort_keys=True)
    assert json.loads(PromptRequest.from_wire(data).to_wire()) == data


@pytest.mark.parametrize("number", ["1", "1.0", "0.1", "9007199254740993", "-0.0"])
def test_numbers_come_back_as_they_came(number: str) -> None:
    assert dump(ElicitationContentValue, parse(ElicitationContentValue, number)) == number.encode()


def test_omitted_null_and_a_value_are_three_things() -> None:
    def title(members: str) -> object:
        return ToolCallUpdate.from_wire(f'{{"toolCallId": "t"{members}}}').title

    assert title("") is MISSING
    assert title(', "title": null') is None
    assert title(', "title": "x"') == "x"


def test_null_is_not_a_value_of_an_optional_member_that_is_not_nullable() -> None:
    with pytest.raises(ValidationError, match="mcpServers"):
        NewSessionRequest.from_wire('{"cwd": "/w", "mcpServers": null}')


@pytest.mark.parametrize("wrong", ["7", "true", "null", "[]", "{}"])
def test_nothing_is_coerced(wrong: str) -> None:
    with pytest.raises(ValidationError, match="valid string"):
        PromptResponse.from_wire(f'{{"messageId": {wrong}}}')


@pytest.mark.parametrize("wrong", ["true", "5.0", "1.5", "null", "[]"])
def test_a_request_id_is_an_integer_or_a_string(wrong: str) -> None:
    with pytest.raises(ValidationError):
        parse(RequestId, wrong)


def test_an_open_enum_takes_what_it_does_not_know() -> None:
    assert parse(PlanEntryPriority, '"high"') == "high"
    assert parse(PlanEntryPriority, '"_acme/urgent"') == "_acme/urgent"


@pytest.mark.parametrize(
    ("update", "place"),
    [
        ({"sessionUpdate": "agent_message_chunk"}, "update.messageId"),
        ({"sessionUpdate": "state_update"}, "update.state"),
        ({"sessionUpdate": "state_update", "state": "idle", "stopReason": 5}, "update.stopReason"),
        ({}, "update.sessionUpdate"),
    ],
)
def test_a_malformed_known_variant_is_refused(update: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError, match=f"\n{place}\n"):
        UpdateSessionNotification.from_wire(json.dumps({"sessionId": "s", "update": update}))


def test_nested_unions_lead_to_one_class() -> None:
    update = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
    assert type(parse(SessionUpdate, update)) is SessionUpdateStateUpdateIdleEndTurn


def test_an_unknown_member_is_never_taken_for_the_tag() -> None:
    update = {"sessionUpdate": "agent_message", "messageId": "m", "session_update": "notice"}
    read = UpdateSessionNotification.from_wire({"sessionId": "s", "update": update}).update
    assert isinstance(read, AgentMessage)
    assert json.loads(read.to_wire()) == update


def test_one_of_means_one() -> None:
    form = {"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}}
    parse(CreateElicitationRequest, {**form, "sessionId": "s"})
    parse(CreateElicitationRequest, {**form, "sessionId": "s", "requestId": 1.5})
    with pytest.raises(ValidationError, match="as well"):
        parse(CreateElicitationRequest, {**form, "sessionId": "s", "requestId": 1})


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_not_json_is_refused(constant: str) -> None:
    text = f'{{"messageId": "m", "_meta": {{"x": {constant}}}}}'
    for data in (text, text.encode(), bytearray(text.encode())):
        with pytest.raises(ValidationError, match="Invalid JSON"):
            PromptResponse.from_wire(data)
    assert PromptResponse.from_wire(f'{{"messageId": "{constant}"}}').message_id == constant


def test_models_are_frozen() -> None:
    built = request("k")
    for name in ("idempotency_key", "idempotencykey"):
        with pytest.raises(ValidationError, match="frozen") as refusal:
            setattr(built, name, SECRET)
        assert SECRET not in str(refusal.value)
    assert built == request("k")


def test_a_changed_copy_is_validated() -> None:
    original = PromptRequest.from_wire(prompt(session_id="unknown member", x=1))
    changed = original.model_copy(update={"idempotency_key": "k"})
    expected = prompt(session_id="unknown member", x=1, idempotencyKey="k")
    assert json.loads(changed.to_wire()) == expected
    assert original.idempotency_key is MISSING
    assert original.model_copy() == original
    with pytest.raises(ValidationError, match="at least 1"):
        original.model_copy(update={"idempotency_key": ""})


def test_a_constant_is_left_to_the_constructor() -> None:
    assert ContentBlockText(text="x").to_wire() == b'{"text":"x","type":"text"}'


def test_a_constant_is_demanded_on_the_wire() -> None:
    with pytest.raises(ValidationError) as refusal:
        ContentBlockText.from_wire({"text": "x"})
    assert [(e["loc"], e["type"]) for e in refusal.value.errors()] == [(("type",), "missing")]


def test_a_constant_has_no_other_value() -> None:
    wrong: Any = "image"
    with pytest.raises(ValidationError) as refusal:
        ContentBlockText(type=wrong, text="x")
    assert [(e["loc"], e["type"]) for e in refusal.value.errors()] == [(("type",), "literal_error")]


@pytest.mark.parametrize("code", ["-32700.0", "-31999.0", "true", '"-32700"', "null"])
def test_a_listed_integer_is_an_integer(code: str) -> None:
    text = f'{{"code": {code}, "message": "m"}}'
    for data in (text, json.loads(text)):
        with pytest.raises(ValidationError) as refusal:
            Error.from_wire(data)
        assert [(e["loc"], e["type"]) for e in refusal.value.errors()] == [(("code",), "int_type")]


def test_no_error_of_writing_shows_a_value() -> None:
    spoilt: Any = PromptRequest.model_construct(idempotency_key=["SECRET"])
    with pytest.raises(PydanticSerializationError) as refusal:
        spoilt.to_wire()
    assert "SECRET" not in str(refusal.value)
    with pytest.raises(PydanticSerializationError) as refusal:
        dump(PromptRequest, spoilt)
    assert "SECRET" not in str(refusal.value)
    assert str(refusal.value).startswith("PromptRequest.idempotencyKey can't be written")


def test_a_list_that_was_spoilt_is_not_written() -> None:
    built = request()
    built.prompt.append(5)  # type: ignore[arg-type]
    with pytest.raises(PydanticSerializationError):
        built.to_wire()


def test_keys_stay_out_of_reprs_and_errors() -> None:
    assert SECRET not in repr(request(SECRET))
    assert SECRET not in str(request(SECRET))
    with pytest.raises(ValidationError) as refusal:
        PromptRequest.from_wire(prompt(idempotencyKey=SECRET * 10, prompt=[]))
    assert SECRET not in str(refusal.value)


def test_a_repr_leaves_out_what_is_missing() -> None:
    assert repr(PromptResponse(message_id="m")) == "PromptResponse(message_id='m')"


def test_models_survive_pickle_and_deepcopy() -> None:
    original = PromptRequest.from_wire(prompt(idempotencyKey=None, x=1))
    assert pickle.loads(pickle.dumps(original)) == original
    assert copy.deepcopy(original).to_wire() == original.to_wire()
