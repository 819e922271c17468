"""Compare methods: their names, their handlers and their promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from acpgen.diff.message_channels import EVERY_WAY, MessageChannel, answers, calls
from acpgen.diff.method_keys import keys
from acpgen.diff.rule import ChangeRule
from acpgen.diff.rules.methods import (
    envelope_type_added,
    envelope_type_removed,
    error_added,
    error_removed,
    method_added,
    method_kind_changed,
    method_removed,
    method_renamed,
    method_side_added,
    method_side_removed,
    method_without_class,
)
from acpgen.diff.rules.names import docs_changed
from acpgen.diff.rules.promises import (
    carried_method_changed,
    resend_reworded,
    retry_class_changed,
    undoing_changed,
)
from acpgen.diff.rules.values import type_narrowed, type_widened
from acpgen.diff.schema_difference import LonePart, SchemaDifference, found, found_part
from acpgen.diff.schema_place import SchemaPlace
from acpgen.model import ANY, ENVELOPE_TYPES, Location, Method, Protocol, Ref, Type
from acpgen.types.fingerprint import fingerprint
from acpgen.types.wording import spelled


@dataclass(frozen=True, slots=True)
class MethodDifference:
    """A difference of a method as a whole, and the channels that it concerns."""

    difference: SchemaDifference
    channels: tuple[MessageChannel, ...]


def shared(old: Protocol, new: Protocol) -> Iterator[tuple[Method, Method]]:
    """Yield the methods that both protocols have, in the same kind."""
    for before in old.methods:
        after = new.method(before.name, before.kind)
        if after is not None:
            yield before, after


def methods(
    old: Protocol, new: Protocol, wholes: tuple[Protocol, Protocol]
) -> Iterator[MethodDifference]:
    """Yield every difference of methods. The two may be the stable parts of `wholes`.

    A method that is gone from the part only is placed where the whole still has it.
    """
    lost = [m for m in old.methods if new.method(m.name, m.kind) is None]
    gained = [m for m in new.methods if old.method(m.name, m.kind) is None]
    renamed = _renamed((old, lost), (new, gained))
    for before, after in (*shared(old, new), *renamed.items()):
        yield from (each for compare in _ASPECTS for each in compare(before, after))
        for difference in keys((old, new), before, after, _place(before, after)):
            yield MethodDifference(difference, tuple(calls(after)))
    for method in lost:
        if method in renamed:
            yield _of_both(method_renamed, method, renamed[method], method.name, "")
        elif all(m.name != method.name for m in gained):
            place = _place(method, method, _successor(wholes, method))
            difference = found_part(method_removed, place, LonePart("", method.location, gone=True))
            yield MethodDifference(difference, tuple(calls(method)))
    for method in gained:
        earlier = next((m for m in lost if m.name == method.name), None)
        if method not in renamed.values():
            yield _gained(method, earlier)
        if method.retry is None and any(m.retry is not None for m in new.methods):
            difference = found(method_without_class, _place(method, method))
            yield MethodDifference(difference, tuple(calls(method)))
    yield from _envelope(old, new)


def _gained(method: Method, before: Method | None) -> MethodDifference:
    """A method that is new, or was of another kind `before`."""
    if before is not None:
        return _of_both(method_kind_changed, before, method, before.kind.value, method.kind.value)
    promise = "" if method.retry is None else method.retry.value
    return _of_both(method_added, method, method, None, promise)


def _renamed(
    old: tuple[Protocol, Iterable[Method]], new: tuple[Protocol, Iterable[Method]]
) -> dict[Method, Method]:
    """The lost methods that have another name in the new protocol, and those of that name.

    Such a method keeps the name of its params, or its description and all that its types accept.
    """
    pairs: dict[Method, Method] = {}
    for identity in (lambda _, method: method.params, _content):
        after = {
            (m.kind, m.side, identity(new[0], m)): m for m in new[1] if m not in pairs.values()
        }
        for method in old[1]:
            key = (method.kind, method.side, identity(old[0], method))
            if method not in pairs and key in after:
                pairs[method] = after.pop(key)
    return pairs


def _content(protocol: Protocol, method: Method) -> tuple[str, str]:
    """The description and the types of a method, without their names."""
    bodies = [protocol.types[n].body for n in (method.params, method.result) if n is not None]
    return method.docs or method.name, fingerprint([(protocol, body) for body in bodies])


def _envelope(old: Protocol, new: Protocol) -> Iterator[MethodDifference]:
    """The types that the envelope refers to and that only one of the protocols has."""
    for name in ENVELOPE_TYPES:
        before, after = old.types.get(name), new.types.get(name)
        if before is not None and after is None:
            place = SchemaPlace(name, before.location, before.location)
            removed = found_part(
                envelope_type_removed, place, LonePart("", before.location, gone=True)
            )
            yield MethodDifference(removed, EVERY_WAY)
        if before is None and after is not None:
            place = SchemaPlace(name, after.location, after.location)
            yield MethodDifference(found(envelope_type_added, place), EVERY_WAY)


def _sides(old: Method, new: Method) -> Iterator[MethodDifference]:
    if old.side is new.side:
        return
    before, after = set(calls(old)), set(calls(new))
    for kind, channels in (
        (method_side_removed, before - after),
        (method_side_added, after - before),
    ):
        if channels:
            difference = found(kind, _place(old, new), old=old.side.value, new=new.side.value)
            yield MethodDifference(difference, tuple(sorted(channels, key=str)))


def _promises(old: Method, new: Method) -> Iterator[MethodDifference]:
    if old.retry is not new.retry:
        yield _of_both(retry_class_changed, old, new, old.retry, new.retry)
    else:
        if old.resend != new.resend:
            yield _of_both(resend_reworded, old, new, old.resend, new.resend)
        if old.carries != new.carries:
            yield _of_both(carried_method_changed, old, new, old.carries, new.carries)

    before, after = _undone(old), _undone(new)
    if before != after:
        yield _of_both(undoing_changed, old, new, before, after)


def _undone(method: Method) -> str:
    """The requests that a late copy would undo, and the members that name what they change."""
    about = f" with the same {', '.join(sorted(method.about))}" if method.about else ""
    return f"{' and '.join(sorted(method.undoes))}{about}" if method.undoes else ""


def _errors(old: Method, new: Method) -> Iterator[MethodDifference]:
    before, after = _reasons(old), _reasons(new)
    if lost := sorted(before.keys() - after.keys()):
        yield _of_both(error_removed, old, new, ", ".join(lost), "")
    if gained := sorted(after.keys() - before.keys()):
        yield _of_both(error_added, old, new, "", ", ".join(gained))
    for code in sorted(before.keys() & after.keys()):
        if before[code] != after[code]:
            yield _of_both(docs_changed, old, new, before[code], after[code], name=f"error {code}")


def _results(old: Method, new: Method) -> Iterator[MethodDifference]:
    """A request whose result has a type in one of the protocols only."""
    if (old.result is None) == (new.result is None):
        return
    kind = type_narrowed if old.result is None else type_widened
    difference = found(
        kind,
        _place(old, new),
        name="result",
        old=spelled(_result(old)),
        new=spelled(_result(new)),
        shapes=(_result(old), _result(new)),
    )
    yield MethodDifference(difference, tuple(answers(new)))


def _result(method: Method) -> Type:
    return ANY if method.result is None else Ref(method.result)


def _pages(old: Method, new: Method) -> Iterator[MethodDifference]:
    if old.page != new.page:
        yield _of_both(docs_changed, old, new, old.page, new.page, name="guide")


_ASPECTS: tuple[Callable[[Method, Method], Iterator[MethodDifference]], ...] = (
    _sides,
    _promises,
    _results,
    _errors,
    _pages,
)


def _of_both(
    rule: ChangeRule,
    old: Method,
    new: Method,
    before: str | None,
    after: str | None,
    name: str = "",
) -> MethodDifference:
    difference = found(rule, _place(old, new), name=name, old=before or "", new=after or "")
    return MethodDifference(difference, tuple(calls(new)))


def _reasons(method: Method) -> dict[str, str]:
    """The conditions of each error code of a method."""
    reasons: dict[str, str] = {}
    for error in method.errors:
        code = str(error.code)
        reasons[code] = " ".join(filter(None, (reasons.get(code), error.when)))
    return reasons


def _place(old: Method, new: Method, home: Location | None = None) -> SchemaPlace:
    return SchemaPlace(new.name, old.location, home or new.location)


def _successor(wholes: tuple[Protocol, Protocol], method: Method) -> Location:
    """The place of a removed method: its params or result in the new protocol, or where it was."""
    kept = (wholes[1].types.get(n) for n in (method.params, method.result) if n is not None)
    return next((type_.location for type_ in kept if type_ is not None), method.location)
