"""Compare the idempotency keys of methods."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.diff.rules.promises import key_added, key_member_changed, key_removed
from acpgen.diff.schema_difference import SchemaDifference, found
from acpgen.diff.schema_place import SchemaPlace
from acpgen.model import Method, Object, Protocol, Ref, RetryClass, Type, Union
from acpgen.types.objects import resolve
from acpgen.types.structure import is_key

_BY_KEY = {RetryClass.KEYED, None}
"""The classes of methods that are safe to send again because of the key alone."""


def keys(
    protocols: tuple[Protocol, Protocol], old: Method, new: Method, at: SchemaPlace
) -> Iterator[SchemaDifference]:
    """Yield what differs in the key of a method that both protocols have.

    A key that is added or removed together with the retry class is part of that change. In a class
    that makes every copy harmless, a key makes no difference.
    """
    if old.key is not None and new.key is not None and old.key != new.key:
        yield found(key_member_changed, at, old=old.key, new=new.key)
    if old.retry is not new.retry or old.retry not in _BY_KEY:
        return
    before, after = _reach(protocols[0], old), _reach(protocols[1], new)
    if before > after:
        yield found(key_removed, at, name=_where(after), old=old.key or "", new=new.key or "")
    if before < after:
        yield found(key_added, at, name=_where(before), old=old.key or "", new=new.key or "")


def _reach(protocol: Protocol, method: Method) -> int:
    """How many forms of the params have a key: 0 for no form, 1 for some, 2 for all."""
    if method.key is None:
        return 0
    return 1 if _lacks(protocol, Ref(method.params)) else 2


def _where(rest: int) -> str:
    """The words for the forms of params concerned, if the other forms have a key."""
    return "some forms of the params" if rest else ""


def _lacks(protocol: Protocol, type_: Type) -> bool:
    """True if some form of a type has no key."""
    match resolve(protocol, type_):
        case Object() as params:
            own = any(is_key(member.type) for member in params.properties)
            parts: tuple[Type, ...] = (*params.bases, *params.unions)
            return not own and all(_lacks(protocol, part) for part in parts)
        case Union(variants=variants):
            return any(_lacks(protocol, variant.body) for variant in variants)
        case _:
            return True
