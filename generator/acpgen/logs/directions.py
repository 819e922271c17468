"""From the words and arrows that logs use for directions to the side that sends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter

from acp_wire.pairing import Connection

CLIENT, AGENT, PROXY = "client", "agent", "proxy"
OTHER: Mapping[str, str] = {CLIENT: AGENT, AGENT: CLIENT}

_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("client", "editor", "ide", "host", "frontend", "ui", "browser"), CLIENT),
    **dict.fromkeys(("agent", "server", "backend", "assistant"), AGENT),
    **dict.fromkeys(("proxy", "conductor"), PROXY),
}
"""What logs call the sides."""
_PAIRS: Mapping[str, str] = {"c2a": CLIENT, "c2s": CLIENT, "a2c": AGENT, "s2c": AGENT}
_ARROWS_OUT = ("->", "-->", "--->", "=>", "==>", "→", "⇒", "⟶", "➡", "▶", "»", ">", ">>", ">>>")
_ARROWS_IN = ("<-", "<--", "<---", "<=", "<==", "←", "⇐", "⟵", "⬅", "◀", "«", "<", "<<", "<<<")
_OUT = frozenset(
    {
        *_ARROWS_OUT,
        *("out", "outgoing", "outbound", "send", "sends", "sent", "sending", "tx", "write"),
        *("writes", "wrote", "stdin", "upstream", "up"),
    }
)
_IN = frozenset(
    {
        *_ARROWS_IN,
        *("in", "incoming", "inbound", "receive", "receives", "received", "receiving", "recv"),
        *("got", "rx", "read", "reads", "stdout", "downstream", "down"),
    }
)
_WAYS = frozenset({"stdin", "upstream", "up", "stdout", "downstream", "down"})
"""What is named after the streams of the agent, and so is not what a side does."""
_SENDS, _RECEIVES = _OUT - _WAYS, _IN - _WAYS
_PART = re.compile(r"[a-z]+(?:2[a-z])?|[-=]+>|<[-=]+|[<>]+|[→←⇒⇐⟶⟵➡⬅▶◀»«]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BEGUN = 10_000
"""Of how many connections it is kept how they begin."""
_MINORITY = 4
"""A token of which more than one in this many votes differ is not a direction."""


def parts_of(token: str) -> list[str]:
    """The words and arrows in a token, in lower case: `toAgent` is `to` and `agent`."""
    return _PART.findall(_HUMP.sub(" ", token).lower())


@lru_cache(maxsize=1024)
def is_direction(token: str) -> bool:
    """True if a token says by itself which way a message goes."""
    parts = parts_of(token)
    return (
        0 < len(parts) <= 4
        and parts != ["by"]
        and all(
            part in _OUT
            or part in _IN
            or part in _NAMES
            or part in _PAIRS
            or part in ("to", "from", "by")
            for part in parts
        )
    )


@lru_cache(maxsize=1024)
def is_outward(token: str) -> bool | None:
    """True if a token is about what goes out, False if about what comes in; None if neither."""
    parts = frozenset(parts_of(token))
    goes, comes = not _OUT.isdisjoint(parts), not _IN.isdisjoint(parts)
    return None if goes == comes or not parts <= _OUT | _IN else goes


def names_stream(token: str) -> bool:
    """True if a token is the name of a stream, such as `stdout`."""
    parts = parts_of(token)
    return bool(parts) and _WAYS.issuperset(parts)


@lru_cache(maxsize=1024)
def joined(side: str, way: str) -> str | None:
    """The name of a side and what it does as one direction: `agent` and `in` are `agent in`.

    Returns None if one is not the name of a side alone, or the other not a way alone.
    """
    names, ways = parts_of(side), parts_of(way)
    if len(names) != 1 or _NAMES.get(names[0], PROXY) == PROXY or not ways:
        return None
    return f"{side} {way}" if (_SENDS | _RECEIVES).issuperset(ways) else None


def is_arrow(part: str) -> bool:
    """True if a part of a prefix is an arrow."""
    return part in _ARROWS_OUT or part in _ARROWS_IN


def flagged(name: str) -> str:
    """The direction that a member of true or false is about: `isFromClient` is `from client`."""
    parts = parts_of(name)
    return " ".join(parts[1:] if parts[:1] == ["is"] else parts)


def opposite(way: str) -> str:
    """The direction of what does not go a way."""
    side = named_side(way)
    if side is not None:
        return OTHER.get(side, f"not {way}")
    parts = parts_of(way)
    if any(part in _OUT for part in parts) == any(part in _IN for part in parts):
        return f"not {way}"
    return "in" if any(part in _OUT for part in parts) else "out"


@lru_cache(maxsize=1024)
def named_side(token: str) -> str | None:
    """The sender that a token names, as `client`, `agent->client` and `to_agent` do.

    A side that receives is not the sender: `agent received` is `client`.
    """
    parts = parts_of(token)
    for part in parts:
        if part in _PAIRS:
            return _PAIRS[part]
    if len(parts) > 1 and _NAMES.get(parts[0]) == PROXY and parts[1] in _NAMES:
        parts = parts[1:]  # the process that wrote the log
    places = [(i, _NAMES[part]) for i, part in enumerate(parts) if part in _NAMES]
    if not places or PROXY in {side for _, side in places[1:]}:
        return None if not places else places[0][1]
    before = parts[: places[0][0]]
    if len(places) > 1:
        between = parts[places[0][0] + 1 : places[1][0]]
        turned = any(part in _ARROWS_IN or part == "from" for part in between) or "to" in before
        return places[1][1] if turned else places[0][1]
    side = places[0][1]
    turned = any(part == "to" or part in _ARROWS_OUT for part in before)
    if "by" in before:
        turned = not _RECEIVES.isdisjoint(before)
    elif not turned and "from" not in before:
        after = parts[places[0][0] + 1 :]
        turned = not _RECEIVES.isdisjoint(after) or (side == AGENT and "stdin" in after)
    return OTHER.get(side) if turned else side


@lru_cache(maxsize=1024)
def _deed(token: str) -> tuple[str, bool, bool] | None:
    """One side's name beside what it does, as in `agent received` and `sent (client)`.

    Returns the name, whether it comes first, and whether it is about receiving.
    """
    parts = parts_of(token)
    names = [part for part in parts if part in _NAMES and _NAMES[part] != PROXY]
    verbs = (_SENDS | _RECEIVES).intersection(parts)
    if len(names) != 1 or not verbs or not {"to", "from", "by"}.isdisjoint(parts):
        return None
    first = next(part for part in parts if part in names or part in verbs)
    return names[0], first in names, not verbs.isdisjoint(_RECEIVES)


class Sides:
    """Which token means which sender, as the methods of a log show.

    What a token names counts most, unless it names a side and what that does, and all methods
    contradict it, as those of a proxy's `client in` do. Then come the methods of the messages that
    have it, then the other tokens, then the usual meaning: a client's log calls `out` what the
    client sends. A log of both ends calls the same message `out` at one and `in` at the other: then
    the `initialize` of each connection shows what they mean there.
    """

    def __init__(self, client: str | None = None) -> None:
        self._client = client
        self._votes: dict[str, Counter[str]] = {}
        self._no_votes: Counter[str] = Counter()
        self._void: set[str] = set()
        self._answering: set[str] = set()
        self._confirmed, self._contradicted = False, False
        self._behind: set[tuple[str, bool]] = set()
        self._begun: dict[Connection, str | None] = {}
        self._first: str | None = None
        self._differ = False

    def answers_itself(self, token: str) -> None:
        """Note that a response has the token of its request, so that it is not a direction.

        What names a side is one, unless the other side calls methods with it, too, or all messages
        have it.
        """
        named = named_side(token)
        if self._client is None and (named is None or self._votes[token][OTHER.get(named, "")]):
            self._void.add(token)
        elif self._client is None and "from" not in parts_of(token):
            self._answering.add(token)

    def seen(self, token: str, side: str | None) -> None:
        """Note a message with a token, and the side that calls its method if that is known."""
        votes = self._votes.get(token)
        if votes is None:
            votes = self._votes[token] = Counter()
        deed = _deed(token)
        if deed is not None and not deed[1]:
            self._behind.add((deed[0], deed[2]))
        if side is not None:
            votes[side] += 1
            if deed is not None:
                self._confirmed |= named_side(token) == side
                self._contradicted |= named_side(token) == OTHER.get(side)

    def begins(self, token: str, connection: Connection, *, waits: bool) -> None:
        """Note the token of an `initialize`, and whether another one with its id `waits`."""
        if self._client is not None or is_outward(token) is None:
            return
        self._first = self._first or token
        self._differ |= is_outward(token) != is_outward(self._first)
        former = self._begun.get(connection, token)
        turns = former is not None and is_outward(former) != is_outward(token)
        if former is None or (turns and waits):
            self._begun[connection] = None  # it has both ends, which nothing tells apart
        elif turns or len(self._begun) < _BEGUN:
            self._begun[connection] = token

    def known(self, token: str) -> bool:
        """True if no more messages are needed to tell what a token means."""
        if self._client is not None:
            return True
        return named_side(token) is not None and not (_is_name(token) or _deed(token))

    def sender(self, token: str, connection: Connection = "") -> str | None:
        """The side that a token means on a connection; None if it means none."""
        if self._client is not None:
            return CLIENT if token == self._client else AGENT
        named = None if self._is_open(token) else named_side(token)
        votes = self._votes.get(token, self._no_votes)
        if named is not None and votes[OTHER.get(named, "")]:
            stated = "from" in parts_of(token)
            alone = len(self._votes) == 1 and not votes[named] and not stated
            acts = _deed(token) is not None and _majority(votes) == named
            if alone or (_is_name(token) and not acts):  # the process that wrote the log
                return None
        if token in self._void or (token in self._answering and len(self._votes) == 1):
            return None
        if named is not None:
            turned = self._contradicted and not self._confirmed and _deed(token)
            return OTHER.get(named) if turned else named
        if (viewed := self._viewed(token, connection)) is not None:
            return viewed
        voted = _majority(votes)
        if voted is not None and self._is_of_both_ends(token, voted):
            return None
        if voted is not None or len(votes) > 1:
            return voted
        return self._other(token) or self._usual(token)

    def _viewed(self, token: str, connection: Connection) -> str | None:
        """The side that a token means in a log of both ends, by the end that a connection is of."""
        begun = self._begun.get(connection) if self._differ else None
        way = is_outward(token)
        if begun is None or way is None:
            return None
        return CLIENT if way == is_outward(begun) else AGENT

    def _is_open(self, token: str) -> bool:
        """True for `sent agent` beside `received agent`: the agent's log or the client's."""
        deed = _deed(token)
        return (
            deed is not None and not deed[1] and {(deed[0], True), (deed[0], False)} <= self._behind
        )

    def _is_of_both_ends(self, token: str, voted: str) -> bool:
        """True if one side has the opposite direction as well, as in the logs of both together."""
        other = opposite(token)
        return any(
            _majority(votes) == voted
            for each, votes in self._votes.items()
            if each != token and opposite(each) == opposite(other)
        )

    def _other(self, token: str) -> str | None:
        """The side that is left, if the only other token of a log means one."""
        others = [votes for other, votes in self._votes.items() if other != token]
        side = _majority(others[0]) if len(others) == 1 else None
        return None if side is None else OTHER[side]

    def _usual(self, token: str) -> str | None:
        parts = set(parts_of(token))
        if bool(parts & _OUT) == bool(parts & _IN):
            return None
        side = CLIENT if parts & _OUT else AGENT
        turned = [
            _majority(votes)
            for other, votes in self._votes.items()
            if votes and bool(set(parts_of(other)) & _OUT) == bool(parts & _OUT)
        ]
        return next((found for found in turned if found is not None), side)


def _is_name(token: str) -> bool:
    """True if a token may be the name of a process: `agent-1` may be where a log was written."""
    return any(map(str.isdigit, token)) and _PAIRS.keys().isdisjoint(parts_of(token))


def _majority(votes: Counter[str]) -> str | None:
    if not votes:
        return None
    side, most = max(votes.items(), key=itemgetter(1))
    total = votes.total()
    return side if (total - most) * _MINORITY <= total else None
