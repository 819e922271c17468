"""What the models target refuses, by its place in the schema."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.load import SchemaError
from acpgen.model import (
    Array,
    Object,
    Protocol,
    Ref,
    TypeName,
    Union,
)
from acpgen.targets.models import models
from small_models import PROTOCOL, STRING, an_object, small, variant

TEMPLATES = Templates(resources.TEMPLATES)


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (
            small(A=an_object(b=Array(an_object(c=STRING)))),
            "holds an object without a name",
        ),
        (
            small(A=Union((variant("AX", Ref(TypeName("B")), "x"),), "t"), B=STRING),
            "gives members to B, which has none",
        ),
        (
            small(A=Object(unions=(Union(()), Union(())))),
            "combines two unions",
        ),
        (
            small(A=Union((variant("AX", an_object(c=STRING)),)), AX=STRING),
            "would be called AX, like another type",
        ),
        (
            small(
                A=Union((variant("AX", Ref(TypeName("AX")), "x"),), "t"),
                AX=an_object(c=STRING),
                B=an_object(a=Ref(TypeName("AX"))),
            ),
            "is called AX, like a type that is used elsewhere",
        ),
        (
            small(
                A=Union((replace(variant("AO", an_object(c=STRING)), fallback=True),), "t"),
            ),
            "its tag must be a required string",
        ),
        (
            small(
                A=Union((variant("AX", STRING), variant("AY", Ref(TypeName("B")))), exclusive=True),
                B=an_object(),
            ),
            "is in a oneOf without a tag",
        ),
        (
            small(
                A=replace(
                    an_object(c=STRING),
                    unions=(Union((variant("AX", an_object(c=Array(STRING))),)),),
                )
            ),
            "have unrelated types",
        ),
        (
            small(
                A=replace(
                    an_object(c=STRING), unions=(Union((variant("AX", Ref(TypeName("B"))),)),)
                ),
                B=an_object(c=Array(STRING)),
            ),
            "is a member of B too",
        ),
        (
            small(
                A=replace(an_object(c=STRING), bases=(Ref(TypeName("B")),)),
                B=replace(an_object(), additional=STRING),
            ),
            "is new to B, which has a type for members of any name",
        ),
        (
            small(A=replace(an_object(), bases=(Ref(TypeName("B")),)), B=STRING),
            "extends B, which is not an object",
        ),
        *(
            (
                small(**{name: STRING}),
                f"the type {name} can't be a Python class: the name is in use",
            )
            for name in ("AcpModel", "Any", "Field", "None", "TypeAliasType")
        ),
        (small(word=STRING), "the type word can't be a Python class: it needs a capital"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_has_no_counterpart_is_refused_by_place(protocol: Protocol, message: str) -> None:
    with pytest.raises(SchemaError) as refusal:
        models(protocol, TEMPLATES)
    (finding,) = refusal.value.findings
    assert message in finding.message
    assert finding.file == PROTOCOL.types[TypeName("PromptRequest")].location.file
    assert finding.pointer.startswith("/$defs/PromptRequest/")


@pytest.mark.parametrize("domain", ["class", "two-words", "_base", "parse", "1st"])
def test_a_domain_that_is_not_a_module_name_is_refused(domain: str) -> None:
    protocol = small(A=STRING)
    types = {name: replace(type_, domain=domain) for name, type_ in protocol.types.items()}
    with pytest.raises(SchemaError) as refusal:
        models(replace(protocol, types=types), TEMPLATES)
    (finding,) = refusal.value.findings
    assert domain in finding.message
    assert finding.file == protocol.types[TypeName("A")].location.file


def test_all_faults_are_found_at_once() -> None:
    nameless = an_object(c=STRING)
    protocol = small(
        A=an_object(one=nameless, two=Array(an_object(inner=nameless))),
        B=an_object(mode=STRING, Mode=STRING),
        Any=STRING,
    )
    with pytest.raises(SchemaError) as refusal:
        models(protocol, TEMPLATES)
    assert {
        (finding.pointer.removeprefix("/$defs/PromptRequest/"), finding.message.partition(";")[0])
        for finding in refusal.value.findings
    } == {
        ("one", "holds an object without a name"),
        ("two", "holds an object without a name"),
        ("inner", "holds an object without a name"),
        ("Any", "the type Any can't be a Python class: the name is in use"),
        ("Mode", "Mode and mode, at /$defs/PromptRequest/mode, would both be mode"),
    }


@pytest.mark.parametrize(("one", "other"), [("meta", "_meta"), ("FooBar", "fooBar")])
def test_members_of_one_attribute_are_refused(one: str, other: str) -> None:
    for protocol in (
        small(A=an_object(**{one: STRING, other: STRING})),
        small(
            A=replace(an_object(**{one: STRING}), bases=(Ref(TypeName("B")),)),
            B=an_object(**{other: STRING}),
        ),
        small(
            A=replace(
                an_object(**{one: STRING}),
                unions=(Union((variant("AX", an_object(**{other: STRING})),)),),
            )
        ),
    ):
        with pytest.raises(SchemaError) as refusal:
            models(protocol, TEMPLATES)
        (finding,) = refusal.value.findings
        assert {one, other} <= set(finding.message.replace(",", "").split())


def test_domains_that_need_each_other_are_refused() -> None:
    protocol = small(A=an_object(b=Ref(TypeName("B"))), B=an_object(a=Array(Ref(TypeName("A")))))
    here = protocol.types[TypeName("A")]
    types = {**protocol.types, here.name: replace(here, domain="apart")}
    with pytest.raises(SchemaError) as refusal:
        models(replace(protocol, types=types), TEMPLATES)
    (finding,) = refusal.value.findings
    assert finding.message == (
        "the domains apart -> things -> apart need each other; "
        "move what both need to a file of its own"
    )
