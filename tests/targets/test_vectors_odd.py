"""Vectors of odd protocols: what has none, and what can't be put into a file or be proven."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acpgen.judge.message_verdict import MessageRule
from acpgen.model import (
    Array,
    MethodName,
    Object,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Side,
    Type,
    TypeName,
    Union,
)
from acpgen.targets.vectors import SampleError, UnprovenError, VectorNameError, vectors
from acpgen.targets.vectors.proof import Proof
from acpgen.targets.vectors.vector import Defect
from acpgen.targets.vectors.vector import Vector as Claim
from model_packages import member, with_type
from vector_files import PROTOCOL, TEMPLATES, VECTORS, read


def test_a_protocol_without_the_envelope_has_no_vectors() -> None:
    kept = {name: type_ for name, type_ in PROTOCOL.types.items() if name != "ExtRequest"}
    assert vectors(replace(PROTOCOL, types=kept), TEMPLATES) == {}


def with_base(body: Type) -> Protocol:
    """The protocol with a type `Base` that the result of a prompt is as well."""
    base = replace(PROTOCOL.types[TypeName("PromptResponse")], name=TypeName("Base"), body=body)
    protocol = replace(PROTOCOL, types={**PROTOCOL.types, base.name: base})
    result = PROTOCOL.types[TypeName("PromptResponse")].body
    assert isinstance(result, Object)
    return with_type(protocol, "PromptResponse", replace(result, bases=(Ref(base.name),)))


def property_of(type_: Type, name: str) -> Property:
    return replace(member(PROTOCOL, "PromptResponse", "messageId"), name=name, type=type_)


def test_a_vector_that_the_schema_does_not_bear_out_is_an_error() -> None:
    torn = with_base(Object((property_of(Scalar(ScalarType.BOOLEAN), "messageId"),)))
    with pytest.raises(
        UnprovenError, match=r"session-prompt\.result\.json: 'minimal' should be va"
    ):
        vectors(torn, TEMPLATES)


def test_a_planted_wrong_vector_is_an_error() -> None:
    proof = Proof(PROTOCOL)
    fault = Defect(MessageRule.TYPE, ("params",), "must be an object, not null")
    right = Claim("x", Side.CLIENT, {"jsonrpc": "2.0", "method": "_x", "params": None})
    assert list(proof.proven("f.json", [right])) == [right]
    with pytest.raises(UnprovenError, match=r"f\.json: 'x' should be invalid"):
        list(proof.proven("f.json", [replace(right, fault=fault)]))


def test_what_another_alternative_takes_is_not_a_fault() -> None:
    name = TypeName("EmbeddedResourceResource")
    choice = PROTOCOL.types[name].body
    assert isinstance(choice, Union)
    anything = replace(choice.variants[0], name=TypeName("Anything"), body=Object())
    lenient = with_type(PROTOCOL, name, replace(choice, variants=(*choice.variants, anything)))
    before = {str(v) for v in VECTORS}
    after = {str(v) for v in read(vectors(lenient, TEMPLATES))}
    assert "session-prompt.request.json TextResourceContents.text: missing" in before - after
    assert "session-prompt.request.json TextResourceContents.text: integer" not in before | after
    assert "session-prompt.request.json Anything: full" in after - before


def test_a_type_that_holds_itself_without_end_is_an_error() -> None:
    endless = with_base(Object((property_of(Ref(TypeName("Base")), "again"),)))
    with pytest.raises(SampleError, match="Base holds itself without end"):
        vectors(endless, TEMPLATES)


def test_a_type_may_hold_itself_where_that_ends() -> None:
    again = replace(property_of(Ref(TypeName("Base")), "again"), required=False)
    found = read(vectors(with_base(Object((again,))), TEMPLATES))
    full = next(v for v in found if str(v) == "session-prompt.result.json full")
    assert full.content["again"] == {"again": {}}


def test_a_pattern_takes_its_sample_from_the_examples() -> None:
    spoken = with_type(PROTOCOL, "SessionId", Scalar(ScalarType.STRING, pattern="^sess_"))
    found = {str(v): v for v in read(vectors(spoken, TEMPLATES))}
    assert found["session-prompt.request.json minimal"].content["sessionId"].startswith("sess_")
    broken = found["session-prompt.request.json SessionId: pattern"]
    assert (broken.pointer, broken.rule) == ("/params/sessionId", "pattern")
    unheard = with_type(PROTOCOL, "SessionId", Scalar(ScalarType.STRING, pattern="^[0-9]{40}$"))
    with pytest.raises(SampleError, match="no string in any example matches"):
        vectors(unheard, TEMPLATES)


@pytest.mark.parametrize(
    "greedy",
    [
        Scalar(ScalarType.STRING, min_length=2**31 - 1),
        Array(Scalar(ScalarType.STRING), min_items=2**31 - 1),
    ],
    ids=["string", "list"],
)
def test_what_a_file_could_not_hold_is_an_error(greedy: Type) -> None:
    with pytest.raises(SampleError, match="more than the 10000 of a sample"):
        vectors(with_base(Object((property_of(greedy, "much"),))), TEMPLATES)


@pytest.mark.parametrize(
    "generous",
    [
        Scalar(ScalarType.STRING, max_length=2**31 - 1),
        Array(Scalar(ScalarType.STRING), max_items=2**31 - 1),
    ],
    ids=["string", "list"],
)
def test_a_limit_that_no_file_could_hold_is_not_tried(generous: Type) -> None:
    many = replace(property_of(generous, "much"), required=False)
    tree = vectors(with_base(Object((many,))), TEMPLATES)
    assert max(map(len, tree.values())) < 5_000_000


def test_two_methods_that_would_share_a_file_are_an_error() -> None:
    first, *others = PROTOCOL.methods
    alike = replace(first, name=MethodName(f"{first.name}/"))
    with pytest.raises(VectorNameError, match="two methods would share cancel-request"):
        vectors(replace(PROTOCOL, methods=(first, alike, *others)), TEMPLATES)
