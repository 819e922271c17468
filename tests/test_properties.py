"""Validator, bundle and models agree on what Hypothesis thinks up.

hypothesis-jsonschema stays at short strings and targets an older draft, so the boundaries of the
key have a strategy of their own here, and one that is shown to reach them.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, find, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from pydantic import ValidationError

from acp_v2 import models, retry
from acp_v2.models import PromptRequest
from acpgen import validate
from acpgen.model import Kind, Protocol, Ref, Stability, TypeName
from acpgen.targets.bundles import bundle
from acpgen.types.samples import Samples
from proofs import a_few, amount, scaled
from whole_schema import whole_schema

LEAST, MOST = 1, 255
LETTERS = st.one_of(
    st.sampled_from('aKé\u0301\U0001f600\0 \u2028"\\'),
    st.characters(exclude_categories=["Cs"]),
)


def text(length: int) -> st.SearchStrategy[str]:
    """Strings of exactly that many code points, quickly: one letter repeated, some others in it."""
    return st.builds(
        lambda letter, others: ("".join(others) + letter * length)[:length],
        LETTERS,
        st.lists(LETTERS, max_size=6),
    )


LENGTHS = st.one_of(st.sampled_from([0, 1, 2, 254, 255, 256, 257, 510, 1020]), st.integers(0, 300))
STRING_KEYS = LENGTHS.flatmap(text)
OTHER_KEYS = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)
KEYS = st.one_of(st.none(), STRING_KEYS, OTHER_KEYS)


@cache
def protocol() -> Protocol:
    return whole_schema()


@cache
def engine() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(bundle(protocol(), Stability.UNSTABLE))


def request(method: str, params: object, kind: Kind = Kind.REQUEST) -> dict[str, object]:
    head: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    return head if kind is Kind.NOTIFICATION else {**head, "id": 1}


def verdicts(method: str, params: object, kind: Kind = Kind.REQUEST) -> dict[str, bool]:
    message = request(method, params, kind)
    try:
        models.parse(models.signature(method, kind.value).params_type, json.dumps(params).encode())
        modelled = True
    except ValidationError:
        modelled = False
    return {
        "validator": validate(json.dumps(message), protocol=protocol()).accepted,
        "bundle": engine().is_valid(message),
        "models": modelled,
    }


def prompt(key: object) -> dict[str, object]:
    return {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "idempotencyKey": key}


@scaled("random keys")
@settings(max_examples=amount(100, 400), deadline=None)
@given(KEYS)
def test_all_agree_on_keys(key: object) -> None:
    valid = key is None or (isinstance(key, str) and LEAST <= len(key) <= MOST)
    assert verdicts("session/prompt", prompt(key)) == {
        "validator": valid,
        "bundle": valid,
        "models": valid,
    }
    answer = retry.resend("session/prompt", prompt(key)).answer
    assert (answer is retry.Answer.SAME_KEY) == (valid and key is not None)


@pytest.mark.parametrize(
    "length", a_few((0, LEAST, MOST, MOST + 1), {MOST}, "searches among 20,000 examples")
)
@pytest.mark.parametrize("astral", a_few([False, True], {True}, "searches once more"))
def test_the_strategy_reaches_the_boundaries(length: int, astral: bool) -> None:
    def at_boundary(key: str) -> bool:
        return len(key) == length and (length == 0 or astral == any(ord(c) > 0xFFFF for c in key))

    found = find(STRING_KEYS, at_boundary, settings=settings(max_examples=20_000))
    assert len(found) == length


@scaled("random keys")
@settings(max_examples=amount(50, 200), deadline=None)
@given(STRING_KEYS.filter(lambda key: LEAST <= len(key) <= MOST))
def test_keys_survive_the_models_exactly(key: str) -> None:
    parsed = PromptRequest.from_wire(json.dumps(prompt(key)).encode())
    assert parsed.idempotency_key == key
    assert json.loads(parsed.to_wire()) == prompt(key)
    assert len(key) < 3 or key not in repr(parsed)


def test_a_lone_surrogate_is_not_a_key() -> None:
    wire = json.dumps(request("session/prompt", prompt("\ud800")))
    assert validate(wire, protocol=protocol()).code == -32700
    with pytest.raises(ValidationError, match="json_invalid"):
        PromptRequest.from_wire(json.dumps(prompt("\ud800")).encode())


DEEPEST = 4


def least(reference: str) -> Any:
    return Samples(protocol()).least(Ref(TypeName(reference.rpartition("/")[2])))


@cache
def bounded(name: str) -> dict[str, Any]:
    """A type's schema for hypothesis-jsonschema: what it needs inlined, to a depth that ends.

    Below that depth stands one valid value.
    """
    definitions = json.loads(json.dumps(bundle(protocol(), Stability.UNSTABLE)["$defs"]))

    def inline(schema: Any, depth: int) -> Any:
        if isinstance(schema, list):
            return [inline(item, depth) for item in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            target = copy.deepcopy(definitions[schema["$ref"].rpartition("/")[2]])
            rest = {k: v for k, v in schema.items() if k != "$ref"}
            if not rest.keys() - {"description", "title"}:
                deeper = depth < DEEPEST
                return inline(target, depth + 1) if deeper else {"const": least(schema["$ref"])}
            return {**inline(rest, depth), "allOf": [inline(target, depth + 1)]}
        return {
            key: {n: inline(s, depth) for n, s in value.items()}
            if key == "properties"
            else value
            if key in {"const", "enum", "examples", "default", "required"}
            else inline(value, depth)
            for key, value in schema.items()
            if not key.startswith("x-") and key not in {"format", "contentEncoding"}
        }

    return inline(definitions[name], 0)  # type: ignore[no-any-return]


SLOW = {"PromptRequest", "RequestPermissionRequest", "CreateElicitationRequest"}
BEYOND = {"UpdateSessionNotification"}
"""hypothesis-jsonschema takes minutes for its two dozen nested variants; what tests/instances.py
draws of it is compared in tests/targets and tests/validate."""
METHODS = [(m.name, m.kind, m.params) for m in protocol().methods if m.params not in BEYOND]
QUICK = [row for row in METHODS if row[2] not in SLOW]


@pytest.mark.prove("draws slowly from the largest types")
@pytest.mark.parametrize(("method", "kind", "params"), METHODS, ids=str)
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_all_agree_on_a_few_params_of_every_method(
    method: str, kind: Kind, params: str, data: st.DataObject
) -> None:
    agree_on_drawn(method, kind, params, data)


@scaled("draws slowly")
@pytest.mark.parametrize(("method", "kind", "params"), amount(QUICK[::8], QUICK), ids=str)
@settings(max_examples=amount(2, 15), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_all_agree_on_more_params_where_they_are_quickly_drawn(
    method: str, kind: Kind, params: str, data: st.DataObject
) -> None:
    agree_on_drawn(method, kind, params, data)


def agree_on_drawn(method: str, kind: Kind, params: str, data: st.DataObject) -> None:
    drawn = data.draw(from_schema(bounded(params)))
    assume(not _integral_floats(drawn))
    assert verdicts(method, drawn, kind) == {"validator": True, "bundle": True, "models": True}


def _integral_floats(value: object) -> bool:
    """Numbers such as 5.0: an integer to JSON Schema, none to a typed decoder."""
    if isinstance(value, dict):
        return any(map(_integral_floats, value.values()))
    if isinstance(value, list):
        return any(map(_integral_floats, value))
    return isinstance(value, float) and value.is_integer()
