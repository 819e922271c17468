"""The strings that agents send, as far as one of them may be a key or contain one.

A replay can show a key before the recording shows its prompt, so every string that is long enough
is kept until the end, with the place where it was seen first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from acp_wire.keys import bare, skeleton
from acp_wire.redaction import LONG_KEY, Key, KeyMask
from acpgen.model import (
    ClosedEnum,
    JsonValue,
    Method,
    Object,
    OpenEnum,
    Protocol,
    RetryClass,
    Union,
)
from acpgen.types.structure import walk

_LONGEST = 255
"""How long a key can be, and so a string that is one."""
_LONG = 16
"""From how many characters on a key is found inside other words, whatever is around it."""
_LONGEST_WORD = 512
_PIECE = re.compile(r"[\w-]{16,512}")
"""A part of a longer word that may contain a key."""
_PUNCTUATION = ".,;:!?'\"`()[]{}<>*"
"""Characters that may surround a word in a text."""
_OPAQUE = frozenset({"rawInput", "rawOutput"})
"""Members that belong to tools, which have keys of their own."""

_CONTENT = "content"
"""The member of an update that shows what a message says."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Echo:
    """Where an agent sent a key first, and on how many lines in all.

    `exact` is False where there may be more lines: the key was sent inside several words.
    """

    key: Key
    path: Path
    line: int
    lines: int
    exact: bool = True


@dataclass(slots=True)
class _Seen:
    """A string that may be a key or contain one.

    A `named` one is a key: it is the value of a member with the name of one. `whole` if it was once
    all of a string, not a word in a text.
    """

    path: Path
    line: int
    last: int
    lines: int = 1
    named: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a string is in a message, and whether it has the name of a key there."""

    path: Path
    line: int
    named: bool


class SeenStrings:
    """Collects the strings of agent messages that are not words of the protocol."""

    def __init__(self, protocol: Protocol, *, show_keys: bool = False) -> None:
        self._show_keys = show_keys
        self._names = frozenset(skeleton(m.key) for m in protocol.methods if m.key is not None)
        self._protocol_words = frozenset(_words(protocol))
        self._seen: dict[str, _Seen] = {}
        self._content: dict[str, _Seen] = {}
        self._sent: set[str] = set()
        self._given: set[str] = set()

    def add_sent(self, message: JsonValue) -> None:
        """Note the strings under the name of a key in a message of another side.

        Findings show none of them, not even a malformed or misplaced one. If another string holds
        such a key, in any spelling, such as the text of the prompt, then the agent may show that
        key as content.
        """
        strings = [*self._strings(message, (), False)]
        keys = {text for _, text, named in strings if named}
        self._sent |= keys
        if keys:
            texts = [text for _, text, named in strings if not named]
            self._given.update(_held(texts, keys))

    def add(self, line: int, message: JsonValue, method: Method | None) -> None:
        """Note the strings of a message of the agent; `method` is the one it calls, if any."""
        opaque = method is not None and method.retry is RetryClass.EXTERNAL
        is_response = isinstance(message, dict) and "method" not in message
        for path, text, named in self._strings(message, (), opaque):
            if is_response and path == ("id",):
                continue  # The id of the request, which the agent has to repeat.
            if named or (text not in self._protocol_words and len(text) >= LONG_KEY):
                into = self._content if _CONTENT in path else self._seen
                self._add(into, text, _Place(path, line, named=named))

    def _add(self, into: dict[str, _Seen], text: str, place: _Place) -> None:
        """Note a string of the agent, and the words in it that may contain a key."""
        if place.named or len(text) <= _LONGEST:
            _note(into, text, place, whole=True)
        for word in _long_words(text):
            if word != text or len(text) > _LONGEST:
                _note(into, word, place, whole=word == text)

    def known(self, keys: Collection[Key]) -> frozenset[Key]:
        """These keys and all strings under the name of one, whichever side sent them."""
        seen_strings = (*self._seen.items(), *self._content.items())
        named = (Key.of(text) for text, seen in seen_strings if seen.named)
        return frozenset((*keys, *map(Key.of, self._sent), *named))

    def echoes(self, keys: Collection[Key]) -> tuple[Echo, ...]:
        """The keys that the agent sent: of these, and the strings under the name of one.

        Their paths end where they would show a key.
        """
        mask = KeyMask(self.known(keys))
        sent = {text for text in self._sent if Key.of(text) in keys}
        found: dict[str, list[_Seen]] = {}
        for strings, allowed in ((self._seen, frozenset[str]()), (self._content, self._given)):
            looked_for = sent - allowed
            lengths, spellings = _by_length(looked_for), _Spellings(looked_for)
            for text, seen in strings.items():
                echoed = {*_keys_within(text, lengths, whole=seen.whole), *spellings.within(text)}
                if seen.named or (text in looked_for and (seen.whole or len(text) >= _LONG)):
                    echoed.add(text)
                for key in echoed - allowed:
                    found.setdefault(key, []).append(seen)
        return tuple(self._echo(text, places, mask) for text, places in found.items())

    def _echo(self, text: str, places: list[_Seen], mask: KeyMask) -> Echo:
        first = min(places, key=lambda seen: seen.line)
        known = {line for seen in places for line in (seen.line, seen.last)}
        return Echo(
            key=Key.of(text, shown=self._show_keys),
            path=self._discreet(first.path, mask),
            line=first.line,
            lines=max(len(known), *(seen.lines for seen in places)),
            exact=len(places) == 1,
        )

    def _discreet(self, path: Path, mask: KeyMask) -> Path:
        """A path up to the first token that would show a key."""
        for depth, token in enumerate(path):
            if isinstance(token, str) and mask.hides(token, word=token in self._protocol_words):
                return path[:depth]
        return path

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


def _note(into: dict[str, _Seen], text: str, place: _Place, *, whole: bool) -> None:
    seen = into.get(text)
    if seen is None:
        seen = into[text] = _Seen(place.path, place.line, last=place.line)
    seen.lines += seen.last != place.line
    seen.last = place.line
    seen.named = seen.named or (place.named and whole)
    seen.whole = seen.whole or whole


class _Spellings:
    """Finds long keys in another spelling, or in hexadecimal digits, as `bare` makes them."""

    def __init__(self, keys: Collection[str]) -> None:
        forms = [(form, key) for key in keys for form in _bare_forms(key)]
        self._shortest = min((len(form) for form, _ in forms), default=_LONG)
        self._starts: dict[str, list[tuple[str, str]]] = {}
        for form, key in forms:
            self._starts.setdefault(form[: self._shortest], []).append((form, key))
        # Keys are often of few letters, such as a to f: most texts have no long run of those.
        letters = "".join(sorted({letter for form, _ in forms for letter in form}))
        self._runs = re.compile(f"[{letters or '0'}]{{{self._shortest},}}")

    def within(self, text: str) -> Iterator[str]:
        """The keys that a text holds in one of these forms."""
        if not self._starts or len(text) < self._shortest:
            return
        plain, length = bare(text), self._shortest
        for run in self._runs.finditer(plain):
            for start in range(run.start(), run.end() - length + 1):
                for form, key in self._starts.get(plain[start : start + length], ()):
                    if plain.startswith(form, start):
                        yield key


def _bare_forms(key: str) -> Iterator[str]:
    """What `bare` makes of a key and of its hexadecimal digits, if too long to be chance."""
    if len(form := bare(key)) >= _LONG:
        yield form
    if len(key) >= _LONG:
        yield key.encode("utf-8", "surrogatepass").hex()


def _held(texts: Collection[str], keys: Collection[str]) -> Iterator[str]:
    """The keys that some of the texts hold, as they are or in a form that is looked for."""
    plain = [bare(text) for text in texts if len(text) >= _LONG]
    for key in keys:
        forms = [*_bare_forms(key)]
        if any(key in text for text in texts) or any(f in text for f in forms for text in plain):
            yield key


def _long_words(text: str) -> Iterator[str]:
    """The words of a text that are long enough for a long key."""
    for word in text.split():
        stripped = word.strip(_PUNCTUATION)
        if len(stripped) > _LONGEST_WORD:
            yield from _PIECE.findall(stripped)
        elif len(stripped) >= _LONG:
            yield stripped


def _by_length(texts: Collection[str]) -> Mapping[int, Collection[str]]:
    lengths: dict[int, set[str]] = {}
    for text in texts:
        if len(text) >= LONG_KEY:
            lengths.setdefault(len(text), set()).add(text)
    return lengths


def _keys_within(text: str, keys: Mapping[int, Collection[str]], *, whole: bool) -> Iterator[str]:
    """The keys that a longer string without blanks contains; short ones only if it is `whole`."""
    if any(map(str.isspace, text)):
        return
    for length, texts in keys.items():
        if length >= _LONG or whole:
            for start in range(len(text) - length + 1):
                part = text[start : start + length]
                if part in texts and length < len(text) and _is_apart(text, start, part):
                    yield part


def _is_apart(text: str, start: int, key: str) -> bool:
    """True if a key inside a string is not there by chance.

    A short one has both letters and digits, and is not the part of a longer name or number.
    """
    if len(key) >= _LONG:
        return True
    before, after = text[:start][-1:] + key[0], key[-1] + text[start + len(key) :][:1]
    grows = any(len(pair) > 1 and (pair.isalpha() or pair.isdigit()) for pair in (before, after))
    return not (key.isalpha() or key.isdigit() or grows)


def _words(protocol: Protocol) -> Iterator[str]:
    """The names of members, methods, variants and values in the protocol."""
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
