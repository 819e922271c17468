"""Examples as the complete JSON-RPC messages that go over the wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from acpgen.emit.markdown import code, fence
from acpgen.model import JsonValue, Kind, Method, Protocol, Ref, TypeName
from acpgen.report.document import encoded
from acpgen.targets.pages.errors import error_names


@dataclass(frozen=True, slots=True)
class Example:
    """One message: what it is, and its text as a code block."""

    caption: str
    block: str


def examples(method: Method, protocol: Protocol) -> list[Example]:
    """The messages of the examples of params and result.

    Each request has an `id` of its own. The n-th result answers the n-th request; results beyond
    the last request are further answers to that one. Each error that the schema states for the
    method answers the first request.
    """
    params = instances(protocol, method.params)
    if method.kind is Kind.NOTIFICATION:
        return [_example("Notification", i, params, call(method, p)) for i, p in enumerate(params)]
    results = instances(protocol, method.result) if method.result is not None else ()
    last = max(len(params), 1)
    requests = [
        _example("Request", i, params, call(method, sent, i + 1)) for i, sent in enumerate(params)
    ]
    responses = [
        _example("Response", i, results, answer(result, min(i + 1, last)))
        for i, result in enumerate(results)
    ]
    pairs = zip_longest(requests, responses)
    answered = [example for pair in pairs for example in pair if example is not None]
    return [*answered, *(_failures(method, protocol) if params else ())]


def instances(protocol: Protocol, name: TypeName) -> tuple[JsonValue, ...]:
    """The examples of a type, or of the type that it is another name for."""
    type_ = protocol.types[name]
    while not type_.examples and isinstance(type_.body, Ref):
        type_ = protocol.types[type_.body.name]
    return type_.examples


def call(method: Method, params: JsonValue, id_: int | None = None) -> JsonValue:
    """A request, or a notification where no `id` is given."""
    head: dict[str, JsonValue] = {"jsonrpc": "2.0"}
    if id_ is not None:
        head["id"] = id_
    return {**head, "method": method.name, "params": params}


def answer(result: JsonValue, id_: int) -> JsonValue:
    """A successful response."""
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def _failures(method: Method, protocol: Protocol) -> Iterator[Example]:
    names = error_names(protocol)
    for number in dict.fromkeys(error.code for error in method.errors):
        error: JsonValue = {"code": number, "message": names.get(number, "Error")}
        message: JsonValue = {"jsonrpc": "2.0", "id": 1, "error": error}
        yield Example(f"Error response, {code(str(number))}", json_block(message))


def _example(kind: str, index: int, siblings: Sequence[JsonValue], message: JsonValue) -> Example:
    caption = kind if len(siblings) == 1 else f"{kind} {index + 1}"
    return Example(caption, json_block(message))


def json_block(value: JsonValue) -> str:
    """A JSON value as a code block."""
    return fence("json", encoded(value, indent=2))
