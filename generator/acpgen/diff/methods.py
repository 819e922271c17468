"""Comparing methods: which there are, who handles them, and what they promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from acpgen.diff.channels import Channel, answers, calls
from acpgen.diff.difference import Difference, found
from acpgen.diff.keys import keys
from acpgen.diff.place import Place
from acpgen.diff.rule import ChangeRule
from acpgen.diff.rules.methods import (
    error_added,
    error_removed,
    method_added,
    method_kind_changed,
    method_removed,
    method_side_added,
    method_side_removed,
    method_without_class,
)
from acpgen.diff.rules.names import docs_changed
from acpgen.diff.rules.promises import carried_method_changed, resend_reworded, retry_class_changed
from acpgen.diff.rules.values import type_narrowed, type_widened
from acpgen.model import ANY, Location, Method, Pointer, Protocol, Ref, Type
from acpgen.types.wording import spelled


@dataclass(frozen=True, slots=True)
class MethodDifference:
    """What differs about a method as a whole, and the ways that are concerned."""

    difference: Difference
    channels: tuple[Channel, ...]


def shared(old: Protocol, new: Protocol) -> Iterator[tuple[Method, Method]]:
    """The methods that both protocols have, in the same kind."""
    for before in old.methods:
        after = new.method(before.name, before.kind)
        if after is not None:
            yield before, after


def methods(
    old: Protocol, new: Protocol, wholes: tuple[Protocol, Protocol]
) -> Iterator[MethodDifference]:
    """Every difference that is not one of types. `wholes` are what the two may be the parts of.

    What is gone from the part only is placed where the whole still has it.
    """
    for before, after in shared(old, new):
        for compare in _ASPECTS:
            yield from compare(before, after)
        place = _place(before, after)
        for difference in keys((old, new), before, after, place):
            yield MethodDifference(difference, tuple(calls(after)))
    lost = [m for m in old.methods if new.method(m.name, m.kind) is None]
    gained = [m for m in new.methods if old.method(m.name, m.kind) is None]
    turned = {m.name for m in lost} & {m.name for m in gained}
    for method in lost:
        if method.name not in turned:
            place = _place(method, method, _successor(wholes, method))
            yield MethodDifference(
                found(method_removed, place, gone=method.location), tuple(calls(method))
            )
    for method in gained:
        place = _place(method, method)
        if method.name in turned:
            before = next(m for m in lost if m.name == method.name)
            difference = found(
                method_kind_changed, place, old=before.kind.value, new=method.kind.value
            )
            yield MethodDifference(difference, tuple(calls(method)))
        else:
            promise = "" if method.retry is None else method.retry.value
            difference = found(method_added, place, new=promise)
            yield MethodDifference(difference, tuple(calls(method)))
        if method.retry is None and any(m.retry is not None for m in new.methods):
            yield MethodDifference(found(method_without_class, place), tuple(calls(method)))


def _sides(old: Method, new: Method) -> Iterator[MethodDifference]:
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
        yield _told(retry_class_changed, old, new, old.retry, new.retry)
    else:
        if old.resend != new.resend:
            yield _told(resend_reworded, old, new, old.resend, new.resend)
        if old.carries != new.carries:
            yield _told(carried_method_changed, old, new, old.carries, new.carries)


def _errors(old: Method, new: Method) -> Iterator[MethodDifference]:
    before, after = _reasons(old), _reasons(new)
    if lost := sorted(before.keys() - after.keys()):
        yield _told(error_removed, old, new, ", ".join(lost), "")
    if gained := sorted(after.keys() - before.keys()):
        yield _told(error_added, old, new, "", ", ".join(gained))
    for code in sorted(before.keys() & after.keys()):
        if before[code] != after[code]:
            yield _told(docs_changed, old, new, before[code], after[code], name=f"error {code}")


def _results(old: Method, new: Method) -> Iterator[MethodDifference]:
    """A request whose result has a type in one of the two only: without one, it is anything."""
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
        yield _told(docs_changed, old, new, old.page, new.page, name="guide")


_ASPECTS: tuple[Callable[[Method, Method], Iterator[MethodDifference]], ...] = (
    _sides,
    _promises,
    _results,
    _errors,
    _pages,
)


def _told(
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
    """When each error code of a method is sent."""
    reasons: dict[str, str] = {}
    for error in method.errors:
        code = str(error.code)
        reasons[code] = " ".join(filter(None, (reasons.get(code), error.when)))
    return reasons


def _place(old: Method, new: Method, home: Location | None = None) -> Place:
    return Place(new.name, old.location, home or new.location)


def _successor(wholes: tuple[Protocol, Protocol], method: Method) -> Location:
    """The nearest place in a new protocol for a method that is gone, from it or its stable part.

    That is its params, or its result, if they are still there; else the file where it would stand:
    of its domain, or of the method that is called most like it.
    """
    old, new = wholes
    kept = (new.types.get(name) for name in (method.params, method.result) if name is not None)
    for type_ in filter(None, kept):
        return type_.location
    if method.location.file != old.source:
        domain = old.types[method.params].domain
        for type_ in new.types.values():
            if type_.domain == domain:
                return Location(type_.location.file, _DEFINITIONS)
    kin = max(new.methods, key=lambda other: _likeness(old, other, method), default=None)
    if kin is None:
        return Location(new.source)
    is_new = old.method(kin.name, kin.kind) is None
    return kin.location if is_new else Location(kin.location.file, _DEFINITIONS)


_DEFINITIONS = Pointer("/$defs")


def _likeness(old: Protocol, candidate: Method, method: Method) -> tuple[bool, bool, int]:
    """How much a method looks like another one renamed: a new one of the same first word most."""
    pairs = zip(candidate.name, method.name, strict=False)
    is_new = old.method(candidate.name, candidate.kind) is None
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return (candidate.name.split("/")[0] == method.name.split("/")[0], is_new, alike)
