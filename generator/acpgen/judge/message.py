"""One JSON-RPC message against the protocol: who may send it, and the error that it deserves.

A message is judged as a receiver reads it, layer by layer, and the first broken layer gives the
answer: the text (-32700), the envelope (-32600), the method (-32601), its params (-32602). A
notification or a response is never answered, so a fault in its content has no code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from acp_wire.envelope import (
    EnvelopeFault,
    ErrorCode,
    MessageKind,
    envelope_faults,
    kind_of,
    request_id,
    require_sender,
)
from acp_wire.keys import respelled, skeleton
from acp_wire.reader import JsonValue
from acp_wire.type_rows import TypeTable
from acpgen.findings import Severity
from acpgen.judge import v1_words
from acpgen.judge.check import Check, mistyped
from acpgen.judge.fault_limit import USUAL, FaultLimit
from acpgen.judge.former_members import former_members
from acpgen.judge.message_verdict import MessageFault, MessageRule, MessageVerdict
from acpgen.judge.near_misses import near_misses
from acpgen.judge.type_checks import JudgedMethod, TypeChecks
from acpgen.sides import META, SENDS, Kind, Side
from acpgen.types.json_types import JsonType, json_type

EXTENSION = "_"
"""The beginning of the names of private methods."""
OPTIONAL = "$/"
"""The beginning of the names of notifications that a receiver may ignore."""

_ERROR_TYPE = "Error"
_ERROR = Severity.ERROR
_INVALID_REQUEST = ErrorCode.INVALID_REQUEST
_INVALID_PARAMS = ErrorCode.INVALID_PARAMS
_METHOD_NOT_FOUND = ErrorCode.METHOD_NOT_FOUND
_NOTIFICATION = MessageKind.NOTIFICATION
_REQUEST = MessageKind.REQUEST
_RESPONSE = MessageKind.RESPONSE
_METHOD = ("method",)
_NO_PARAMS = MessageFault(MessageRule.REQUIRED, "is missing", ("params",))
_CALL = frozenset({"jsonrpc", "id", "method", "params"})
"""The members of a call."""
_INITIALIZE = "initialize"
_RULES = {rule._value_: rule for rule in MessageRule}
_REQUIRED = MessageRule.REQUIRED
_CONST = MessageRule.CONST
_TYPE = MessageRule.TYPE
_JSON_TYPES = {str: JsonType.STRING, int: JsonType.INTEGER, type(None): JsonType.NULL}

Message = dict[str, JsonValue]


class _CalledMethod:
    """A method as it is called: the check of its params, and their members apart from the key."""

    __slots__ = ("check", "method", "ordinary")

    def __init__(self, method: JudgedMethod, check: Check, ordinary: frozenset[str]) -> None:
        self.method = method
        self.check = check
        self.ordinary = ordinary


class Judge:
    """Judges the messages of one protocol, each by itself.

    Args:
        table: the types and methods of the protocol (`acpgen.types.type_table`).
        limit: how many faults a verdict has.
    """

    def __init__(self, table: TypeTable, limit: FaultLimit = USUAL) -> None:
        self._version = table.version
        self._checks = TypeChecks(table, limit)
        self._methods: dict[str, list[JudgedMethod]] = {}
        self.methods = [*map(JudgedMethod, table.methods)]
        for method in self.methods:
            self._methods.setdefault(method.name, []).append(method)
        self._keys = frozenset(skeleton(m.key) for m in self.methods if m.key is not None)
        self._called: dict[tuple[str, str, Side | None], _CalledMethod] = {}

    def judge(
        self, value: JsonValue, *, sender: Side | None = None, answers: JudgedMethod | None = None
    ) -> MessageVerdict:
        """The verdict on one JSON value.

        `sender` None is any side; `answers` is the method of the request that a response is for.

        Raises:
            ValueError: the sender is not agent, client or proxy.
        """
        return self.judge_as(kind_of(value), value, sender, answers)

    def judge_as(
        self,
        kind: MessageKind | None,
        value: JsonValue,
        sender: Side | None = None,
        answers: JudgedMethod | None = None,
    ) -> MessageVerdict:
        """Return the verdict on a JSON value whose kind is known; see `judge`."""
        if sender is not None:
            require_sender(sender)
        self._checks.forget()
        if not isinstance(value, dict) or kind is None:
            return MessageVerdict((_purposeless(value),), _INVALID_REQUEST)
        id_ = None if kind is _NOTIFICATION else request_id(value)
        if broken := envelope_faults(value):
            name = value.get("method")
            method = name if isinstance(name, str) else None
            faults = tuple([_in_words(fault, value) for fault in broken])
            return MessageVerdict(faults, _INVALID_REQUEST, kind, method, id_)
        if kind is _RESPONSE:
            return self._response(value, id_, answers)
        return self._call(value, kind, id_, sender)

    def method(self, name: str, kind: Kind, sender: Side | None = None) -> JudgedMethod | None:
        """The method that a sender calls by that name, or None."""
        found = self._find(name, kind, sender) if name in self._methods else None
        return found if isinstance(found, JudgedMethod) else None

    def _call(
        self, message: Message, kind: MessageKind, id_: int | str | None, sender: Side | None
    ) -> MessageVerdict:
        name: str = message["method"]  # type: ignore[assignment] # the envelope has no fault
        faults: tuple[MessageFault, ...] = ()
        code = _INVALID_PARAMS
        called = self._called.get((name, kind, sender))
        if called is None:
            found = self._find(name, kind, sender)
            if isinstance(found, JudgedMethod):
                called = self._called[name, kind, sender] = self._as_called(found)
            elif found is not None:
                faults = (found,)
                code = _METHOD_NOT_FOUND
        if called is not None:
            faults = self._faults(message, called)
        answered = kind is _REQUEST and any(fault.severity is _ERROR for fault in faults)
        return MessageVerdict(faults, code if answered else None, kind, name, id_)

    def _as_called(self, method: JudgedMethod) -> _CalledMethod:
        check = self._checks.of(method.params)
        names = {member.name for member in check.members()} - {META}
        ordinary = frozenset(name for name in names if skeleton(name) not in self._keys)
        return _CalledMethod(method, check.meant(), ordinary)

    def _find(
        self, name: str, kind: str, sender: Side | None
    ) -> JudgedMethod | MessageFault | None:
        """The method called, the fault of calling it, or None for an extension."""
        methods = self._methods.get(name)
        if methods is None:
            return self._unknown(name, kind)
        handled = None if sender is None else SENDS[sender]
        for method in methods:
            if method.kind == kind and (handled is None or method.side in handled):
                return method
        same_kind = [method for method in methods if method.kind == kind]
        if not same_kind:
            meant = "an id" if kind == Kind.NOTIFICATION else "no id"
            reason = f"is a {methods[0].kind}, which has {meant}"
            return MessageFault(MessageRule.WRONG_KIND, reason, _METHOD)
        reason = f"is for the {same_kind[0].side} to handle, so no {sender} sends it"
        return MessageFault(MessageRule.WRONG_SIDE, reason, _METHOD)

    def _unknown(self, name: str, kind: str) -> MessageFault | None:
        if name.startswith(EXTENSION):
            return None
        meant = respelled(name, self._methods)
        hint = "" if meant is None else f"; did you mean {meant}?"
        if name in v1_words.METHODS and self._version != 1:
            hint = "; it is a method of ACP v1"
            if self._version is not None:
                hint += f", and the schema is of version {self._version}"
        severity = Severity.ERROR
        if kind == Kind.NOTIFICATION and name.startswith(OPTIONAL):
            severity = Severity.NOTE if meant is None else Severity.WARNING
        return MessageFault(
            MessageRule.UNKNOWN_METHOD,
            f"is not a method of the protocol{hint}",
            _METHOD,
            severity,
        )

    def _faults(self, message: Message, called: _CalledMethod) -> tuple[MessageFault, ...]:
        """The faults of the params of a call, and members that look like a key and are not one."""
        if "params" not in message:
            faults: tuple[MessageFault, ...] = (_NO_PARAMS,)
        else:
            params, method = message["params"], called.method.name
            found = called.check.faults(params, None, called.check)
            if method in v1_words.PARAMS:
                found = self._with_former(found, method, params, v1_words.PARAMS)
            faults = tuple([fault.below("params") for fault in found])
            if (
                isinstance(params, dict)
                and called.ordinary.issuperset(params)
                and _CALL.issuperset(message)
            ):
                return faults
        return (*faults, *near_misses(message, called.method, self._keys))

    def _with_former(
        self,
        faults: Sequence[MessageFault],
        method: str,
        value: JsonValue,
        former: Mapping[str, Mapping[str, str]],
    ) -> Sequence[MessageFault]:
        """The faults of params or a result, and those of its members that are of v1."""
        now = former.get(method)
        if now is None:
            return faults
        shape = list(self._former_shape(value)) if faults and method == _INITIALIZE else []
        return [*shape, *faults, *former_members(value, now, self._version, bool(shape))]

    def _former_shape(self, value: JsonValue) -> Iterator[MessageFault]:
        """The fault of an `initialize` that has this version and the members of v1."""
        if not isinstance(value, dict) or self._version in (None, 1):
            return
        now = v1_words.INITIALIZE
        old = [name for name in now if name in value and now[name] not in value]
        if old and value.get("protocolVersion") == self._version:
            names = " and ".join(f"{name} is {now[name]}" for name in old)
            yield MessageFault(
                MessageRule.FORMER_SHAPE,
                f"is {self._version}, and the members are those of version 1: {names} since 2",
                ("protocolVersion",),
            )

    def _response(
        self, message: Message, id_: int | str | None, answers: JudgedMethod | None
    ) -> MessageVerdict:
        member = "error" if "error" in message else "result"
        type_: str | None = _ERROR_TYPE
        if member == "result":
            type_ = None if answers is None else answers.result
        faults: Sequence[MessageFault] = ()
        if type_ is not None and type_ in self._checks:
            faults = self._checks.of(type_).check(message[member])
        if answers is not None and member == "result":
            faults = self._with_former(faults, answers.name, message[member], v1_words.RESULTS)
        return MessageVerdict(
            tuple([fault.below(member) for fault in faults]),
            kind=_RESPONSE,
            method=None if answers is None else answers.name,
            id=id_,
            complete=member == "error" or answers is not None,
        )


def _purposeless(value: JsonValue) -> MessageFault:
    if isinstance(value, dict):
        return MessageFault(
            MessageRule.NOT_A_MESSAGE, "has neither a method nor a result nor an error"
        )
    batch = "; there are no batches" if isinstance(value, list) else ""
    return MessageFault(
        MessageRule.NOT_A_MESSAGE, f"must be an object, not {json_type(value)}{batch}"
    )


def _in_words(fault: EnvelopeFault, message: Message) -> MessageFault:
    """A fault of the envelope, in words."""
    rule, path = _RULES[fault.rule], (fault.member,)
    if rule is _REQUIRED:
        return MessageFault(rule, "is missing", path)
    if rule is _CONST:
        return MessageFault(rule, 'must be "2.0"', path)
    if rule is _TYPE:
        expected = {_JSON_TYPES[type_] for type_ in fault.expected}
        return mistyped(expected, message[fault.member]).below(fault.member)
    return MessageFault(rule, f"must not be beside a {fault.beside}", path)
