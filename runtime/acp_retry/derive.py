"""The ID of a prompt's message, derived from its session and its key.

An Agent that names the user message by this ID stores key and message in one step, and keeps no
key at all: 16 bytes tell a retry (RFD, How long a key lasts, and Adapter validation).
"""

from __future__ import annotations

import hashlib
from typing import Final
from uuid import UUID

__all__ = ["NAMESPACE", "derive_message_id"]

NAMESPACE: Final = UUID("0c321478-95f9-53e7-a143-a88dca717c67")
"""The namespace of every derived ID: the UUIDv5 of `urn:acp:message-id` among URLs."""

_PREFIX: Final = NAMESPACE.bytes


def derive_message_id(session_id: str, key: str) -> UUID:
    """Derive the message ID: UUIDv5 (RFC 9562) in `NAMESPACE` of the two as one text.

    That text is `<length>:<session_id>,<key>`, with the length of the session ID in UTF-8 bytes
    and in decimal, as in a netstring. So no two pairs share a text, whatever they hold, and
    any UUIDv5 function that takes a namespace and a text gives the same ID.

    Raises:
        UnicodeEncodeError: a text holds half of a surrogate pair.
    """
    session = session_id.encode()
    name = b"%d:%s,%s" % (len(session), session, key.encode())
    digest = hashlib.sha1(_PREFIX + name, usedforsecurity=False).digest()
    return UUID(bytes=digest[:16], version=5)
