"""The ID of a prompt's message, derived from its session and its key (RFD, Adapter validation).

Every language states the same steps in its template; the vectors in `vectors/derived.json`, whose
IDs come from here, test them.
"""

from __future__ import annotations

from uuid import NAMESPACE_URL, UUID, uuid5

NAMESPACE_NAME = "urn:acp:message-id"
"""The namespace of the IDs is the UUIDv5 of this among URLs."""

NAMESPACE = uuid5(NAMESPACE_URL, NAMESPACE_NAME)
"""The namespace of every derived ID. Another one would make old prompts new."""


def hashed(session_id: str, key: str) -> str:
    """The text that the ID is derived from: `<length>:<session_id>,<key>`, as in a netstring.

    The length is that of the session ID, in UTF-8 bytes and in decimal. So no two pairs share a
    text, whatever they hold.

    Raises:
        UnicodeEncodeError: the session ID holds half of a surrogate pair.
    """
    return f"{len(session_id.encode())}:{session_id},{key}"


def message_id(session_id: str, key: str) -> UUID:
    """The UUIDv5 (RFC 9562) of that text in `NAMESPACE`.

    Raises:
        UnicodeEncodeError: a text holds half of a surrogate pair.
    """
    return uuid5(NAMESPACE, hashed(session_id, key))
