"""Rules about instances in the schema: examples and defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jsonschema_rs

from acpgen.emit.jsonschema import DIALECT, JsonSchema, definition, schema_of
from acpgen.findings import Severity
from acpgen.lint.parts import members
from acpgen.lint.rule import Fault, rule
from acpgen.model import JsonValue, Location, Protocol


@rule(Severity.WARNING, for_files=True)
def missing_example(protocol: Protocol) -> Iterator[Fault]:
    """The params and the result of every method have an example.

    Why: a reader takes in an example before any table, and each one is validated.

    Mistake: `"FooRequest": {"x-method": "foo", ...}` without `examples`

    Mend: add `examples` with at least one instance, of the kind that a real peer sends.
    """
    for type_ in protocol.types.values():
        if type_.method is not None and not type_.examples:
            yield Fault(type_.location, "needs at least one example", type_.method)


@rule()
def invalid_example(protocol: Protocol) -> Iterator[Fault]:
    """Examples satisfy the type that they stand on, formats included.

    Why: people copy them.

    Mistake: `"Foo": {"type": "string", "examples": [5]}`

    Mend: correct the example, or the type.
    """
    check = _checker(protocol)
    for type_ in protocol.types.values():
        if type_.examples:
            place = type_.location.at("examples")
            yield from check({"$ref": f"#/$defs/{type_.name}"}, [*type_.examples], place)


@rule()
def invalid_default(protocol: Protocol) -> Iterator[Fault]:
    """A default satisfies the type of its member.

    Why: a receiver that fills it in would hold a value that no sender may send.

    Mistake: `"count": {"type": "integer", "default": "none"}`

    Mend: correct the default, or the type.
    """
    check = _checker(protocol)
    for type_ in protocol.types.values():
        for member in members(type_):
            if member.default is not None:
                for fault in check(schema_of(member.type), [member.default], member.location):
                    yield Fault(member.location.at("default"), fault.message)


Checker = Callable[[JsonSchema, list[JsonValue], Location], Iterator[Fault]]


def _checker(protocol: Protocol) -> Checker:
    """What finds the faults of instances that stand in a list at a place."""
    definitions: JsonSchema = {n: definition(t) for n, t in protocol.types.items()}

    def check(
        schema: JsonSchema, instances: list[JsonValue], location: Location
    ) -> Iterator[Fault]:
        validator = jsonschema_rs.Draft202012Validator(
            {"$schema": DIALECT, **schema, "$defs": definitions},
            validate_formats=True,
            mask="the value",
        )
        for index, instance in enumerate(instances):
            for error in validator.iter_errors(instance):
                yield Fault(location.at(index, *error.instance_path), error.message)

    return check
