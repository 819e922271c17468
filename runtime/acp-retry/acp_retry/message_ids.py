"""The ID of a prompt's message, derived from its session and its key.

An Agent that names the user message by this ID stores key and message in one step, and keeps no
key at all: 16 bytes tell a retry (RFD, How long a key lasts, and Adapter validation).
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from acp_v2.retry import MESSAGE_ID_NAMESPACE, derive_message_id

__all__ = ["NAMESPACE", "derive_message_id"]

NAMESPACE: Final = UUID(MESSAGE_ID_NAMESPACE)
"""The namespace of every derived ID: the UUIDv5 of `urn:acp:message-id` among URLs."""
