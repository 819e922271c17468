"""What errors and reprs of the models say: where, by wire paths, and nothing of the values."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError, field_validator
from pydantic_core import PydanticCustomError

from acp_v2 import models
from acp_v2.models import (
    AgentMessage,
    AvailableCommandInput,
    ContentBlock,
    ContentBlockText,
    CreateElicitationRequest,
    EmbeddedResource,
    Error,
    PlanEntryPriority,
    PromptRequest,
    RequestId,
    SessionConfigOption,
    SessionUpdate,
    SetSessionConfigOptionRequest,
    TextContent,
    parse,
    parse_params,
    parse_result,
    parse_tolerant,
)
from acpgen.model import Pointer, append
from acpgen.targets.models.normalization import normalize
from acpgen.targets.models.python_shapes import UnionShape
from whole_schema import whole_schema

VECTORS = Path(__file__).parents[3] / "generated/vectors"
SECRET = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"
TEXT = {"type": "text", "text": "hello"}
LONE_SURROGATE = "\ud800"
NAN = float("nan")
INFINITY = float("inf")


def prompt(**members: Any) -> dict[str, Any]:
    return {"sessionId": "s", "prompt": [TEXT], **members}


def request(**members: Any) -> PromptRequest:
    return PromptRequest(session_id="s", prompt=[ContentBlockText(text="hello")], **members)


def refusal(read: Callable[..., object], *arguments: Any, **options: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        read(*arguments, **options)
    return caught.value


def faults(error: ValidationError) -> list[tuple[str, str]]:
    """Each error's path and kind."""
    return [(".".join(map(str, each["loc"])), each["type"]) for each in error.errors()]


def test_pydantics_own_readers_take_wire_names_only() -> None:
    data = prompt(idempotency_key="no key")
    for read in (
        PromptRequest.model_validate(data),
        PromptRequest.model_validate_json(json.dumps(data)),
    ):
        assert read.idempotency_key is models.MISSING
        assert json.loads(read.to_wire()) == data
    with pytest.raises(ValidationError, match="sessionId"):
        PromptRequest.model_validate({"session_id": "s", "prompt": [TEXT]})


@dataclass(frozen=True)
class Refused:
    """A vector whose params or result, at `place`, the schema refuses."""

    file: str
    method: str
    kind: str
    vector: dict[str, Any]

    @property
    def place(self) -> str:
        return "result" if self.kind == "result" else "params"

    @property
    def data(self) -> object:
        return self.vector["message"][self.place]

    @property
    def recovers(self) -> bool:
        return bool(self.vector["outcome"] == "recover")

    def errors(self, data: object, *, tolerant: bool) -> list[str]:
        """Where the models find errors, as pointers like the vector's."""
        if self.kind == "result":
            error = refusal(parse_result, self.method, data, tolerant=tolerant)
        else:
            error = refusal(parse_params, self.method, data, self.kind, tolerant=tolerant)
        return [str(append(Pointer(f"/{self.place}"), *each["loc"])) for each in error.errors()]

    def is_at(self, found: list[str]) -> bool:
        """True if there is one error in the right place: anywhere inside where that is a guess."""
        expected = self.vector["pointer"]
        if self.vector.get("loose") and len(found) == 1:
            return found[0].startswith(expected)
        return found == [expected]


def refused() -> Iterator[Refused]:
    for file in json.loads((VECTORS / "index.json").read_text("utf-8"))["files"]:
        if file["method"] is not None:
            for vector in json.loads((VECTORS / file["file"]).read_text("utf-8"))["vectors"]:
                each = Refused(file["file"], file["method"], file["kind"], vector)
                inside = (vector["pointer"] or "").startswith(f"/{each.place}")
                if not vector["valid"] and inside and each.place in vector.get("message", ()):
                    yield each


REFUSED = list(refused())


def test_there_are_vectors_of_all_methods() -> None:
    assert len(REFUSED) > 2000
    assert {each.method for each in REFUSED} == {name for name, _ in models.SIGNATURES}


@pytest.mark.parametrize("tolerant", [False, True])
def test_one_defect_is_one_error_where_it_is(tolerant: bool) -> None:
    elsewhere = []
    for each in REFUSED:
        if tolerant and each.recovers:
            continue
        for data in (each.data, json.dumps(each.data)):
            found = each.errors(data, tolerant=tolerant)
            if not each.is_at(found):
                elsewhere.append((each.file, each.vector["name"], found))
    assert elsewhere == []


UNIONS = {
    str(name): shape.tag
    for name, (_, shape) in normalize(whole_schema()).shapes.items()
    if isinstance(shape, UnionShape) and shape.tag is not None
}
OPTIONAL = {"IdleStateUpdate", "SessionUpdateStateUpdateIdle", "StateUpdateIdle"}
"""The unions whose tag may be left out."""


def test_there_are_unions_of_both_kinds() -> None:
    assert len(UNIONS) > 20
    assert UNIONS.keys() > OPTIONAL


@pytest.mark.parametrize("name", UNIONS)
def test_what_is_wrong_with_a_tag_is_reported_once(name: str) -> None:
    tag = UNIONS[name]

    def reported(data: object) -> list[str]:
        error = refusal(parse, getattr(models, name), data)
        return [
            each["type"]
            for each in error.errors()
            if each["loc"] == (tag,) or f"{tag}: " in each["msg"]
        ]

    if name in OPTIONAL:
        assert reported({tag: 5}) == ["no_alternative"]
    else:
        assert reported({tag: 5}) in (["string_type"], ["no_alternative"])
        assert reported({tag: None}) in (["string_type"], ["no_alternative"])
        assert reported({}) in (["missing"], ["no_alternative"])


@pytest.mark.parametrize("name", UNIONS)
def test_what_is_not_an_object_is_one_error(name: str) -> None:
    for data in ("5", "null", "[]", '"x"'):
        error = refusal(parse, getattr(models, name), data)
        assert faults(error) == [("", "dict_type")]


FORM = {"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}}


@pytest.mark.parametrize(
    ("type_", "data", "expected"),
    [
        (ContentBlock, {"text": "x"}, [("type", "missing")]),
        (ContentBlock, {"type": "text", "text": 5}, [("text", "string_type")]),
        (SessionUpdate, {"sessionUpdate": "state_update"}, [("state", "missing")]),
        (
            SessionUpdate,
            {"sessionUpdate": "state_update", "state": "idle", "stopReason": 5},
            [("stopReason", "no_alternative")],
        ),
        (
            SessionUpdate,
            {"sessionUpdate": "agent_message_chunk", "content": TEXT},
            [("messageId", "missing")],
        ),
        (
            EmbeddedResource,
            {"resource": {"uri": 5, "text": "x"}},
            [("resource.uri", "string_type")],
        ),
        (EmbeddedResource, {"resource": {"uri": "u"}}, [("resource", "no_alternative")]),
        (EmbeddedResource, {"resource": 5}, [("resource", "dict_type")]),
        (
            CreateElicitationRequest,
            {**FORM, "sessionId": "s", "requestId": 1},
            [("", "one_of")],
        ),
        (CreateElicitationRequest, {**FORM, "sessionId": 5}, [("sessionId", "string_type")]),
        (CreateElicitationRequest, FORM, [("", "no_alternative")]),
        (
            SessionConfigOption,
            {
                "type": "select",
                "configId": "c",
                "name": "n",
                "currentValue": "v",
                "options": [{"groupId": 5, "name": "g", "options": [{"value": "v", "name": "n"}]}],
            },
            [("options.0.groupId", "string_type")],
        ),
        (AvailableCommandInput, {"type": "text", "hint": 5}, [("hint", "string_type")]),
        (
            SetSessionConfigOptionRequest,
            {"sessionId": "s", "configId": "c", "type": "boolean", "value": "x"},
            [("value", "bool_type")],
        ),
        (RequestId, 1.5, [("", "no_alternative")]),
        (PlanEntryPriority, 5, [("", "string_type")]),
        (Error, {"code": "x", "message": "m"}, [("code", "int_type")]),
    ],
)
def test_errors_are_of_the_branch_that_was_meant(
    type_: Any, data: object, expected: list[tuple[str, str]]
) -> None:
    for form in (data, json.dumps(data)):
        assert faults(refusal(parse, type_, form)) == expected


def test_an_error_about_all_branches_says_what_each_lacks() -> None:
    (reported,) = refusal(EmbeddedResource.from_wire, {"resource": {"uri": "u"}}).errors()
    assert reported["msg"] == "No alternative fits: text: Field required; blob: Field required"
    (reported,) = refusal(parse, RequestId, 1.5).errors()
    assert reported["msg"] == (
        "No alternative fits: Input should be a valid integer; Input should be a valid string"
    )


SPOILT = prompt(
    idempotencyKey=SECRET * 10,
    prompt=[{"type": 5, "text": SECRET}, {"type": "text", "text": [SECRET]}, SECRET],
)


@pytest.mark.parametrize(
    "refuse",
    [
        lambda: PromptRequest.from_wire(SPOILT),
        lambda: PromptRequest.from_wire(json.dumps(SPOILT)),
        lambda: PromptRequest.from_wire(json.dumps(SPOILT)[:-1]),
        lambda: PromptRequest.from_wire(f'{{"{SECRET}": NaN}}'),
        lambda: PromptRequest.from_wire_tolerant(SPOILT),
        lambda: parse(PromptRequest, SPOILT),
        lambda: parse(ContentBlock, SPOILT["prompt"][1]),
        lambda: parse_tolerant(PromptRequest, json.dumps(SPOILT).encode()),
        lambda: parse_params("session/prompt", SPOILT),
        lambda: PromptRequest(**SPOILT),
        lambda: request().model_copy(update={"idempotency_key": SECRET * 10}),
        lambda: setattr(request(), "session_id", SECRET),
    ],
)
def test_errors_hold_nothing_of_the_input(refuse: Callable[[], object]) -> None:
    error = refusal(refuse)
    assert error.__context__ is None
    assert {each["input"] for each in error.errors()} == {None}
    for reported in (str(error), repr(error.errors()), error.json()):
        assert SECRET not in reported


def test_a_program_without_errors_does_not_pay_for_them() -> None:
    script = (
        "import sys; from acp_v2.models import PromptRequest;"
        f"PromptRequest.from_wire({json.dumps(prompt())!r}).to_wire();"
        "print([name for name in sys.modules if name.endswith(('._errors', '._branches'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_constructor_names_wire_paths() -> None:
    wrong: Any = [{"type": "text", "text": 5}]
    error = refusal(PromptRequest, session_id="s", prompt=wrong, idempotency_key="")
    assert faults(error) == [
        ("prompt.0.text", "string_type"),
        ("idempotencyKey", "string_too_short"),
    ]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (TextContent(text="x"), "TextContent is not a branch of this union; use ContentBlockText"),
        (Error(code=1, message="m"), "use ContentBlockText or ContentBlockImage or "),
        (AgentMessage(message_id="m"), "AgentMessage is not a branch of this union; use "),
    ],
)
def test_a_model_of_another_class_is_given_the_right_one(wrong: Any, hint: str) -> None:
    error = refusal(PromptRequest, session_id="s", prompt=[wrong])
    assert faults(error) == [("prompt.0", "wrong_class")]
    assert hint in error.errors()[0]["msg"]


def test_a_model_of_another_class_in_a_choice_without_a_tag() -> None:
    wrong: Any = Error(code=1, message="m")
    error = refusal(EmbeddedResource, resource=wrong)
    assert faults(error) == [("resource", "wrong_class")]
    assert "use TextResourceContents or BlobResourceContents" in str(error)


class Strange(PromptRequest):
    """A model of a user's own, with checks of its own."""

    @field_validator("session_id")
    @classmethod
    def check(cls, value: str) -> str:
        if value == "custom":
            raise PydanticCustomError("own", "not {this} one", {"this": "that"})
        if value == "value":
            raise ValueError("not that one")
        return value


@pytest.mark.parametrize("kind", ["custom", "value"])
def test_errors_of_a_users_own_checks_stay(kind: str) -> None:
    (reported,) = refusal(Strange.from_wire, prompt(sessionId=kind)).errors()
    assert reported["loc"] == ("sessionId",)
    assert reported["type"] == {"custom": "own", "value": "value_error"}[kind]
    assert "not that one" in reported["msg"]
