"""Every engine gives each vector the verdict that it claims, and each has but one defect."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from pydantic import ValidationError

import acp_v2.models
import unavailable
from acpgen.judge.message_verdict import MessageRule
from acpgen.load import load
from acpgen.model import Array, Scalar, ScalarType, Side, Stability
from acpgen.targets.bundles import bundle
from acpgen.targets.vectors import vectors
from model_packages import member, with_member, with_type
from proofs import amount, scaled
from vector_files import PROTOCOL, TEMPLATES, VECTORS, Vector, judged, read, unlike_the_judge
from whole_schema import released_schema

TESTS = Path(__file__).parents[1]
INTEROP = TESTS / "interop"
SCHEMA = bundle(PROTOCOL, Stability.UNSTABLE)
RESULTS = {str(m.name): m.result for m in PROTOCOL.methods if m.result is not None}


def test_the_judge_agrees() -> None:
    assert unlike_the_judge(VECTORS, PROTOCOL) == []


def test_the_judge_agrees_on_an_invented_protocol() -> None:
    invented = load(TESTS / "golden" / "schema" / "v9")
    found = read(vectors(invented, TEMPLATES))
    assert unlike_the_judge(found, invented) == []
    assert len(found) > 200


@pytest.mark.prove("makes all vectors again")
def test_the_judge_agrees_on_limits_that_the_schema_has_none_of() -> None:
    prompt = member(PROTOCOL, "PromptRequest", "prompt")
    assert isinstance(prompt.type, Array)
    short = replace(prompt, type=replace(prompt.type, max_items=2))
    pattern = Scalar(ScalarType.STRING, pattern="^sess_")
    limited = with_type(with_member(PROTOCOL, "PromptRequest", short), "SessionId", pattern)
    found = read(vectors(limited, TEMPLATES))
    assert unlike_the_judge(found, limited) == []
    assert {"max-items", "pattern"} <= {v.rule for v in found}


@pytest.mark.prove("makes all vectors again")
def test_the_judge_agrees_where_only_the_client_calls() -> None:
    asked = tuple(m for m in PROTOCOL.methods if m.side is Side.AGENT)
    one_way = replace(PROTOCOL, methods=asked)
    found = read(vectors(one_way, TEMPLATES))
    assert unlike_the_judge(found, one_way) == []
    assert {v.sender for v in found} == {"client", "agent"}


@pytest.mark.prove("makes the vectors of a release")
@pytest.mark.parametrize("release", ["schema", "schema.unstable"])
def test_the_judge_agrees_on_a_release(release: str, upstream_schemas: Path) -> None:
    released = released_schema(upstream_schemas / "v2" / f"{release}.json")
    found = read(vectors(released, TEMPLATES))
    assert unlike_the_judge(found, released) == []
    assert len(found) > 1500


@pytest.mark.parametrize(
    "planted",
    [
        {"pointer": "/params/prompt"},
        {"rule": "required"},
        {"code": None},
        {"code": -32600},
        {"valid": True},
        {"outcome": "recover"},
        {"outcome": "accept", "rule": None, "pointer": None, "reason": None, "valid": True},
        {"sender": "agent"},
        {"loose": True, "pointer": "/par"},
    ],
    ids=str,
)
def test_the_comparison_with_the_judge_bites(planted: dict[str, Any]) -> None:
    (true,) = [v for v in VECTORS if str(v) == "keys.json session/prompt: key an integer"]
    assert unlike_the_judge([true], PROTOCOL) == []
    assert unlike_the_judge([replace(true, **planted)], PROTOCOL) != []


def test_every_rule_about_one_message_has_a_vector() -> None:
    # The schema has no pattern, no longest array and no enumeration of several values.
    absent = {MessageRule.PATTERN, MessageRule.MAX_ITEMS, MessageRule.ENUM}
    several = {MessageRule.UNEXPECTED_RESPONSE, MessageRule.DUPLICATE_ID, MessageRule.BROKEN_LINE}
    # No checker reports these: receivers accept the message, or report another fault of it.
    judge_only = {
        MessageRule.UNKNOWN_TAG,
        MessageRule.FORMER_SHAPE,
        MessageRule.FORMER_MEMBER,
        MessageRule.MORE_FINDINGS,
    }
    assert {v.rule for v in VECTORS if v.rule is not None} == (
        set(MessageRule) - absent - several - judge_only
    )


def test_few_pointers_are_loose() -> None:
    assert 0 < sum(v.loose for v in VECTORS) < len(VECTORS) / 50


@cache
def rust(definition: str) -> Callable[[Any], bool]:
    return jsonschema_rs.Draft202012Validator(entered(definition)).is_valid


@cache
def python(definition: str) -> Callable[[Any], bool]:
    return jsonschema.Draft202012Validator(entered(definition)).is_valid


def entered(definition: str) -> dict[str, Any]:
    return {
        "$schema": SCHEMA["$schema"],
        "$defs": SCHEMA["$defs"],
        "$ref": f"#/$defs/{definition}",
    }


def parts(vector: Vector) -> list[tuple[str, Any]]:
    """What a schema engine is to judge, each part by a definition."""
    message = vector.parsed
    if vector.answers is None or not isinstance(message, dict) or "result" not in message:
        return [(vector.entry, message)]
    return [(vector.entry, message), (RESULTS[vector.answers], message["result"])]


@scaled("an engine in Python is slow")
@pytest.mark.parametrize(("engine", "step"), [(rust, 1), (python, amount(7, 1))])
def test_json_schema_engines_agree(
    engine: Callable[[str], Callable[[Any], bool]], step: int
) -> None:
    asked = [v for v in VECTORS if v.differs is None and v.rule != "not-json"]
    assert len(asked) > 3500
    wrong = [
        str(v)
        for v in asked[::step]
        if all(engine(name)(part) for name, part in parts(v)) is not v.valid
    ]
    assert wrong == []


AJV = """
import Ajv from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
const { schema, vectors } = JSON.parse(readFileSync(0, "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(schema, "acp");
const compiled = new Map();
const validator = (name) => {
  if (!compiled.has(name)) compiled.set(name, ajv.compile({ $ref: `acp#/$defs/${name}` }));
  return compiled.get(name);
};
const accepts = ([text, entry, result]) => {
  let message;
  try { message = JSON.parse(text); } catch { return false; }
  if (!validator(entry)(message)) return false;
  return result === null || !("result" in message) || validator(result)(message.result);
};
process.stdout.write(JSON.stringify(vectors.map(accepts)));
"""


def test_ajv_agrees() -> None:
    if shutil.which("node") is None or not (INTEROP / "node_modules" / "ajv").is_dir():
        reason = "ajv is not installed: run `npm ci` in tests/interop"
        unavailable.skip(reason)
    asked = [v for v in VECTORS if v.differs is None]
    rows = [(v.text, v.entry, v.answers and RESULTS[v.answers]) for v in asked]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", AJV],
        input=json.dumps({"schema": SCHEMA, "vectors": rows}),
        cwd=INTEROP,
        capture_output=True,
        text=True,
        check=True,
    )
    verdicts = json.loads(done.stdout)
    assert [str(v) for v, ok in zip(asked, verdicts, strict=True) if ok is not v.valid] == []


def models_accept(vector: Vector, *, tolerant: bool) -> bool:
    """What the models say of the params or the result of a vector."""
    text = json.dumps(vector.content)
    models: Any = acp_v2.models
    try:
        if vector.answers is not None:
            models.parse_result(vector.answers, text, tolerant=tolerant)
        else:
            kind = "request" if "id" in vector.parsed else "notification"
            models.parse_params(vector.parsed["method"], text, kind, tolerant=tolerant)
    except ValidationError:
        return False
    return True


LITERAL_FLOAT = " Error.code: integral float"
"""pydantic compares a literal with a value, so to the models -32700.0 is the error code -32700."""


@pytest.mark.parametrize("tolerant", [False, True])
def test_the_models_agree(tolerant: bool) -> None:
    around = {"envelope.json", "keys.json"}
    asked = [
        v
        for v in VECTORS
        if v.file not in around
        and v.rule not in {"wrong-side", "wrong-kind"}
        and v.name != "params: missing"
    ]
    wrong = [
        str(v)
        for v in asked
        if models_accept(v, tolerant=tolerant)
        is not (v.outcome != "refuse" if tolerant else v.valid)
    ]
    assert [name for name in wrong if not name.endswith(LITERAL_FLOAT)] == []
    assert len(asked) > 3000


def patched(document: Any, patch: tuple[dict[str, Any], ...]) -> Any:
    """A document after a JSON Patch (RFC 6902) that adds, replaces or removes."""
    for operation in patch:
        if operation["path"] == "":
            return operation["value"]
        steps = [s.replace("~1", "/").replace("~0", "~") for s in operation["path"].split("/")]
        holder = document
        for step in steps[1:-1]:
            holder = holder[int(step) if isinstance(holder, list) else step]
        key: Any = int(steps[-1]) if isinstance(holder, list) else steps[-1]
        there = key < len(holder) if isinstance(holder, list) else key in holder
        assert there is (operation["op"] != "add")
        if operation["op"] == "remove":
            del holder[key]
        else:
            holder[key] = operation["value"]
    return document


def test_each_has_one_defect_and_without_it_is_clean() -> None:
    repaired = [v for v in VECTORS if v.repair is not None]
    for vector in repaired:
        assert vector.repair is not None
        assert vector.rule is not None
        assert len(vector.repair) == 1 or vector.rule == "one-of"
        text = json.dumps(patched(vector.parsed, vector.repair))
        rules = {fault.rule for fault in judged(vector, PROTOCOL, text).findings}
        # A sample may use the fallback of a union.
        assert rules <= {MessageRule.UNKNOWN_TAG}, str(vector)
    assert len(repaired) > 2000


def test_what_has_no_repair_is_beyond_a_patch() -> None:
    rest = [v for v in VECTORS if v.rule is not None and v.repair is None]
    assert {v.rule for v in rest} == {"not-json", "wrong-side", "duplicate-member"}
    for vector in (v for v in rest if v.rule == "wrong-side"):
        others = {"client", "agent", "proxy"} - {vector.sender}
        clean = {s for s in others if not judged(replace(vector, sender=s), PROTOCOL).findings}
        assert clean, str(vector)
