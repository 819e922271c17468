"""The errors of requests: what the schema lists for a method, and what any request can meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, code, join, prose, table
from acpgen.model import ERROR_CODE, Method, Protocol, TypeName
from acpgen.targets.pages.site import Links

ERROR = TypeName("Error")
_INVALID_PARAMS = -32602


@dataclass(frozen=True, slots=True)
class _Common:
    """An error of any request: its name, unless the schema has one, and when it occurs."""

    name: str
    when: Inline


_COMMON: Mapping[int, _Common] = {
    -32600: _Common("Invalid request", Inline("The message is not a JSON-RPC request.")),
    -32601: _Common("Method not found", Inline("The receiver does not offer this method.")),
    _INVALID_PARAMS: _Common("Invalid params", Inline("The params do not fit their type.")),
    -32603: _Common("Internal error", Inline("The receiver failed for a reason of its own.")),
    -32700: _Common("Parse error", Inline("The message is not JSON.")),
}
"""The errors of JSON-RPC 2.0 section 5.1."""


def error_names(protocol: Protocol) -> dict[int, str]:
    """The name of each error code that the protocol knows."""
    known = protocol.error_codes
    named = {number: v.title for number, v in known.items() if v.title is not None}
    return {number: common.name for number, common in _COMMON.items()} | named


def error_table(method: Method, protocol: Protocol, links: Links) -> str:
    """Each code that a request can be answered with, once, and everything that leads to it."""
    names = error_names(protocol)
    reasons = {number: [common.when] for number, common in _COMMON.items()}
    reasons[_INVALID_PARAMS] = [Inline(f"The params do not fit {links.type(method.params)}.")]
    for error in method.errors:
        reasons.setdefault(error.code, []).append(links.prose(error.when))
    head = (Inline("Code"), Inline("Name"), Inline("When"))
    rows = (
        (code(str(number)), prose(names.get(number, "Error")), join(reasons[number]))
        for number in sorted(reasons, reverse=True)
    )
    return table(head, rows)


def error_codes(protocol: Protocol) -> Inline:
    """Every code that a request can be answered with by the protocol, as a list in a sentence."""
    return join((code(str(number)) for number in _numbers(protocol)), ", ")


def code_table(protocol: Protocol, links: Links) -> str:
    """Each code that the protocol knows, what it means, and the requests it is stated for."""
    head = (Inline("Code"), Inline("Meaning"), Inline("Requests it is stated for"))
    rows = (
        (code(str(number)), _meaning(number, protocol), _askers(number, protocol, links))
        for number in _numbers(protocol)
    )
    return table(head, rows)


def errors(protocol: Protocol, links: Links) -> dict[str, object]:
    """The variables of the page on errors."""
    return {
        "table": code_table(protocol, links),
        "error": links.type(ERROR),
        "error_code": links.type(ERROR_CODE),
    }


def _numbers(protocol: Protocol) -> list[int]:
    listed = {error.code for method in protocol.methods for error in method.errors}
    return sorted(listed | protocol.error_codes.keys() | _COMMON.keys(), reverse=True)


def _meaning(number: int, protocol: Protocol) -> Inline:
    described = protocol.error_codes.get(number)
    if described is not None and described.docs:
        return prose(described.docs)
    return _COMMON[number].when if number in _COMMON else Inline("Not described.")


def _askers(number: int, protocol: Protocol, links: Links) -> Inline:
    """The methods that list a code, after the word `any` where every request can meet it."""
    names = dict.fromkeys(
        method.name
        for method in protocol.methods
        if any(error.code == number for error in method.errors)
    )
    listed = join((links.method(name) for name in names), ", ")
    if number not in _COMMON:
        return listed or Inline("none in particular")
    return Inline(f"any; for more reasons: {listed}") if listed else Inline("any")
