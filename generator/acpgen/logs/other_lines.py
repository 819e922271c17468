"""Lines of other output in a log that has a message, or a line of a transcript, on each line."""

from __future__ import annotations

from codecs import BOM_UTF8

from acp_wire.reader import Decoded, NotJsonError
from acpgen.logs.detection import holds_several
from acpgen.logs.elisions import is_cut_off, leaves_out
from acpgen.logs.messages import is_bare


def is_other(read: Decoded | NotJsonError, text: bytes, *, transcript: bool) -> bool:
    """True if a line is not meant as one message, or is one that is there in part only."""
    if isinstance(read, NotJsonError):
        if is_cut_off(text.decode("utf-8", "surrogateescape")):
            return True
        start = text.removeprefix(BOM_UTF8).lstrip()
        if not transcript and start.startswith(b"{") and holds_several(start):
            return True
        return not start.startswith(b"{") or start.rstrip() == b"{"
    value = read.value
    if not isinstance(value, dict) or not value:
        return False
    if not transcript and "jsonrpc" in value and isinstance(value.get("params"), dict):
        return False  # as for most messages
    if leaves_out(value.get("message") if transcript else value):
        return True
    if transcript:
        return value.keys().isdisjoint({"message", "from", "jsonrpc", "method"})
    return "jsonrpc" not in value and not is_bare(value)
