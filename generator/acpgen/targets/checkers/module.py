"""The module of checkers: functions for the types, and the tables that lead messages to them."""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.emit.header import HEADER
from acpgen.emit.python import literal
from acpgen.model import ANY, SENDS, Kind, Method, Protocol, Side, TypeName
from acpgen.targets.checkers.functions import Functions
from acpgen.targets.checkers.slots import TemplateRenderer

_ENVELOPE = {
    "is_id": ("RequestId",),
    "is_error": ("Error",),
    "is_result": ("ExtResponse",),
    "is_extension": ("ExtRequest", "ExtNotification"),
}
"""The types by which a protocol defines parts of the envelope further."""


def checkers_module(protocol: Protocol, templates: TemplateRenderer, schema: str = "") -> str:
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
        types=_rows(names.items()),
        requests=_rows((m.name, names[m.params]) for m in requests),
        notifications=_rows((m.name, names[m.params]) for m in notifications),
        results=_rows((m.name, names[m.result]) for m in requests if m.result is not None),
        sent=_sent(requests, notifications),
        callers=_callers(requests),
        keyed=_rows((m.name, literal(m.key)) for m in protocol.methods if m.key is not None),
        envelope=_envelope(protocol, functions),
    )


def _rows(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f"        {literal(name)}: {value},\n" for name, value in pairs).rstrip()


def _sent(requests: Iterable[Method], notifications: Iterable[Method]) -> str:
    """The methods that each side calls, which the other side handles."""
    lines = []
    for sender, sides in SENDS.items():
        lines.append(f"        {literal(sender)}: (")
        for methods in (requests, notifications):
            lines.append("            [")
            lines += [f"                {literal(m.name)}," for m in methods if m.side in sides]
            lines.append("            ],")
        lines.append("        ),")
    return "\n".join(lines)


def _callers(requests: Iterable[Method]) -> str:
    """The sender of each request that only the agent, or only the client, handles."""
    others = {Side.AGENT: Side.CLIENT, Side.CLIENT: Side.AGENT}
    rows = {m.name: literal(others[m.side]) for m in requests if m.side in others}
    return _rows(rows.items())


def _envelope(protocol: Protocol, functions: Functions) -> str:
    """The checks of parts of the envelope that the protocol defines further."""
    lines = []
    for argument, types in _ENVELOPE.items():
        checks = [
            functions.names[name] if _is_limited(protocol, name) else "is_anything"
            for name in map(TypeName, types)
        ]
        if any(check != "is_anything" for check in checks):
            value = checks[0] if len(checks) == 1 else f"({', '.join(checks)})"
            lines.append(f"    {argument}={value},")
    return "\n".join(lines)


def _is_limited(protocol: Protocol, name: TypeName) -> bool:
    return name in protocol.types and protocol.types[name].body != ANY
