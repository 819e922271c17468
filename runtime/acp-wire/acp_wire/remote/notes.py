"""What a channel had to do differently, because servers read the transport's text differently."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Note"]


class Note(StrEnum):
    """One deviation or loss that a channel observed. The value is a sentence for the user."""

    SESSION_HEADER_REFUSED = (
        "The server answers 404 to a request that names its session in Acp-Session-Id before the "
        "connection has met the session. It was sent again without the header."
    )
    ANSWER_ON_OTHER_STREAM = (
        "The answer to a request about a session came on the stream of the connection."
    )
    SESSION_STREAM_REFUSED = (
        "The server answers 404 to the stream of a session that the connection has not met."
    )
    STREAM_REOPENED = (
        "A stream broke and was opened again on the same connection. Messages that the server had "
        "written to the broken stream are lost."
    )
    HALF_OPEN = (
        "A stream broke, and the server still takes it for open: it answers 409 to its reopening."
    )
    ANSWER_IN_POST = "The server answered a request in the response to its POST."
    NOT_A_MESSAGE = "The server sent something that is not a JSON object."
