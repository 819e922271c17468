"""Vectors for message IDs that agents derive from a session and a key (RFD, Adapter validation)."""

from __future__ import annotations

from acpgen.model import Protocol
from acpgen.targets.retry.derivation import NAMESPACE, NAMESPACE_NAME, hashed, message_id
from acpgen.targets.vectors.vector import compact
from acpgen.targets.vectors.vector_file import document

_PAIRS = (
    ("shortest", "s", "k"),
    ("both empty", "", ""),
    ("empty session", "", "k"),
    ("ordinary", "sess_abc123def456", "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"),
    ("session is not a UUID", "sess_not_a_uuid", "k"),
    ("boundary 1", "sess_a", "bc"),
    ("boundary 2", "sess_ab", "c"),
    ("separator 1", "a:b", "c"),
    ("separator 2", "a", "b:c"),
    ("comma 1", "a,b", "c"),
    ("comma 2", "a", "b,c"),
    ("looks like a length", "1:a,", "b"),
    ("length inside the key", "1", "1:1,1"),
    ("precomposed", "s", "\u00e9"),
    ("combining", "s", "e\u0301"),
    ("upper case key", "s", "K"),
    ("upper case session", "S", "k"),
    ("blank", "s", " "),
    ("blank after", "s", "k "),
    ("parent", "parent", "k"),
    ("fork", "fork-of-parent", "k"),
    ("session in UTF-8 bytes", "\u00e9", "k"),
    ("astral session", "\U0001f511", "k"),
    ("255 astral code points", "s", "\U0001f511" * 255),
    ("NUL", "s\0", "\0k"),
    ("line break", "s\n", "k\r\n"),
    ("path", "../../etc", "../passwd"),
    ("digits", "12", "34"),
    ("digits moved", "1", "234"),
    ("ten bytes", "0123456789", "k"),
)
"""A topic, a session ID and a key for each vector. No two pairs may have the same ID."""


def derived(protocol: Protocol) -> dict[str, str]:
    """The vectors, by path. A protocol without a key has none.

    A vector has the text that is hashed, too, as UTF-8 in hexadecimal: the length of the session ID
    in UTF-8 bytes and in decimal, a colon, the session ID, a comma, the key.
    """
    if all(method.key is None for method in protocol.methods):
        return {}
    lines = []
    for name, session, key in _PAIRS:
        vector = {
            "name": name,
            "sessionId": session,
            "key": key,
            "hashed": hashed(session, key).encode().hex(),
            "messageId": str(message_id(session, key)),
        }
        lines.append(compact({**vector}))
    head = {"namespace": str(NAMESPACE), "namespaceName": NAMESPACE_NAME}
    return {"vectors/derived.json": document({**head}, "vectors", lines)}
