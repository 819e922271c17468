r"""How many ways a backtracking engine has to read a text: the bound on its work.

Such an engine follows one way through the pattern after the other. Its steps are at most the sum,
over the places of the text, of the ways that lead there. So if no text has more than N ways to any
of its places, the engine takes at most N steps a character, and can't hang.

The ways are counted for all texts at once: a state is how many ways there are to each character
of the pattern, the next state follows from the next character of a text, and all states that can
be reached are visited. A lookahead is one more way that begins at its place. Anchors are
assumed to hold, which can only add ways. A lookbehind, whose length is fixed, is counted by itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass

from acpgen.patterns.charset import Charset, has, partition
from acpgen.patterns.syntax import Anchor, Choice, Look, Node, One, Repeat, Sequence

MOST_WAYS = 32
"""The most ways to a place of a text, where its length has no limit."""

_WORK = 1_000_000
"""The most steps for a text, where its length has a limit."""

_MOST_WAYS_OF_SHORT_TEXTS = 1_100
"""The most ways to a place of a text of any length, since a message may have many short ones."""

_MOST_CHARACTERS = 1_200
_MOST_PARTS = 20_000
_MOST_STEPS = 300_000
"""The most that is spent on one pattern; what takes more is refused."""

_BEFORE = -1
"""The way of an engine that is still to begin, which a pattern without ^ at its start has."""

_LENGTHS = (4_096, 2_048, 1_024, 512, 256, 128, 64)
"""The values of maxLength that are tried for a pattern that takes too long without."""

_ADVICE = "let no two parts that can follow each other begin with the same character"
_TOO_COMPLICATED = "is too complicated to prove that it can't take for ever"


@dataclass(frozen=True, slots=True)
class _Ends:
    """How a part begins and ends: the characters of the pattern, each with its number of ways.

    `empty` is the number of ways through the part that take no character.
    """

    first: Counter[int]
    last: Counter[int]
    empty: int


class _TooManyError(Exception):
    """A pattern has too many ways, for the reason given."""


class _TooManyWaysError(_TooManyError):
    """The same, of a pattern that may have fewer ways in shorter texts."""


@dataclass(frozen=True, slots=True)
class Examination:
    """Why a pattern may take too long and what to do, None if it can't; and what it took to tell.

    `steps` counts what was visited, which takes one to two microseconds each.
    """

    complaint: str | None
    steps: int


def examined(node: Node, max_length: int | None = None) -> Examination:
    """Examine whether a pattern may take too long on a text of at most a length."""
    error, steps = _error(node, max_length)
    if not isinstance(error, _TooManyWaysError):
        return Examination(None if error is None else str(error), steps)
    anchor = "" if begins_at_start(node) else ", or begin the pattern with ^"
    return Examination(f"{error}; {_ADVICE}{anchor}", steps)


def length_advice(node: Node, max_length: int | None = None) -> str:
    """Which maxLength suffices for a pattern that takes too long, the largest of a few.

    Empty if the length of texts is not the reason.
    """
    if not isinstance(_error(node, max_length)[0], _TooManyWaysError):
        return ""
    for length in _LENGTHS:
        if (max_length is None or length < max_length) and _error(node, length)[0] is None:
            return f"with the maxLength {length} it can't"
    return f"no maxLength of {_LENGTHS[-1]} or more suffices"


def _error(node: Node, max_length: int | None) -> tuple[_TooManyError | None, int]:
    ways = _Ways()
    try:
        ways.read(node)
        ways.require(max_length)
    except _TooManyError as error:
        return error, ways.steps
    return None, ways.steps


class _Ways:
    """The characters of a pattern, and which of them may follow each other in how many ways."""

    def __init__(self) -> None:
        self.steps = 0
        self._chars: list[Charset] = []
        self._parts = 0
        self._follow: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self._start = Counter[int]()

    def read(self, node: Node) -> None:
        """Read a pattern.

        Raises:
            _TooManyError: it has too many parts or ways.
        """
        self._start = self._ended(node).first
        if not begins_at_start(node):
            self._follow[_BEFORE] = self._start + Counter({_BEFORE: 1})
            self._start = self._follow[_BEFORE]

    def require(self, max_length: int | None) -> None:
        """Visit all states.

        Raises:
            _TooManyError: there are too many, or one has too many ways.
        """
        most = MOST_WAYS
        if max_length is not None:
            most = max(most, min(_MOST_WAYS_OF_SHORT_TEXTS, _WORK // (max_length + 1)))
        letters = list(partition(list(dict.fromkeys(self._chars))))
        seen = {frozenset(self._start.items())}
        queue = deque([(self._start, 0)])
        while queue:
            state, length = queue.popleft()
            if max(state.values(), default=0) > most:
                raise _TooManyWaysError(_many(most))
            if max_length is not None and length > max_length:
                continue
            for letter in letters:
                reached, following = self._after(state, letter)
                self.steps += len(state) + len(following) + 1
                if reached > most:
                    raise _TooManyWaysError(_many(most))
                key = frozenset(following.items())
                if key not in seen:
                    seen.add(key)
                    queue.append((following, length + 1))
            if self.steps > _MOST_STEPS:
                raise _TooManyWaysError(_TOO_COMPLICATED)

    def _after(self, state: Counter[int], letter: int) -> tuple[int, Counter[int]]:
        """How many ways take a character, and the ways that there are after it."""
        following: Counter[int] = Counter()
        reached = 0
        for place, ways in state.items():
            if place == _BEFORE or has(self._chars[place], letter):
                reached += ways
                for after, each in self._follow[place].items():
                    following[after] += ways * each
        return reached, following

    def _ended(self, node: Node) -> _Ends:
        """A part with the attempt to end after it, which takes no character."""
        return self._then(self._ends(node), self._one(()))

    def _ends(self, node: Node) -> _Ends:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise _TooManyWaysError(_TOO_COMPLICATED)
        ends = self._ends_of(node)
        if ends.empty > MOST_WAYS:
            raise _TooManyWaysError(_many(MOST_WAYS))
        return ends

    def _ends_of(self, node: Node) -> _Ends:
        match node:
            case One(chars=chars):
                return self._one(chars)
            case Anchor():
                return _NOTHING
            case Look(body=body, behind=True):
                behind = _Ways()
                behind.read(Sequence((Anchor.START, body)))
                behind.require(None)
                return _NOTHING
            case Look(body=body):
                return _Ends(self._ended(body).first, Counter(), 1)
            case Choice(options=options):
                return self._either([self._ends(option) for option in options])
            case Sequence(parts=parts):
                ends = _NOTHING
                for part in parts:
                    ends = self._then(ends, self._ends(part))
                return ends
            case Repeat():
                return self._repeat(node)

    def _one(self, chars: Charset) -> _Ends:
        if len(self._chars) >= _MOST_CHARACTERS:
            raise _TooManyError(
                f"takes more than {_MOST_CHARACTERS} characters when its repetitions are written "
                "out; limit the length with minLength and maxLength"
            )
        place = len(self._chars)
        self._chars.append(chars)
        return _Ends(Counter([place]), Counter([place]), 0)

    def _either(self, options: list[_Ends]) -> _Ends:
        first, last = Counter[int](), Counter[int]()
        for option in options:
            first.update(option.first)
            last.update(option.last)
        return _Ends(first, last, sum(option.empty for option in options))

    def _then(self, one: _Ends, other: _Ends) -> _Ends:
        self._link(one.last, other.first)
        return _Ends(
            one.first + _times(other.first, one.empty),
            other.last + _times(one.last, other.empty),
            one.empty * other.empty,
        )

    def _repeat(self, node: Repeat) -> _Ends:
        ends = _NOTHING
        for _ in range(node.least - (node.most is None and node.least > 0)):
            ends = self._then(ends, self._ends(node.body))
        if node.most is None:
            return self._then(ends, self._endless(node.body, optional=node.least == 0))
        optional = _NOTHING
        for _ in range(node.most - node.least):
            optional = self._either([self._then(self._ends(node.body), optional), _NOTHING])
        return self._then(ends, optional)

    def _endless(self, body: Node, *, optional: bool) -> _Ends:
        ends = self._ends(body)
        if ends.empty:
            raise _TooManyError(
                "repeats without end what can be empty, so it may take for ever to refuse a text; "
                "let what is repeated take at least one character"
            )
        self._link(ends.last, ends.first)
        return self._either([ends, _NOTHING]) if optional else ends

    def _link(self, last: Counter[int], first: Counter[int]) -> None:
        self.steps += len(last) * len(first)
        for place, ways in last.items():
            self._follow[place].update(_times(first, ways))


_NOTHING = _Ends(Counter(), Counter(), 1)


def _many(most: int) -> str:
    return f"can read a text in more than {most} ways, so a match may take for ever"


def _times(counts: Counter[int], factor: int) -> Counter[int]:
    if factor == 1:
        return counts
    return Counter({key: count * factor for key, count in counts.items() if factor})


def begins_at_start(node: Node) -> bool:
    """True if a pattern can match from the start of a text only."""
    match node:
        case Anchor.START:
            return True
        case Choice(options=options):
            return all(map(begins_at_start, options))
        case Repeat(body=body, least=least):
            return least > 0 and begins_at_start(body)
        case Sequence(parts=parts):
            for part in parts:
                if not isinstance(part, Look) and part is not Anchor.WORD:
                    return begins_at_start(part)
            return False
        case _:
            return False
