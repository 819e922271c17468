"""A client's end of ACP over Streamable HTTP and WebSocket, for the headers of every known server.

`connect` opens a channel by the scheme of a URL. It needs the extra `remote`, `httpx2` and
`websockets`, which are imported when a channel of their kind is opened.
"""

from acp_wire.remote.connecting import MissingExtraError, Remote, is_remote, without_secrets
from acp_wire.remote.notes import Note
from acp_wire.remote.remote_channel import RemoteChannel, RemoteError, Timing

__all__ = [
    "MissingExtraError",
    "Note",
    "Remote",
    "RemoteChannel",
    "RemoteError",
    "Timing",
    "is_remote",
    "without_secrets",
]
