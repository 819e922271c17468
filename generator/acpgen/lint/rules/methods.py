"""Rules about how definitions make up methods."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from acpgen.lint.rule import Fault, method_fault, rule
from acpgen.load.parse import kind_of
from acpgen.model import Kind, Protocol, TypeDef

_RESPONSE = "Response"
_WORD = "[A-Za-z][A-Za-z0-9_]*"
_NAME = re.compile(rf"(\$/)?{_WORD}(/{_WORD})*")


@rule()
def method_name(protocol: Protocol) -> Iterator[Fault]:
    """A method's name is one or more words with slashes between them.

    Why: pages and files are called after it, so it must be safe to spell in both. A name that
    begins with an underscore is an extension's, which the protocol leaves to others.

    Example: `"x-method": "_foo"`, `"x-method": "foo bar"`, `"x-method": "../foo"`

    Fix: write letters, digits and underscores, each word beginning with a letter; `$/` may be
    before the first.
    """
    for method in protocol.methods:
        if not _NAME.fullmatch(method.name):
            yield method_fault(method, "must have a name of words with slashes between, like a/b_c")


@rule()
def method_suffix(protocol: Protocol) -> Iterator[Fault]:
    """The types of a method end in Request, Response or Notification.

    Why: only the name distinguishes params from a result, and a request from a notification. With
    another name, the definition is not a method.

    Example: `"FooParams": {"x-method": "foo", "x-side": "agent", ...}`

    Fix: rename the definition, or remove x-method and x-side if it is not a part of a method.
    """
    for type_ in _types(protocol):
        if kind_of(type_.name) is None and not type_.name.endswith(_RESPONSE):
            yield _fault(type_, "must end in Request, Response or Notification")


@rule()
def missing_response(protocol: Protocol) -> Iterator[Fault]:
    """Every request has a response.

    Why: without a definition for its result, a request has a response that can't be checked.

    Example: `"FooRequest": {"x-method": "foo", ...}` with no definition of `FooResponse`

    Fix: define the response with the same x-method and x-side; an empty object is fine.
    """
    answered = {type_.method for type_ in _types(protocol) if type_.name.endswith(_RESPONSE)}
    for type_ in _requests(protocol):
        if type_.method not in answered:
            yield _fault(type_, "has no response; define one with the same x-method")


@rule()
def orphan_response(protocol: Protocol) -> Iterator[Fault]:
    """Every response has a request.

    Why: a result that no request leads to can't be sent. Often the request was renamed, or is a
    notification, which has no response.

    Example: `"FooResponse": {"x-method": "foo", ...}` with no definition of `FooRequest`

    Fix: define the request with the same x-method and x-side, or remove the response.
    """
    asked = {type_.method for type_ in _requests(protocol)}
    for type_ in _responses(protocol):
        if type_.method not in asked:
            yield _fault(type_, "answers no request; define one with the same x-method")


@rule()
def response_side(protocol: Protocol) -> Iterator[Fault]:
    """A response names the same side as its request.

    Why: x-side is the side that handles the method, on both definitions. The side that receives a
    request is the one that sends its response.

    Example: `"FooRequest": {"x-side": "agent", ...}, "FooResponse": {"x-side": "client", ...}`

    Fix: repeat the request's x-side on the response.
    """
    asked = {type_.method: type_.side for type_ in _requests(protocol)}
    sides = {(type_.method, type_.side) for type_ in _requests(protocol)}
    for type_ in _responses(protocol):
        if type_.method in asked and (type_.method, type_.side) not in sides:
            yield _fault(type_, f"has x-side {type_.side}, its request {asked[type_.method]}")


@rule()
def repeated_method(protocol: Protocol) -> Iterator[Fault]:
    """A method has one definition for its params and one for its result.

    Why: a message names its method only. Two definitions for one kind of message leave open which
    of them it must satisfy.

    Example: `"FooRequest": {"x-method": "foo", ...}, "BarRequest": {"x-method": "foo", ...}`

    Fix: give one of the two another x-method. A request and a notification may share a name.
    """
    homes: dict[tuple[str | None, Kind | None], list[TypeDef]] = defaultdict(list)
    for type_ in _types(protocol):
        if kind_of(type_.name) is not None or type_.name.endswith(_RESPONSE):
            homes[type_.method, kind_of(type_.name)].append(type_)
    for first, *others in homes.values():
        for type_ in others:
            yield _fault(
                type_, f"defines the same method as {first.name}; one of the two needs another"
            )


@rule()
def split_stability(protocol: Protocol) -> Iterator[Fault]:
    """The params and the result of a method are both stable or both unstable.

    Why: a method is in the stable bundle as a whole or not at all. One with half of it marked would
    have no result there, or a result without params.

    Example: `"FooRequest": {"x-stability": "unstable", ...}, "FooResponse": {...}`

    Fix: mark both definitions, or neither.
    """
    for method in protocol.methods:
        result = protocol.types[method.result] if method.result is not None else None
        if result is not None and result.stability is not method.stability:
            yield _fault(result, f"is {result.stability}, {method.params} is {method.stability}")


def _types(protocol: Protocol) -> Iterator[TypeDef]:
    return (type_ for type_ in protocol.types.values() if type_.method is not None)


def _requests(protocol: Protocol) -> Iterator[TypeDef]:
    return (type_ for type_ in _types(protocol) if kind_of(type_.name) is Kind.REQUEST)


def _responses(protocol: Protocol) -> Iterator[TypeDef]:
    return (type_ for type_ in _types(protocol) if type_.name.endswith(_RESPONSE))


def _fault(type_: TypeDef, message: str) -> Fault:
    return Fault(type_.location, message, type_.method or "")
