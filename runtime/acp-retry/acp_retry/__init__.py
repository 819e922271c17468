"""Clients and agents of ACP v2 that insert each prompt once, however often it is sent.

A client keeps its prompts in an `Outbox`. An agent answers `session/prompt` through a `KeyLedger`.
The package needs no third-party package.
"""

from acp_retry.agent_process import spawn
from acp_retry.backoff import Backoff
from acp_retry.calls import Calls, Reply, SupersededError
from acp_retry.client import Client, ClientStoppedError
from acp_retry.client_events import ClientEvent, ClientState
from acp_retry.forwarding import ForwardedPrompt, ForwardingStore, OutcomeUnknownError
from acp_retry.history import HistoryIndex, HistoryStore
from acp_retry.ledger import KeyLedger
from acp_retry.link import Channel, JsonObject, LineChannel, Link, ReceivedMessage
from acp_retry.message_ids import NAMESPACE, derive_message_id
from acp_retry.nodes import Nodes, Notice, NoticeKind
from acp_retry.outbox import Outbox, PendingPrompt
from acp_retry.outbox_stores import MemoryOutbox, Mode, OutboxStore, SqliteOutbox
from acp_retry.outcome import (
    CANCELLED,
    AnswerLostError,
    Inserted,
    NeverSentError,
    NotSent,
    Outcome,
    Refused,
    RequestFailedError,
    Unknown,
)
from acp_retry.peer import Call, Peer
from acp_retry.prompt_events import PromptChange, PromptEvent
from acp_retry.prompt_handlers import not_found, prompt_handlers
from acp_retry.prompt_keys import MalformedKeyError, check_key, new_key
from acp_retry.prompt_params import check_params
from acp_retry.session_store import SessionStore
from acp_retry.sessions import Sessions
from acp_retry.stdio import serve_stdio
from acp_retry.store import (
    Found,
    Insertion,
    Message,
    PromptStore,
    Store,
    UnfinishedWork,
    UnusableStoreError,
    WorkStore,
)
from acp_retry.stores.memory import MemoryStore
from acp_retry.stores.sqlite import SqliteStore
from acp_retry.submission import Submission, WithdrawnError
from acp_retry.transports import Connection, Stdio, Transport
from acp_wire.remote import Remote

__all__ = [
    "CANCELLED",
    "NAMESPACE",
    "AnswerLostError",
    "Backoff",
    "Call",
    "Calls",
    "Channel",
    "Client",
    "ClientEvent",
    "ClientState",
    "ClientStoppedError",
    "Connection",
    "ForwardedPrompt",
    "ForwardingStore",
    "Found",
    "HistoryIndex",
    "HistoryStore",
    "Inserted",
    "Insertion",
    "JsonObject",
    "KeyLedger",
    "LineChannel",
    "Link",
    "MalformedKeyError",
    "MemoryOutbox",
    "MemoryStore",
    "Message",
    "Mode",
    "NeverSentError",
    "Nodes",
    "NotSent",
    "Notice",
    "NoticeKind",
    "Outbox",
    "OutboxStore",
    "Outcome",
    "OutcomeUnknownError",
    "Peer",
    "PendingPrompt",
    "PromptChange",
    "PromptEvent",
    "PromptStore",
    "ReceivedMessage",
    "Refused",
    "Remote",
    "Reply",
    "RequestFailedError",
    "SessionStore",
    "Sessions",
    "SqliteOutbox",
    "SqliteStore",
    "Stdio",
    "Store",
    "Submission",
    "SupersededError",
    "Transport",
    "UnfinishedWork",
    "Unknown",
    "UnusableStoreError",
    "WithdrawnError",
    "WorkStore",
    "check_key",
    "check_params",
    "derive_message_id",
    "new_key",
    "not_found",
    "prompt_handlers",
    "serve_stdio",
    "spawn",
]
