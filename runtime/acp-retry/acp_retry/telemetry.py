"""Events of prompts as OpenTelemetry metrics and span events."""

from __future__ import annotations

from typing import Final

from acp_retry.prompt_events import PromptEvent
from acp_wire.extras import missing

try:
    from opentelemetry import metrics, trace
except ModuleNotFoundError as error:
    raise missing("acp_retry.telemetry", "otel", error) from None

__all__ = ["CHANGE", "CODE", "COUNTER", "MESSAGE_ID", "SESSION_ID", "PromptTelemetry"]

COUNTER: Final = "acp.prompt.events"
CHANGE: Final = "acp.prompt.change"
CODE: Final = "acp.prompt.error_code"
SESSION_ID: Final = "acp.session.id"
MESSAGE_ID: Final = "acp.message.id"


class PromptTelemetry:
    """An `on_event` for `KeyLedger` and `Outbox`.

    Each event counts in the counter `acp.prompt.events`, by change and, for errors, by code. It is
    also an event of the current span, if one is recorded, with session and message. Sessions and
    messages are not in the counter, since each of them would be a time series of its own.

    Args:
        meter: makes the counter; by default that of the global provider.
    """

    def __init__(self, meter: metrics.Meter | None = None) -> None:
        meter = metrics.get_meter("acp_retry") if meter is None else meter
        self._counter = meter.create_counter(
            COUNTER, unit="{event}", description="What happened to prompts and their attempts"
        )

    def __call__(self, event: PromptEvent) -> None:
        """Record one event."""
        attributes: dict[str, str | int] = {CHANGE: event.change.value}
        if event.code:
            attributes[CODE] = event.code
        self._counter.add(1, attributes)
        span = trace.get_current_span()
        if span.is_recording():
            names = {SESSION_ID: event.session_id, MESSAGE_ID: event.message_id}
            span.add_event(f"acp.prompt.{event.change.value}", {**attributes, **names})
