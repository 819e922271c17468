"""A key stays out of every error of pydantic that a model can change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from acp_v2.models import (
    ContentBlockText,
    PromptRequest,
    ProxySuccessorRequest,
    parse,
    parse_params,
)

KEY = "7a8e4c52-top-secret"
TEXT = f'{{"sessionId": "s", "idempotencyKey": "{KEY}"}}'
"""A prompt that lacks its content."""
DATA = {"sessionId": "s", "idempotencyKey": KEY}
LONG = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "idempotencyKey": KEY * 20}


class Job(BaseModel):
    """A model of a user."""

    name: str
    request: PromptRequest
    more: list[PromptRequest] = []


ADAPTER: TypeAdapter[Any] = TypeAdapter(PromptRequest)
READERS: dict[str, Callable[[], object]] = {
    "json": lambda: PromptRequest.model_validate_json(TEXT),
    "malformed json": lambda: PromptRequest.model_validate_json(TEXT[:-1]),
    "python": lambda: PromptRequest.model_validate(DATA),
    "a long key": lambda: PromptRequest.model_validate(LONG),
    "strings": lambda: PromptRequest.model_validate_strings(DATA),
    "constructor": lambda: PromptRequest(**DATA),  # type: ignore[arg-type]
    "from_wire": lambda: PromptRequest.from_wire(TEXT),
    "from_wire_tolerant": lambda: PromptRequest.from_wire_tolerant(LONG),
    "parse": lambda: parse(PromptRequest, DATA),
    "parse_params": lambda: parse_params("session/prompt", TEXT),
    "adapter, json": lambda: ADAPTER.validate_json(TEXT),
    "adapter, python": lambda: ADAPTER.validate_python(LONG),
    "list": lambda: TypeAdapter(list[PromptRequest]).validate_json(f"[{TEXT}]"),
    "own model, json": lambda: Job.model_validate_json(f'{{"name": "n", "request": {TEXT}}}'),
    "own model, python": lambda: Job.model_validate({"name": "n", "request": LONG}),
    "own model, list": lambda: Job.model_validate(
        {"name": "n", "request": valid(), "more": [valid(), DATA]}
    ),
    "a text": lambda: Job.model_validate({"name": "n", "request": KEY}),
    "carried": lambda: ProxySuccessorRequest.model_validate({"params": DATA}),
}


def valid() -> PromptRequest:
    return PromptRequest(session_id="s", prompt=[ContentBlockText(text="x")], idempotency_key="k")


@pytest.mark.parametrize("reader", READERS)
def test_no_error_shows_the_key(reader: str) -> None:
    with pytest.raises(ValidationError) as caught:
        READERS[reader]()
    error = caught.value
    assert error.error_count() > 0
    for shown in (str(error), repr(error.errors()), error.json(), repr(error), repr(error.args)):
        assert KEY not in shown
    assert error.__cause__ is None or KEY not in repr(error.__cause__)
    context = error.__context__
    assert not isinstance(context, ValidationError) or KEY not in repr(context.errors())


def test_the_errors_are_those_of_the_model() -> None:
    with pytest.raises(ValidationError) as caught:
        Job.model_validate_json(f'{{"name": "n", "request": {TEXT}}}')
    (error,) = caught.value.errors(include_url=False)
    assert (error["loc"], error["type"], error["input"]) == (("request", "prompt"), "missing", None)


def test_a_valid_prompt_is_read_and_written_everywhere() -> None:
    request = valid()
    job = Job(name="n", request=request, more=[request])
    assert job.request is request
    assert Job.model_validate_json(job.model_dump_json(exclude_unset=True)) == job
    assert ADAPTER.validate_json(request.to_wire()) == request == PromptRequest(**dict(request))
    assert type(PromptRequest.model_validate_json(request.to_wire())) is PromptRequest
    assert "idempotencyKey" in Job.model_json_schema()["$defs"]["PromptRequest"]["properties"]
