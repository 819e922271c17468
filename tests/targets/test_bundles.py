"""The bundles give the verdict of a strict peer with every JSON Schema engine alike."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry

import unavailable
from acpgen.model import ENVELOPE_TYPES, Protocol, Stability, TypeName
from acpgen.targets.bundles import bundle, bundles
from acpgen.types.stability import stable
from proofs import a_few
from small_schema import loaded
from small_schema import schema as schema_with
from whole_schema import whole_schema

INTEROP = Path(__file__).parents[1] / "interop"
TEXT = {"type": "text", "text": "hello"}


@cache
def schema(which: Stability) -> dict[str, Any]:
    protocol = whole_schema()
    whole = protocol if which is Stability.UNSTABLE else stable(protocol)
    return dict(bundle(whole, which))


def prompt(**params: object) -> dict[str, object]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "session/prompt",
        "params": {"sessionId": "s", "prompt": [TEXT], **params},
    }


def message(**members: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", **members}


KEYS: list[tuple[str, object, bool]] = [
    ("one", "k", True),
    ("255", "a" * 255, True),
    ("255-astral", "\U0001f600" * 255, True),
    ("255-combining", "e\u0301" * 127 + "e", True),
    ("nul", "\u0000", True),
    ("null", None, True),
    ("empty", "", False),
    ("256", "a" * 256, False),
    ("256-astral", "\U0001f600" * 256, False),
    ("256-combining", "e\u0301" * 128, False),
    ("integer", 7, False),
    ("float", 1.5, False),
    ("boolean", True, False),
    ("list", ["k"], False),
    ("object", {"k": "k"}, False),
]

MESSAGES: list[tuple[str, object, bool]] = [
    *((f"key-{name}", prompt(idempotencyKey=key), valid) for name, key, valid in KEYS),
    ("no-key", prompt(), True),
    ("extension-request", message(id=1, method="_acme/x"), True),
    ("extension-notification", message(method="_acme/x", params=[1]), True),
    ("result", message(id="a", result={}), True),
    ("error", message(id=None, error={"code": -32700, "message": "no JSON"}), True),
    ("cancel", message(method="$/cancel_request", params={"requestId": 7}), True),
    ("unknown-notification", message(method="nonsense"), False),
    ("unknown-request", message(id=1, method="nonsense", params={}), False),
    ("notification-with-id", message(id=1, method="session/update", params={}), False),
    ("request-without-id", message(method="session/list", params={}), False),
    ("params-missing", message(id=1, method="session/prompt"), False),
    ("params-empty", message(id=1, method="session/prompt", params={}), False),
    ("params-null", message(id=1, method="session/list", params=None), False),
    ("id-fraction", message(id=1.5, method="session/list", params={}), False),
    ("id-boolean", message(id=True, method="session/list", params={}), False),
    ("id-null", message(id=None, method="session/list", params={}), False),
    ("id-object", message(id={}, method="session/list", params={}), False),
    ("result-id-null", message(id=None, result={}), False),
    ("result-and-error", message(id=1, result={}, error={"code": 1, "message": "x"}), False),
    ("method-and-result", message(id=1, method="session/list", params={}, result={}), False),
    ("neither", message(id=1), False),
    ("no-jsonrpc", {"id": 1, "method": "session/list", "params": {}}, False),
    ("old-jsonrpc", {"jsonrpc": "1.0", "id": 1, "method": "session/list", "params": {}}, False),
    ("array", [message(id=1, method="session/list", params={})], False),
    ("empty-array", [], False),
    ("text", "session/list", False),
    ("null", None, False),
]

IDS = [name for name, _, _ in MESSAGES]


def engines(which: Stability) -> Iterator[tuple[str, Callable[[object], bool]]]:
    yield "jsonschema", jsonschema.Draft202012Validator(schema(which)).is_valid
    yield "jsonschema-rs", jsonschema_rs.Draft202012Validator(schema(which)).is_valid


@pytest.mark.parametrize("which", list(Stability))
@pytest.mark.parametrize(("name", "instance", "valid"), MESSAGES, ids=IDS)
def test_engines_agree(which: Stability, name: str, instance: object, valid: bool) -> None:
    assert {engine: accepts(instance) for engine, accepts in engines(which)} == {
        "jsonschema": valid,
        "jsonschema-rs": valid,
    }, name


AJV = """
import Ajv from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
const { schema, instances } = JSON.parse(readFileSync(0, "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
const validate = ajv.compile(schema);
process.stdout.write(JSON.stringify(instances.map((instance) => validate(instance))));
"""


@pytest.mark.parametrize("which", a_few(Stability, {Stability.UNSTABLE}, "compiles another"))
def test_ajv_agrees(which: Stability) -> None:
    if shutil.which("node") is None or not (INTEROP / "node_modules" / "ajv").is_dir():
        reason = "ajv is not installed: run `npm ci` in tests/interop"
        unavailable.skip(reason)
    instances = [instance for _, instance, _ in MESSAGES]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", AJV],
        input=json.dumps({"schema": schema(which), "instances": instances}),
        cwd=INTEROP,
        capture_output=True,
        text=True,
        check=True,
    )
    verdicts = json.loads(done.stdout)
    assert dict(zip(IDS, verdicts, strict=True)) == {name: valid for name, _, valid in MESSAGES}


@pytest.mark.parametrize("which", list(Stability))
def test_a_bundle_is_a_valid_schema(which: Stability) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(which))


ENTRY_POINTS = [
    ("AgentEnvelope", message(method="session/update", params={"sessionId": "s"}), "update"),
    ("ClientEnvelope", prompt(), None),
    ("AgentEnvelope", prompt(), "session/prompt"),
    ("ClientEnvelope", message(method="session/update", params={}), "session/update"),
    ("ProxyEnvelope", prompt(), "session/prompt"),
    ("ProxyEnvelope", message(id=1, method="proxy/successor", params={"method": "x"}), None),
    ("ClientEnvelope", message(id=1, method="proxy/successor", params={"method": "x"}), "proxy"),
]


@pytest.mark.parametrize(("entry", "instance", "complaint"), ENTRY_POINTS)
def test_entry_points_know_the_direction(
    entry: str, instance: object, complaint: str | None
) -> None:
    whole = schema(Stability.UNSTABLE)
    entered = {"$schema": whole["$schema"], "$defs": whole["$defs"], "$ref": f"#/$defs/{entry}"}
    errors = [e.message for e in jsonschema_rs.Draft202012Validator(entered).iter_errors(instance)]
    assert bool(errors) is (complaint is not None)
    assert complaint is None or complaint in errors[0]


def test_engines_name_the_member_at_fault() -> None:
    validator = jsonschema_rs.Draft202012Validator(schema(Stability.STABLE))
    errors = list(validator.iter_errors(prompt(idempotencyKey="")))
    assert [list(e.instance_path) for e in errors] == [["params", "idempotencyKey"]]


def test_the_stable_bundle_leaves_out_what_is_unstable() -> None:
    kept, whole = schema(Stability.STABLE), schema(Stability.UNSTABLE)
    assert "x-stability" not in json.dumps(kept)
    assert {"ForkSessionRequest", "McpAcpCapabilities", "Usage", "PlanFile"} & kept[
        "$defs"
    ].keys() == set()
    assert {"ForkSessionRequest", "McpAcpCapabilities", "Usage", "PlanFile"} <= whole[
        "$defs"
    ].keys()
    assert "systemPrompt" not in kept["$defs"]["NewSessionRequest"]["properties"]
    fork = message(id=1, method="session/fork", params={"sessionId": "s", "cwd": "/w"})
    assert not jsonschema_rs.is_valid(kept, fork)
    assert jsonschema_rs.is_valid(whole, fork)


def test_a_fallback_whose_variants_are_all_unstable_takes_every_tag(tmp_path: Path) -> None:
    tag = {"type": "string", "description": "Which."}
    head = {"type": "object", "required": ["by"], "description": "Said."}
    plane = head | {"properties": {"by": tag | {"const": "plane"}}, "x-stability": "unstable"}
    other = head | {"title": "other", "x-fallback": True, "properties": {"by": tag}}
    way = {"properties": {"way": {"description": "How.", "anyOf": [plane, other]}}}
    kept = bundle(loaded(schema_with({"SendRequest": way}), tmp_path / "s.json"), Stability.STABLE)
    whole = {"$ref": "#/$defs/SendRequest", "$defs": kept["$defs"]}
    validator = jsonschema_rs.validator_for(whole)
    sent = {"to": "x", "items": [{"type": "other"}]}
    assert validator.is_valid(sent | {"way": {"by": "plane"}})
    assert not validator.is_valid(sent | {"way": {}})


def test_a_protocol_without_the_envelope_types_bundles_its_types_alone() -> None:
    protocol = whole_schema()
    bare = Protocol("Bare", 9, (), {n: t for n, t in protocol.types.items() if n == "SessionId"})
    assert bundle(bare, Stability.STABLE)["$defs"].keys() == {"SessionId"}  # type: ignore[union-attr]


@pytest.mark.parametrize("lacking", ENVELOPE_TYPES)
def test_without_a_type_of_the_envelope_it_is_that_of_json_rpc(lacking: TypeName) -> None:
    protocol = whole_schema()
    types = {name: type_ for name, type_ in protocol.types.items() if name != lacking}
    schema = bundle(replace(protocol, types=types), Stability.UNSTABLE)
    assert not jsonschema_rs.is_valid(schema, 5)
    assert not jsonschema_rs.is_valid(schema, message(id=1.5, method="_x"))
    assert jsonschema_rs.is_valid(schema, message(id=1, error={"code": -32603, "message": "No."}))
    assert not jsonschema_rs.is_valid(schema, message(id=1, error={"code": "no"}))


@pytest.mark.parametrize("source", ["base", "shipped"])
@pytest.mark.parametrize("which", Stability)
def test_a_bundle_is_read_back_as_what_it_was_made_of(
    source: str, which: Stability, tmp_path: Path
) -> None:
    """The base has no type of the envelope, so that of JSON-RPC is written into the bundle."""
    base = loaded(schema_with({}), tmp_path / "base.json")
    protocol = base if source == "base" else whole_schema()
    written = bundle(protocol if which is Stability.UNSTABLE else stable(protocol), which)
    assert bundle(loaded(written, tmp_path / "bundle.json"), which) == written


def test_an_identifier_ends_in_the_name_of_the_file() -> None:
    for path, text in bundles(whole_schema()).items():
        identifier = json.loads(text)["$id"]
        assert urlsplit(identifier).scheme == "https"
        assert identifier.rpartition("/")[2] == path.rpartition("/")[2]


def test_a_bundle_is_found_from_its_sibling_by_the_name_of_its_file() -> None:
    made = [json.loads(text) for text in bundles(whole_schema()).values()]
    registry: Registry[Any] = Registry().with_contents((each["$id"], each) for each in made)
    for first, second in (made, reversed(made)):
        name = second["$id"].rpartition("/")[2]
        found = registry.resolver(first["$id"]).lookup(f"{name}#/$defs/PromptRequest")
        assert found.contents == second["$defs"]["PromptRequest"]
