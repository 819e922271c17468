"""Params as the components of Mintlify and of Docusaurus, written by templates of one's own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from acpgen.emit.templates import Templates
from acpgen.inject import Elsewhere, regions
from acpgen.model import Nullable, Object, Protocol, Ref, TypeName
from acpgen.targets.pages.param_fields import FieldTree, ParamField
from acpgen.targets.pages.site import Links, plan
from page_reader import rewritten, spoil
from whole_schema import whole_schema

Compiler = Callable[..., Mapping[str, str]]
TEMPLATES = Path(__file__).parents[2] / "examples" / "components"
METHODS = ("session/prompt", "session/new", "elicitation/create", "mcp/message")


@cache
def protocol() -> Protocol:
    return whole_schema()


def tree(given: Protocol) -> FieldTree:
    return FieldTree(given, Links(plan(given), "docs/index.md"))


def params(folder: str, given: Protocol) -> dict[str, str]:
    known = regions(given, Templates(TEMPLATES / folder))
    links = Elsewhere(plan(given), "page.mdx", "/docs/", "")
    return {name: known[f"params:{name}"].render(links) for name in METHODS}


@pytest.mark.prove("compiles MDX; the regions are compiled in `make test`")
def test_templates_of_ones_own_write_components(compiled: Compiler) -> None:
    texts = {
        f"{folder} {kind} {name}": text
        for kind, given in (("plain", protocol()), ("hostile", rewritten(protocol(), spoil)))
        for folder in ("mintlify", "docusaurus")
        for name, text in params(folder, given).items()
    }
    assert len(texts) == 4 * len(METHODS)
    assert compiled(texts, elements=True) == {}


def test_each_member_is_a_component_and_those_inside_are_in_it() -> None:
    text = params("mintlify", protocol())["session/prompt"]
    assert '<ParamField body="sessionId" type="SessionId" required>' in text
    assert '<ParamField body="prompt" type="array of ContentBlock" required>' in text
    assert '<ParamField body="idempotencyKey" type="IdempotencyKey or null">' in text
    counts = Counter(re.findall(r"</?(ParamField|Expandable|Tabs|Tab)\b", text))
    assert counts["ParamField"] > 20
    assert counts["Expandable"] > 2
    first = text.index('body="prompt"')
    assert first < text.index('<Tab title="text">') < text.index('body="idempotencyKey"')


def names(fields: tuple[ParamField, ...]) -> list[str]:
    return [field.name for field in fields]


def test_a_tag_is_not_a_member_of_its_variant() -> None:
    (_, prompt, *_) = tree(protocol()).fields(Ref(TypeName("PromptRequest")))
    text = next(choice for choice in prompt.choices if choice.name == "text")
    assert (text.tag, names(text.fields)) == ("type", ["text", "annotations", "_meta"])
    assert names(text.fields[1].fields) == ["audience", "lastModified", "priority", "_meta"]


def test_a_type_inside_itself_ends_there() -> None:
    given, name = protocol(), TypeName("Annotations")
    old = given.types[name]
    assert isinstance(old.body, Object)
    inner = replace(old.body.properties[0], name="again", type=Nullable(Ref(name)))
    body = replace(old.body, properties=(inner,))
    looped = replace(given, types={**given.types, name: replace(old, body=body)})
    (again,) = tree(looped).fields(Ref(name))
    assert (again.words, again.fields, again.choices) == ("Annotations or null", (), ())
