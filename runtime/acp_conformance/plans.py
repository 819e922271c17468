"""What befalls a client that is judged, and the agents that it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from acp_conformance.faults import Fault, Moment

__all__ = ["ALWAYS", "LATER", "PLANS", "Plan"]

LATER: Final = 3 * 24 * 60 * 60
"""Seconds after which a prompt has waited for long."""

ALWAYS: Final = (
    "client-random-key",
    "client-key-without-content",
    "client-one-key-one-prompt",
    "client-own-ids",
)
"""The requirements that every plan is about."""

RETRY: Final = ("client-same-key", "client-resends", "client-resumes-first")
ONCE: Final = ("Sort the list of names by length.", "")
TWICE: Final = (*ONCE, "")
OTHER: Final = "Count the words of the page."


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to a client.

    Attributes:
        name: of the plan.
        about: the requirements that it is made for, beside `ALWAYS`.
        faults: of the agents that the client starts, in order, each met once.
        texts: what each run of the client submits; with an empty one it only sends again.
        clocks: how many seconds the client's clock is ahead in each run; all 0 by default.
    """

    name: str
    about: tuple[str, ...]
    faults: tuple[Fault, ...]
    texts: tuple[str, ...]
    clocks: tuple[int, ...] = ()

    @property
    def proves(self) -> frozenset[str]:
        """The requirements that it can show to be kept."""
        return frozenset((*self.about, *ALWAYS))

    @property
    def runs(self) -> list[tuple[str, int]]:
        """What each run of the client submits, and how many seconds its clock is ahead."""
        return list(zip(self.texts, self.clocks or (0,) * len(self.texts), strict=True))


def _prompt(moment: Moment) -> Fault:
    return Fault("session/prompt", moment)


def _again(name: str, method: str, moment: Moment) -> Plan:
    """A prompt is lost, and so is the first try to send it again."""
    return Plan(name, RETRY, (_prompt(Moment.DONE), Fault(method, moment)), TWICE)


PLANS: Final = (
    Plan("lost-before-insertion", RETRY, (_prompt(Moment.READ),), ONCE),
    Plan("lost-after-insertion", RETRY, (_prompt(Moment.DONE),), ONCE),
    Plan("half-an-answer", RETRY, (_prompt(Moment.HALF),), ONCE),
    _again("lost-twice", "session/prompt", Moment.DONE),
    Plan("answer-held", ("client-waits",), (_prompt(Moment.HELD),), ONCE),
    Plan("refused", ("client-same-key",), (_prompt(Moment.REFUSED),), ONCE),
    _again("lost-at-initialize", "initialize", Moment.READ),
    _again("lost-after-initialize", "initialize", Moment.ANSWERED),
    _again("lost-at-resume", "session/resume", Moment.READ),
    _again("lost-after-resume", "session/resume", Moment.ANSWERED),
    Plan("resume-held", RETRY, (_prompt(Moment.DONE), Fault("session/resume", Moment.HELD)), ONCE),
    Plan(
        "resume-refused",
        ("client-resumes-first",),
        (_prompt(Moment.DONE), Fault("session/resume", Moment.REFUSED)),
        ONCE,
    ),
    Plan("lost-at-new", (), (Fault("session/new", Moment.READ),), (ONCE[0], OTHER)),
    Plan("lost-after-new", (), (Fault("session/new", Moment.ANSWERED),), ONCE),
    Plan("client-killed", RETRY, (_prompt(Moment.KILLED),), ONCE),
    Plan("client-killed-at-new", (), (Fault("session/new", Moment.KILLED),), (ONCE[0], OTHER)),
    _again("client-killed-at-initialize", "initialize", Moment.KILLED),
    _again("client-killed-at-resume", "session/resume", Moment.KILLED),
    _again("client-killed-at-retry", "session/prompt", Moment.KILLED),
    Plan(
        "client-killed-after-answer",
        ("client-same-key",),
        (_prompt(Moment.KILLED_ANSWERED),),
        ONCE,
    ),
    Plan("same-text-again", ("client-new-key",), (), (ONCE[0],) * 8),
    Plan(
        "held-for-long",
        ("client-shows-old-prompts",),
        (_prompt(Moment.KILLED), _prompt(Moment.KILLED)),
        (ONCE[0], OTHER, ""),
        (0, LATER, LATER),
    ),
)
"""All plans, in the order in which they are played."""
