"""Messages whose envelope was taken apart: `jsonrpc` left out, members under other names."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.logs.scanning import blank, members
from acpgen.logs.surroundings import Members, token_of

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("request", "req", "call"), "request"),
    **dict.fromkeys(("notification", "notify", "notif"), "notification"),
    **dict.fromkeys(("response", "resp", "res", "reply", "result"), "response"),
    **dict.fromkeys(("error", "error_response", "errorresponse"), "error"),
}
_KIND_NAMES = ("type", "kind", "messagetype", "message_type", "msgtype", "msg_type", "rpctype")
_PAYLOADS = ("params", "payload", "body", "data", "arguments", "content", "message", "value")
_IDS = ("id", "requestId", "request_id", "rpcId", "rpc_id")
_FAILED = ("is_error", "isError", "failed")


def rebuilt(value: Members, text: str) -> tuple[str, int] | None:
    """Return the message in an object that has the parts of one, beside a direction or a kind.

    It comes with the number of lines from the start of the text to its first part.
    """
    kind = kind_named(value)
    method = value.get("method")
    calls = isinstance(method, str)
    answers = any(value.get(name) is not None for name in ("result", "error"))
    if not calls and kind is None and not (answers and "id" in value):
        return None
    if kind is None and token_of(value) is None:
        return None
    if kind is None:
        kind = "response" if answers else "request"
    places = members(text, blank(text, 0))
    id_ = next((name for name in _IDS if value.get(name) is not None), None)
    if kind in ("response", "error"):
        member, payload = _answer(value, kind)
        if payload is None or id_ is None:
            return None
        parts = [(places[id_], '"id":'), (places[payload], f'"{member}":')]
    else:
        if not calls:
            return None
        parts = [(places["method"], '"method":')]
        if id_ is not None and kind != "notification":
            parts.append((places[id_], '"id":'))
        payload = next((n for n in _PAYLOADS if isinstance(value.get(n), dict | list)), None)
        if payload is not None:
            parts.append((places[payload], '"params":'))
    return _joined(text, sorted(parts))


def _joined(text: str, parts: list[tuple[tuple[int, int], str]]) -> tuple[str, int]:
    """A message of parts of a text, each on the line that it has there, and the line of the first.

    Lines count from that of the start of the text.
    """
    start = parts[0][0][0]
    pieces, at = ['{"jsonrpc":"2.0"'], start
    for (begin, end), name in parts:
        pieces.append("\n" * text.count("\n", at, begin))
        pieces.append(f",{name}{text[begin:end]}")
        at = end
    return "".join(pieces) + "}", text.count("\n", 0, start)


def _answer(value: Members, kind: str) -> tuple[str, str | None]:
    """The member that a response has, and the member of the value that it is made from."""
    if value.get("error") is not None and not isinstance(value["error"], bool):
        return "error", "error"
    if "result" in value:
        return "result", "result"
    payload = next((name for name in _PAYLOADS if name in value), None)
    if payload is None:
        return "result", None
    flags = [value[name] for name in _FAILED if isinstance(value.get(name), bool)]
    failed = kind == "error" or (flags[0] if flags else is_error(value[payload]))
    return ("error" if failed else "result"), payload


def is_error(value: object) -> bool:
    """True if a value is the error of a response."""
    return (
        isinstance(value, dict)
        and type(value.get("code")) is int
        and isinstance(value.get("message"), str)
        and value.keys() <= {"code", "message", "data"}
    )


def kind_named(value: Members) -> str | None:
    """Return the kind of message that an object names."""
    for name, member in value.items():
        if name.strip("_").lower() in _KIND_NAMES and isinstance(member, str):
            found = _KINDS.get(member.lower())
            if found is not None:
                return found
    return None
