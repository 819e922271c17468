"""Rules about retry classes."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.lint.rule import Fault, method_fault, rule
from acpgen.model import Kind, Protocol, Ref, RetryClass, Scalar, ScalarType
from acpgen.types.objects import possible_members


@rule()
def missing_retry_class(protocol: Protocol) -> Iterator[Fault]:
    """Every method has a retry class.

    Why: a sender whose connection broke has to know whether it may send the message again. Without
    a class each client guesses, and some guess wrong.

    Example: `"FooRequest": {"x-method": "foo", "x-side": "agent", "type": "object"}`

    Fix: give the params x-retry-class, and x-resend with a sentence on what a second copy does.
    """
    for method in protocol.methods:
        if method.retry is None:
            yield method_fault(
                method, "nothing says whether to send it again; add x-retry-class and x-resend"
            )


@rule()
def retried_notification(protocol: Protocol) -> Iterator[Fault]:
    """A notification is not_retried, or carried.

    Why: a notification has no response, so its sender never learns that it was lost and has no
    reason to send it again. The other classes promise something about a second attempt.

    Example: `"FooNotification": {"x-retry-class": "idempotent", ...}`

    Fix: make it not_retried, or a request if the sender must know that it arrived.
    """
    for method in protocol.methods:
        if method.kind is Kind.NOTIFICATION and method.retry not in {
            None,
            RetryClass.NOT_RETRIED,
            RetryClass.CARRIED,
        }:
            yield method_fault(
                method, f"is a notification and {method.retry}; notifications are not_retried"
            )


@rule()
def carried_nothing(protocol: Protocol) -> Iterator[Fault]:
    """A carried method carries another one.

    Why: its class is that of the message inside. A sender can only look there if the params are
    those of another method, or have a required string `method` that names one.

    Example: `"FooRequest": {"x-retry-class": "carried", "properties": {"body": {...}}, ...}`

    Fix: refer to the other method's params, add the member `method`, or give it its own class.
    """
    for method in protocol.methods:
        if method.retry is RetryClass.CARRIED and method.carries is None:
            names_one = any(
                member.name == "method"
                and member.required
                and protocol.resolve(member.type) == Scalar(ScalarType.STRING)
                for member in possible_members(protocol, Ref(method.params))
            )
            if not names_one:
                yield method_fault(
                    method,
                    "is carried, but its params are no other method's and require no `method`",
                )
