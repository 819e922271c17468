"""What the tolerant reading recovers, and what it doesn't."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from acp_v2.models import (
    MISSING,
    ContentBlockText,
    ListSessionsRequest,
    ListSessionsResponse,
    NewSessionRequest,
    PromptRequest,
    SessionConfigSelectGroup,
    SessionUpdate,
    SetSessionConfigOptionResponse,
    ToolCallUpdate,
    parse,
    parse_tolerant,
)

TEXT: dict[str, Any] = {"type": "text", "text": "hello"}


def written(model: Any) -> Any:
    return json.loads(model.to_wire())


def test_a_malformed_member_counts_as_omitted() -> None:
    data = {"sessionId": "s", "prompt": [TEXT], "_meta": 7}
    with pytest.raises(ValidationError, match="_meta"):
        PromptRequest.from_wire(data)
    read = PromptRequest.from_wire_tolerant(json.dumps(data))
    assert read.meta is MISSING
    assert written(read) == {"sessionId": "s", "prompt": [TEXT]}


def test_a_malformed_member_of_a_patch_changes_nothing() -> None:
    read = ToolCallUpdate.from_wire_tolerant({"toolCallId": "t", "title": 5, "kind": None})
    assert read.title is MISSING
    assert read.kind is None


def test_a_malformed_list_that_must_be_there_is_empty() -> None:
    assert ListSessionsResponse.from_wire_tolerant({"sessions": "none"}).sessions == []


def test_a_list_that_must_be_there_and_is_not_is_an_error() -> None:
    with pytest.raises(ValidationError, match=r"sessions\s+Field required"):
        ListSessionsResponse.from_wire_tolerant({})


def test_malformed_items_are_left_out_and_the_rest_is_kept() -> None:
    sessions = [{"sessionId": "a", "cwd": "/a"}, {"sessionId": 5}, {"sessionId": "b", "cwd": "/b"}]
    read = ListSessionsResponse.from_wire_tolerant({"sessions": sessions})
    assert [session.session_id for session in read.sessions] == ["a", "b"]


def test_items_may_be_tolerated_where_the_list_is_not() -> None:
    option = {"type": "_acme", "configId": "c", "name": "n"}
    read = SetSessionConfigOptionResponse.from_wire_tolerant({"configOptions": [5, option]})
    assert written(read) == {"configOptions": [option]}
    with pytest.raises(ValidationError, match="configOptions"):
        SetSessionConfigOptionResponse.from_wire_tolerant({"configOptions": 5})


def test_a_list_left_with_too_few_items_is_malformed_itself() -> None:
    data = {"groupId": "g", "name": "n", "options": [5]}
    assert SessionConfigSelectGroup.from_wire_tolerant(data).options == []


def test_null_counts_as_omitted_where_the_schema_says_so() -> None:
    read = NewSessionRequest.from_wire_tolerant({"cwd": "/w", "mcpServers": None})
    assert read.mcp_servers is MISSING
    with pytest.raises(ValidationError, match="mcpServers"):
        NewSessionRequest.from_wire_tolerant({"cwd": "/w", "mcpServers": 5})


def test_the_innermost_tolerant_member_recovers() -> None:
    annotations = {"audience": ["user", 5], "priority": 7, "lastModified": "today"}
    block = ContentBlockText.from_wire_tolerant({**TEXT, "annotations": annotations})
    assert written(block)["annotations"] == {"audience": ["user"], "lastModified": "today"}
    assert "annotations" not in written(
        ContentBlockText.from_wire_tolerant({**TEXT, "annotations": 5})
    )


def test_a_malformed_key_is_never_recovered() -> None:
    for key in ("", "a" * 256, 7, ["k"]):
        data = {"sessionId": "s", "prompt": [TEXT], "_meta": 7, "idempotencyKey": key}
        with pytest.raises(ValidationError, match="idempotencyKey"):
            PromptRequest.from_wire_tolerant(data)


def test_a_member_that_is_not_tolerant_stays_strict() -> None:
    with pytest.raises(ValidationError, match="cursor"):
        ListSessionsRequest.from_wire_tolerant({"cursor": 5})


def test_a_known_variant_keeps_its_class() -> None:
    chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": TEXT}
    assert type(parse_tolerant(SessionUpdate, {**chunk, "_meta": 5})) is type(
        parse(SessionUpdate, chunk)
    )
    with pytest.raises(ValidationError, match="messageId"):
        parse_tolerant(SessionUpdate, {**chunk, "messageId": 5})


def test_what_is_not_json_is_not_recovered() -> None:
    for text in ("", "{", '{"cwd": "/w", "_meta": {"x": NaN}}'):
        with pytest.raises(ValidationError, match="Invalid JSON"):
            NewSessionRequest.from_wire_tolerant(text)
