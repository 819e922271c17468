"""What vectors there are, and the files that they stand in."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acpgen.emit.header import owns
from acpgen.model import (
    SENDS,
    ClosedEnum,
    Kind,
    Method,
    Nullable,
    Object,
    Scalar,
    ScalarType,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.types.stability import reach
from acpgen.types.structure import children
from vector_files import INDEX, PROTOCOL, TREE, VECTORS, Vector, named

ANY = Scalar(ScalarType.ANY)


def subjects() -> list[Any]:
    """Every file about a method, with the type of what its messages hold."""
    found = []
    for entry in INDEX["files"]:
        if entry["method"] is not None:
            kind = Kind.REQUEST if entry["kind"] == "result" else Kind(entry["kind"])
            method = PROTOCOL.method(entry["method"], kind)
            assert method is not None
            type_ = method.result if entry["kind"] == "result" else method.params
            found.append(pytest.param(entry["file"], method, type_, id=entry["file"]))
    return found


def test_every_method_has_a_file_for_each_kind() -> None:
    expected = [(m.name, m.kind.value) for m in PROTOCOL.methods]
    expected += [(m.name, "result") for m in PROTOCOL.methods if m.result is not None]
    found = [(e["method"], e["kind"]) for e in INDEX["files"] if e["method"] is not None]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(("file", "method", "type_"), subjects())
def test_every_method_has_its_positives(file: str, method: Method, type_: TypeName) -> None:
    value = {v.name: v.content for v in named(file).values() if v.rule is None}
    definition = PROTOCOL.types[type_]
    examples = {name: v for name, v in value.items() if re.fullmatch(r"example \d+", name)}
    assert list(examples.values()) == list(definition.examples)
    assert len(examples) > 0
    assert {"minimal", "full"} <= value.keys()
    if isinstance(definition.body, Object):
        members = {p.name for p in definition.body.properties}
        required = {p.name for p in definition.body.properties if p.required}
        assert value["full"].keys() >= members
        assert value["minimal"].keys() & members == required
    assert {f"{v.name}: full" for v in variants(type_)} <= value.keys()
    assert {v.parsed.get("method", v.answers) for v in named(file).values()} == {method.name}


@pytest.mark.parametrize(("file", "method", "type_"), subjects())
def test_every_kind_of_defect_is_there(file: str, method: Method, type_: TypeName) -> None:
    found = named(file)
    broken = {(v.rule, name) for v in found.values() for name in (None, blamed(v))}
    assert set(demands(type_)) - broken == set()
    if file.endswith(".result.json"):
        return
    assert {"params: missing", "params: null"} <= found.keys()
    strangers = {sender for sender, sides in SENDS.items() if method.side not in sides}
    assert {v.sender for v in found.values() if v.rule == "wrong-side"} == strangers
    kinds = [m.kind for m in PROTOCOL.methods if m.name == method.name]
    wrong_kinds = [v for v in found.values() if v.rule == "wrong-kind"]
    assert len(wrong_kinds) == (0 if len(kinds) == 2 else 1)


def blamed(vector: Vector) -> str:
    """The member at fault, also where the pointer stops at a choice."""
    path: str = vector.repair[0]["path"] if vector.repair else ""
    return path.rsplit("/", 1)[-1]


def bodies(type_: TypeName) -> Iterator[Type]:
    """The parts of everything that a type leads to, where a fault can show."""
    for name in reach(PROTOCOL.types, [type_], visible):
        yield from shown(PROTOCOL.types[name].body)


def shown(type_: Type) -> Iterator[Type]:
    yield visible(type_)
    for child in children(visible(type_)):
        yield from shown(child)


def visible(type_: Type) -> Type:
    """A type without the tags of its choices; one that takes everything if one of them does."""
    if not isinstance(type_, Union):
        return type_
    if any(v.body == ANY for v in type_.variants):
        return ANY
    return replace(type_, variants=tuple(untagged(v, type_.tag) for v in type_.variants))


def untagged(variant: Variant, tag: str | None) -> Variant:
    body = variant.body
    if not isinstance(body, Object):
        return variant
    rest = tuple(p for p in body.properties if p.name != tag)
    return replace(variant, body=replace(body, properties=rest))


def variants(type_: TypeName) -> Iterator[Variant]:
    for body in bodies(type_):
        if isinstance(body, Union):
            yield from body.variants


LIMITS = ("min_length", "max_length", "minimum", "maximum", "min_items", "max_items", "pattern")


def demands(type_: TypeName) -> Iterator[tuple[str, str | None]]:
    """The rules that a type can break, with the member at fault where there is one."""
    for body in bodies(type_):
        if isinstance(body, Object):
            yield from (("required", p.name) for p in body.properties if p.required)
            yield from (("type", p.name) for p in body.properties if not takes_all(p.type))
        if isinstance(body, ClosedEnum):
            yield ("const" if len(body.values) == 1 else "enum"), None
        if isinstance(body, Union):
            if body.exclusive:
                yield "one-of", None
            if body.tag is not None and all(v.value or v.fallback for v in body.variants):
                yield from (("required", body.tag), ("type", body.tag))
        for limit in LIMITS:
            if getattr(body, limit, None) is not None:
                yield limit.replace("_", "-"), None


def takes_all(type_: Type) -> bool:
    inner = type_.of if isinstance(type_, Nullable) else type_
    return visible(PROTOCOL.resolve(inner)) == ANY


def test_limits_are_met_and_passed_by_one() -> None:
    prompts, greetings = named("session-prompt.request.json"), named("initialize.request.json")
    ends = ("min-length", "at min-length", "at max-length", "max-length")
    keys = (prompts[f"IdempotencyKey: {end}"].content["idempotencyKey"] for end in ends)
    assert [len(key) for key in keys] == [0, 1, 255, 256]
    ends = ("minimum", "at minimum", "at maximum", "maximum")
    versions = (greetings[f"ProtocolVersion: {end}"].content["protocolVersion"] for end in ends)
    assert list(versions) == [-1, 0, 65535, 65536]


def test_a_known_variant_is_not_taken_for_an_unknown_one() -> None:
    found = named("session-prompt.request.json")
    bad, good = found["TextContent.text: missing"], found["ContentBlockOther: full"]
    assert bad.content["prompt"] == [{"type": "text"}]
    assert (bad.pointer, bad.code) == ("/params/prompt/0/text", -32602)
    assert good.content["prompt"] == [{"type": "_custom"}]


KEYS: list[tuple[str, Any, bool]] = [
    ("1 code point", "k", True),
    ("255 code points", "k" * 255, True),
    ("255 astral code points", "\U0001f511" * 255, True),
    ("255 combining code points", "e\u0301" * 127 + "e", True),
    ("NUL", "\0", True),
    ("null", None, True),
    ("0 code points", "", False),
    ("256 code points", "k" * 256, False),
    ("256 astral code points", "\U0001f511" * 256, False),
    ("256 combining code points", "e\u0301" * 128, False),
    ("an integer", 7, False),
    ("a number", 1.5, False),
    ("true", True, False),
    ("false", False, False),
    ("an array", ["sample-key"], False),
    ("an empty array", [], False),
    ("an object", {"key": "sample-key"}, False),
    ("an empty object", {}, False),
]


@pytest.mark.parametrize(("name", "key", "valid"), KEYS, ids=[name for name, *_ in KEYS])
def test_keys_at_every_boundary(name: str, key: Any, valid: bool) -> None:
    vector = named("keys.json")[f"session/prompt: key {name}"]
    assert vector.content["idempotencyKey"] == key
    assert (vector.valid, vector.code) == (valid, None if valid else -32602)
    assert vector.pointer == (None if valid else "/params/idempotencyKey")


def test_keys_that_only_text_can_hold() -> None:
    found = named("keys.json")
    assert "idempotencyKey" not in found["session/prompt: key omitted"].content
    for name, escape in {"high": r"\ud83d", "low": r"\udd11"}.items():
        lone = found[f"session/prompt: key {name} surrogate alone"]
        assert f'"idempotencyKey":"{escape}"' in lone.text
        assert (lone.outcome, lone.code, lone.differs) == ("refuse", -32700, "lone-surrogate")
    for name in ("same", "different"):
        twice = found[f"session/prompt: key twice, {name}"]
        assert twice.text.count('"idempotencyKey":') == 2
        assert (twice.outcome, twice.valid, twice.rule) == ("report", True, "duplicate-member")


ENVELOPE = {
    "request: jsonrpc missing": ("required", -32600),
    "request: id is 1.5": ("type", -32600),
    "request: id is null": ("type", -32600),
    "request: id is true": ("type", -32600),
    "result: with error": ("exclusive-member", -32600),
    "no purpose": ("not-a-message", -32600),
    "batch": ("not-a-message", -32600),
    "empty batch": ("not-a-message", -32600),
    "request: method is nonsense": ("unknown-method", -32601),
    "notification: method is nonsense": ("unknown-method", None),
    "notification: method is $/nonsense": ("unknown-method", None),
    "request: extension": (None, None),
    "NaN": ("not-json", -32700),
    "Error.code: missing": ("required", None),
}


@pytest.mark.parametrize("name", ENVELOPE)
def test_the_envelope_is_broken_in_every_way(name: str) -> None:
    vector = named("envelope.json")[name]
    assert (vector.rule, vector.code) == ENVELOPE[name]


def test_the_index_tells_what_is_in_the_files() -> None:
    listed = {f"vectors/{entry['file']}" for entry in INDEX["files"]}
    assert listed | {"vectors/index.json", "vectors/README.md"} == TREE.keys()
    for entry in INDEX["files"]:
        text = TREE[f"vectors/{entry['file']}"]
        found = named(entry["file"]).values()
        assert entry["sha256"] == hashlib.sha256(text.encode()).hexdigest()
        assert entry["vectors"] == len(json.loads(text)["vectors"]) == len(found)
        counts = Counter(vector.outcome for vector in found)
        assert {o: entry[o] for o in ("accept", "report", "recover", "refuse")} == {
            o: counts[o] for o in ("accept", "report", "recover", "refuse")
        }


def test_files_are_small_ascii_and_have_one_vector_a_line() -> None:
    assert sum(len(text.encode()) for text in TREE.values()) < 3_000_000
    for path, text in TREE.items():
        assert owns(text), path
        if path.endswith(".json"):
            document = json.loads(text)
            lines = text.splitlines()
            rows = document.get("vectors", document.get("files"))
            assert text.isascii()
            assert len(lines) == len(rows) + len(document) + 3
            assert [json.loads(line.rstrip(",")) for line in lines[len(document) + 1 : -2]] == rows


def test_the_readme_explains_every_member_outcome_and_difference() -> None:
    readme = TREE["vectors/README.md"]
    explained = set(re.findall(r"^\| `([\w-]+)` \|", readme, flags=re.MULTILINE))
    members = {name for v in VECTORS for name, value in vars(v).items() if value is not None}
    used = {v.outcome for v in VECTORS} | {v.differs for v in VECTORS if v.differs}
    assert explained == (members - {"file"}) | used
    languages = re.findall(r"^```(\w+)$", readme, flags=re.MULTILINE)
    assert languages == ["go", "java", "kotlin", "rust", "typescript"]


@pytest.mark.prove("makes all vectors again")
def test_the_bytes_depend_on_nothing_but_the_schema(tmp_path: Path) -> None:
    code = """
import hashlib
from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.load import load
from acpgen.targets.vectors import vectors
tree = vectors(load(resources.SCHEMA), Templates(resources.TEMPLATES))
print(hashlib.sha256(repr(tree).encode()).hexdigest())
"""
    expected = hashlib.sha256(repr(TREE).encode()).hexdigest()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "LC_ALL": "C"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == expected
