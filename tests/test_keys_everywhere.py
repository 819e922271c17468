"""Everything that judges an idempotency key gives the same verdict."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from pydantic import ValidationError

import unavailable
from acp_v2 import models
from acp_v2.models import MISSING, PromptRequest
from acpgen.cli.crash import account
from acpgen.findings import Format
from command_calls import call_acpgen
from proofs import a_few

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
        unavailable.skip(reason)
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
    rows = "".join(f"{json.dumps(instance)}\n" for instance in instances).encode()
    _, printed, noted = call_acpgen(
        "validate", "--from", "client", "--format", "json", "-", stdin=rows
    )
    found: list[dict[str, Any]] = json.loads(printed)["findings"]
    refused = len({row["line"] for row in found})
    assert noted == (
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
        for reported in (str(caught.value), repr(caught.value.errors()), caught.value.json()):
            assert "SECRET" not in reported


@pytest.mark.parametrize(
    "place",
    [
        {"idempotencyKey": "SECRET"},
        {"idempotency_key": "SECRET"},
        {"idempotencykey": "SECRET"},
        {"_meta": {"idempotencyKey": "SECRET"}},
    ],
)
def test_no_repr_of_the_models_shows_a_key(place: dict[str, object]) -> None:
    request = PromptRequest.from_wire(params(place))
    carrier = models.ProxySuccessorRequest(method="session/prompt", params=params(place))
    for shown in (repr(request), str(request), repr(carrier), repr([carrier])):
        assert "SECRET" not in shown
    assert b"SECRET" in request.to_wire()


SECRET = "7c1f0a52-3b1d-4c6e-9a1f-2f6f1d8e0b01"
HASH = "#ff9a06"  # of its SHA-256, FIPS 180-4


def around(key: str) -> list[dict[str, object]]:
    """Messages with a key in every place where one can be found, each with something wrong."""
    prompt: list[object] = [{"type": "text", "text": key}]
    sound: dict[str, object] = {"sessionId": key, "prompt": prompt, "idempotencyKey": key}
    calls: list[dict[str, object]] = [
        {"params": sound | {"idempotencyKey": key * 10}},
        {"params": sound | {"prompt": 5, key: key}},
        {"params": sound | {"idempotency_key": key}},
        {"params": sound | {"_meta": {"idempotencyKey": key}}},
        {"params": sound | {"prompt": [{"type": key}]}},
        {"params": sound, "idempotencyKey": key},
        {"params": sound, "method": key},
        {"params": sound, "method": "session/list"},
        {"params": sound | {"prompt": [{"type": "texts", "text": key}]}},
        {"params": sound, "id": {key: key}},
        {"params": sound, "jsonrpc": key},
        {"params": sound | {"prompt": [{"type": "text", "text": "other"}]}},
    ]
    return [message(sound) | {"id": key} | call for call in calls]


def lines(key: str) -> list[str]:
    """A transcript of those, and lines that are broken in and around a key."""
    written = [
        json.dumps({"from": "client", "connection": "c", "message": call}) for call in around(key)
    ]
    twice = written[-1].replace('"prompt"', f'"{key}": 1, "{key}": 2, "prompt"')
    echo = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": key, key: key, "update": {"sessionUpdate": key}},
    }
    return [*written, twice, json.dumps({"from": "agent", "message": echo})]


def broken(key: str) -> list[str]:
    """Lines that are no JSON, cut or spoilt within a key."""
    whole = json.dumps({"from": "client", "message": around(key)[0]})
    at = whole.index(key)
    return [whole[: at + 20], whole[:at] + "\\ud800" + whole[at:], whole + key, key]


def printed(command: str, *arguments: str, rows: list[str]) -> str:
    """All that a command prints about some lines."""
    given = "".join(f"{row}\n" for row in rows).encode()
    _, shown, noted = call_acpgen(command, *arguments, "-", stdin=given)
    assert "Traceback" not in noted
    assert shown
    return shown + noted


@pytest.mark.parametrize("form", a_few(Format, {Format.TEXT, Format.JSON}, "starts a command"))
@pytest.mark.parametrize("command", ["validate", "trace"])
def test_no_command_prints_a_key_in_any_format(command: str, form: Format) -> None:
    rows = lines(SECRET) + (broken(SECRET) if command == "validate" else [])
    reported = printed(command, "--format", form, rows=rows)
    assert SECRET[:8] not in reported
    assert HASH in reported


SHORT = "pw-1234"
TWICE = {
    "first": '"idempotencyKey": "{key}", "idempotencyKey": "another-one"',
    "last": '"idempotencyKey": "another-one", "idempotencyKey": "{key}"',
}


@pytest.mark.parametrize("form", Format)
def test_validate_prints_no_short_key_in_any_format(form: Format) -> None:
    reported = printed("validate", "--format", form, rows=lines(SHORT))
    assert SHORT not in reported
    assert "key of 7 characters, #" in reported


@pytest.mark.parametrize("twice", TWICE.values(), ids=TWICE)
def test_validate_prints_neither_of_two_keys_of_a_message(twice: str) -> None:
    called = json.dumps(message({"K": 1}) | {"method": SECRET})
    row = called.replace('"K": 1', twice.replace("{key}", SECRET))
    reported = printed("validate", rows=[row])
    assert SECRET not in reported
    assert HASH in reported


def test_no_error_about_a_line_of_a_transcript_prints_a_key() -> None:
    for row in broken(SECRET):
        assert SECRET[:8] not in printed("trace", "--format", "json", rows=[*lines(SECRET), row])


@pytest.mark.parametrize("command", ["validate", "trace"])
def test_keys_are_printed_for_who_asks(command: str) -> None:
    assert f'key "{SECRET}"' in printed(command, "--show-keys", rows=lines(SECRET))


def test_no_traceback_prints_a_key() -> None:
    try:
        os.environ[SECRET]
    except KeyError as error:
        reported = account(error)
    assert SECRET not in reported
    assert re.search(r"KeyError.*\n.*test_keys_everywhere\.py:\d+ in test_no_traceback", reported)
