"""Models read and write JSON of the same depth and the same numbers."""

from __future__ import annotations

import json
import random

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from acp_v2.models import PromptRequest, parse
from acp_wire.models.limits import is_too_deep
from acp_wire.reader import MAX_DEPTH

PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": 'a [ "quoted" \\ text {'}]}


def nested(levels: int) -> object:
    """Arrays and objects around a number."""
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def around(value: object) -> str:
    """A prompt of one level more than a value that nests."""
    return json.dumps({**PROMPT, "other": value})


def test_what_is_read_can_be_written() -> None:
    text = around(nested(MAX_DEPTH - 1))
    for data in (text, text.encode(), json.loads(text)):
        assert json.loads(PromptRequest.from_wire(data).to_wire()) == json.loads(text)


@pytest.mark.parametrize("levels", [MAX_DEPTH, 180, 900])
def test_deeper_json_is_not_read(levels: int) -> None:
    with pytest.raises(ValidationError, match="nests deeper than 127 levels"):
        PromptRequest.from_wire(around(nested(levels)))
    with pytest.raises(ValidationError, match="nests deeper than 127 levels"):
        parse(PromptRequest, {**PROMPT, "other": nested(levels + 1)})


def test_deeper_json_is_not_written() -> None:
    request = PromptRequest.from_wire({**PROMPT, "other": nested(MAX_DEPTH)})
    with pytest.raises(PydanticSerializationError, match="can't be written"):
        request.to_wire()


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" * 400 + ".0"])
def test_a_number_beyond_doubles_is_not_read(number: str) -> None:
    text = around(5).replace("5}", f"{number}}}")
    meta = f'{{"sessionId": "s", "prompt": [{{"type": "text", "text": "x"}}], "_meta": [{number}]}}'
    for data in (text, json.loads(text), meta, json.loads(meta)):
        with pytest.raises(ValidationError):
            PromptRequest.from_wire(data)


def depth(value: object) -> int:
    match value:
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case list():
            return 1 + max(map(depth, value), default=0)
        case _:
            return 0


def test_the_depth_is_that_of_the_decoded_value() -> None:
    draw = random.Random(5)
    texts = ["", '"', "\\", '\\"', "[[", "}}", '"["', "\\\\", "\n[", "\u2028{"]

    def grown(value: object) -> object:
        extra = draw.choice([draw.choice(texts), [], {}, [draw.choice(texts)] * 3])
        return draw.choice(
            [[value], {draw.choice(texts): value}, [extra, value], {"[": value, "}": extra}]
        )

    for target in (100, 126, 127, 128, 140) * 20:
        value: object = 1
        for _ in range(target):
            value = grown(value)
        text = json.dumps(value, ensure_ascii=draw.random() < 0.5).encode()
        assert is_too_deep(text) == (depth(value) > MAX_DEPTH)
