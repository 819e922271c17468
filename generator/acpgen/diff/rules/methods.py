"""Rules about methods and the sides that handle them."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change, promise
from acpgen.model import Side


@change(Effect.ADDS)
def method_added(delta: Delta) -> str:
    """A method is new.

    Why: peers learn what the other side handles from its capabilities, and a receiver that doesn't
    know a method answers -32601, so no peer breaks.

    Example: (none) a `FooRequest` with `"x-method": "foo"` is added

    Fix: nothing to fix. Say in its description which capability announces it.
    """
    return f"is new; its retry class is `{delta.new}`" if delta.new else "is new"


@change(Effect.NARROWS)
def method_removed(_: Delta) -> str:
    """A method is gone.

    Why: peers that still call it get -32601.

    Example: the definitions of a method are deleted

    Fix: keep the method for this version of the protocol, and say in its description what to use
    instead.
    """
    return "is gone"


@change(Effect.REPLACES)
def method_renamed(delta: Delta) -> str:
    """A method has another name.

    Why: a receiver answers -32601 to a name that it doesn't know: newer receivers to the old name,
    and older receivers to the new one.

    Example: `"x-method": "foo/list"` becomes `"foo/enumerate"`

    Fix: keep the old method for this version of the protocol, and add the new one beside it.
    """
    return f"was called `{delta.old}`"


@change(Effect.WIDENS)
def envelope_type_removed(_: Delta) -> str:
    """A type that the envelope refers to is gone.

    Why: without one of `RequestId`, `Error`, `ExtRequest`, `ExtResponse` and `ExtNotification`, the
    derived envelope falls back to JSON-RPC there, and all messages are accepted that JSON-RPC
    allows.

    Example: `Error` is renamed to `AcpError`

    Fix: define the type under its name.
    """
    return "is gone, so the envelope accepts whatever JSON-RPC allows there"


@change(Effect.NARROWS)
def envelope_type_added(_: Delta) -> str:
    """A type that the envelope refers to is new.

    Why: as long as one of `RequestId`, `Error`, `ExtRequest`, `ExtResponse` and `ExtNotification`
    is missing, the envelope accepts whatever JSON-RPC allows there.

    Example: `Error` is added to a schema without it

    Fix: wait for the next version of the protocol, unless nothing was released yet.
    """
    return "is new, so the envelope no longer accepts all that JSON-RPC allows there"


@change(Effect.REPLACES)
def method_kind_changed(delta: Delta) -> str:
    """A request is a notification, or the other way round.

    Why: callers of a request wait for an answer that notifications don't get, and handlers of a
    notification send none. Each refuses what the other one sends.

    Example: `FooRequest` becomes `FooNotification`

    Fix: add the other kind under another method name.
    """
    return f"was a {delta.old} and is a {delta.new}"


@change(Effect.ADDS)
def method_side_added(delta: Delta) -> str:
    """A method is handled by one more side.

    Why: older peers of that side answer -32601, as they do to a new method.

    Example: (none) `"x-side": "agent"` becomes `"protocol"`

    Fix: nothing to fix, if a capability announces which side handles it.
    """
    alone = " alone" if delta.new == Side.PROTOCOL else ""
    return f"is handled by the side {delta.new}, not by {delta.old}{alone}"


@change(Effect.NARROWS)
def method_side_removed(delta: Delta) -> str:
    """A side no longer handles a method.

    Why: peers that still call it there get -32601.

    Example: `"x-side": "agent"` becomes `"client"`

    Fix: give the other direction a method of its own.
    """
    return f"was handled by the side {delta.old} and is by {delta.new}"


@promise(Effect.FAULT)
def method_without_class(_: Delta) -> str:
    """A new method has no retry class.

    Why: callers would have to guess whether they may send it again (RFD, "Give every method a retry
    class"). This is reported only in protocols whose other methods state one.

    Example: a `FooRequest` without `x-retry-class` is added

    Fix: add `x-retry-class` and `x-resend`.
    """
    return "is new and states no retry class"


@change(Effect.NOTES)
def error_added(delta: Delta) -> str:
    """A request can be answered with one more error.

    Why: callers treat a code that they don't know as a failure, so no peer breaks; but only callers
    that know it can do better.

    Example: (none) a code is added to `x-errors`

    Fix: nothing to fix.
    """
    return f"may also fail with {delta.new}"


@change(Effect.NOTES)
def error_removed(delta: Delta) -> str:
    """A request is no longer answered with an error that it used to get.

    Why: what callers do about it is never needed again, and breaks nothing.

    Example: (none) a code is removed from `x-errors`

    Fix: nothing to fix.
    """
    return f"no longer fails with {delta.old}"
