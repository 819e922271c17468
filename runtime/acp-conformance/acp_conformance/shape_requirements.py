"""What every v2 agent with sessions owes before keys matter: version, shapes, errors and replay.

Each requirement names its source, an upstream page or schema type, and renders it in our words.
The traces `shape-*` prove them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from acp_conformance.requirement_rows import Level, Requirement, Role, Row, asked

__all__ = ["SHAPE", "SHAPE_REQUIREMENTS", "shape_ids"]

SHAPE: Final = "shape"
"""The name of all traces about these requirements."""

_SCHEMA: Final = "ACP v2 schema"
_PAGES: Final = "ACP v2 pages"


def _asked(level: Level, source: str, section: str, *rows: Row) -> Iterable[Requirement]:
    return asked(Role.AGENT, level, section, *rows, source=source)


SHAPE_REQUIREMENTS: Final[tuple[Requirement, ...]] = (
    *_asked(
        Level.STATED,
        _SCHEMA,
        "InitializeResponse",
        (
            "negotiates-version",
            "initialize is answered with the highest version that both sides speak.",
            "The version is the highest one of the agent that is not above the requested one.",
        ),
        (
            "refuses-old-versions",
            "initialize gets -32022 if the agent speaks no version that is low enough.",
            "Without a version that is low enough, initialize fails with -32022.",
        ),
        (
            "initialize-shape",
            "The answer to initialize has info, and capabilities that are objects.",
            "info has a name and a version, and a capability that is supported is an object.",
        ),
    ),
    *_asked(
        Level.STATED,
        _SCHEMA,
        "SessionCapabilities",
        (
            "baseline-methods",
            "An agent with sessions answers session/list, session/resume and session/close.",
            "An empty object means session/new, list, resume, close, prompt and cancel.",
        ),
    ),
    *_asked(
        Level.STATED,
        _PAGES,
        "Extensibility, Custom Requests",
        (
            "unknown-methods-refused",
            "A request of an unknown method gets -32601.",
            "Who does not know the name of a custom request answers it with -32601.",
        ),
    ),
    *_asked(
        Level.SHOULD,
        _PAGES,
        "Extensibility, Custom Notifications",
        (
            "unknown-notifications-ignored",
            "A notification of an unknown method is ignored, and the agent goes on.",
            "Notifications that are not recognized should be ignored.",
        ),
    ),
    *_asked(
        Level.STATED,
        _SCHEMA,
        "ErrorCode",
        (
            "invalid-params-refused",
            "A prompt that is not a list of content gets -32602.",
            "-32602 is the code for parameters of a method that are invalid.",
        ),
    ),
    *_asked(
        Level.STATED,
        _SCHEMA,
        "PromptResponse",
        (
            "message-id-stays",
            "A message is shown, and replayed, under the messageId of its answer.",
            "The agent reports the message under the ID of its answer, and a replay keeps the ID.",
        ),
    ),
    *_asked(
        Level.MUST,
        _SCHEMA,
        "ReplayFrom",
        (
            "unknown-cursors-refused",
            "session/resume from a cursor of an unknown type gets -32602.",
            "An agent must refuse a cursor that it does not support with -32602.",
        ),
    ),
    *_asked(
        Level.STATED,
        _SCHEMA,
        "ResumeSessionRequest",
        (
            "replay-order",
            "A replay shows the messages in their order, before session/resume is answered.",
            "A replay from the start shows all retained history before the answer.",
        ),
        (
            "no-unasked-replay",
            "session/resume without a cursor replays nothing.",
            "Without a cursor the session is resumed without a replay of its history.",
        ),
    ),
    *_asked(
        Level.MUST,
        _SCHEMA,
        "ResumeSessionResponse",
        (
            "state-after-resume",
            "The state of a session is reported before session/resume is answered.",
            "The agent must send a state_update after any replay and before the answer.",
        ),
    ),
    *_asked(
        Level.MUST,
        _PAGES,
        "Extensibility, The _meta Field",
        (
            "unknown-meta-accepted",
            "A prompt with unknown members of _meta is a prompt like any other.",
            "Members of _meta that are not recognized must not be given a meaning.",
        ),
    ),
    *_asked(
        Level.SHOULD,
        _PAGES,
        "Extensibility, Enum and Tagged-Union Variants",
        (
            "unknown-content-kept",
            "Content of an unknown type is replayed with all of its members.",
            "Who stores or replays a variant of unknown type should preserve it as it came.",
        ),
    ),
    *_asked(
        Level.MUST,
        _SCHEMA,
        "ContentBlock",
        (
            "resource-links-accepted",
            "A prompt may contain a link to a resource.",
            "All agents must support links to resources in prompts.",
        ),
    ),
)


def shape_ids() -> frozenset[str]:
    """The ids of these requirements."""
    return frozenset(each.id for each in SHAPE_REQUIREMENTS)
