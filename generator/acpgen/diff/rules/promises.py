"""Rules about what a schema promises to senders that send a message again."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, promise


@promise(Effect.PROMISE)
def retry_class_changed(delta: Delta) -> str:
    """A method has another retry class.

    Why: senders send a message without an answer again by the class they know, and receivers make
    the copy harmless by theirs. When only one of them knows the new class, work may be done twice
    with no error anywhere. The peers that break, by the old class on the left and the new on top:
               idempotent     keyed duplicating not_retried   carried  external      none
    idempotent          -   senders     senders     senders   senders   senders   senders
    keyed       receivers         -        both     senders      both      both   senders
    duplicating receivers      both           -     senders      both      both   senders
    not_retried receivers receivers   receivers           - receivers receivers         -
    carried     receivers      both        both     senders         -      both   senders
    external    receivers      both        both     senders      both         -   senders
    none        receivers receivers   receivers           - receivers receivers         -
    The first class of a method is a promise as well: newer senders send copies, and keys, that
    older receivers never undertook to make harmless. A draft may ask it of every peer; once a
    version is stable, that takes a capability (RFD, "Why is there no capability?"). A class that
    forbids what was never allowed, as not_retried after none, breaks no peer.

    Example: `"x-retry-class": "idempotent"` becomes `"keyed"`

    Fix: keep the class in this version of the protocol, or add a method with the other one. For a
    first class: state it while the protocol is a draft. If receivers have always done what it
    says, accept the finding and give that as the reason.
    """
    if not delta.old:
        return f"states a retry class for the first time: `{delta.new}`"
    if not delta.new:
        return f"no longer states its retry class, which was `{delta.old}`"
    return f"its retry class was `{delta.old}` and is `{delta.new}`"


@promise(Effect.MISREADS)
def carried_method_changed(delta: Delta) -> str:
    """A method that always carries one message carries another one.

    Why: whether it may be sent again is what the class of the carried method says, so another
    method inside changes the promise.

    Example: the params of a `carried` method refer to the params of another method than before

    Fix: add a method for the other message.
    """
    return f"carried {delta.old or 'any method'} and carries {delta.new or 'any method'}"


@promise(Effect.MISREADS)
def key_member_changed(delta: Delta) -> str:
    """The idempotency key is another member of the params.

    Why: unknown members are ignored, so a receiver that looks elsewhere sees no key at all and
    carries out every copy.

    Example: the member `idempotencyKey` is renamed

    Fix: keep the name.
    """
    return f"its key was the member `{delta.old}` and is `{delta.new}`"


@promise(Effect.WEAKENS)
def key_removed(delta: Delta) -> str:
    """A method that is safe to send again by its key has lost the key.

    Why: unknown members are ignored. A sender that repeats the message with its key believes that
    this is safe, and a receiver that looks for no key carries out every copy: the user's message is
    there twice, and the work is done twice. A member that keeps its name is not a key any more
    either if its type is not `IdempotencyKey`.

    Example: `idempotencyKey` is removed from the properties of a keyed method

    Fix: keep the member, of type `IdempotencyKey` or null.
    """
    return f"has no key any more{_places(delta)}; it was the member `{delta.old}`"


@promise(Effect.STRENGTHENS)
def key_added(delta: Delta) -> str:
    """A method has a key that it did not have.

    Why: newer senders count on the key. Older receivers ignore the member, so they carry out every
    copy. No capability tells the two apart (RFD, "Why is there no capability?").

    Example: `idempotencyKey` is added to the properties of a keyed method

    Fix: give a method its key in the version that makes it keyed. If every receiver has looked for
    the key before the schema said so, accept the finding and give that as the reason.
    """
    return f"has a key now{_places(delta)}: the member `{delta.new}`"


def _places(delta: Delta) -> str:
    return f" in {delta.name}" if delta.name else ""


@promise(Effect.FAULT)
def key_tolerated(_: Delta) -> str:
    """A malformed key is treated as one that was left out.

    Why: a receiver answers it with -32602 and does nothing (RFD, "The `idempotencyKey` parameter").
    One that goes on without the key carries out every copy, and no sender notices.

    Example: `"x-deserialize-default-on-error": true` is added to `idempotencyKey`

    Fix: remove the mark. No version allows it.
    """
    return "a malformed key is treated as none, so every copy with it is carried out"


@promise(Effect.NOTES)
def undoing_changed(delta: Delta) -> str:
    """A late copy of a request would undo other requests than before.

    Why: clients send a copy of it at other times than before, or no longer after another request.

    Example: (none) a method is added to `x-undoes`

    Fix: nothing to fix. Peers follow with the next version of the retry tables.
    """
    return f"`x-undoes` names {delta.new or 'nothing'}; it named {delta.old or 'nothing'} before"


@promise(Effect.DOCS)
def resend_reworded(_: Delta) -> str:
    """What a second copy does is described in other words.

    Why: the class is the same, so is the promise, but a side condition may read differently now.

    Example: (none) the text of `x-resend` changes

    Fix: nothing to fix. If what a copy does has changed, change the class too.
    """
    return "the description of what a copy of it does has changed"
