"""Everything that judges an idempotency key gives the same verdict."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from pydantic import ValidationError

from acp_v2 import models
from acp_v2.models import MISSING, PromptRequest

TESTS = Path(__file__).parent
INTEROP = TESTS / "interop"
SCHEMA: dict[str, Any] = json.loads(
    (TESTS.parent / "generated/schema/acp-v2.schema.json").read_text("utf-8")
)
LONE_SURROGATE = "\ud800"

ACCEPTED: dict[str, object] = {
    "null": None,
    "one": "k",
    "255": "a" * 255,
    "255-astral": "\U0001f600" * 255,
    "255-combining": "e\u0301" * 127 + "e",
    "nul": "\u0000",
    "path": "../../etc/passwd",
}
REFUSED: dict[str, object] = {
    "empty": "",
    "256": "a" * 256,
    "256-astral": "\U0001f600" * 256,
    "256-combining": "e\u0301" * 128,
    "integer": 7,
    "float": 1.5,
    "boolean": True,
    "list": ["k"],
    "object": {},
}
KEYS: dict[str, dict[str, object]] = {
    "omitted": {},
    **{name: {"idempotencyKey": key} for name, key in (ACCEPTED | REFUSED).items()},
}
EXPECTED = {name: name not in REFUSED for name in KEYS}

TRIAL_K28 = ["k", "K", " k", "k ", "\u00e9", "e\u0301"]
"""Six keys that a reader who folds case, trims or normalises would confuse."""


def params(members: dict[str, object]) -> dict[str, object]:
    return {"sessionId": "s", "prompt": [{"type": "text", "text": "hello"}], **members}


def message(members: dict[str, object]) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params(members)}


def engine_jsonschema(instance: object) -> bool:
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(instance)


def engine_jsonschema_rs(instance: object) -> bool:
    return jsonschema_rs.Draft202012Validator(SCHEMA).is_valid(instance)


ENGINES = [engine_jsonschema, engine_jsonschema_rs]


@pytest.mark.parametrize("accepts", ENGINES)
def test_the_engines_in_python(accepts: Callable[[object], bool]) -> None:
    assert {name: accepts(message(key)) for name, key in KEYS.items()} == EXPECTED


AJV = """
import Ajv from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
const { schema, instances } = JSON.parse(readFileSync(0, "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
const validate = ajv.compile(schema);
process.stdout.write(JSON.stringify(instances.map((instance) => validate(instance))));
"""


def test_ajv() -> None:
    if shutil.which("node") is None or not (INTEROP / "node_modules" / "ajv").is_dir():
        reason = "ajv is not installed: run `npm ci` in tests/interop"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    instances = [message(key) for key in KEYS.values()]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", AJV],
        input=json.dumps({"schema": SCHEMA, "instances": instances}),
        cwd=INTEROP,
        capture_output=True,
        text=True,
        check=True,
    )
    assert dict(zip(KEYS, json.loads(done.stdout), strict=True)) == EXPECTED


def model_takes(data: dict[str, object] | bytes) -> bool:
    try:
        PromptRequest.from_wire(data)
    except ValidationError:
        return False
    return True


def test_the_models() -> None:
    decoded = {name: model_takes(params(key)) for name, key in KEYS.items()}
    text = {name: model_takes(json.dumps(params(key)).encode()) for name, key in KEYS.items()}
    assert (decoded, text) == (EXPECTED, EXPECTED)


def found_by_the_program(instances: list[dict[str, object]]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", "validate", "--from", "client", "--format", "json", "-"],
        input="".join(f"{json.dumps(instance)}\n" for instance in instances).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    refused = len({row["line"] for row in found})
    assert done.stderr.decode() == (
        f"{len(instances)} messages: {len(instances) - refused} accepted, {refused} refused\n"
    )
    return found


def test_the_program() -> None:
    found = found_by_the_program([message(key) for key in KEYS.values()])
    refused = {row["line"] for row in found}
    verdicts = {name: line not in refused for line, name in enumerate(KEYS, 1)}
    assert verdicts == EXPECTED
    assert {(row["severity"], row["code"], row["pointer"]) for row in found} == {
        ("error", -32602, "/params/idempotencyKey")
    }


def test_a_lone_surrogate_is_the_one_exception() -> None:
    key: dict[str, object] = {"idempotencyKey": LONE_SURROGATE}
    assert [accepts(message(key)) for accepts in ENGINES] == [True, True]
    with pytest.raises(UnicodeEncodeError):
        json.dumps(message(key), ensure_ascii=False).encode()
    assert not model_takes(params(key))
    assert not model_takes(json.dumps(params(key)).encode())
    assert [
        (row["line"], row["rule"], row["code"], row["message"])
        for row in found_by_the_program([message(key), message({"idempotencyKey": "k"})])
    ] == [(1, "not-json", -32700, "escapes a lone surrogate, which UTF-8 can't carry")]


def test_k28_keys_that_look_alike_stay_apart() -> None:
    read = [PromptRequest.from_wire(params({"idempotencyKey": key})) for key in TRIAL_K28]
    again = [PromptRequest.from_wire(request.to_wire()) for request in read]
    assert [request.idempotency_key for request in read] == TRIAL_K28
    assert [request.idempotency_key for request in again] == TRIAL_K28
    assert [json.loads(request.to_wire())["idempotencyKey"] for request in again] == TRIAL_K28
    written = [request.to_wire() for request in again]
    assert written == [request.to_wire() for request in read]
    assert len(set(written)) == len({request.idempotency_key for request in again}) == 6
    for key, wire in zip(TRIAL_K28, written, strict=True):
        assert f'"idempotencyKey":"{key}"'.encode() in wire


def test_null_and_omitted_stay_apart() -> None:
    omitted = PromptRequest.from_wire(params({}))
    null = PromptRequest.from_wire(params({"idempotencyKey": None}))
    assert omitted.idempotency_key is MISSING
    assert null.idempotency_key is None
    assert "idempotencyKey" not in json.loads(omitted.to_wire())
    assert json.loads(null.to_wire())["idempotencyKey"] is None


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("key", ["SECRET", "SECRET" * 60, ["SECRET"], {"SECRET": 1}])
def test_no_error_of_the_models_shows_a_key(key: object, tolerant: bool) -> None:
    params = {"prompt": [{"type": "text", "text": "x"}], "idempotencyKey": key}
    for data in (params, json.dumps(params)):
        with pytest.raises(ValidationError) as caught:
            models.parse_params("session/prompt", data, tolerant=tolerant)
        assert "SECRET" not in str(caught.value)
