"""Rules about which methods there are and who handles them."""

from __future__ import annotations

from acpgen.diff.difference import Difference
from acpgen.diff.rule import rule


@rule
def method_added(difference: Difference) -> str:
    """A method is new.

    Why: peers learn what the other side handles from its capabilities, and who doesn't know a
    method answers -32601, so nobody breaks.

    Mistake: (none) a `FooRequest` with `"x-method": "foo"` is added

    Mend: nothing to mend. Say in its description which capability announces it.
    """
    return f"is new; its retry class is `{difference.new}`" if difference.new else "is new"


@rule
def method_removed(_: Difference) -> str:
    """A method stays once it is stable.

    Why: who still calls it is answered with -32601.

    Mistake: the definitions of a method are deleted

    Mend: keep the method for this version of the protocol, and say in its description what to use
    instead.
    """
    return "is gone"


@rule
def method_kind_changed(difference: Difference) -> str:
    """A method stays a request, or a notification.

    Why: callers of a request wait for an answer that notifications don't get, and handlers of a
    notification send none. Each refuses what the other one sends.

    Mistake: `FooRequest` becomes `FooNotification`

    Mend: add the other kind under another method name.
    """
    return f"was a {difference.old} and is a {difference.new}"


@rule
def method_side_added(difference: Difference) -> str:
    """A method is handled by one more side.

    Why: that side never heard of it and answers -32601, as with a new method.

    Mistake: (none) `"x-side": "agent"` becomes `"protocol"`

    Mend: nothing to mend, if a capability tells who handles it.
    """
    return f"is handled by the side {difference.new}, not by {difference.old} alone"


@rule
def method_side_removed(difference: Difference) -> str:
    """The side that handles a method goes on handling it.

    Why: who still calls it there is answered with -32601.

    Mistake: `"x-side": "agent"` becomes `"client"`

    Mend: give the other direction a method of its own.
    """
    return f"was handled by the side {difference.old} and is by {difference.new}"


@rule
def method_without_class(_: Difference) -> str:
    """A new method states its retry class.

    Why: callers would have to guess whether they may send it again (RFD, "Give every method a retry
    class"). This is found only in protocols whose other methods state one.

    Mistake: a `FooRequest` without `x-retry-class` is added

    Mend: add `x-retry-class` and `x-resend`.
    """
    return "is new and states no retry class"


@rule
def error_added(difference: Difference) -> str:
    """A request can be answered with one more error.

    Why: callers treat a code that they don't know as a failure, so nobody breaks; but only who
    knows of it can do better.

    Mistake: (none) a code is added to `x-errors`

    Mend: nothing to mend.
    """
    return f"may also fail with {difference.new}"


@rule
def error_removed(difference: Difference) -> str:
    """A request is no longer answered with an error that it used to meet.

    Why: what callers do about it is never needed again, and breaks nothing.

    Mistake: (none) a code is removed from `x-errors`

    Mend: nothing to mend.
    """
    return f"no longer fails with {difference.old}"
