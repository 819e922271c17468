"""The strings that agents send, as far as one of them may turn out to be a key.

A replay can show a key before the recording shows its prompt, so every string that is long enough
counts until the end. Kept of each is a hash and the place where it was seen first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from acpgen.judge.spelling import skeleton
from acpgen.model import (
    ClosedEnum,
    JsonValue,
    Method,
    Object,
    OpenEnum,
    Protocol,
    RetryClass,
    Union,
    walk,
)
from acpgen.trace.digest import Key

_SHORTEST = 8
"""From how many characters on equal strings are no coincidence."""
_LONGEST = 255
_OPAQUE = frozenset({"rawInput", "rawOutput"})
"""Members that belong to tools, which have keys of their own."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Echo:
    """Where an agent sent a key first, and on how many lines in all."""

    key: Key
    path: Path
    line: int
    lines: int


@dataclass(slots=True)
class _Seen:
    """A string that may be a key. A `named` one is: it stands under the name of one."""

    path: Path
    line: int
    last: int
    lines: int = 1
    named: bool = False


class EchoLog:
    """Collects the strings of agent messages that are not words of the protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._names = frozenset(skeleton(m.key) for m in protocol.methods if m.key is not None)
        self._words = frozenset(_words(protocol))
        self._seen: dict[Key, _Seen] = {}

    def add(self, line: int, message: JsonValue, method: Method | None) -> None:
        """Note the strings of a message; `method` is the one it calls, if it calls any."""
        opaque = method is not None and method.retry is RetryClass.EXTERNAL
        for path, text, named in self._strings(message, (), opaque):
            if not named and (text in self._words or not _SHORTEST <= len(text) <= _LONGEST):
                continue
            key = Key.of(text)
            seen = self._seen.get(key)
            if seen is None:
                self._seen[key] = _Seen(path, line, last=line, named=named)
            else:
                seen.lines += seen.last != line
                seen.last = line
                seen.named = seen.named or named

    def of(self, keys: Collection[Key]) -> tuple[Echo, ...]:
        """The strings that are one of these keys, and those that stand under the name of one.

        Their paths end where they would tell a key.
        """
        known = {*keys, *(key for key, seen in self._seen.items() if seen.named)}
        return tuple(
            Echo(key, _discreet(seen.path, known), seen.line, seen.lines)
            for key, seen in self._seen.items()
            if key in known
        )

    def _strings(
        self, value: JsonValue, path: Path, opaque: bool
    ) -> Iterator[tuple[Path, str, bool]]:
        """The strings in a value, names of members too, and whether one is named as a key is."""
        if isinstance(value, str):
            yield path, value, bool(value and path) and not opaque and self._names_key(path[-1])
        elif isinstance(value, list):
            for i, item in enumerate(value):
                yield from self._strings(item, (*path, i), opaque)
        elif isinstance(value, dict):
            for name, member in value.items():
                yield path, name, False
                yield from self._strings(member, (*path, name), opaque or name in _OPAQUE)

    def _names_key(self, token: str | int) -> bool:
        return isinstance(token, str) and skeleton(token) in self._names


def _words(protocol: Protocol) -> Iterator[str]:
    """What the protocol itself calls members, methods, variants and values."""
    yield from (method.name for method in protocol.methods)
    for definition in protocol.types.values():
        for part in walk(definition.body):
            match part:
                case Object():
                    yield from (member.name for member in part.properties)
                case Union():
                    yield from part.known
                case OpenEnum() | ClosedEnum():
                    yield from (str(value.value) for value in part.values)
                case _:
                    pass


def _discreet(path: Path, keys: Collection[Key]) -> Path:
    for depth, token in enumerate(path):
        if isinstance(token, str) and Key.of(token) in keys:
            return path[:depth]
    return path
