"""Events as OpenTelemetry records them."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from opentelemetry import metrics, trace

from acp_retry import RequestFailedError, derive_message_id
from acp_retry.telemetry import PromptTelemetry
from agents import Agent, sync

MINE = str(derive_message_id("s", "secret"))


class Counter(metrics.NoOpCounter):
    def __init__(self) -> None:
        super().__init__("acp.prompt.events")
        self.added: list[tuple[float, dict[str, Any]]] = []

    def add(self, amount: float, attributes: Any = None, context: Any = None) -> None:
        del context
        self.added.append((amount, dict(attributes)))


class Meter(metrics.NoOpMeter):
    def __init__(self) -> None:
        super().__init__("test")
        self.counters: dict[str, Counter] = {}

    def create_counter(self, name: str, unit: str = "", description: str = "") -> Counter:
        assert unit
        assert description
        return self.counters.setdefault(name, Counter())


class Span(trace.NonRecordingSpan):
    """One that is recorded."""

    def __init__(self) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.events: list[tuple[str, dict[str, Any]]] = []

    def is_recording(self) -> bool:
        return True

    def add_event(self, name: str, attributes: Any = None, timestamp: Any = None) -> None:
        del timestamp
        self.events.append((name, dict(attributes)))


@sync
async def test_events_are_counted_by_change_and_named_in_the_span() -> None:
    meter, span = Meter(), Span()
    agent = Agent(on_event=PromptTelemetry(meter))
    client = agent.connect()
    with trace.use_span(span):
        await client.ask(key="secret").answer()
    agent.refuse = RequestFailedError.of(-32042, "not now")
    await client.ask(key="another").error()
    assert meter.counters["acp.prompt.events"].added == [
        (1, {"acp.prompt.change": "new"}),
        (1, {"acp.prompt.change": "refused", "acp.prompt.error_code": -32042}),
    ]


@sync
async def test_a_span_that_is_recorded_gets_session_and_message() -> None:
    span = Span()
    record = PromptTelemetry(Meter())
    agent = Agent(on_event=lambda event: _in_span(span, record, event))
    await agent.connect().ask(key="secret").answer()
    names = {"acp.session.id": "s", "acp.message.id": MINE}
    assert span.events == [("acp.prompt.new", {"acp.prompt.change": "new", **names})]


def _in_span(span: Span, record: PromptTelemetry, event: Any) -> None:
    with trace.use_span(span):
        record(event)


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.delitem(sys.modules, "acp_retry.telemetry")
    with pytest.raises(
        ModuleNotFoundError, match=re.escape("pip install 'opentelemetry-api>=1.25'")
    ):
        __import__("acp_retry.telemetry")
