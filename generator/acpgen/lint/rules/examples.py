"""Rules about instances in the schema: examples and defaults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jsonschema_rs import ValidationError, Validator

from acpgen.emit.jsonschema import JsonSchema, definition, schema_of
from acpgen.emit.validators import Validators
from acpgen.findings import Severity
from acpgen.lint.parts import members
from acpgen.lint.rule import Fault, rule
from acpgen.model import JsonValue, Location, Protocol

_INTEGERS = {
    **{f"int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)},
}
"""The least and the greatest integer of every format of integers."""


@rule(Severity.WARNING, for_files=True)
def missing_example(protocol: Protocol) -> Iterator[Fault]:
    """The params and the result of every method have an example.

    Why: a reader looks at an example before any table, and each one is validated.

    Example: `"FooRequest": {"x-method": "foo", ...}` without `examples`

    Fix: add `examples` with at least one instance, of the kind that a real peer sends.
    """
    for type_ in protocol.types.values():
        if type_.method is not None and not type_.examples:
            yield Fault(type_.location, "needs at least one example", type_.method)


@rule()
def invalid_example(protocol: Protocol) -> Iterator[Fault]:
    """Examples satisfy their type, formats included.

    Why: people copy them. The formats of strings, such as `uri`, are checked, and so are those of
    integers, from `int8` to `uint64`: receivers decode into that type. Messages are not checked
    by their formats.

    Example: `"Foo": {"type": "string", "examples": [5]}`

    Fix: correct the example, or the type.
    """
    validators = _validators(_definitions(protocol))
    for type_ in protocol.types.values():
        if type_.examples:
            place = type_.location.at("examples")
            yield from _faults(validators.of(type_.name), type_.examples, place)


@rule()
def invalid_default(protocol: Protocol) -> Iterator[Fault]:
    """A default satisfies the type of its member, formats included.

    Why: a receiver that fills it in would hold a value that no sender may send.

    Example: `"count": {"type": "integer", "default": "none"}`

    Fix: correct the default, or the type.
    """
    defaults = [
        (f"default {number}", member)
        for number, member in enumerate(
            m for t in protocol.types.values() for m in members(t) if m.default is not None
        )
    ]
    types: JsonSchema = {name: schema_of(member.type) for name, member in defaults}
    validators = _validators({**_definitions(protocol), **types})
    for name, member in defaults:
        for fault in _faults(validators.of(name), (member.default,), member.location):
            yield Fault(member.location.at("default"), fault.message)


def _definitions(protocol: Protocol) -> JsonSchema:
    return {name: definition(type_) for name, type_ in protocol.types.items()}


def _validators(definitions: JsonSchema) -> Validators:
    bounded = {name: _bounded(schema) for name, schema in definitions.items()}
    return Validators(bounded, mask="the value", formats=True)


def _bounded(schema: JsonValue) -> JsonValue:
    """The schema with the bounds of its integer formats, where its own are not as tight.

    JSON Schema engines apply formats to strings only.
    """
    if isinstance(schema, list):
        return [_bounded(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    bounded: JsonSchema = {name: _bounded(part) for name, part in schema.items()}
    format_ = schema.get("format")
    if not isinstance(format_, str) or format_ not in _INTEGERS:
        return bounded
    least, most = _INTEGERS[format_]
    own_least, own_most = schema.get("minimum"), schema.get("maximum")
    limits: JsonSchema = {}
    if not isinstance(own_least, int | float) or own_least < least:
        limits["minimum"] = least
    if not isinstance(own_most, int | float) or own_most > most:
        limits["maximum"] = most
    return {"allOf": [bounded, limits]}


def _message(error: ValidationError) -> str:
    """The message of an error, which says where a limit comes from that the schema has not."""
    # `_bounded` alone puts limits into allOf: the emitter puts references there.
    if [*error.schema_path][-3:-1] == ["allOf", 1]:
        return f"{error.message}, which its format has"
    return error.message


def _faults(
    validator: Validator, instances: Iterable[JsonValue], location: Location
) -> Iterator[Fault]:
    """The faults of the instances in a list at a place."""
    for index, instance in enumerate(instances):
        for error in validator.iter_errors(instance):
            yield Fault(location.at(index, *error.instance_path), _message(error))
