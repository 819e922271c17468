"""The overlay is one by its own standards, and upstream's files are sound with it."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonpath_rfc9535 import JSONPathEnvironment

from acpgen import resources
from acpgen.emit.header import owns
from acpgen.emit.templates import Templates
from acpgen.lint import lint
from acpgen.load import load
from acpgen.model import Kind, Nullable, Object, Protocol, Ref, RetryClass
from acpgen.targets import TARGETS
from acpgen.targets.overlay import Action, Holders, actions, overlay
from acpgen.upstream import annotate, apply, moved, printed, shared
from whole_schema import released_schema, whole_schema

V2 = ["v2/schema.json", "v2/schema.unstable.json"]
V1 = ["v1/schema.json", "v1/schema.unstable.json"]
UNCLASSED = "missing-retry-class"


@cache
def ours() -> Protocol:
    return whole_schema()


@cache
def document() -> dict[str, Any]:
    ((_, text),) = overlay(ours()).items()
    read: dict[str, Any] = json.loads(text)
    return read


def annotated(folder: Path, name: str, scratch: Path) -> Protocol:
    """The protocol of a release with our annotations."""
    file = scratch / name
    file.parent.mkdir(parents=True, exist_ok=True)
    release = json.loads((folder / name).read_text("utf-8"))
    file.write_text(printed(annotate(release, released_schema(folder / name), ours())), "utf-8")
    return load(file)


def merge(target: Any, update: Any) -> Any:
    """Overlay 1.0.0, section 4.4.3."""
    if isinstance(target, dict) and isinstance(update, dict):
        for name, value in update.items():
            target[name] = merge(target[name], value) if name in target else deepcopy(value)
        return target
    if isinstance(target, list) and isinstance(update, list):
        return [*target, *update]
    return deepcopy(update)


def applied(schema: Any, overlay: dict[str, Any]) -> Any:
    """What a tool makes of an overlay that knows nothing but the two standards."""
    schema = deepcopy(schema)
    for action in overlay["actions"]:
        for node in JSONPathEnvironment().find(action["target"], schema):
            *way, last = node.location
            parent = schema
            for step in way:
                parent = parent[step]
            if action.get("remove"):
                del parent[last]
            else:
                parent[last] = merge(parent[last], action["update"])
    return schema


def test_the_document_is_an_overlay() -> None:
    assert document()["overlay"] == "1.0.0"
    assert document()["info"].keys() == {"title", "version"}
    for action in document()["actions"]:
        assert action["target"].startswith("$")
        assert ("update" in action) != (action.get("remove") is True)
    ((path, text),) = overlay(ours()).items()
    assert path == "overlay/acp-v2.overlay.json"
    assert owns(text)


@pytest.mark.parametrize("name", V2)
def test_any_tool_comes_to_the_same(upstream_schemas: Path, name: str) -> None:
    release = json.loads((upstream_schemas / name).read_text("utf-8"))
    mine = annotate(release, released_schema(upstream_schemas / name), ours())
    assert printed(applied(release, document())) == printed(mine)
    assert mine != release


@pytest.mark.parametrize("name", V2)
def test_applying_twice_changes_no_more(upstream_schemas: Path, name: str) -> None:
    release = json.loads((upstream_schemas / name).read_text("utf-8"))
    once = apply(release, actions(ours()))
    assert printed(apply(once, actions(ours()))) == printed(once)


@pytest.mark.parametrize("name", V2)
def test_nothing_is_changed_but_added(upstream_schemas: Path, name: str) -> None:
    release = json.loads((upstream_schemas / name).read_text("utf-8"))
    mine = annotate(release, released_schema(upstream_schemas / name), ours())
    assert without_ours(mine["$defs"]) == release["$defs"]


def without_ours(definitions: Any) -> Any:
    kept = deepcopy(definitions)
    del kept["IdempotencyKey"]
    del kept["PromptRequest"]["properties"]["idempotencyKey"]
    for definition in kept.values():
        for name in ("x-retry-class", "x-resend", "x-errors", "x-undoes"):
            definition.pop(name, None)
    return kept


@pytest.mark.prove("generates a whole tree")
@pytest.mark.parametrize("name", V2)
def test_it_lints_clean_and_generates_everything(
    upstream_schemas: Path, name: str, tmp_path: Path
) -> None:
    protocol = annotated(upstream_schemas, name, tmp_path)
    assert lint(protocol) == []
    templates = Templates(resources.TEMPLATES)
    for target in TARGETS:
        assert target.generate(protocol, templates), target.name


@pytest.mark.parametrize("name", V2)
def test_its_methods_are_ours(upstream_schemas: Path, name: str, tmp_path: Path) -> None:
    protocol = annotated(upstream_schemas, name, tmp_path)
    for method in protocol.methods:
        own = ours().method(method.name, method.kind)
        assert own is not None
        names = {other.name for other in protocol.methods}
        assert method.undoes == tuple(name for name in own.undoes if name in names)
        assert method.about == (own.about if method.undoes else ())
        reported = (
            method.retry,
            method.resend,
            method.key,
            [(e.code, e.when) for e in method.errors],
        )
        assert reported == (own.retry, own.resend, own.key, [(e.code, e.when) for e in own.errors])


@pytest.mark.parametrize("name", V2)
def test_the_key_is_that_of_the_rfd(upstream_schemas: Path, name: str, tmp_path: Path) -> None:
    protocol = annotated(upstream_schemas, name, tmp_path)
    prompt = protocol.method("session/prompt", Kind.REQUEST)
    assert prompt is not None
    body = protocol.types[prompt.params].body
    assert isinstance(body, Object)
    (key,) = [member for member in body.properties if member.name == "idempotencyKey"]
    assert not key.required
    assert not key.tolerance
    assert isinstance(key.type, Nullable)
    assert isinstance(key.type.of, Ref)
    assert key.type.of.name == "IdempotencyKey"


@pytest.mark.parametrize("name", V1)
def test_v1_gets_the_classes_of_the_methods_shared(
    upstream_schemas: Path, name: str, tmp_path: Path
) -> None:
    protocol = annotated(upstream_schemas, name, tmp_path)
    classed = {method.name for method in protocol.methods if method.retry is not None}
    assert classed == {
        method.name for method, _ in shared(released_schema(upstream_schemas / name), ours())
    }
    assert {"session/new", "session/close", "session/update", "initialize"} <= classed
    assert not classed & {"session/prompt", "session/load", "fs/read_text_file", "authenticate"}
    assert {finding.rule for finding in lint(protocol)} == {UNCLASSED}
    assert all(method.retry is not RetryClass.KEYED for method in protocol.methods)
    assert all(not method.errors for method in protocol.methods)


@pytest.mark.prove("generates a whole tree")
def test_v1_generates_all_that_needs_no_classes(upstream_schemas: Path, tmp_path: Path) -> None:
    protocol = annotated(upstream_schemas, "v1/schema.json", tmp_path)
    templates = Templates(resources.TEMPLATES)
    for target in (target for target in TARGETS if not target.needs_classes):
        assert target.generate(protocol, templates), target.name


def test_only_what_is_another_method_is_moved(upstream_schemas: Path) -> None:
    for name in V2:
        assert [*moved(released_schema(upstream_schemas / name), ours())] == []


@pytest.mark.parametrize("name", ["v1/schema.json", "v2/schema.json"])
@pytest.mark.parametrize(
    ("old", "new"), [("x-side", "client"), ("x-method", "session/enumerate")], ids=["side", "name"]
)
def test_a_method_that_is_another_there_gets_no_class(
    upstream_schemas: Path, tmp_path: Path, name: str, old: str, new: str
) -> None:
    release = json.loads((upstream_schemas / name).read_text("utf-8"))
    for definition in release["$defs"].values():
        if definition.get("x-method") == "session/list":
            definition[old] = new
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text(json.dumps(release), "utf-8")
    theirs = load(file)
    renamed = "session/enumerate" if old == "x-method" else "session/list"
    assert (renamed, "session/list") in [(m.name, own.name) for m, own in moved(theirs, ours())]
    definitions = annotate(release, theirs, ours())["$defs"]
    assert isinstance(definitions, dict)
    classed = {n for n, d in definitions.items() if isinstance(d, dict) and "x-retry-class" in d}
    assert "ListSessionsRequest" not in classed
    assert {"NewSessionRequest", "CancelNotification"} & classed


PATHS: list[tuple[str | None, ...]] = [
    ("$defs",),
    ("$defs", None, "x-errors"),
    ("a'b", 'c"d', "e\\f", "g\n\x01", "\\'", '\\"', "\u2028é"),
]


@pytest.mark.parametrize("path", PATHS)
def test_a_target_is_jsonpath(path: tuple[str | None, ...]) -> None:
    steps = [step or "any" for step in path]
    schema: Any = "here"
    for step in reversed(steps):
        schema = {step: schema}
    (node,) = JSONPathEnvironment().find(Action(path, "").target, schema)
    assert node.location == tuple(steps)
    assert node.value == "here"


def test_a_target_with_a_condition_is_jsonpath() -> None:
    action = Action((Holders(("a'b", "c")), "d"), "")
    schema: Any = {
        "x": {"a'b": 0, "c": None, "d": 1},
        "y": {"c": 0, "d": 2},
        "z": [{"a'b": 0, "c": 0}],
        "w": "a'b",
    }
    nodes = JSONPathEnvironment().find(action.target, schema)
    assert [node.location for node in nodes] == [("x", "d")]
    assert apply(schema, [action]) == {**schema, "x": {"a'b": 0, "c": None}}
