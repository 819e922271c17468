"""The module of plain checkers: functions, and the tables that lead messages to them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acpgen.emit.casing import snake
from acpgen.emit.header import HEADER
from acpgen.emit.python import literal
from acpgen.model import (
    ANY,
    SENDS,
    Kind,
    Method,
    Protocol,
    Ref,
    Side,
    Type,
    TypeName,
)
from acpgen.targets.checkers.functions import Functions
from acpgen.targets.checkers.slots import Renderer

_SEPARATOR = "[-_./:$ ]*"
_SEPARATORS = str.maketrans("", "", "_-./:$ ")


def checkers_module(protocol: Protocol, templates: Renderer, schema: str = "") -> str:
    """The source of the module; `schema` is the digest by which its package knows it."""
    functions = Functions(protocol)
    requests = [m for m in protocol.methods if m.kind is Kind.REQUEST]
    notifications = [m for m in protocol.methods if m.kind is Kind.NOTIFICATION]
    names = functions.names
    return templates.render(
        "checkers/checkers.py.jinja",
        header=HEADER,
        schema=literal(schema),
        functions=functions.text,
        tables=functions.tables,
        types=_rows((name, function) for name, function in names.items()),
        requests=_rows((m.name, names[m.params]) for m in requests),
        notifications=_rows((m.name, names[m.params]) for m in notifications),
        results=_rows((m.name, names[m.result]) for m in requests if m.result is not None),
        calls=_calls(requests, notifications),
        callers=_callers(requests),
        request_id=_envelope(protocol, functions, "RequestId", "value"),
        error=_envelope(protocol, functions, "Error", 'message["error"]'),
        any_result=_envelope(protocol, functions, "ExtResponse", "value"),
        extension=_extension(protocol, functions),
        keyed=_keyed(protocol),
        like_a_key=literal(_like_a_key(protocol)),
    )


def _rows(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"    {literal(name)}: {function}," for name, function in pairs)


def _calls(requests: Iterable[Method], notifications: Iterable[Method]) -> str:
    """The tables of what each side may call."""
    lines = [
        "_CALLS: Mapping[str | None, tuple[Mapping[str, Check], Mapping[str, Check]]] = {",
        "    None: (_REQUESTS, _NOTIFICATIONS),",
    ]
    for sender, sides in SENDS.items():
        lines.append(f"    {literal(sender)}: (")
        for table, methods in (("_REQUESTS", requests), ("_NOTIFICATIONS", notifications)):
            lines.append("        {")
            lines += [
                f"            {literal(m.name)}: {table}[{literal(m.name)}],"
                for m in methods
                if m.side in sides
            ]
            lines.append("        },")
        lines.append("    ),")
    return "\n".join([*lines, "}"])


def _callers(requests: Iterable[Method]) -> str:
    """The rows that say who sends what only the agent, or only the client, handles."""
    others = {Side.AGENT: Side.CLIENT, Side.CLIENT: Side.AGENT}
    rows = {
        m.name: f"    {literal(m.name)}: {literal(others[m.side])},"
        for m in requests
        if m.side in others
    }
    return "\n".join(rows.values())


def _envelope(protocol: Protocol, functions: Functions, name: str, value: str) -> str:
    """The condition on a part of the envelope that the protocol may define further."""
    jsonrpc = "type(value) is int or type(value) is str" if name == "RequestId" else "True"
    if _body(protocol, name) == ANY:
        return jsonrpc
    condition = functions.condition(Ref(TypeName(name)), value, snake(name))
    return condition if jsonrpc == "True" else f"({jsonrpc}) and {condition}"


def _extension(protocol: Protocol, functions: Functions) -> str:
    """The condition on a call of a method that the protocol doesn't have."""
    named = 'method.startswith("_")'
    request = _envelope(protocol, functions, "ExtRequest", 'message["params"]')
    notification = _envelope(protocol, functions, "ExtNotification", 'message["params"]')
    if request == notification == "True":
        return named
    params = f'({request} if "id" in message else {notification})'
    return f'{named} and ("params" not in message or {params})'


def _body(protocol: Protocol, name: str) -> Type:
    defined = protocol.types.get(TypeName(name))
    return ANY if defined is None else defined.body


def _keyed(protocol: Protocol) -> str:
    pairs = [(m.name, m.key) for m in protocol.methods if m.key is not None]
    return "{" + ", ".join(f"{literal(name)}: {literal(key)}" for name, key in pairs) + "}"


def _like_a_key(protocol: Protocol) -> str:
    """The pattern of the names that, but for case and separators, are the name of a key."""
    keys = sorted({method.key for method in protocol.methods if method.key is not None})
    spellings = (
        _SEPARATOR.join(re.escape(letter) for letter in key.translate(_SEPARATORS)) for key in keys
    )
    return "|".join(f"{_SEPARATOR}{spelling}{_SEPARATOR}" for spelling in spellings) or "(?!)"
