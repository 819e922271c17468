"""The plans by which clients are judged: which agents fail, when, and what the client submits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from acp_conformance.faulty_agent import AgentFailure, FailurePoint

__all__ = ["ALWAYS", "CLIENT_PLANS", "LATER", "ClientPlan", "ClientRun"]

LATER: Final = 3 * 24 * 60 * 60
"""Seconds after which a prompt counts as old."""

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
class ClientRun:
    """What one run submits, what it submits right after, and the clock's lead in seconds."""

    text: str = ""
    more: str = ""
    clock: int = 0


@dataclass(frozen=True, slots=True)
class ClientPlan:
    """What happens to a client.

    Attributes:
        name: the name of the plan.
        about: the requirements that the plan is made for, beside `ALWAYS`.
        faults: how the agents fail that the client starts, in order. Each failure happens once.
        texts: what each run of the client submits. In a run with an empty text, it only resends.
        clocks: how many seconds the client's clock is ahead in each run; all 0 by default.
        more: what the first run submits right after its text, before that is answered.
    """

    name: str
    about: tuple[str, ...]
    faults: tuple[AgentFailure, ...]
    texts: tuple[str, ...]
    clocks: tuple[int, ...] = ()
    more: str = ""

    @property
    def proves(self) -> frozenset[str]:
        """The requirements that this plan can show to be kept."""
        return frozenset((*self.about, *ALWAYS))

    @property
    def runs(self) -> list[ClientRun]:
        """The runs of the client, in order."""
        clocks = self.clocks or (0,) * len(self.texts)
        more = (self.more, *("",) * (len(self.texts) - 1))
        return [ClientRun(*each) for each in zip(self.texts, more, clocks, strict=True)]


def _prompt(moment: FailurePoint) -> AgentFailure:
    return AgentFailure("session/prompt", moment)


def _again(name: str, method: str, moment: FailurePoint) -> ClientPlan:
    """A prompt's answer is lost, and so is the first attempt to resend it."""
    return ClientPlan(
        name, RETRY, (_prompt(FailurePoint.DONE), AgentFailure(method, moment)), TWICE
    )


def _two(name: str, *moments: FailurePoint) -> ClientPlan:
    """Two prompts are pending at once, and the answers to both are lost."""
    faults = map(_prompt, (FailurePoint.LATE, *moments))
    return ClientPlan(name, ALL, tuple(faults), (ONCE[0], *("",) * len(moments)), more=OTHER)


CLIENT_PLANS: Final = (
    ClientPlan("lost-before-insertion", RETRY, (_prompt(FailurePoint.READ),), ONCE),
    ClientPlan("lost-after-insertion", RETRY, (_prompt(FailurePoint.DONE),), ONCE),
    ClientPlan("half-an-answer", RETRY, (_prompt(FailurePoint.HALF),), ONCE),
    _again("lost-twice", "session/prompt", FailurePoint.DONE),
    ClientPlan("answer-held", ("client-waits",), (_prompt(FailurePoint.HELD),), ONCE),
    ClientPlan("refused", ("client-same-key",), (_prompt(FailurePoint.REFUSED),), ONCE),
    ClientPlan(
        "retry-refused",
        ("client-same-key",),
        (_prompt(FailurePoint.DONE), _prompt(FailurePoint.REFUSED)),
        TWICE,
    ),
    _again("lost-at-initialize", "initialize", FailurePoint.READ),
    _again("lost-after-initialize", "initialize", FailurePoint.ANSWERED),
    _again("lost-at-resume", "session/resume", FailurePoint.READ),
    _again("lost-after-resume", "session/resume", FailurePoint.ANSWERED),
    ClientPlan(
        "resume-held",
        RETRY,
        (_prompt(FailurePoint.DONE), AgentFailure("session/resume", FailurePoint.HELD)),
        ONCE,
    ),
    ClientPlan(
        "resume-refused",
        ("client-resumes-first",),
        (_prompt(FailurePoint.DONE), AgentFailure("session/resume", FailurePoint.REFUSED)),
        ONCE,
    ),
    ClientPlan(
        "lost-at-new", (), (AgentFailure("session/new", FailurePoint.READ),), (ONCE[0], OTHER)
    ),
    ClientPlan("lost-after-new", (), (AgentFailure("session/new", FailurePoint.ANSWERED),), ONCE),
    ClientPlan("client-killed", RETRY, (_prompt(FailurePoint.KILLED),), ONCE),
    ClientPlan(
        "client-killed-at-new",
        (),
        (AgentFailure("session/new", FailurePoint.KILLED),),
        (ONCE[0], OTHER),
    ),
    ClientPlan(
        "client-killed-at-initialize",
        RETRY,
        (_prompt(FailurePoint.DONE), AgentFailure("initialize", FailurePoint.KILLED)),
        (ONCE[0], OTHER, ""),
    ),
    _again("client-killed-at-resume", "session/resume", FailurePoint.KILLED),
    _again("client-killed-at-retry", "session/prompt", FailurePoint.KILLED),
    ClientPlan(
        "client-killed-after-answer",
        ("client-same-key",),
        (_prompt(FailurePoint.KILLED_ANSWERED),),
        ONCE,
    ),
    ClientPlan("another-while-pending", RETRY, (_prompt(FailurePoint.DONE),), (ONCE[0], OTHER)),
    _two("two-pending", FailurePoint.DONE),
    _two("two-pending-killed", FailurePoint.KILLED),
    _two("two-lost-twice", FailurePoint.DONE, FailurePoint.DONE),
    ClientPlan("same-text-at-once", ("client-new-key",), (), ONCE[:1], more=ONCE[0]),
    ClientPlan("same-text-again", ("client-new-key",), (), (ONCE[0],) * 8),
    ClientPlan(
        "held-for-long",
        ("client-shows-old-prompts",),
        (_prompt(FailurePoint.KILLED), _prompt(FailurePoint.KILLED)),
        (ONCE[0], OTHER, ""),
        (0, LATER, LATER),
    ),
)
"""All plans, in the order in which they are played."""
