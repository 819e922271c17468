"""Vectors for idempotency keys: the shape of a key, and where one has no effect.

The RFD, "The idempotencyKey parameter": 1 to 255 Unicode code points, compared exactly; omitted
and null mean that there is no key; any other malformed value is refused with -32602.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acpgen.emit.casing import snake
from acpgen.judge.message_verdict import ErrorCode, MessageRule
from acpgen.model import JsonValue, Kind, Method, Protocol, Side
from acpgen.targets.retry import key_limits
from acpgen.targets.vectors.frame import Frame, call
from acpgen.targets.vectors.vector import (
    Defect,
    Dispute,
    Outcome,
    Path,
    Vector,
    compact,
    remove,
    replaced,
)
from acpgen.types.json_types import JsonType, mismatch
from acpgen.types.samples import Members, Samples
from acpgen.words import counted

_ASTRAL = "\U0001f511"
"""One code point, two units of UTF-16, four bytes of UTF-8."""
_COMBINED = "e\u0301"
"""Two code points that show as one character."""
_PRECOMPOSED = "\u00e9"
KEY = "sample-key"
"""A key that is like any other."""
_TYPES = frozenset({JsonType.STRING, JsonType.NULL})
NO_STRINGS: Mapping[str, JsonValue] = {
    "an integer": 7,
    "a number": 1.5,
    "true": True,
    "false": False,
    "an empty array": [],
    "an array": [KEY],
    "an empty object": {},
    "an object": {"key": KEY},
}
"""A value of each JSON type that is neither a string nor null, by what it is."""


def keys(protocol: Protocol, samples: Samples) -> Iterator[Vector]:
    """The vectors for every method that takes a key, and for a method that takes no key.

    Raises:
        SampleError: a type has no sample value.
    """
    keyed = [method for method in protocol.methods if method.key is not None]
    for method in keyed:
        yield from _Keyed(method, method.key or "", samples).vectors(*key_limits(protocol))
    requests = (m for m in protocol.methods if m.kind is Kind.REQUEST and m.side is Side.AGENT)
    keyless = next((m for m in requests if m.key is None), None)
    if keyed and keyless is not None:
        yield _on_keyless(keyless, keyed[0].key or "", samples)


class _Keyed:
    """The vectors of one method with a key."""

    def __init__(self, method: Method, key: str, samples: Samples) -> None:
        self._frame = call(method)
        self._name = method.name
        self._key = key
        self._params = _params(method, samples)
        self._path: Path = ("params", key)

    def vectors(self, least: int, most: int | None) -> Iterator[Vector]:
        """The vectors for keys of `least` to `most` code points."""
        yield self._valid("omitted", self._params)
        for what, key in good_keys(least, most).items():
            yield self._valid(what, {**self._params, self._key: key})
        if least > 0:
            yield self._short(least)
        if most is not None:
            yield from self._long(most)
        for what, value in NO_STRINGS.items():
            yield self._refused(what, MessageRule.TYPE, mismatch(_TYPES, value), value)
        yield from self._texts()
        yield from self._elsewhere()

    def _short(self, least: int) -> Vector:
        reason = f"must have at least {counted(least, 'character')}"
        return self._refused(
            f"{least - 1} code points", MessageRule.MIN_LENGTH, reason, "k" * (least - 1)
        )

    def _long(self, most: int) -> Iterator[Vector]:
        reason = f"must have at most {counted(most, 'character')}"
        for what, key in of_length(most + 1).items():
            yield self._refused(what, MessageRule.MAX_LENGTH, reason, key)

    def _texts(self) -> Iterator[Vector]:
        """Keys that only the text of a message shows."""
        text = compact(self._frame.put({**self._params, self._key: KEY}))
        member = f'"{self._key}":"{KEY}"'
        twice = Defect(
            MessageRule.DUPLICATE_MEMBER, self._path, "occurs more than once", Outcome.REPORT
        )
        for what, other in {"same": KEY, "different": f"{KEY}-2"}.items():
            doubled = text.replace(member, f'"{self._key}":"{other}",{member}')
            yield self._text(f"twice, {what}", doubled, twice, Dispute.DUPLICATE_MEMBER)
        for what, escape in {"high": r"\ud83d", "low": r"\udd11"}.items():
            lone = text.replace(f'"{KEY}"', f'"{escape}"')
            fault = Defect(
                MessageRule.NOT_JSON, (), "escapes a lone surrogate", code=ErrorCode.PARSE_ERROR
            )
            yield self._text(f"{what} surrogate alone", lone, fault, Dispute.LONE_SURROGATE)

    def _elsewhere(self) -> Iterator[Vector]:
        """Keys that are misspelled or misplaced, so that no receiver finds them."""
        for name in (snake(self._key), self._key.lower()):
            if name != self._key:
                message = self._frame.put({**self._params, name: KEY})
                yield self._missed(f"called {name}", message, ("params", name))
        inside = self._frame.put({**self._params, "_meta": {self._key: KEY}})
        yield self._missed("in _meta", inside, ("params", "_meta", self._key))
        around: JsonValue = {**self._frame.members, "params": self._params, self._key: KEY}
        yield self._missed("beside params", around, (self._key,))

    def _valid(self, what: str, params: JsonValue) -> Vector:
        return self._frame.valid(f"{self._name}: key {what}", self._frame.put(params))

    def _refused(self, what: str, rule: MessageRule, reason: str, value: JsonValue) -> Vector:
        fault = Defect(rule, self._path, reason, code=self._frame.code)
        message = self._frame.put({**self._params, self._key: value})
        repair = (replaced(self._path, KEY),)
        return self._frame.broken(f"{self._name}: key {what}", message, fault, repair)

    def _text(self, what: str, raw: str, fault: Defect, difference: Dispute) -> Vector:
        name = f"{self._name}: key {what}"
        return Vector(name, self._frame.sender, raw=raw, fault=fault, differs=difference)

    def _missed(self, what: str, message: JsonValue, path: Path) -> Vector:
        return _missed(f"{self._name}: key {what}", self._frame, message, path)


def good_keys(least: int, most: int | None) -> dict[str, JsonValue]:
    """Keys that must be taken, each as it is."""
    shortest = max(least, 1)
    good: dict[str, JsonValue] = {
        "null": None,
        counted(shortest, "code point"): "k" * shortest,
        "NUL": "\u0000" * shortest,
        "blank": " " * shortest,
        "like null": "null",
        "precomposed": _PRECOMPOSED * shortest,
        "combined": _COMBINED * shortest,
        "quotation mark and backslash": '/"\\' * shortest,
    }
    return good if most is None else {**good, **of_length(most)}


def of_length(length: int) -> dict[str, str]:
    """Keys of as many code points, of one, two and four bytes each in UTF-8."""
    return {
        f"{length} code points": "k" * length,
        f"{length} astral code points": _ASTRAL * length,
        f"{length} combining code points": (_COMBINED * length)[:length],
    }


def _on_keyless(method: Method, key: str, samples: Samples) -> Vector:
    frame = call(method)
    message = frame.put({**_params(method, samples), key: KEY})
    return _missed(f"{method.name}: key not taken", frame, message, ("params", key))


def _missed(name: str, frame: Frame, message: JsonValue, path: Path) -> Vector:
    fault = Defect(MessageRule.NEAR_MISS, path, "has no effect here", Outcome.REPORT)
    return frame.broken(name, message, fault, (remove(path),))


def _params(method: Method, samples: Samples) -> Members:
    params = samples.least(samples.body(method.params))
    return params if isinstance(params, dict) else {}
