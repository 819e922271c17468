"""What the models target makes of a protocol: names, order, hostile text, refusals, types."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from pydantic import ValidationError

import acp_v2.models
from acp_v2.models import AcpModel
from acp_wire.models.members import wire_names
from acpgen import resources
from acpgen.emit.header import HEADER
from acpgen.emit.jsonschema import JsonSchema
from acpgen.emit.templates import Templates
from acpgen.model import (
    Array,
    Map,
    Nullable,
    Object,
    Ref,
    Scalar,
    ScalarType,
    Tolerance,
    Type,
    TypeName,
    Union,
)
from acpgen.targets.models import models
from acpgen.targets.models.codegen import GeneratedNamesError, modules
from acpgen.targets.models.naming import attribute
from acpgen.targets.models.normalization import normalize
from acpgen.targets.models.python_shapes import Record, UnionShape
from model_packages import build, member, only, with_member, with_type
from proofs import a_few
from small_models import PROTOCOL, STRING, an_object, small, variant
from whole_schema import released_schema

TEMPLATES = Templates(resources.TEMPLATES)


@cache
def whole_tree() -> dict[str, str]:
    """The models of the whole schema, by path."""
    return models(PROTOCOL, TEMPLATES)


def definitions(tree: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The classes and aliases of the domain modules, by path."""
    for path, text in tree.items():
        if path.count("/") == 3 and not Path(path).name.startswith("_"):
            for statement in ast.parse(text).body:
                match statement:
                    case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                        yield path, name
                    case _:
                        continue


def test_no_name_ends_in_an_ordinal() -> None:
    names = [name for _, name in definitions(whole_tree())]
    assert len(names) > 300
    assert [name for name in names if re.search(r"[0-9]$", name)] == []


def test_every_type_is_defined_in_the_module_of_its_domain() -> None:
    defined = set(definitions(whole_tree()))
    assert {
        (f"python/acp_v2/models/{type_.domain}.py", name) for name, type_ in PROTOCOL.types.items()
    } <= defined


def test_every_file_is_marked_as_generated() -> None:
    assert whole_tree()["python/acp_v2/py.typed"] == ""
    for path, text in whole_tree().items():
        if path.endswith(".py"):
            assert text.startswith(f"# {HEADER}\n")
            assert text.endswith("\n")


def test_the_order_of_types_and_branches_moves_no_name() -> None:
    backwards = replace(PROTOCOL, types=dict(reversed(list(PROTOCOL.types.items()))))
    assert models(backwards, TEMPLATES) == whole_tree()
    union = PROTOCOL.types[TypeName("SessionUpdate")].body
    assert isinstance(union, Union)
    turned = with_type(
        PROTOCOL, "SessionUpdate", replace(union, variants=tuple(reversed(union.variants)))
    )
    assert set(normalize(turned).shapes) == set(normalize(PROTOCOL).shapes)


@pytest.mark.prove("generates all models once more; the checkers show the same")
def test_the_text_depends_on_nothing_around(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.black]\nline-length = 40\n[tool.datamodel-codegen]\nsnake-case-field = false\n"
    )
    script = (
        "import hashlib; from acpgen import resources; from acpgen.load import load;"
        "from acpgen.emit.templates import Templates; from acpgen.targets.models import models;"
        "tree = models(load(resources.SCHEMA), Templates(resources.TEMPLATES));"
        "print(hashlib.sha256(repr(sorted(tree.items())).encode()).hexdigest())"
    )
    surroundings = {"PYTHONHASHSEED": "7", "TZ": "Asia/Kolkata", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, **surroundings, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == sha256(repr(sorted(whole_tree().items())).encode()).hexdigest()


HOSTILE = (
    'ends in a quote "',
    'three """ of them\n"""\nclass Evil:\n    pass\n"""',
    "ends in a backslash \\",
    "\\N{BULLET} \\x \\u12 {{ curly }} {% raw %}",
    "a */ b <b>|`c` # d\r\n\ttab \u2028 \x0b \u202e \ud7ff",
    "bell \x07 and escape \x1b",
    "'''",
)


@pytest.mark.parametrize("text", a_few(HOSTILE, HOSTILE[1:4], "generates models for each"))
def test_hostile_descriptions_stay_descriptions(text: str, tmp_path: Path) -> None:
    types = {
        name: replace(type_, docs=text, body=with_docs(type_.body, text))
        for name, type_ in PROTOCOL.types.items()
    }
    protocol = only(replace(PROTOCOL, types=types), "content", "ids")
    built = build(protocol, tmp_path)
    assert not hasattr(built, "Evil")
    block = built.ContentBlockText(type="text", text="x")
    assert block.to_wire() == b'{"text":"x","type":"text"}'
    assert not re.search(
        "[\u2028\u202e\x0b\x1b\x07]", "".join(models(protocol, TEMPLATES).values())
    )
    words = text.replace("\r\n", "\n").split()
    assert (type(block).__mro__[1].__doc__ or "").split() == words
    assert {name for _, name in definitions(models(protocol, TEMPLATES))} == {
        name for name in built.__all__ if name in normalize(protocol).shapes
    }


def with_docs(body: Type, text: str) -> Type:
    if not isinstance(body, Object):
        return body
    return replace(body, properties=tuple(replace(p, docs=text) for p in body.properties))


def test_a_key_is_strict_even_if_the_schema_is_not(tmp_path: Path) -> None:
    tolerant = replace(
        member(PROTOCOL, "PromptRequest", "idempotencyKey"),
        tolerance=Tolerance(default_on_error=True),
    )
    spoilt = with_member(PROTOCOL, "PromptRequest", tolerant)
    built = build(only(spoilt, "prompt", "content", "ids"), tmp_path)
    data = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "idempotencyKey": ""}
    with pytest.raises(ValueError, match="idempotencyKey"):
        built.PromptRequest.from_wire_tolerant(data)


def test_a_variant_takes_the_place_of_a_type_of_its_name() -> None:
    shape = normalize(PROTOCOL).shapes[TypeName("McpServerHttp")][1]
    assert isinstance(shape, Record)
    assert [p.name for p in shape.members][:3] == ["type", "name", "url"]


def test_unions_in_unions_are_multiplied_out() -> None:
    shapes = normalize(PROTOCOL).shapes
    outer = shapes[TypeName("CreateElicitationRequest")][1]
    inner = shapes[TypeName("CreateElicitationRequestForm")][1]
    leaf = shapes[TypeName("CreateElicitationRequestFormSession")][1]
    assert isinstance(outer, UnionShape)
    assert isinstance(inner, UnionShape)
    assert isinstance(leaf, Record)
    assert (outer.tag, inner.tag) == ("mode", None)
    assert leaf.bases == (
        TypeName("ElicitationFormModeSession"),
        TypeName("CreateElicitationRequestForm"),
    )
    assert leaf.excludes == ()


def test_attributes_are_called_as_expected() -> None:
    """The check for collisions knows the names that the code generator makes."""
    for name in acp_v2.models.__all__:
        model = getattr(acp_v2.models, name)
        if isinstance(model, type) and issubclass(model, AcpModel):
            for python, wire in wire_names(model).items():
                assert attribute(wire) == python.rstrip("_")


NEST = Ref(TypeName("Nest"))


@pytest.mark.parametrize(
    ("nest", "good", "bad"),
    [
        (Array(NEST), [[], [[]]], [[1], [{"no": "list"}], [[[None]]]]),
        (Array(NEST, min_items=1), [], [[], [[]]]),
        (Array(Array(NEST)), [[], [[], [[]]]], [[1], [[1]], [[[1]]]]),
        (Nullable(Array(NEST)), [None, [None, []]], [[1], [[1]]]),
        (Array(Nullable(NEST)), [[None, [None]]], [[1], [[1]]]),
        (Array(Map(NEST)), [[], [{"a": [{}]}]], [[1], [{"a": 1}], [{"a": [1]}]]),
        (Map(NEST), [{}, {"a": {"b": {}}}], [{"a": 1}, {"a": {"b": []}}]),
        (Array(Ref(TypeName("Other"))), [[], [[]]], [[1], [[1]]]),
        (
            Array(Union((variant("NestLeaf", STRING), variant("NestNode", NEST)))),
            [["a", ["b", []]]],
            [[1], [["a", 1]]],
        ),
    ],
    ids=["plain", "not empty", "twice", "or null", "of null", "maps", "map", "alias", "union"],
)
def test_a_type_that_contains_itself_is_checked_at_every_level(
    nest: Type, good: list[object], bad: list[object], tmp_path: Path
) -> None:
    built = build(small(Nest=nest, Other=NEST, Keep=an_object(nest=NEST)), tmp_path)
    for value in good:
        text = json.dumps({"nest": value})
        assert json.loads(built.Keep.from_wire(text).to_wire()) == {"nest": value}
        built.parse(built.Nest, value)
    for value in bad:
        with pytest.raises(ValidationError):
            built.Keep.from_wire(json.dumps({"nest": value}))
        with pytest.raises(ValidationError):
            built.Keep.from_wire_tolerant({"nest": value})
        with pytest.raises(ValidationError):
            built.parse(built.Nest, value)


CUP = an_object(size=STRING)
WARE = Union(
    (variant("WareRound", an_object(form=STRING)), variant("WareFlat", an_object(h=STRING)))
)


@pytest.mark.parametrize("domain", ["things", "apart"])
@pytest.mark.parametrize(
    ("base", "good"),
    [
        ("Cup", {"size": "x", "heat": "y"}),
        ("Mug", {"size": "x", "heat": "y"}),
        ("Ware", {"form": "x", "heat": "y"}),
    ],
)
def test_a_base_gives_its_members_by_whatever_name(
    base: str, good: dict[str, str], domain: str, tmp_path: Path
) -> None:
    tea = replace(an_object(heat=STRING), bases=(Ref(TypeName(base)),))
    protocol = small(Cup=CUP, Mug=Ref(TypeName("Cup")), Ware=WARE, Tea=tea)
    types = {
        name: type_ if name == "Tea" else replace(type_, domain=domain)
        for name, type_ in protocol.types.items()
    }
    module = build(replace(protocol, types=types), tmp_path)

    def parse(members: dict[str, str]) -> object:
        return module.parse(module.Tea, json.dumps(members).encode())

    assert parse(good)
    for missing in good:
        with pytest.raises(ValueError, match="Field required"):
            parse({name: value for name, value in good.items() if name != missing})


def test_a_name_made_up_by_the_code_generator_is_an_error() -> None:
    nameless: JsonSchema = {"type": "object", "properties": {"c": {"type": "string"}}}
    definitions: dict[str, JsonSchema] = {"m.A": {"type": "object", "properties": {"b": nameless}}}
    with pytest.raises(GeneratedNamesError, match=r"made up \['B'\] in m"):
        modules(definitions, "base", {"m": ("A",)})


def test_a_type_changes_its_own_module_only() -> None:
    used = PROTOCOL.types[TypeName("MessageId")]
    wider = replace(used, docs="An ID.", body=Scalar(ScalarType.STRING, max_length=9))
    tree = models(replace(PROTOCOL, types={**PROTOCOL.types, used.name: wider}), TEMPLATES)
    assert any("MessageId" in text for path, text in whole_tree().items() if "/prompt.py" in path)
    changed = {
        path.removeprefix("python/acp_v2/")
        for path in whole_tree()
        if tree[path] != whole_tree()[path]
    }
    # The package and its table of methods know the checkers and the retry table by digests.
    assert changed - {"__init__.py", "models/_methods.py"} == {"models/ids.py"}


@pytest.mark.prove("generates models of each release")
@pytest.mark.parametrize("release", ["v1/schema.unstable", "v2/schema.unstable"])
def test_upstream_releases_have_models(release: str, upstream_schemas: Path) -> None:
    protocol = released_schema(upstream_schemas / f"{release}.json")
    tree = models(protocol, TEMPLATES)
    names = {name for _, name in definitions(tree)}
    assert set(protocol.types) <= names
    assert [name for name in names if re.search(r"[0-9]$", name)] == []
    assert "retry" not in tree[f"python/acp_v{protocol.version}/models/_methods.py"]
