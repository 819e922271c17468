"""Chooses the channel by the scheme of a URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from acp_wire.extras import MissingExtraError, missing
from acp_wire.remote.events import LONGEST
from acp_wire.remote.remote_channel import RemoteChannel, Timing

__all__ = ["MissingExtraError", "Remote", "is_remote", "without_secrets"]

HTTP: Final = ("http", "https")
WEBSOCKET: Final = ("ws", "wss")


def is_remote(url: str) -> bool:
    """True if a URL is one that `Remote` opens."""
    return urlsplit(url).scheme.lower() in (*HTTP, *WEBSOCKET)


def without_secrets(url: str) -> str:
    """Return a URL as it may be printed: without user, password, query and fragment."""
    parts = urlsplit(url)
    hidden = "..." if parts.query else ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, hidden, ""))


class Remote:
    """An address that can be connected to any number of times.

    Args:
        url: `http:`, `https:`, `ws:` or `wss:`.
        headers: sent with every request, such as `Authorization`.
        timing: how long each step may take.
        longest: bytes of the longest message that is read. A longer one ends its connection.

    Raises:
        ValueError: the URL has another scheme, or names no host.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        timing: Timing | None = None,
        *,
        longest: int = LONGEST,
    ) -> None:
        if not is_remote(url) or not urlsplit(url).hostname:
            raise ValueError(f"not a URL of http, https, ws or wss: {without_secrets(url)!r}")
        self._url = url
        self.address = without_secrets(url)
        """The URL for reports, without secrets."""
        self._headers = dict(headers or {})
        self._timing = timing or Timing()
        self._longest = longest
        self.is_http = urlsplit(url).scheme.lower() in HTTP
        """True if it is Streamable HTTP, where each `initialize` opens a connection."""

    async def connect(self) -> RemoteChannel:
        """Open a connection. The first message has to be `initialize`.

        Over HTTP nothing is sent before that.

        Raises:
            RemoteError: the server can't be reached.
            MissingExtraError: the library for the scheme is not installed.
        """
        if self.is_http:
            try:
                from acp_wire.remote.http_channel import HttpChannel
            except ModuleNotFoundError as error:
                raise missing("an address of http or https", "remote", error) from error
            return HttpChannel(self._url, self._headers, self._timing, self._longest)
        try:
            from acp_wire.remote.websocket_channel import WebSocketChannel
        except ModuleNotFoundError as error:
            raise missing("an address of ws or wss", "remote", error) from error
        return await WebSocketChannel.open(self._url, self._headers, self._timing, self._longest)
