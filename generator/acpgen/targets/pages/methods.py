"""The page of a method: each of its kinds as one section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, code, join, paragraphs, prose, table
from acpgen.model import (
    Kind,
    Method,
    MethodName,
    OpenEnum,
    Protocol,
    Side,
    Stability,
    TypeName,
)
from acpgen.targets.pages.bodies import Bodies
from acpgen.targets.pages.classes import CLASSES, Explanation
from acpgen.targets.pages.examples import Example, examples
from acpgen.targets.pages.keys import key_range
from acpgen.targets.pages.site import Links

DIRECTIONS: Mapping[Side, str] = {
    Side.AGENT: "Client to Agent",
    Side.CLIENT: "Agent to Client",
    Side.PROTOCOL: "either way",
    Side.PROXY: "between conductor and proxy",
}
"""Who sends to whom, by the side that handles a method."""

METHOD_NOT_FOUND, INVALID_PARAMS, REQUEST_CANCELLED = -32601, -32602, -32800
_NAMES: Mapping[int, str] = {
    -32600: "Invalid request",
    METHOD_NOT_FOUND: "Method not found",
    INVALID_PARAMS: "Invalid params",
    REQUEST_CANCELLED: "Request cancelled",
}
"""The names of these codes where a schema names none (JSON-RPC 2.0 section 5.1)."""

_CANCEL = MethodName("$/cancel_request")
_ERROR_CODE = TypeName("ErrorCode")


@dataclass(frozen=True, slots=True)
class Part:
    """Params or result: the type, what it says of itself, what it is made of."""

    type: Inline
    docs: tuple[Inline, ...]
    blocks: list[str]


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of a method, ready to be laid out."""

    name: MethodName
    kind: str
    unstable: bool
    docs: tuple[Inline, ...]
    facts: str
    retry: Inline
    explanation: Explanation | None
    resend: Inline
    carries: Inline
    guide: Inline
    params: Part
    result: Part | None
    errors: str
    key_note: Inline
    examples: list[Example]


def section(method: Method, protocol: Protocol, links: Links) -> Section:
    """Describe one method in one kind."""
    guided = method.page is not None and method.page in links.site.guides
    return Section(
        name=method.name,
        kind=method.kind.value,
        unstable=method.stability is Stability.UNSTABLE,
        docs=paragraphs(method.docs),
        facts=_facts(method, links),
        retry=links.retry_class(method.retry),
        explanation=None if method.retry is None else CLASSES[method.retry],
        resend=prose(method.resend),
        carries=links.method(method.carries) if method.carries is not None else Inline(""),
        guide=links.guide(method.page) if method.page and guided else Inline(""),
        params=_part(method.params, protocol, links, own_docs=False),
        result=None if method.result is None else _part(method.result, protocol, links),
        errors=_errors(method, protocol, links) if method.kind is Kind.REQUEST else "",
        key_note=_key_note(method, links),
        examples=examples(method, protocol),
    )


def error_names(protocol: Protocol) -> dict[int, str]:
    """The name of each error code that the protocol knows."""
    known = protocol.types.get(_ERROR_CODE)
    body = known.body if known is not None else None
    values = body.values if isinstance(body, OpenEnum) else ()
    named = {v.value: v.title for v in values if isinstance(v.value, int) and v.title is not None}
    return {**_NAMES, **named}


def _facts(method: Method, links: Links) -> str:
    head = ("Direction", "Kind", "Stability", "Retry class")
    row = (DIRECTIONS[method.side], method.kind.value, method.stability.value)
    cells = [*(Inline(cell) for cell in row), links.retry_class(method.retry)]
    return table([Inline(cell) for cell in head], [cells])


def _part(name: TypeName, protocol: Protocol, links: Links, *, own_docs: bool = True) -> Part:
    type_ = protocol.types[name]
    return Part(
        type=links.type(name),
        docs=paragraphs(type_.docs) if own_docs else (),
        blocks=Bodies(protocol, links).blocks(protocol.resolve(type_.body)),
    )


def _errors(method: Method, protocol: Protocol, links: Links) -> str:
    """The codes that the receiver of a request owes, each with its reasons."""
    names = error_names(protocol)
    reasons: dict[int, list[Inline]] = {}
    for number, reason in _reasons(method, protocol, links):
        reasons.setdefault(number, []).append(reason)
    head = (Inline("Code"), Inline("Name"), Inline("When"))
    rows = [
        (code(str(number)), prose(names.get(number, "Error")), join(reasons[number]))
        for number in sorted(reasons, reverse=True)
    ]
    return table(head, rows)


def _reasons(method: Method, protocol: Protocol, links: Links) -> Iterator[tuple[int, Inline]]:
    yield METHOD_NOT_FOUND, Inline("The receiver does not offer this method.")
    yield INVALID_PARAMS, Inline(f"The params do not fit {links.type(method.params)}.")
    if method.key is not None:
        key = code(method.key)
        yield INVALID_PARAMS, Inline(f"The {key} is neither `null` nor {key_range(protocol)}.")
        noticed = f"A known {key} comes with other content, and the receiver notices"
        yield INVALID_PARAMS, Inline(f"{noticed}; it need not compare.")
        cancelling = links.guide("prompt-lifecycle", "cancelling", "Cancelling")
        yield REQUEST_CANCELLED, Inline(f"It was stopped before it took effect ({cancelling}).")
    if protocol.method(_CANCEL, Kind.NOTIFICATION) is not None:
        by = links.method(_CANCEL)
        yield REQUEST_CANCELLED, Inline(f"The sender withdrew the request with {by}.")
    for sentence in re.split(r"(?<=[.!?])\s+", method.resend):
        for number in dict.fromkeys(re.findall(r"-\d{5}\b", sentence)):
            yield int(number), prose(sentence)


def _key_note(method: Method, links: Links) -> Inline:
    if method.key is None:
        return Inline("")
    more = links.guide("prompt-lifecycle", "errors-leave-the-key-unused", "unused")
    return Inline(
        f"An error leaves the {code(method.key)} {more}, unless it was refused for being known "
        "with other content."
    )
