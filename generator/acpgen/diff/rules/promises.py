"""Rules about what senders are promised when they send a message again."""

from __future__ import annotations

from acpgen.diff.difference import Difference
from acpgen.diff.rule import rule


@rule
def retry_class_changed(difference: Difference) -> str:
    """The retry class of a method is a promise that is kept.

    Why: senders repeat what they got no answer to by the class they know, and receivers make the
    copy harmless by theirs. When only one of them knows the new class, work may be done twice with
    no error anywhere. Whom it breaks, by the old class on the left and the new one on top:
               idempotent     keyed duplicating not_retried   carried  external      none
    idempotent          -   senders     senders     senders   senders   senders   senders
    keyed       receivers         -        both     senders      both      both   senders
    duplicating receivers      both           -     senders      both      both   senders
    not_retried receivers receivers   receivers           - receivers receivers         -
    carried     receivers      both        both     senders         -      both   senders
    external    receivers      both        both     senders      both         -   senders
    none        receivers receivers   receivers           - receivers receivers         -

    Mistake: `"x-retry-class": "idempotent"` becomes `"keyed"`

    Mend: keep the class in this version of the protocol, or add a method with the other one.
    """
    if not difference.old:
        return f"states a retry class for the first time: `{difference.new}`"
    if not difference.new:
        return f"no longer states its retry class, which was `{difference.old}`"
    return f"its retry class was `{difference.old}` and is `{difference.new}`"


@rule
def carried_method_changed(difference: Difference) -> str:
    """A method that carries always the same message goes on carrying that one.

    Why: whether it may be sent again is what the class of the carried method says, so another
    method inside changes the promise.

    Mistake: the params of a `carried` method refer to the params of another method than before

    Mend: add a method for the other message.
    """
    return f"carried {difference.old or 'any method'} and carries {difference.new or 'any method'}"


@rule
def key_member_changed(difference: Difference) -> str:
    """The idempotency key keeps its place in the params.

    Why: unknown members are ignored, so a receiver that looks elsewhere sees no key at all and
    carries out every copy.

    Mistake: the member `idempotencyKey` is renamed

    Mend: keep the name.
    """
    return f"its key was the member `{difference.old}` and is `{difference.new}`"


@rule
def resend_reworded(_: Difference) -> str:
    """What a second copy does is told in other words.

    Why: the class is the same, so is the promise, but a side condition may read differently now.

    Mistake: (none) the text of `x-resend` changes

    Mend: nothing to mend. If what a copy does has changed, change the class too.
    """
    return "what a copy of it does is told in other words"
