r"""The grammar of patterns in ECMA-262 with the flag `u`.

What `new RegExp(pattern, "u")` refuses is refused here too. So are
backreferences, property escapes and what no other engine can express, with the reason and a
replacement.
"""

from __future__ import annotations

import re

from acpgen.patterns.charset import (
    DIGITS,
    LINE_ENDS,
    SPACES,
    WORD,
    Charset,
    charset,
    complement,
    has,
)
from acpgen.patterns.charset import SURROGATES as _SURROGATES
from acpgen.patterns.syntax import (
    Anchor,
    Choice,
    Look,
    Node,
    One,
    Repeat,
    Sequence,
    sequence,
    width,
)

LARGEST_COUNT = 1000
"""The highest number in a quantifier. Longer texts are limited by minLength and maxLength."""

LARGEST_DEPTH = 50
"""How deep groups may be nested."""

_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_CLASSES = {"d": DIGITS, "s": SPACES, "w": WORD}
_QUANTIFIER = re.compile(r"(?:([*+?])|\{([0-9]+)(?:(,)([0-9]+)?)?\})\??")
_NAME = re.compile(r"<([A-Za-z_$][A-Za-z0-9_$]*)>")
_PROPERTY = re.compile(r"\{[A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?\}")
_BASIC = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_EXAMPLE = r"such as [A-Za-z\u00c0-\u024f]"


class PatternError(ValueError):
    """A text that is not a regular expression of ECMA-262 with the flag `u`."""


class UnsupportedPatternError(PatternError):
    """A regular expression that acpgen can't use, with what to write instead."""


def parse(pattern: str) -> Node:
    """The parts of a pattern.

    Raises:
        PatternError: it is not a regular expression.
        UnsupportedPatternError: it holds something that acpgen can't use.
    """
    return _Parser(pattern).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._groups = 0
        self._names: set[str] = set()
        self._referred: set[str] = set()
        self._highest_reference = 0
        self._behind = 0
        self._unsupported: list[str] = []

    def whole(self) -> Node:
        """The whole pattern."""
        node = self._choice()
        if self._at < len(self._text):
            raise PatternError(f"has {self._text[self._at]!r} without the bracket that opens it")
        if self._highest_reference > self._groups:
            raise PatternError(
                f"refers to group {self._highest_reference}, but has only {self._groups}"
            )
        if unknown := sorted(self._referred - self._names):
            raise PatternError(f"refers to a group {unknown[0]!r} that does not exist")
        if self._unsupported:
            raise UnsupportedPatternError(self._unsupported[0])
        return node

    def _refuse(self, reason: str) -> None:
        """Note what can't be used. A fault of the syntax that follows is more important."""
        self._unsupported.append(reason)

    def _next(self, text: str) -> bool:
        """Step over a text if it is next."""
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _take(self) -> str:
        """The next character, which is stepped over; empty at the end."""
        character = self._text[self._at : self._at + 1]
        self._at += 1
        return character

    def _match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        """Match a regular expression at the current position, and step over the match."""
        found = expression.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _choice(self) -> Node:
        options = [self._sequence()]
        while self._next("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            parts.append(self._term())
        return sequence(parts)

    def _term(self) -> Node:
        edge = next((edge for edge in Anchor if self._next(edge.value)), None)
        if edge is not None:
            if self._behind and edge is Anchor.WORD:
                self._refuse(r"has \b inside of a lookbehind; write it before")
            return edge
        if self._next(r"\B"):
            # V8 finds one between the halves of a surrogate pair, where ECMA-262 has no place.
            self._refuse(r"has \B, which engines understand differently; write a lookahead")
            return Sequence()
        for opening, behind in (("(?<", True), ("(?", False)):
            for sign, negative in (("=", False), ("!", True)):
                if self._next(opening + sign):
                    return self._look(behind=behind, negative=negative)
        return self._quantified(self._atom())

    def _look(self, *, behind: bool, negative: bool) -> Look:
        if self._behind:
            self._refuse("looks around inside of a lookbehind; write the two beside each other")
        self._behind += behind
        body = self._grouped()
        self._behind -= behind
        if behind and width(body) is None:
            self._refuse(
                "has a lookbehind of variable length; give all its alternatives one "
                "length, or test the whole text with a lookahead after ^"
            )
        return Look(body, behind, negative)

    def _grouped(self) -> Node:
        """Read the content of a group up to its closing bracket."""
        self._depth += 1
        if self._depth > LARGEST_DEPTH:
            raise UnsupportedPatternError(f"nests groups deeper than {LARGEST_DEPTH} levels")
        body = self._choice()
        self._depth -= 1
        if not self._next(")"):
            raise PatternError("has a group that is not closed")
        return body

    def _quantified(self, atom: Node) -> Node:
        found = self._match(_QUANTIFIER)
        if found is None:
            return atom
        if found[1]:
            least, most = _BASIC[found[1]]
        else:
            least = self._count(found[2])
            most = self._count(found[4]) if found[4] else None if found[3] else least
        if most is not None and most < least:
            raise PatternError(f"repeats from {least} to {most} times")
        if width(atom) == 0:
            # A condition that holds once holds again. Rust's engine refuses to repeat it.
            return atom if least else Sequence()
        return Repeat(atom, least, most)

    def _count(self, digits: str) -> int:
        significant = digits.lstrip("0")
        if len(significant) > len(str(LARGEST_COUNT)) or int(significant or 0) > LARGEST_COUNT:
            self._refuse(
                f"repeats more than {LARGEST_COUNT} times; limit the length with minLength and "
                "maxLength"
            )
        return int(significant[:9] or 0)

    def _atom(self) -> Node:
        match self._take():
            case ".":
                return One(complement(LINE_ENDS))
            case "(":
                return self._group()
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case ("*" | "+" | "?" | "{") as character:
                raise PatternError(
                    f"has {character!r} with nothing before it that could be repeated"
                )
            case ("]" | "}") as character:
                raise PatternError(f"has {character!r} without the bracket that opens it")
            case character:
                return self._one(ord(character))

    def _one(self, point: int) -> One:
        chars = ((point, point),)
        if has(_SURROGATES, point):
            self._refuse("names half of a surrogate pair, which no text in UTF-8 holds; remove it")
        return One(chars)

    def _group(self) -> Node:
        if self._next("?:"):
            return self._grouped()
        if self._next("?"):
            name = self._match(_NAME)
            if name is None:
                raise PatternError(
                    "has a group with (? that is not (?:, (?=, (?!, (?<=, (?<! or (?<name>"
                )
            if name[1] in self._names:
                raise PatternError(f"has two groups of the name {name[1]!r}")
            self._names.add(name[1])
        self._groups += 1
        return self._grouped()

    def _escape(self) -> Node:
        """Read an escape outside of a class."""
        if digits := self._match(re.compile("[1-9][0-9]*")):
            self._highest_reference = max(self._highest_reference, int(digits[0][:9]))
            self._refuse(f"refers back to a group with \\{digits[0]}; {_INSTEAD_OF_REFERENCE}")
            return Sequence()
        if self._next("k"):
            name = self._match(_NAME)
            if name is None:
                raise PatternError(r"has \k without <name>")
            self._referred.add(name[1])
            self._refuse(f"refers back to a group with \\k<{name[1]}>; {_INSTEAD_OF_REFERENCE}")
            return Sequence()
        chars = self._class_escape()
        return self._one(self._character_escape("")) if chars is None else One(chars)

    def _class_escape(self) -> Charset | None:
        r"""The set that an escape such as \d means, None if it means one character."""
        letter = self._text[self._at : self._at + 1]
        if letter and letter in "pP":
            self._at += 1
            if self._match(_PROPERTY) is None:
                raise PatternError(f"has \\{letter} without the property, as in \\{letter}{{Lu}}")
            self._refuse(
                f"has \\{letter}{{...}}, which acpgen does not support: it depends on the version "
                f"of Unicode; write a class of ranges, {_EXAMPLE}"
            )
            return ()
        if letter.lower() not in _CLASSES:
            return None
        self._at += 1
        chars = _CLASSES[letter.lower()]
        return chars if letter.islower() else complement(chars)

    def _character_escape(self, others: str) -> int:
        """The code point of an escape. `others` are characters that may be escaped besides."""
        match letter := self._take():
            case "":
                raise PatternError("ends with a backslash")
            case "c":
                if control := self._match(re.compile("[A-Za-z]")):
                    return ord(control[0]) % 32
                raise PatternError(r"has \c without a letter")
            case "0":
                if self._match(re.compile("[0-9]")):
                    raise PatternError(r"has \0 before a digit; write \x00")
                return 0
            case "x":
                return self._hex(2, "x")
            case "u":
                return self._unicode()
            case _ if letter in _CONTROLS:
                return _CONTROLS[letter]
            case _ if letter in _SYNTAX or letter in others:
                return ord(letter)
            case _:
                raise PatternError(f"has the escape \\{letter}, which has no meaning")

    def _unicode(self) -> int:
        if self._next("{"):
            digits = self._match(re.compile(r"([0-9A-Fa-f]+)\}"))
            if digits is None or int(digits[1].lstrip("0")[:8] or "0", 16) > 0x10FFFF:
                raise PatternError(r"has \u{...} without the hexadecimal number of a character")
            return int(digits[1], 16)
        lead = self._hex(4, "u")
        trail = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
        if 0xD800 <= lead <= 0xDBFF and (second := self._match(trail)):
            return 0x10000 + ((lead - 0xD800) << 10) + (int(second[1], 16) - 0xDC00)
        return lead

    def _hex(self, count: int, letter: str) -> int:
        digits = self._match(re.compile(f"[0-9A-Fa-f]{{{count}}}"))
        if digits is None:
            raise PatternError(f"has \\{letter} without {count} hexadecimal digits")
        return int(digits[0], 16)

    def _class(self) -> Node:
        """The rest of a class, after its opening bracket."""
        negative = self._next("^")
        ranges: list[tuple[int, int]] = []
        while not self._next("]"):
            first = self._member()
            if not self._is_range():
                ranges.extend(first)
                continue
            self._at += 1
            last = self._member()
            low, high = self._end(first), self._end(last)
            if low > high:
                raise PatternError("has a range in a class that ends before it begins")
            ranges.append((low, high))
        chars = charset(ranges)
        return One(complement(chars) if negative else chars)

    def _is_range(self) -> bool:
        ahead = self._text[self._at : self._at + 2]
        return len(ahead) == 2 and ahead[0] == "-" and ahead[1] != "]"

    def _end(self, member: Charset) -> int:
        """The one character that an end of a range is."""
        if len(member) == 1 and member[0][0] == member[0][1]:
            return member[0][0]
        raise PatternError("has a range in a class with a set such as \\d at an end")

    def _member(self) -> Charset:
        """One character or escape in a class."""
        character = self._take()
        if not character:
            raise PatternError("has a class that is not closed")
        if character != "\\":
            return self._one(ord(character)).chars
        if self._next("b"):
            return ((8, 8),)
        chars = self._class_escape()
        return self._one(self._character_escape("-")).chars if chars is None else chars


_INSTEAD_OF_REFERENCE = "write the alternatives out"
