"""Unions inside unions are classes, and a union reads the same whatever was built before it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from pydantic import TypeAdapter, ValidationError

from acp_v2.models import (
    CreateElicitationRequest,
    CreateElicitationRequestForm,
    CreateElicitationRequestFormSession,
    IdleStateUpdate,
    IdleStateUpdateEndTurn,
    IdleStateUpdateNone,
    SessionUpdate,
    SessionUpdateStateUpdate,
    SessionUpdateStateUpdateIdle,
    SessionUpdateStateUpdateIdleEndTurn,
    SessionUpdateStateUpdateRunning,
    StateUpdate,
    StateUpdateIdle,
    parse,
    parse_tolerant,
)

IDLE = b'{"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}'
RUNNING = b'{"sessionUpdate": "state_update", "state": "running"}'
FORM = {
    "mode": "form",
    "message": "m",
    "sessionId": "s",
    "requestedSchema": {"type": "object", "properties": {}},
}


def kind(update: object) -> str:
    match update:
        case IdleStateUpdate():
            return "idle"
        case StateUpdate():
            return "at work"
        case _:
            return "other"


def test_a_union_inside_a_union_can_be_matched() -> None:
    idle, running = parse(SessionUpdate, IDLE), parse(SessionUpdate, RUNNING)
    assert type(idle) is SessionUpdateStateUpdateIdleEndTurn
    for base in (
        IdleStateUpdate,
        IdleStateUpdateEndTurn,
        StateUpdate,
        StateUpdateIdle,
        SessionUpdateStateUpdate,
        SessionUpdateStateUpdateIdle,
    ):
        assert isinstance(idle, base)
    assert isinstance(running, SessionUpdateStateUpdateRunning)
    assert not isinstance(running, IdleStateUpdate)
    other = parse(SessionUpdate, b'{"sessionUpdate": "session_info_update"}')
    assert [kind(update) for update in (idle, running, other)] == ["idle", "at work", "other"]


def test_its_class_reads_any_of_its_variants() -> None:
    read = parse(IdleStateUpdate, b'{"stopReason": "end_turn"}')
    assert read == IdleStateUpdate.from_wire(b'{"stopReason": "end_turn"}')
    assert type(read) is IdleStateUpdateEndTurn
    assert type(parse_tolerant(IdleStateUpdate, {})) is IdleStateUpdateNone
    assert TypeAdapter(list[IdleStateUpdate]).validate_python([read]) == [read]
    assert read.to_wire() == b'{"stopReason":"end_turn"}'
    with pytest.raises(ValidationError, match="stopReason"):
        IdleStateUpdate.from_wire(b'{"stopReason": 5}')


def test_its_class_has_no_instances_of_its_own() -> None:
    with pytest.raises(TypeError, match=r"^IdleStateUpdate is a union; use IdleStateUpdateEndTurn"):
        IdleStateUpdate()  # type: ignore[call-arg]


def test_a_form_is_one_by_its_class() -> None:
    read = parse(CreateElicitationRequest, json.dumps(FORM))
    assert isinstance(read, CreateElicitationRequestForm)
    assert type(read) is CreateElicitationRequestFormSession


BUILD = """
import random, sys
import acp_v2.models as m
from pydantic import TypeAdapter, ValidationError

def read(types):
    for type_ in types:
        for data in ({}, {"type": "x"}, {"mode": "form", "sessionId": "s"}, 5):
            for reader in (m.parse, m.parse_tolerant):
                try:
                    reader(type_, data)
                except ValidationError:
                    pass

exported = [getattr(m, name) for name in m.__all__]
classes = [e for e in exported if isinstance(e, type) and issubclass(e, m.AcpModel)]
unions = [e for e in exported if type(e).__name__ == "TypeAliasType"]
order = random.Random(int(sys.argv[1]))
order.shuffle(classes)
order.shuffle(unions)
first, second = (classes, unions) if sys.argv[2] == "classes" else (unions, classes)
for type_ in first:
    TypeAdapter(type_).rebuild()
    read([type_])
for type_ in second:
    TypeAdapter(type_).rebuild()
    read([type_])
read(exported_type for exported_type in (*first, *second))
print(len(classes), len(unions))
"""


@pytest.mark.prove("builds all types")
@pytest.mark.parametrize("first", ["classes", "unions"])
def test_types_are_built_in_any_order(first: str) -> None:
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{BUILD}"
    done = subprocess.run(
        [sys.executable, "-c", program, "7", first], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    classes, unions = map(int, done.stdout.split())
    assert classes > 250
    assert unions > 50
