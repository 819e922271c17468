"""The resend vectors, and `retry` held to them as another language would be."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpgen import resources
from acpgen.emit.header import owns
from acpgen.emit.templates import Templates
from acpgen.load import load
from acpgen.model import Kind, MethodName, Protocol
from acpgen.targets.retry import MissingClassError
from acpgen.targets.retry.decision import MAX_CARRIED, RULINGS, Answer, Reason
from acpgen.targets.tables import retry
from acpgen.targets.vectors import resends
from acpgen.targets.vectors.vector_file import VectorNameError
from proofs import amount, scaled
from whole_schema import whole_schema

TEMPLATES = Templates(resources.TEMPLATES)
GOLDEN = Path(__file__).parents[1] / "golden" / "schema" / "v9"
PROTOCOLS = {"v2": whole_schema(), "v9": load(GOLDEN)}
TREES = {name: resends(protocol, TEMPLATES) for name, protocol in PROTOCOLS.items()}


def vectors(tree: dict[str, str]) -> Iterator[dict[str, Any]]:
    for path, text in tree.items():
        if path.startswith("vectors/resend/") and path.endswith(".json"):
            yield from ({"file": path, **vector} for vector in json.loads(text)["vectors"])


def module(protocol: Protocol) -> ModuleType:
    """The generated table of a protocol, run."""
    tree = retry(protocol, TEMPLATES)
    found = ModuleType("generated_retry")
    exec(next(text for path, text in tree.items() if path.endswith(".py")), vars(found))
    return found


TABLE = module(PROTOCOLS["v2"])


@pytest.fixture(params=PROTOCOLS)
def subject(request: pytest.FixtureRequest) -> tuple[ModuleType, list[dict[str, Any]]]:
    return module(PROTOCOLS[request.param]), list(vectors(TREES[request.param]))


def unlike(table: ModuleType, found: list[dict[str, Any]]) -> list[str]:
    """The names of the vectors of which a table says something else."""
    wrong = []
    for vector in found:
        verdict = table.resend(*(vector[m] for m in ("method", "params", "kind", "version")))
        row = verdict.method
        decided = (None, None) if row is None else (row.name, row.retry_class)
        reported = (verdict.answer, verdict.reason, *decided)
        if reported != tuple(vector[m] for m in ("answer", "reason", "decidedBy", "retryClass")):
            wrong.append(vector["name"])
    return wrong


def test_the_table_agrees_with_every_vector(
    subject: tuple[ModuleType, list[dict[str, Any]]],
) -> None:
    assert unlike(*subject) == []


@pytest.mark.parametrize(
    "planted",
    [
        {"answer": "as_is"},
        {"reason": "keyed-without-key"},
        {"decidedBy": "session/list"},
        {"retryClass": "idempotent"},
        {"params": {}},
        {"method": "session/list"},
        {"kind": "notification"},
        {"version": 1},
    ],
    ids=str,
)
def test_a_planted_wrong_vector_is_found(planted: dict[str, Any]) -> None:
    keyed = next(v for v in vectors(TREES["v2"]) if v["reason"] == "keyed-with-key")
    assert unlike(TABLE, [keyed]) == []
    assert unlike(TABLE, [{**keyed, **planted}]) == [keyed["name"]]


def test_a_carried_method_that_the_row_names_takes_the_same_params() -> None:
    methods = tuple(
        replace(m, carries=MethodName("session/prompt")) if m.name == "proxy/initialize" else m
        for m in PROTOCOLS["v2"].methods
    )
    protocol = replace(PROTOCOLS["v2"], methods=methods)
    found = list(vectors(resends(protocol, TEMPLATES)))
    assert unlike(module(protocol), found) == []
    reasons = {v["name"]: v["reason"] for v in found}
    assert reasons["proxy/initialize: keyed as session/prompt"] == "keyed-with-key"
    assert reasons["proxy/initialize without params"] == "keyed-without-key"


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_method_is_there_in_each_kind_and_without(name: str) -> None:
    found = {(v["method"], v["kind"]) for v in vectors(TREES[name])}
    wanted = {(m.name, m.kind.value) for m in PROTOCOLS[name].methods}
    assert found >= wanted | {(m.name, None) for m in PROTOCOLS[name].methods}


def test_every_reason_is_there_with_its_answer() -> None:
    found = {(v["reason"], v["answer"]) for v in vectors(TREES["v2"])}
    assert found == {(ruling.reason.value, ruling.answer.value) for ruling in RULINGS}
    assert [ruling.reason for ruling in RULINGS] == list(Reason)
    assert {ruling.answer for ruling in RULINGS} == set(Answer)


def test_every_reason_is_there_inside_another_message() -> None:
    inside = {v["reason"] for v in vectors(TREES["v2"]) if v["file"].endswith("/carried.json")}
    assert inside == {reason.value for reason in Reason} - {Reason.OTHER_VERSION}


def test_nothing_is_sent_again_on_another_version() -> None:
    found = [v for v in vectors(TREES["v2"]) if v["version"] not in (None, 2)]
    assert {v["version"] for v in found} == {1, 3}
    assert {(v["answer"], v["reason"]) for v in found} == {("not_at_all", "other-version")}
    assert TABLE.resend("session/list", {}, version=1).answer == "not_at_all"
    assert TABLE.resend("session/list", {}, version=2).answer == "as_is"


KEYS: list[tuple[str, Any, str]] = [
    ("no params", None, "keyed-without-key"),
    ("key omitted", {}, "keyed-without-key"),
    ("key null", {"idempotencyKey": None}, "keyed-without-key"),
    ("key in _meta", {"_meta": {"idempotencyKey": "sample-key"}}, "keyed-without-key"),
    ("key 1 code point", {"idempotencyKey": "k"}, "keyed-with-key"),
    ("key NUL", {"idempotencyKey": "\0"}, "keyed-with-key"),
    ("key like null", {"idempotencyKey": "null"}, "keyed-with-key"),
    ("key 255 code points", {"idempotencyKey": "k" * 255}, "keyed-with-key"),
    ("key 255 astral code points", {"idempotencyKey": "\U0001f511" * 255}, "keyed-with-key"),
    ("key 0 code points", {"idempotencyKey": ""}, "malformed-key"),
    ("key 256 code points", {"idempotencyKey": "k" * 256}, "malformed-key"),
    ("key 256 astral code points", {"idempotencyKey": "\U0001f511" * 256}, "malformed-key"),
    ("key an integer", {"idempotencyKey": 7}, "malformed-key"),
    ("key true", {"idempotencyKey": True}, "malformed-key"),
    ("key false", {"idempotencyKey": False}, "malformed-key"),
    ("key an empty array", {"idempotencyKey": []}, "malformed-key"),
    ("key an empty object", {"idempotencyKey": {}}, "malformed-key"),
    ("key called idempotency_key", {"idempotency_key": "sample-key"}, "misspelled-key"),
    ("key called idempotency-key", {"idempotency-key": "sample-key"}, "misspelled-key"),
    ("key called idempotency.key", {"idempotency.key": "sample-key"}, "misspelled-key"),
    ("key called idempotency key", {"idempotency key": "sample-key"}, "misspelled-key"),
    ("key with a comma", {"idempotency,key": "sample-key"}, "keyed-without-key"),
    ("key with a Kelvin sign", {"idempotency\u212aey": "sample-key"}, "keyed-without-key"),
]


@pytest.mark.parametrize(("name", "params", "reason"), KEYS, ids=[name for name, *_ in KEYS])
def test_keys_at_every_boundary(name: str, params: Any, reason: str) -> None:
    (found,) = (v for v in vectors(TREES["v2"]) if v["name"] == f"session/prompt: {name}")
    assert found["params"] == params
    assert found["reason"] == reason


def test_nests_reach_the_limit_and_pass_it_by_one() -> None:
    found = {v["name"]: v for v in vectors(TREES["v2"])}
    within = found[f"proxy/successor: {MAX_CARRIED} deep"]
    beyond = found[f"proxy/successor: {MAX_CARRIED + 1} deep"]
    assert json.dumps(within["params"]).count('"method"') == MAX_CARRIED
    assert json.dumps(beyond["params"]).count('"method"') == MAX_CARRIED + 1
    assert (within["reason"], within["decidedBy"]) == ("idempotent", "auth/login")
    assert (beyond["reason"], beyond["decidedBy"]) == ("carried-too-deep", "proxy/successor")


@pytest.mark.parametrize("key", ["\ud800", "k\udfff"])
def test_a_lone_surrogate_makes_no_key(key: str) -> None:
    verdict = TABLE.resend("session/prompt", {"idempotencyKey": key})
    assert verdict.reason == Reason.MALFORMED_KEY


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_the_index_tells_what_is_in_the_files(tree: dict[str, str]) -> None:
    entries = json.loads(tree["vectors/resend.json"])["files"]
    listed = {f"vectors/{entry['file']}": entry["sha256"] for entry in entries}
    assert listed.keys() | {"vectors/resend.json", "vectors/resend/README.md"} == tree.keys()
    for path, digest in listed.items():
        assert digest == hashlib.sha256(tree[path].encode()).hexdigest()


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_files_are_ascii_with_one_vector_a_line_and_unique_names(tree: dict[str, str]) -> None:
    for path, text in tree.items():
        assert owns(text)
        if path.startswith("vectors/resend/") and path.endswith(".json"):
            found = json.loads(text)["vectors"]
            assert text.isascii()
            assert [json.loads(line.rstrip(",")) for line in text.splitlines()[3:-2]] == found
            assert len({vector["name"] for vector in found}) == len(found) > 0


def test_the_readme_explains_every_member_and_reason() -> None:
    readme = TREES["v2"]["vectors/resend/README.md"]
    explained = set(re.findall(r"^\| `([\w-]+)` \|", readme, flags=re.MULTILINE))
    members = set(next(vectors(TREES["v2"]))) - {"file"}
    assert explained == members | {reason.value for reason in Reason}
    steps = readme[readme.index("\n1. ") :]
    assert {reason for reason in Reason if f"`{reason}`" not in steps} <= {
        Reason.IDEMPOTENT,
        Reason.DUPLICATING,
        Reason.NOT_RETRIED,
        Reason.EXTERNAL,
    }


def test_without_classes_there_are_no_vectors_and_no_table() -> None:
    methods = tuple(replace(method, retry=None) for method in PROTOCOLS["v2"].methods)
    unclassed = replace(PROTOCOLS["v2"], methods=methods)
    assert resends(unclassed, TEMPLATES) == {}
    with pytest.raises(MissingClassError, match="no method has an x-retry-class; "):
        retry(unclassed, TEMPLATES)


def test_a_method_without_a_class_is_decided_about_as_an_unknown_one() -> None:
    first, *others = PROTOCOLS["v2"].methods
    partly = replace(PROTOCOLS["v2"], methods=(replace(first, retry=None), *others))
    reasons = {
        vector["reason"]
        for vector in vectors(resends(partly, TEMPLATES))
        if vector["method"] == first.name
    }
    assert reasons == {Reason.UNKNOWN_METHOD, Reason.NOTIFICATION}
    table = json.loads(retry(partly, TEMPLATES)["json/methods.json"])["methods"]
    assert [row["method"] for row in table] == [method.name for method in others]


def test_two_vectors_of_a_name_are_an_error() -> None:
    first, *others = PROTOCOLS["v2"].methods
    twice = replace(PROTOCOLS["v2"], methods=(first, first, *others))
    with pytest.raises(VectorNameError, match="more than one resend vector is called"):
        resends(twice, TEMPLATES)


NAMES = st.sampled_from(
    [
        "session/prompt",
        "session/list",
        "session/new",
        "session/cancel",
        "initialize",
        "proxy/initialize",
        "proxy/successor",
        "mcp/message",
        "_acme/x",
        "nonsense",
    ]
)
VALUES = st.none() | st.booleans() | st.integers() | st.sampled_from(["", "k", "\ud800"]) | NAMES
MEMBERS = st.sampled_from(["method", "params", "idempotencyKey", "idempotency_key", "kind"])
PARAMS = st.recursive(
    st.none() | st.dictionaries(MEMBERS, VALUES | st.lists(VALUES, max_size=1)),
    lambda inner: st.fixed_dictionaries({"method": NAMES | VALUES, "params": inner | VALUES}),
)


@scaled("random params")
@settings(max_examples=amount(100, 300), deadline=None)
@given(NAMES, PARAMS, st.none() | st.sampled_from(Kind), st.sampled_from([None, 1, 2]))
def test_every_message_gets_the_answer_of_its_reason(
    method: str, params: Any, kind: Any, version: Any
) -> None:
    verdict = TABLE.resend(method, params, kind, version)
    answers = {ruling.reason.value: ruling.answer.value for ruling in RULINGS}
    assert answers[verdict.reason] == verdict.answer
    assert (verdict.reason == Reason.OTHER_VERSION) == (version == 1)
    assert "{" not in verdict.why


def test_hostile_text_breaks_no_table() -> None:
    text = '{method} "quoted" \\ */ """ {0} %s \n\u2028 {note}'
    methods = tuple(replace(m, resend=text, docs=text) for m in PROTOCOLS["v2"].methods)
    table = module(replace(PROTOCOLS["v2"], methods=methods))
    assert table.resend("session/list").why.endswith(text)
