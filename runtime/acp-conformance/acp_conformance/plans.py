"""What befalls a client that is judged, and the agents that it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from acp_conformance.faults import Fault, Moment

__all__ = ["ALWAYS", "LATER", "PLANS", "Plan", "Run"]

LATER: Final = 3 * 24 * 60 * 60
"""Seconds after which a prompt has waited for long."""

ALWAYS: Final = (
    "client-random-key",
    "client-key-without-content",
    "client-one-key-one-prompt",
    "client-own-ids",
)
"""The requirements that every plan is about."""

ALL: Final = ("client-resends-all", "client-same-key")
RETRY: Final = ("client-same-key", "client-resends", "client-resumes-first")
ONCE: Final = ("Sort the list of names by length.", "")
TWICE: Final = (*ONCE, "")
OTHER: Final = "Count the words of the page."


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of a client submits, what right after it, and its clock's lead in seconds."""

    text: str = ""
    more: str = ""
    clock: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to a client.

    Attributes:
        name: of the plan.
        about: the requirements that it is made for, beside `ALWAYS`.
        faults: of the agents that the client starts, in order, each met once.
        texts: what each run of the client submits; with an empty one it only sends again.
        clocks: how many seconds the client's clock is ahead in each run; all 0 by default.
        more: what the first run submits right after its text, before that is answered.
    """

    name: str
    about: tuple[str, ...]
    faults: tuple[Fault, ...]
    texts: tuple[str, ...]
    clocks: tuple[int, ...] = ()
    more: str = ""

    @property
    def proves(self) -> frozenset[str]:
        """The requirements that it can show to be kept."""
        return frozenset((*self.about, *ALWAYS))

    @property
    def runs(self) -> list[Run]:
        """The runs of the client, in order."""
        clocks = self.clocks or (0,) * len(self.texts)
        more = (self.more, *("",) * (len(self.texts) - 1))
        return [Run(*each) for each in zip(self.texts, more, clocks, strict=True)]


def _prompt(moment: Moment) -> Fault:
    return Fault("session/prompt", moment)


def _again(name: str, method: str, moment: Moment) -> Plan:
    """A prompt is lost, and so is the first try to send it again."""
    return Plan(name, RETRY, (_prompt(Moment.DONE), Fault(method, moment)), TWICE)


def _two(name: str, *moments: Moment) -> Plan:
    """Two prompts wait for their answers at once, and both are lost."""
    faults = map(_prompt, (Moment.LATE, *moments))
    return Plan(name, ALL, tuple(faults), (ONCE[0], *("",) * len(moments)), more=OTHER)


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
    Plan(
        "client-killed-at-initialize",
        RETRY,
        (_prompt(Moment.DONE), Fault("initialize", Moment.KILLED)),
        (ONCE[0], OTHER, ""),
    ),
    _again("client-killed-at-resume", "session/resume", Moment.KILLED),
    _again("client-killed-at-retry", "session/prompt", Moment.KILLED),
    Plan(
        "client-killed-after-answer",
        ("client-same-key",),
        (_prompt(Moment.KILLED_ANSWERED),),
        ONCE,
    ),
    Plan("another-while-pending", RETRY, (_prompt(Moment.DONE),), (ONCE[0], OTHER)),
    _two("two-pending", Moment.DONE),
    _two("two-pending-killed", Moment.KILLED),
    _two("two-lost-twice", Moment.DONE, Moment.DONE),
    Plan("same-text-at-once", ("client-new-key",), (), ONCE[:1], more=ONCE[0]),
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
