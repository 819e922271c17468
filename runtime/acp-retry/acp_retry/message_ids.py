"""The ID of a prompt's message, derived from its session and its key.

An agent that stores the user message under this ID stores key and message in one step, without a
record of its own: 16 bytes identify a retry (RFD, How long a key lasts, and Adapter validation).
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from acp_v2.retry import MESSAGE_ID_NAMESPACE, derive_message_id

__all__ = ["NAMESPACE", "derive_message_id"]

NAMESPACE: Final = UUID(MESSAGE_ID_NAMESPACE)
"""The namespace of all derived IDs: the UUIDv5 of `urn:acp:message-id` in the URL namespace."""
