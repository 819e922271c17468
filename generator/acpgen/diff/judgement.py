"""Turns a difference into a change: which peers it reaches, and which of them it breaks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from acpgen.diff.change import Change, Evidence, parties
from acpgen.diff.effect import Effect
from acpgen.diff.message_channels import MessageChannel, Party
from acpgen.diff.message_routes import Route
from acpgen.diff.retry_promises import PROMISES, class_of
from acpgen.diff.schema_difference import SchemaDifference


def of_type(difference: SchemaDifference, routes: Sequence[Route], shape: str = "") -> Change:
    """The change that a difference between types is for the peers on the routes that carry them.

    `shape` is the fingerprint of its shapes.
    """
    effect = difference.rule.effect
    ways, row = effect.moves, effect.value
    through = (route.through(difference.place) for route in routes)
    ends = [route for route in through if difference.matters(route.overridden)]
    sending = [r for r in ends if row.breaks_senders and not (ways and Effect.NARROWS in r.masked)]
    receiving = [
        r for r in ends if row.breaks_receivers and not (ways and Effect.WIDENS in r.masked)
    ]
    refused = [r for r in sending if not (ways and Effect.NARROWS in r.lenient)]
    refusing = [r for r in receiving if not (ways and Effect.WIDENS in r.lenient)]
    breaks = _ends(refused, refusing)
    recovers = _ends(sending, receiving) - breaks
    shown = refused or refusing or sending or receiving
    evidence = _evidence(difference, shown) if ways else None
    channels = [r.channel for r in ends]
    why = _lost(channels) if effect is Effect.FORGETS and channels else ""
    change = _change(difference, channels, breaks, why, shape)
    return replace(change, recovers=recovers, evidence=evidence)


def _ends(sending: Collection[Route], receiving: Collection[Route]) -> frozenset[Party]:
    """The senders on some routes and the receivers on others."""
    return frozenset({r.channel.sender for r in sending} | {r.channel.receiver for r in receiving})


def of_method(
    difference: SchemaDifference, channels: Collection[MessageChannel], shape: str = ""
) -> Change:
    """The change that a difference between methods is for their callers and handlers."""
    row = difference.rule.effect.value
    senders = frozenset(channel.sender for channel in channels)
    receivers = frozenset(channel.receiver for channel in channels)
    broken, why = (row.breaks_senders, row.breaks_receivers), ""
    if difference.rule.effect is Effect.PROMISE:
        promise = PROMISES[class_of(difference.old), class_of(difference.new)]
        broken = (promise.senders.breaks, promise.receivers.breaks)
        why = ". ".join(
            _reason(side.why, senders, receivers) for side in (promise.senders, promise.receivers)
        )
    breaks = frozenset(
        party
        for side, breaks in zip((senders, receivers), broken, strict=True)
        if breaks
        for party in side
    )
    return _change(difference, channels, breaks, why, shape)


def _change(
    difference: SchemaDifference,
    channels: Collection[MessageChannel],
    breaks: frozenset[Party],
    why: str,
    shape: str,
) -> Change:
    return Change(
        rule=difference.rule,
        path=difference.path,
        pointer=difference.pointer,
        location=difference.location,
        old=difference.old,
        new=difference.new,
        words=difference.rule.function(difference),
        why=why,
        breaks=breaks,
        methods=tuple(sorted({c.method for c in channels if c.method is not None})),
        subject=difference.subject,
        shape=shape,
    )


def _evidence(difference: SchemaDifference, routes: Sequence[Route]) -> Evidence | None:
    """The shortest way to show a difference."""
    if difference.types is None or not routes:
        return None
    return Evidence(min(routes, key=lambda route: len(route.steps)), difference.types)


def _lost(channels: Collection[MessageChannel]) -> str:
    """Which peers don't understand which others when something loses its meaning."""
    senders = frozenset(channel.sender for channel in channels)
    receivers = frozenset(channel.receiver for channel in channels)
    why = "newer {receivers} do not know what older {senders} mean by it"
    return _reason(why, senders, receivers)


def _reason(why: str, senders: Collection[Party], receivers: Collection[Party]) -> str:
    """A reason about senders and receivers, with the names of the peers if they differ."""
    words = {"senders": "senders", "receivers": "receivers"}
    if senders != receivers:
        words = {"senders": parties(senders), "receivers": parties(receivers)}
    text = why.format(**words)
    return text[:1].upper() + text[1:]
