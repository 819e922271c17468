"""What the languages are tried with: protocols, messages, and what Python says of both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.load import load
from acpgen.model import KEY_TYPE, Kind, MethodName, Protocol, RetryClass, Scalar
from acpgen.targets.tables import retry
from acpgen.targets.vectors import resends
from whole_schema import whole_schema

TEMPLATES = Templates(resources.TEMPLATES)
GOLDEN = load(Path(__file__).parents[1] / "golden" / "schema" / "v9")

HOSTILE = (
    "a\"b'c`d\\e \\u0022 \\u000a \\x22 ${f} $g {h} %s */ /* // -- <b>&amp; {@code i} #{j} \\{k} "
    "\n\r\t\v\f\0\x07\x1b\x7f\x85\xa0\xad\u200b\u2028\u2029\u202e\ufeff\uffff\ue000 "
    '\U0001f600\U000e0041 é漢字 two  blanks, """raw""" `raw` r#"raw"# and then a long text, so '
    "that it is put on lines of its own where that is done:  a line's end   with blanks, \\"
)
"""Characters that end a literal or a comment somewhere, or that no source text may hold."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A protocol with messages, as JSON objects of the members method, kind and params."""

    protocol: Protocol
    messages: tuple[dict[str, Any], ...]

    @property
    def version(self) -> str:
        """`v` and the version, as folders and packages are called."""
        return f"v{self.protocol.version}"


def hostile(protocol: Protocol) -> Protocol:
    """A protocol that says what must not get out of a literal, and has a method called that."""
    methods = [replace(m, resend=HOSTILE, docs=HOSTILE, page=HOSTILE) for m in protocol.methods]
    first, *others = methods
    return replace(
        protocol,
        version=7,
        methods=(replace(first, name=MethodName('a"b\\*/`${c}$d')), *others),
    )


def unlimited(protocol: Protocol) -> Protocol:
    """A protocol whose keys may be of any length."""
    key = protocol.types[KEY_TYPE]
    assert isinstance(key.body, Scalar)
    body = replace(key.body, min_length=None, max_length=None)
    types = {**protocol.types, KEY_TYPE: replace(key, body=body)}
    return replace(protocol, version=6, types=types)


def partial(protocol: Protocol) -> Protocol:
    """A protocol in which some methods have no class, none is keyed, and none carries another."""
    without = {RetryClass.KEYED, RetryClass.CARRIED, RetryClass.NOT_RETRIED}
    methods = (
        replace(method, retry=None, resend="", key=None, carries=None)
        if method.retry in without
        else method
        for method in protocol.methods
    )
    return replace(protocol, version=4, methods=tuple(methods))


def messages(protocol: Protocol) -> tuple[dict[str, Any], ...]:
    """The resend vectors of a protocol."""
    return tuple(
        vector
        for path, text in resends(protocol, TEMPLATES).items()
        if path.startswith("vectors/resend/") and path.endswith(".json")
        for vector in json.loads(text)["vectors"]
    )


def table(protocol: Protocol) -> ModuleType:
    """The generated table for Python, run."""
    found = ModuleType("generated_retry")
    exec(retry(protocol, TEMPLATES)[f"python/acp_v{protocol.version}/retry.py"], vars(found))
    return found


def expected(subject: Subject) -> tuple[list[list[str]], list[list[str]]]:
    """What a driver prints: the rows and what is said of each message, by Python's table."""
    python = table(subject.protocol)
    rows = [
        [*row, python.retry_class(row.name, row.kind), python.find(row.name).kind]
        for row in python.METHODS
    ]
    reported = []
    for message in subject.messages:
        verdict = python.resend(
            message["method"], message["params"], message["kind"], message.get("version")
        )
        row = verdict.method
        decided = [row and row.name, row and row.retry_class]
        reported.append([verdict.answer, verdict.reason, *decided, verdict.why])
    return _texts(rows), _texts(reported)


def _texts(records: list[list[Any]]) -> list[list[str]]:
    return [[*map(_text, record)] for record in records]


def _text(field: Any) -> str:
    if isinstance(field, tuple):
        return " ".join(field)
    return "" if field is None else str(field)


def plain(messages: Sequence[dict[str, Any]], pairs: Sequence[dict[str, Any]]) -> str:
    """Messages and pairs of a session ID and a key, for languages without JSON.

    Each are a count, then a value a line with its type.
    """
    lines = [str(len(messages))]
    for message in messages:
        lines += [_string(message["method"]), message["kind"] or ""]
        lines += [str(message.get("version") or ""), *_plain(message["params"])]
    lines.append(str(len(pairs)))
    for pair in pairs:
        lines += [_string(pair["sessionId"]), _string(pair["key"])]
    return "\n".join(lines) + "\n"


def _plain(value: Any) -> list[str]:
    match value:
        case None:
            return ["n"]
        case str():
            return [_string(value)]
        case list():
            return [f"a{len(value)}", *(line for item in value for line in _plain(item))]
        case dict():
            members = ([_string(name), *_plain(item)] for name, item in value.items())
            return [f"m{len(value)}", *(line for member in members for line in member)]
        case _:
            return ["o"]


def _string(value: str) -> str:
    return "s" + ",".join(f"{ord(character):x}" for character in value)


def _subjects() -> dict[str, Subject]:
    protocols = {
        "real": whole_schema(),
        "invented": GOLDEN,
        "hostile": hostile(GOLDEN),
        "unlimited": unlimited(GOLDEN),
        "partial": partial(GOLDEN),
        "empty": replace(GOLDEN, version=5, methods=()),
    }
    return {
        name: Subject(protocol, messages(protocol) + _names(protocol))
        for name, protocol in protocols.items()
    }


def _names(protocol: Protocol) -> tuple[dict[str, Any], ...]:
    """Messages whose names a table of some language might take for its own."""
    inherited = ("constructor", "__proto__", "toString", "hasOwnProperty")
    return tuple(
        {"method": name, "kind": kind, "params": {"__proto__": {}, "constructor": 1}}
        for name in (*inherited, *{method.name for method in protocol.methods})
        for kind in (None, *(each.value for each in Kind))
    )


SUBJECTS = _subjects()
