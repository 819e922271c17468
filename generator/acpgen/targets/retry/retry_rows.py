"""The rows that the retry tables of all languages are made from."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.emit.markdown import first_sentence
from acpgen.model import KEY_TYPE, Kind, Protocol, RetryClass, Scalar, Side, Stability


class MissingClassError(ValueError):
    """No method has a retry class, so there is no table to generate."""


@dataclass(frozen=True, slots=True)
class Row:
    """One method in one kind, as every language's table holds it.

    A target for a language takes `rows(protocol)` and writes each field in that language's
    spelling: enumerations by their names or values, texts through the language's literals.
    `name` and `kind` together are unique and the key of the lookup; a lookup by name alone finds
    the request where there is one. `decision` has the answers of `resend` for a row.

    Fields:
        name: the JSON-RPC method.
        kind: request or notification.
        side: the side that handles it; `protocol` is both Client and Agent.
        stability: whether it may change without notice.
        retry_class: what sending it again does.
        resend: the same in a sentence or two, for people (x-resend).
        params: the type of its params.
        result: the type of its result; None for a notification.
        key: the member of params that holds the idempotency key; None where there is none.
        carries: for a carried row, the method that params are always those of; None where the
            members `method` and `params` of params are the message inside.
        undoes: the methods of which a late copy would undo a newer request about the same thing.
        about: the members of params that name that thing.
        page: the slug of the guide that says more about it; None where there is none.
        summary: the first sentence of its description, for doc comments.
    """

    name: str
    kind: Kind
    side: Side
    stability: Stability
    retry_class: RetryClass
    resend: str
    params: str
    result: str | None
    key: str | None
    carries: str | None
    undoes: tuple[str, ...]
    about: tuple[str, ...]
    page: str | None
    summary: str


def rows(protocol: Protocol) -> tuple[Row, ...]:
    """The rows of the methods that have a class, by name and kind.

    A method without one has no row, and is decided about as any name that the table lacks: it gets
    an unstated class.

    Raises:
        MissingClassError: there are methods, but no method has a class.
    """
    if protocol.methods and all(method.retry is None for method in protocol.methods):
        raise MissingClassError(
            "no method has an x-retry-class; `acpgen lint` says where each belongs"
        )
    return tuple(
        Row(
            method.name,
            method.kind,
            method.side,
            method.stability,
            method.retry,
            method.resend,
            method.params,
            method.result,
            method.key,
            method.carries,
            method.undoes,
            method.about,
            method.page,
            first_sentence(method.docs),
        )
        for method in protocol.methods
        if method.retry is not None
    )


def key_limits(protocol: Protocol) -> tuple[int, int | None]:
    """The least and the greatest length of an idempotency key, in Unicode code points."""
    key = protocol.types.get(KEY_TYPE)
    if key is None or not isinstance(key.body, Scalar):
        return 0, None
    return key.body.min_length or 0, key.body.max_length
