"""A session as the page reads it: columns of numbers, and the texts of the messages.

Strings that many messages share, such as the names of methods, are in lists; a column has their
index, or -1 for none.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from acp_wire.disclosure import Redactor
from acp_wire.pairing import Connection
from acp_wire.reader import decode
from acpgen import __version__, rulebook
from acpgen.findings import Finding, Severity
from acpgen.judge.message_text import MessageText
from acpgen.model import JsonValue, Method, Protocol, Side
from acpgen.view.shown_message import ShownKind, ShownMessage, shown_message

__all__ = ["SessionView", "ShownFinding"]

_SIDES = ("client", "agent", "proxy", "")
"""The sides, in the order in which the page knows them; the last one is unknown."""
_NONE = -1
_OTHER: Mapping[str, str] = {"client": "agent", "agent": "client"}
_ASKS = (ShownKind.REQUEST, ShownKind.NOTIFICATION)
_ANSWERS = (ShownKind.RESULT, ShownKind.ERROR)


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding of a command (`validate` or `trace`) at a message, which is known by its index."""

    message: int
    command: str
    finding: Finding


class _Listed:
    """Texts without repetition, each known by its index."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def index(self, text: str | None) -> int:
        return _NONE if text is None else self.texts.setdefault(text, len(self.texts))


class SessionView:
    """The messages of one transcript, added in their order.

    Keys are replaced by a hash that is the same for the same key in this session only, other
    secrets as `acp_wire.disclosure` lists them. All messages are held in memory. `judged` counts
    the messages that have a verdict.

    Args:
        title: the name of the session.
        protocol: what the methods mean.
        show_keys: whether keys are kept.
    """

    def __init__(self, title: str, protocol: Protocol, *, show_keys: bool = False) -> None:
        self.title = title
        self.messages: list[ShownMessage] = []
        self.findings: list[ShownFinding] = []
        self.notes: list[str] = []
        self.judged = 0
        self._protocol = protocol
        self._redactor = Redactor(secrets.token_bytes(16), show_keys=show_keys)
        self._pending: dict[tuple[Connection, int | str, str], int] = {}
        self._partners: dict[int, int] = {}
        self._places: dict[tuple[int, int | None], int] = {}

    def add(self, entry: MessageText, connection: Connection = "") -> int:
        """Add the next line, and return the index of its message.

        `connection` is the name of its connection if that is another than in the line.
        """
        message, index = shown_message(entry, self._redactor), len(self.messages)
        if connection != "":
            message = replace(message, connection=connection)
        self.messages.append(message)
        self._places.setdefault((entry.line, entry.number), index)
        if message.id is None:
            return index
        if message.kind is ShownKind.REQUEST:
            self._pending[message.connection, message.id, message.sender] = index
        elif message.kind in _ANSWERS:
            asked = self._asked(message, message.id)
            if asked is not None:
                self._partners[index], self._partners[asked] = asked, index
        return index

    def find(self, finding: Finding, command: str, index: int | None = None) -> None:
        """Add a finding to a message: by its index, or else by its line and number."""
        if index is None:
            index = self._places.get((finding.line or 0, finding.number))
        if index is not None:
            self.findings.append(ShownFinding(index, command, finding))

    def take_back(self, indexes: Collection[int]) -> None:
        """Take back the verdicts on messages, which turned out to be there in part only."""
        self.judged -= len(indexes)
        self.findings = [each for each in self.findings if each.message not in indexes]

    def forget(self, rules: Collection[str]) -> None:
        """Leave out the findings of some rules, which need messages that the log does not have."""
        self.findings = [each for each in self.findings if each.finding.rule not in rules]

    def _asked(self, answer: ShownMessage, id_: int | str) -> int | None:
        """The pending request that a response answers, which is not pending any more."""
        for side in _SIDES:
            if side != answer.sender:
                asked = self._pending.pop((answer.connection, id_, side), None)
                if asked is not None:
                    return asked
        return None

    def texts(self) -> list[str]:
        """The parts of the session, each on one line: the columns, then the messages."""
        contents = json.dumps(self._contents(), ensure_ascii=False, separators=(",", ":"))
        return [contents, *(message.text for message in self.messages)]

    def _contents(self) -> dict[str, JsonValue]:
        methods, details, keys, connections = _Listed(), _Listed(), _Listed(), _Listed()
        names = {c: self._name(c) for c in {message.connection for message in self.messages}}
        columns: dict[str, JsonValue] = {
            "line": [message.line for message in self.messages],
            "number": [message.number or 0 for message in self.messages],
            "at": [message.time for message in self.messages],
            "connection": [connections.index(names[m.connection]) for m in self.messages],
            "from": [_side(message.sender) for message in self.messages],
            "to": [_side(self._receiver(index)) for index in range(len(self.messages))],
            "kind": [int(message.kind) for message in self.messages],
            "method": [methods.index(self._method(i)) for i in range(len(self.messages))],
            "detail": [details.index(message.detail or None) for message in self.messages],
            "id": [None if m.id is None else json.dumps(m.id) for m in self.messages],
            "partner": [self._partners.get(i, _NONE) for i in range(len(self.messages))],
            "key": [keys.index(self._submission(index)) for index in range(len(self.messages))],
        }
        rules = _Listed()
        findings: list[JsonValue] = [
            [
                each.message,
                rules.index(f"{each.command} {each.finding.rule}"),
                list(Severity).index(each.finding.severity),
                each.finding.pointer,
                each.finding.message,
                each.finding.code,
            ]
            for each in self.findings
        ]
        return {
            "title": self.title,
            "tool": f"acpgen {__version__}",
            "notes": list(self.notes),
            "judged": self.judged,
            "connections": list(connections.texts),
            "methods": [self._description(name) for name in methods.texts],
            "details": list(details.texts),
            "keys": [text.partition(" ")[2] for text in keys.texts],
            "rules": [_rule(*text.split(" ")) for text in rules.texts],
            "messages": columns,
            "findings": findings,
        }

    def _name(self, connection: Connection) -> str:
        """The name of a connection, without keys."""
        if isinstance(connection, int):
            return f"connection {connection}"
        shown = json.loads(self._redactor.redacted(decode(json.dumps(connection))))
        return str(shown)

    def _method(self, index: int) -> str | None:
        """The method of a message or, for a response, of its request."""
        message = self.messages[index]
        if message.kind in _ANSWERS:
            asked = self._partners.get(index)
            return None if asked is None else self.messages[asked].method
        return message.method

    def _submission(self, index: int) -> str | None:
        """What the attempts of one submission have in common: the session and the key."""
        if self.messages[index].kind in _ANSWERS:
            index = self._partners.get(index, index)
        message = self.messages[index]
        if message.key is None:
            return None
        session = json.dumps(message.session).replace(" ", "\\u0020")
        return f"{session} {message.key}"

    def _receiver(self, index: int) -> str:
        """The side that gets a message, empty where that is not known."""
        message, partner = self.messages[index], self._partners.get(index)
        if partner is not None:
            return self.messages[partner].sender
        if message.kind in _ASKS and message.sender == "proxy":
            sides = {m.side for m in self._protocol.methods if m.name == message.method}
            return next((side.value for side in sides if side in (Side.AGENT, Side.CLIENT)), "")
        return _OTHER.get(message.sender, "")

    def _description(self, name: str) -> JsonValue:
        found = [method for method in self._protocol.methods if method.name == name]
        method: Method | None = found[0] if found else None
        retry = method.retry.value if method is not None and method.retry is not None else ""
        return {"name": name, "retry": retry, "resend": "" if method is None else method.resend}


def _side(name: str) -> int:
    return _SIDES.index(name)


def _rule(command: str, id_: str) -> JsonValue:
    return {"id": id_, "command": command, "page": rulebook.page(command)(id_) or ""}
