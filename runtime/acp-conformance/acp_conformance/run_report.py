"""Everything about one run that is reported: verdicts, failures with what was seen, and facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acp_conformance.agent_timeouts import AgentTimeouts
from acp_conformance.client_rules import ALL_KEYS, RANDOM
from acp_conformance.likely_causes import Observed, likely_cause
from acp_conformance.trace_facts import AgentName
from acp_conformance.verdict import RequirementVerdict, TraceResult, VerdictStatus

__all__ = ["FailedTrace", "ReplayCommand", "RunReport"]


@dataclass(frozen=True, slots=True)
class ReplayCommand:
    """The command that plays one trace again: what comes before and after its name."""

    head: str = ""
    tail: str = ""

    def of(self, trace: str) -> str:
        """The command for a trace. Empty if there is none."""
        name = RANDOM if trace == ALL_KEYS else trace
        return f"{self.head} --trace {name}{self.tail}" if self.head else ""


@dataclass(frozen=True, slots=True)
class FailedTrace:
    """One trace that showed a requirement to be broken."""

    result: TraceResult
    observed: str
    replay: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run.

    Attributes:
        found: the verdicts.
        problems: why there is no verdict, or an incomplete one.
        results: what each trace showed, in the order of the traces.
        version: the version of the tool.
        seconds: how long the run took.
        jobs: how many traces were played at once.
        timeouts: how long was waited for an agent, if one was judged.
        replay: how to play one trace again.
        unexpected: the requirements that were expected to fail, and passed.
        disturbed: the traces that went otherwise beside others than alone.
    """

    found: Sequence[RequirementVerdict]
    problems: Sequence[str] = ()
    results: Sequence[TraceResult] = ()
    version: str = ""
    seconds: float = 0.0
    jobs: int = 1
    timeouts: AgentTimeouts | None = None
    replay: ReplayCommand = ReplayCommand()
    unexpected: Sequence[str] = ()
    disturbed: Sequence[str] = ()

    @property
    def agent(self) -> AgentName:
        """The name that the agent gave first."""
        names = (each.facts.agent for each in self.results if each.facts.agent.name)
        return next(names, AgentName())

    @property
    def prompts(self) -> int:
        """The number of prompts that were sent."""
        return sum(each.facts.prompts for each in self.results)

    @property
    def starts(self) -> int:
        """How often the agent was started."""
        return sum(each.facts.starts for each in self.results)

    @property
    def permissions(self) -> int:
        """How often the agent asked for permission."""
        return sum(each.facts.permissions for each in self.results)

    @property
    def noise(self) -> int:
        """The number of lines of the agent that are not messages."""
        return sum(each.unparsed for each in self.results)

    def failures(self, verdict: RequirementVerdict) -> list[FailedTrace]:
        """The traces that showed a requirement to be broken, in order."""
        return [
            FailedTrace(result, text, self.replay.of(result.trace))
            for result in self.results
            for id_, text in result.broken
            if id_ == verdict.requirement.id
        ]

    def seconds_of(self, verdict: RequirementVerdict) -> float:
        """The duration of all traces that were about a requirement."""
        id_ = verdict.requirement.id
        return sum(
            each.facts.seconds
            for each in self.results
            if id_ in {*each.kept, *each.open, *each.moot, *dict(each.broken)}
        )

    def cause(self, verdict: RequirementVerdict) -> str:
        """The likeliest cause of a failure. Empty if none is known."""
        if verdict.status is not VerdictStatus.FAIL:
            return ""
        seen = Observed(
            verdict.details,
            self._ids(VerdictStatus.FAIL),
            self._ids(VerdictStatus.PASS, VerdictStatus.PARTLY),
            {id_ for each in self.results for id_ in each.kept},
            is_remote="--url" in self.replay.head,
        )
        return likely_cause(verdict.requirement.id, seen)

    def _ids(self, *statuses: VerdictStatus) -> set[str]:
        return {each.requirement.id for each in self.found if each.status in statuses}
