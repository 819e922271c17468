"""What the models can't write is refused by place, and nothing is written in its stead."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_core import PydanticSerializationError

from acp_v2.models import ContentBlock, ContentBlockText, PromptRequest, PromptResponse, dump

SECRET = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"
LONE_SURROGATE = "\ud800"
NAN = float("nan")
INFINITY = float("inf")


def prompt(**members: Any) -> dict[str, Any]:
    return {"sessionId": "s", "prompt": [{"type": "text", "text": "hello"}], **members}


def request(**members: Any) -> PromptRequest:
    return PromptRequest(session_id="s", prompt=[ContentBlockText(text="hello")], **members)


def spoilt(meta: dict[str, Any]) -> PromptRequest:
    """A request whose `_meta` was changed after it was validated."""
    changed = request(meta={})
    assert isinstance(changed.meta, dict)
    changed.meta.update(meta)
    return changed


NUMBERED: Any = {1: NAN}
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


def block(**members: Any) -> ContentBlockText:
    return ContentBlockText.model_construct(type="text", **members)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (spoilt({"a": [0, {"c": SECRET, "b": NAN}]}), "PromptRequest._meta.a.1.b"),
        (spoilt({"a": INFINITY}), "PromptRequest._meta.a"),
        (request(meta={"a": [object()]}), "PromptRequest._meta.a.0"),
        (request(meta={"a": b"\xff"}), "PromptRequest._meta.a"),
        (request(meta={"a": LONE_SURROGATE}), "PromptRequest._meta.a"),
        (request(meta={LONE_SURROGATE: 1}), "PromptRequest._meta.\\ud800"),
        (spoilt({"a": CIRCLE}), "PromptRequest._meta.a.0"),
        (spoilt({"a": NUMBERED}), "PromptRequest._meta.a"),
        (PromptRequest.model_construct(x=[1, NAN]), "PromptRequest.x.1"),
        (request().model_copy(update={"prompt": [block(text=5)]}), "PromptRequest.prompt.0.text"),
        (
            request().model_copy(update={"prompt": [block(text="x"), block(text=LONE_SURROGATE)]}),
            "PromptRequest.prompt.1.text",
        ),
        (PromptRequest.model_construct(idempotency_key=[SECRET]), "PromptRequest.idempotencyKey"),
        (PromptResponse.model_construct(message_id=SECRET.encode()), "PromptResponse.messageId"),
    ],
)
def test_what_cannot_be_written_is_named(value: Any, place: str) -> None:
    for write in (value.to_wire, lambda: dump(type(value), value)):
        with pytest.raises(PydanticSerializationError) as caught:
            write()
        assert str(caught.value).startswith(f"{place} can't be written")
        assert caught.value.__context__ is None
        assert SECRET not in str(caught.value)


def test_a_value_that_is_not_a_model_is_named_by_the_type() -> None:
    wrong: Any = SECRET
    with pytest.raises(
        PydanticSerializationError, match=r"^ContentBlock can't be written"
    ) as error:
        dump(ContentBlock, wrong)
    assert SECRET not in str(error.value)


def test_words_that_look_like_constants_are_written() -> None:
    meta = {"NaN": "Infinity", "a": "-Infinity", "\ufffd": ["\ufffd", b"bytes"]}
    written = json.loads(request(meta=meta).to_wire())["_meta"]
    assert written == {**meta, "\ufffd": ["\ufffd", "bytes"]}
