"""Rules about what is generated: a type that loads may still fit no output.

The targets are imported when a rule runs, because listing the rules does not need them.
"""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.lint.rule import Fault, method_fault, rule
from acpgen.lint.rules import names
from acpgen.model import ENVELOPE_TYPES, MethodName, Protocol, Ref, TypeName
from acpgen.targets.languages.language_table import type_faults
from acpgen.targets.models.naming import unusable_names
from acpgen.targets.models.normalization import normalize
from acpgen.targets.pages.site import guide_complaint, slug_of
from acpgen.types.samples import SampleError, Samples
from acpgen.types.structure import references

_NAME_RULES = (names.name_collision, names.repeated_value)
"""The rules about classes with one name. Those can't be modelled either."""


@rule()
def method_collision(protocol: Protocol) -> Iterator[Fault]:
    """No two methods differ only in case or punctuation.

    Why: pages and files of vectors are called after methods, in small letters and hyphens. Two
    methods that come to the same would be one file.

    Example: `"x-method": "Session/List"` beside `session/list`, or `a_b` beside `a/b`

    Fix: rename one of the two.
    """
    taken: dict[str, MethodName] = {}
    for method in protocol.methods:
        other = taken.setdefault(slug_of(method.name), method.name)
        if other != method.name:
            message = f"would share the file {slug_of(other)}.md with {other}; rename one of them"
            yield method_fault(method, message)


@rule()
def unknown_guide(protocol: Protocol) -> Iterator[Fault]:
    """The guide that a method names is among the generated pages.

    Why: the method's page would link to nothing. The guides are about keyed prompts, so they are
    written only where session/prompt takes a key.

    Example: `"x-docs": "promt-lifecycle"`, or x-docs in a schema without session/prompt

    Fix: name one that exists, or remove x-docs.
    """
    for method in protocol.methods:
        if complaint := guide_complaint(protocol, method):
            yield Fault(method.location.at("x-docs"), complaint, method.name)


@rule()
def unusable_name(protocol: Protocol) -> Iterator[Fault]:
    """The names of domains and types can be names of modules and classes in Python.

    Why: the models are a package with a module a domain. What Python or that package needs itself
    can be the name of neither.

    Example: a file `class.json`, or a type called `AcpModel`

    Fix: rename the file or the type.
    """
    yield from unusable_names(protocol, normalize(protocol).shapes)


@rule()
def no_model(protocol: Protocol) -> Iterator[Fault]:
    """Every type can be a class, a union or an alias in Python.

    Why: the models are made of all types. Some types that JSON Schema allows have
    no counterpart in Python, such as an object without a name inside another, limits of items that
    have no name, or a type for members of any name that counts for those of a base, too.

    Example: `"properties": {"size": {"type": "object", "properties": {"height": ...}}}`

    Fix: give the part that is named a definition of its own in `$defs`.
    """
    if any(True for each in _NAME_RULES for _ in each.function(protocol)):
        return
    yield from normalize(protocol).faults


@rule()
def no_declaration(protocol: Protocol) -> Iterator[Fault]:
    """Every type can be declared in each language that has types of everything.

    Why: a name can be one that the generated code of a language needs, or the name of two of its
    declarations, and an engine may lack what a pattern asks for.

    Example: a type `Fault`, a member `base` of a type with the base `Base`, or, since Go can't look
    ahead, `"pattern": "^(?!x)"`

    Fix: rename the type or the member, or write the pattern in another way.
    """
    earlier = (*_NAME_RULES, names.member_collision, no_model)
    if any(True for each in earlier for _ in each.function(protocol)):
        return
    yield from type_faults(protocol)


@rule()
def no_sample(protocol: Protocol) -> Iterator[Fault]:
    """A sample value of every type can be made.

    Why: the test vectors are made of such values. A string that has to match a pattern is looked
    for among the examples, and what is larger than a vector may be is not made.

    Example: `{"type": "string", "pattern": "^[0-9a-f]{8}$"}` and no such string in any example,
    or a type with a required member of its own type

    Fix: put one in an example, or ask for less. A member that leads back to the type has to be
    optional.
    """
    if not all(name in protocol.types for name in ENVELOPE_TYPES):
        return  # No message, so no vectors either.
    failing = dict(_without_samples(protocol))
    inner = [name for name in failing if not _uses(protocol, name) & failing.keys() - {name}]
    for name in inner or failing:
        yield Fault(protocol.types[name].location, failing[name])


def _without_samples(protocol: Protocol) -> Iterator[tuple[TypeName, str]]:
    """The types without a sample value, each with the reason."""
    samples = Samples(protocol)
    for name in protocol.types:
        try:
            samples.least(Ref(name))
            samples.full(Ref(name))
        except SampleError as error:
            yield name, str(error)


def _uses(protocol: Protocol, name: TypeName) -> set[TypeName]:
    return set(references(protocol.types[name].body))
