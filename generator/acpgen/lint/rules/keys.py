"""Rules about idempotency keys (RFD, "The idempotencyKey parameter")."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.lint.parts import members
from acpgen.lint.rule import Fault, method_fault, rule
from acpgen.model import (
    KEY,
    KEY_TYPE,
    Method,
    Nullable,
    Property,
    Protocol,
    Ref,
    RetryClass,
    Scalar,
    ScalarType,
)
from acpgen.types.objects import possible_members
from acpgen.types.structure import is_key

_SHAPE = Scalar(ScalarType.STRING, min_length=1, max_length=255)


@rule()
def keyed_without_key(protocol: Protocol) -> Iterator[Fault]:
    """The params of a keyed method take an idempotency key.

    Why: a keyed method is safe to send again only with the key of the first attempt. With no member
    to put it in, the class promises what no client can use.

    Example: `"FooRequest": {"x-retry-class": "keyed", "properties": {"text": {...}}, ...}`

    Fix: add the optional member idempotencyKey: IdempotencyKey or null; or choose another class.
    """
    for method in protocol.methods:
        if method.retry is RetryClass.KEYED and not _takes_key(protocol, method):
            yield method_fault(method, f"is keyed, but its params have no member {KEY}")


@rule()
def key_without_keyed(protocol: Protocol) -> Iterator[Fault]:
    """A method whose params take an idempotency key is keyed.

    Why: a client that fills the key in relies on it. In any other class nothing obliges the
    receiver to look at it.

    Example: `"FooRequest": {"x-retry-class": "duplicating", "properties": {"idempotencyKey": ...}}`

    Fix: make the method keyed, or take the key out of its params.
    """
    for method in protocol.methods:
        if method.retry not in {None, RetryClass.KEYED, RetryClass.CARRIED} and _takes_key(
            protocol, method
        ):
            yield method_fault(method, f"is {method.retry}, but takes a key; only keyed methods do")


@rule()
def key_shape(protocol: Protocol) -> Iterator[Fault]:
    """A key member is optional, and an IdempotencyKey of 1 to 255 characters or null.

    Why: a client without a key leaves it out or sends null, which mean the same, and every peer
    holds to the same limits, counted in Unicode code points.

    Example: `"idempotencyKey": {"type": "string"}`, or the member listed in `required`

    Fix: `"idempotencyKey": {"anyOf": [{"$ref": "#/$defs/IdempotencyKey"}, {"type": "null"}]}`,
    and leave it out of `required`.
    """
    key = protocol.types.get(KEY_TYPE)
    if key is not None and key.body != _SHAPE:
        yield Fault(key.location, "must be a string with minLength 1, maxLength 255, nothing else")
    for member in _keys(protocol):
        if member.type != Nullable(Ref(KEY_TYPE)):
            yield Fault(member.location, f"must be anyOf {KEY_TYPE} and null")
        elif member.required:
            yield Fault(member.location, "must be optional; take it out of `required`")


@rule()
def key_name(protocol: Protocol) -> Iterator[Fault]:
    """The key member of a keyed method is called idempotencyKey.

    Why: proxies forward it by that name, SDKs fill it in by that name, and a receiver ignores any
    other: it would carry out every copy.

    Example: `"properties": {"requestKey": {"anyOf": [{"$ref": "#/$defs/IdempotencyKey"}, ...]}}`

    Fix: call the member idempotencyKey. Any other value
    gets a type of its own.
    """
    misnamed = (
        member
        for method in protocol.methods
        if method.retry is RetryClass.KEYED
        for member in possible_members(protocol, Ref(method.params))
        if is_key(member.type) and member.name != KEY
    )
    for location in dict.fromkeys(member.location for member in misnamed):
        yield Fault(location, f"holds an {KEY_TYPE}, so it must be called {KEY}")


@rule()
def tolerant_key(protocol: Protocol) -> Iterator[Fault]:
    """A key member has no x-deserialize mark.

    Why: a receiver that treats a malformed key as an omitted one would insert the prompt again,
    against the client's intent. It has to answer -32602.

    Example: `"idempotencyKey": {"x-deserialize-default-on-error": true, ...}`

    Fix: remove the mark.
    """
    for member in _keys(protocol):
        if member.tolerance:
            yield Fault(member.location, "must not be tolerant; remove the x-deserialize marks")


def _keys(protocol: Protocol) -> Iterator[Property]:
    return (m for type_ in protocol.types.values() for m in members(type_) if _is_key(m))


def _takes_key(protocol: Protocol, method: Method) -> bool:
    return any(_is_key(member) for member in possible_members(protocol, Ref(method.params)))


def _is_key(member: Property) -> bool:
    return member.name == KEY or is_key(member.type)
