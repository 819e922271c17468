"""Idempotency keys without an effect: misspelled, misplaced, or on a method that takes none.

All are legal, because receivers ignore unknown members, and all leave the sender with a prompt that
is not safe to send again (RFD, "The idempotencyKey parameter").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from acp_wire.keys import skeleton
from acp_wire.reader import JsonValue
from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.judge.type_checks import JudgedMethod
from acpgen.sides import META


def near_misses(
    message: Mapping[str, JsonValue], method: JudgedMethod, keys: frozenset[str]
) -> Sequence[MessageFault]:
    """Return a warning for each member of a call that looks like a key and is not one.

    `keys` are the skeletons of the names of keys in the protocol. Null is not a key, so it is
    ignored.
    """
    params = message.get("params")
    names = [*message, *params] if isinstance(params, dict) else [*message]
    if META in names:
        for holder in (message, params):
            meta = holder.get(META) if isinstance(holder, dict) else None
            names += meta if isinstance(meta, dict) else ()
    shortest = min(map(len, keys), default=0)
    if keys.isdisjoint([skeleton(name) for name in names if len(name) >= shortest]):
        return ()
    return [*_warnings(message, params, method, keys)]


def _warnings(
    message: Mapping[str, JsonValue],
    params: JsonValue,
    method: JudgedMethod,
    keys: frozenset[str],
) -> Iterator[MessageFault]:
    belongs = f"it belongs at /params/{method.key}" if method.key else _takes_none(method)
    for path in _respelled(message, (), keys):
        yield _warning(path, f"has no effect here; {belongs}")
    if isinstance(params, dict):
        for path in _respelled(params, ("params",), keys):
            if method.key is None:
                yield _warning(path, f"has no effect; {belongs}")
            elif path[-1] != method.key:
                yield _warning(path, f"has no effect; the key is called {method.key}")
    for holder, prefix in ((message, ()), (params, ("params",))):
        meta = holder.get(META) if isinstance(holder, Mapping) else None
        if isinstance(meta, dict):
            for path in _respelled(meta, (*prefix, META), keys):
                yield _warning(path, f"has no effect in {META}; {belongs}")


def _takes_none(method: JudgedMethod) -> str:
    return f"{method.name} takes no key"


def _respelled(
    members: Mapping[str, JsonValue], prefix: tuple[str, ...], keys: frozenset[str]
) -> Iterator[tuple[str, ...]]:
    for name, value in members.items():
        if value is not None and skeleton(name) in keys:
            yield (*prefix, name)


def _warning(path: tuple[str, ...], message: str) -> MessageFault:
    return MessageFault(MessageRule.NEAR_MISS, message, path, Severity.WARNING)
