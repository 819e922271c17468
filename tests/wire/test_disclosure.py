"""What a recording must not disclose, and what has to stay as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_wire.disclosure import REDACTED, Redactor
from acp_wire.reader import NotJsonError, decode
from acpgen.judge.message_verdict import MessageVerdict
from proofs import amount, scaled
from vector_files import PROTOCOL, VECTORS, judged

SECRET = bytes(range(32))
KEY = "5d0c7b52-3f1e-4a77"


def redacted(value: Any, *, show_keys: bool = False) -> Any:
    text = value if isinstance(value, str) else json.dumps(value)
    return json.loads(Redactor(SECRET, show_keys=show_keys).redacted(decode(text)))


def prompt(key: object, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "session/prompt"} | {
        "params": {"sessionId": "s", "prompt": [], "idempotencyKey": key, **params}
    }


def test_a_key_becomes_the_same_hash_within_a_file_and_another_one_elsewhere() -> None:
    first, again = Redactor(SECRET).hash(KEY), Redactor(SECRET).hash(KEY)
    assert first == again
    assert first.startswith("key-")
    assert Redactor(b"another").hash(KEY) != first
    assert Redactor(SECRET).hash(KEY + "x") != first


def test_a_text_without_secrets_stays_as_it_is() -> None:
    text = '{ "id":1.0e2,\t"method" : "a", "params": {"b": "\\u00e9"}, "id":2}'
    assert Redactor(SECRET).redacted(decode(text)) == text


@pytest.mark.parametrize("name", ["idempotencyKey", "idempotency_key", "Idempotency-Key"])
def test_a_key_is_found_in_every_spelling_and_at_every_place(name: str) -> None:
    value = {"params": {"_meta": {name: KEY}, "list": [{name: KEY}]}, name: KEY}
    text = json.dumps(redacted(value))
    assert KEY not in text
    assert text.count(Redactor(SECRET).hash(KEY)) == 3


@pytest.mark.parametrize("key", ["", "k", "a" * 255, "a" * 256, "😀" * 256, "é" * 255])
def test_a_key_is_as_valid_as_before(key: str) -> None:
    found = redacted(prompt(key))["params"]["idempotencyKey"]
    assert (0 < len(key) <= 255) == (0 < len(found) <= 255)
    assert found != key or not key


@pytest.mark.parametrize("key", [None, True, 7, [KEY], {"a": KEY}])
def test_a_key_of_another_type_keeps_its_type(key: object) -> None:
    found = redacted(prompt(key))["params"]["idempotencyKey"]
    assert type(found) is type(key)
    assert KEY not in json.dumps(found)


def test_a_key_is_hidden_where_another_message_repeats_it() -> None:
    redactor = Redactor(SECRET)
    redactor.redacted(decode(json.dumps(prompt(KEY))))
    echo = {"result": {"messageId": KEY, "note": f"key {KEY}!", KEY: 1, "type": KEY}}
    found = json.loads(redactor.redacted(decode(json.dumps(echo))))["result"]
    hash_ = redactor.hash(KEY)
    assert found == {"messageId": hash_, "note": f"key {hash_}!", hash_: 1, "type": KEY}


def test_a_key_that_is_written_with_escapes_is_hidden() -> None:
    redactor = Redactor(SECRET)
    redactor.redacted(decode(json.dumps(prompt(KEY))))
    escaped = "".join(f"\\u{ord(c):04x}" for c in KEY)
    assert KEY not in json.loads(redactor.redacted(decode(f'{{"note":"{escaped}"}}')))["note"]


def test_a_short_key_is_not_a_reason_to_change_other_texts() -> None:
    found = redacted(prompt("s", text="s is a letter"))["params"]
    assert (found["sessionId"], found["text"]) == ("s", "s is a letter")
    assert found["idempotencyKey"] != "s"


def test_keys_are_kept_if_asked_but_nothing_else() -> None:
    found = redacted(prompt(KEY, _meta={"a": "b", "idempotencyKey": KEY}), show_keys=True)
    assert found["params"]["idempotencyKey"] == KEY
    assert found["params"]["_meta"] == {"a": REDACTED, "idempotencyKey": KEY}


def test_memory_of_keys_is_bounded_and_each_key_is_hidden_all_the_same() -> None:
    redactor = Redactor(SECRET)
    keys = [{"idempotencyKey": f"key number {n}"} for n in range(2000)]
    text = redactor.redacted(decode(json.dumps(keys)))
    assert "key number" not in text


def test_custom_data_keeps_its_names_and_types() -> None:
    meta = {"a": "x", "n": 3, "f": 0.5, "t": True, "z": None, "e": "", "l": ["y", {"b": "z"}]}
    assert redacted({"_meta": meta})["_meta"] == {
        "a": REDACTED,
        "n": 0,
        "f": 0,
        "t": True,
        "z": None,
        "e": "",
        "l": [REDACTED, {"b": REDACTED}],
    }


@pytest.mark.parametrize("name", ["env", "headers", "Headers", "http_headers"])
def test_variables_and_headers_keep_their_names(name: str) -> None:
    as_list = redacted({name: [{"name": "A", "value": "x", "_meta": {"b": "y"}}, "z"]})[name]
    assert as_list == [{"name": "A", "value": REDACTED, "_meta": {"b": REDACTED}}, REDACTED]
    assert redacted({name: {"A": "x"}})[name] == {"A": REDACTED}


@pytest.mark.parametrize("name", ["token", "apiKey", "api_key", "Authorization", "client-secret"])
def test_credentials_are_hidden_wherever_they_are(name: str) -> None:
    assert redacted({"rawInput": [{name: "x", "tokens": 5}]}) == {
        "rawInput": [{name: REDACTED, "tokens": 5}]
    }
    assert redacted({name: {"deep": ["x", 5]}})[name] == {"deep": [REDACTED, 5]}


def test_arguments_lose_the_values_of_credentials_only() -> None:
    args = ["--api-key", "x", "--token=y", "-v", "--secret", "--level", "3", "--password=", 5]
    assert redacted({"args": args})["args"] == [
        *("--api-key", REDACTED, f"--token={REDACTED}", "-v", "--secret", REDACTED, "3"),
        *(f"--password={REDACTED}", 5),
    ]


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("https://mcp.example.com/docs", "https://mcp.example.com/docs"),
        ("https://u:p@mcp.example.com/a?token=x#y", "https://redacted@mcp.example.com/a?redacted"),
        ("https://a.example/device?code=WDJB-MJHT", "https://a.example/device?redacted"),
        ("https://a.example/#key", "https://a.example/#redacted"),
        ("file:///home/ada/a@b.txt", "file:///home/ada/a@b.txt"),
        ("http://a.example/?", "http://a.example/?"),
    ],
)
def test_addresses_lose_what_identifies_the_user(address: str, left: str) -> None:
    for name in ("url", "uri", "baseUrl"):
        assert redacted({name: address})[name] == left


def test_a_member_that_is_there_twice_stays_twice_without_its_secrets() -> None:
    text = f'{{"a":{{"token":"x","token":"y","b":1,"b":2}},"idempotencyKey":"{KEY}"}}'
    found = Redactor(SECRET).redacted(decode(text))
    hash_ = Redactor(SECRET).hash(KEY)
    twice = f'"token":"{REDACTED}","token":"{REDACTED}","b":1,"b":2'
    assert found == f'{{"a":{{{twice}}},"idempotencyKey":"{hash_}"}}'


def test_what_people_write_stays() -> None:
    params = prompt(KEY)["params"] | {"prompt": [{"type": "text", "text": "Bearer abc é"}]}
    assert redacted({"params": params})["params"]["prompt"] == params["prompt"]


@pytest.mark.parametrize("value", [[], [1, "a"], "text", 5, None, {}])
def test_any_json_value_is_taken(value: Any) -> None:
    assert redacted(json.dumps(value)) == value


def test_the_fields_of_a_form_stay_what_they_are() -> None:
    fields = {"token": {"type": "string", "title": "Token"}, "env": {"type": "array"}}
    assert redacted({"requestedSchema": {"properties": fields}}) == {
        "requestedSchema": {"properties": fields}
    }
    assert redacted({"content": {"token": "x"}})["content"] == {"token": REDACTED}


@scaled("redacts every vector")
def test_every_vector_gets_the_same_verdict_without_its_secrets() -> None:
    changed = 0
    for vector in VECTORS[:: amount(8, 1)]:
        try:
            decoded = decode(vector.text)
        except NotJsonError:
            continue
        text = Redactor(SECRET).redacted(decoded)
        changed += text != decoded.text
        before, after = judged(vector, PROTOCOL), judged(vector, PROTOCOL, text)
        assert faults(after) == faults(before), vector
    assert changed > amount(6, 50)


def faults(verdict: MessageVerdict) -> list[tuple[str, ...]]:
    return [(fault.rule, fault.severity, fault.pointer) for fault in verdict.findings]
