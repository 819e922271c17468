"""The effect of a changed retry class on sender and receiver if only one of them knows it.

The class of a method is a promise between two: receivers make a repeated message harmless in the
way it says, and senders repeat accordingly (RFD, "Give every method a retry class"). A sender that
follows the old class meets receivers that keep the new one, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.model import RetryClass

Class = RetryClass | None
"""A retry class, or the lack of one."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a change does to one of the two. `breaks` is true if it breaks them."""

    breaks: bool
    why: str


@dataclass(frozen=True, slots=True)
class Promise:
    """The effect of a changed class on senders and on receivers of the old class.

    The reasons call the two `{senders}` and `{receivers}`.
    """

    senders: Consequence
    receivers: Consequence


def _breaks(why: str) -> Consequence:
    return Consequence(breaks=True, why=why)


def _keeps(why: str) -> Consequence:
    return Consequence(breaks=False, why=why)


_IDEMPOTENT, _KEYED = RetryClass.IDEMPOTENT, RetryClass.KEYED
_DUPLICATING, _NOT_RETRIED = RetryClass.DUPLICATING, RetryClass.NOT_RETRIED
_CARRIED, _EXTERNAL = RetryClass.CARRIED, RetryClass.EXTERNAL

_SENDS_ONCE = _keeps("older {senders} do not send it again, so nothing changes for them")
_NO_COPIES = _keeps("newer {senders} do not send it again, so nothing changes for {receivers}")
_NOT_RELIED_ON = _keeps("newer {senders} expect nothing that older {receivers} do not do")
_STILL_HARMLESS = _keeps("older {receivers} make every copy harmless")
_NOTHING_PROMISED = _keeps("older {senders} had no promise, so careful ones did not send it again")

_AS_IS = "older {senders} send it again unchanged, "
_WITH_ITS_KEY = "older {senders} send it again with its key, "
_WITH_SPARES = "older {senders} send it again, "
_INSIDE = "older {senders} send it again where the message inside allows it, "
_ELSEWHERE = "older {senders} send it again where another protocol allows it, "

_TWICE = "and without a key it is carried out twice"
_LEFT_BEHIND = "and each copy leaves something unused behind"
_FORBIDDEN = "which is not allowed any more"
_IF_INSIDE = "even if the message inside does not allow it"
_IF_ELSEWHERE = "even if the other protocol does not allow it"
_UNPROMISED = "and nothing promises that a copy is harmless any more"
_HARMLESS = "and every copy is harmless"

_OVERPROMISED = "newer {senders} send it again unchanged, but "
_WITH_KEY = "newer {senders} send it again with its key, but "
_SPARE = "newer {senders} send it again where one too many is harmless, but "
_AS_INSIDE = "newer {senders} send it again where the message inside allows it, but "
_BY_OTHERS = "newer {senders} send it again where another protocol allows it, but "

_RUNS_TWICE = "older {receivers} carry out every copy that has no key"
_CREATE_MORE = "older {receivers} create one more with every copy"
_UNPREPARED = "older {receivers} did not have to expect a copy"
_LOOK_INSIDE = "older {receivers} pass every copy on, whatever it does where it arrives"
_OUTSIDE = "older {receivers} do with a copy what another protocol says"
_UNBOUND = "older {receivers} promised nothing about a copy"

PROMISES: Mapping[tuple[Class, Class], Promise] = {
    **{
        (same, same): Promise(
            _keeps("{senders} may send it again as before"),
            _keeps("{receivers} owe what they did"),
        )
        for same in (*RetryClass, None)
    },
    (_IDEMPOTENT, _KEYED): Promise(_breaks(_AS_IS + _TWICE), _STILL_HARMLESS),
    (_IDEMPOTENT, _DUPLICATING): Promise(_breaks(_AS_IS + _LEFT_BEHIND), _STILL_HARMLESS),
    (_IDEMPOTENT, _NOT_RETRIED): Promise(_breaks(_AS_IS + _FORBIDDEN), _NO_COPIES),
    (_IDEMPOTENT, _CARRIED): Promise(_breaks(_AS_IS + _IF_INSIDE), _STILL_HARMLESS),
    (_IDEMPOTENT, _EXTERNAL): Promise(_breaks(_AS_IS + _IF_ELSEWHERE), _STILL_HARMLESS),
    (_IDEMPOTENT, None): Promise(_breaks(_AS_IS + _UNPROMISED), _NOT_RELIED_ON),
    (_KEYED, _IDEMPOTENT): Promise(
        _keeps(_WITH_ITS_KEY + _HARMLESS), _breaks(_OVERPROMISED + _RUNS_TWICE)
    ),
    (_KEYED, _DUPLICATING): Promise(
        _breaks(_WITH_ITS_KEY + _LEFT_BEHIND), _breaks(_SPARE + _RUNS_TWICE)
    ),
    (_KEYED, _NOT_RETRIED): Promise(_breaks(_WITH_ITS_KEY + _FORBIDDEN), _NO_COPIES),
    (_KEYED, _CARRIED): Promise(
        _breaks(_WITH_ITS_KEY + _IF_INSIDE), _breaks(_AS_INSIDE + _RUNS_TWICE)
    ),
    (_KEYED, _EXTERNAL): Promise(
        _breaks(_WITH_ITS_KEY + _IF_ELSEWHERE), _breaks(_BY_OTHERS + _RUNS_TWICE)
    ),
    (_KEYED, None): Promise(_breaks(_WITH_ITS_KEY + _UNPROMISED), _NOT_RELIED_ON),
    (_DUPLICATING, _IDEMPOTENT): Promise(
        _keeps(_WITH_SPARES + _HARMLESS), _breaks(_OVERPROMISED + _CREATE_MORE)
    ),
    (_DUPLICATING, _KEYED): Promise(
        _breaks(_WITH_SPARES + _TWICE), _breaks(_WITH_KEY + _CREATE_MORE)
    ),
    (_DUPLICATING, _NOT_RETRIED): Promise(_breaks(_WITH_SPARES + _FORBIDDEN), _NO_COPIES),
    (_DUPLICATING, _CARRIED): Promise(
        _breaks(_WITH_SPARES + _IF_INSIDE), _breaks(_AS_INSIDE + _CREATE_MORE)
    ),
    (_DUPLICATING, _EXTERNAL): Promise(
        _breaks(_WITH_SPARES + _IF_ELSEWHERE), _breaks(_BY_OTHERS + _CREATE_MORE)
    ),
    (_DUPLICATING, None): Promise(
        _breaks(_WITH_SPARES + "and nothing promises that a copy does little harm any more"),
        _NOT_RELIED_ON,
    ),
    (_NOT_RETRIED, _IDEMPOTENT): Promise(_SENDS_ONCE, _breaks(_OVERPROMISED + _UNPREPARED)),
    (_NOT_RETRIED, _KEYED): Promise(_SENDS_ONCE, _breaks(_WITH_KEY + _UNPREPARED)),
    (_NOT_RETRIED, _DUPLICATING): Promise(_SENDS_ONCE, _breaks(_SPARE + _UNPREPARED)),
    (_NOT_RETRIED, _CARRIED): Promise(_SENDS_ONCE, _breaks(_AS_INSIDE + _UNPREPARED)),
    (_NOT_RETRIED, _EXTERNAL): Promise(_SENDS_ONCE, _breaks(_BY_OTHERS + _UNPREPARED)),
    (_NOT_RETRIED, None): Promise(_SENDS_ONCE, _NOT_RELIED_ON),
    (_CARRIED, _IDEMPOTENT): Promise(
        _keeps(_INSIDE + _HARMLESS), _breaks(_OVERPROMISED + _LOOK_INSIDE)
    ),
    (_CARRIED, _KEYED): Promise(_breaks(_INSIDE + _TWICE), _breaks(_WITH_KEY + _LOOK_INSIDE)),
    (_CARRIED, _DUPLICATING): Promise(
        _breaks(_INSIDE + _LEFT_BEHIND), _breaks(_SPARE + _LOOK_INSIDE)
    ),
    (_CARRIED, _NOT_RETRIED): Promise(_breaks(_INSIDE + _FORBIDDEN), _NO_COPIES),
    (_CARRIED, _EXTERNAL): Promise(
        _breaks(_INSIDE + _IF_ELSEWHERE), _breaks(_BY_OTHERS + _LOOK_INSIDE)
    ),
    (_CARRIED, None): Promise(_breaks(_INSIDE + _UNPROMISED), _NOT_RELIED_ON),
    (_EXTERNAL, _IDEMPOTENT): Promise(
        _keeps(_ELSEWHERE + _HARMLESS), _breaks(_OVERPROMISED + _OUTSIDE)
    ),
    (_EXTERNAL, _KEYED): Promise(_breaks(_ELSEWHERE + _TWICE), _breaks(_WITH_KEY + _OUTSIDE)),
    (_EXTERNAL, _DUPLICATING): Promise(
        _breaks(_ELSEWHERE + _LEFT_BEHIND), _breaks(_SPARE + _OUTSIDE)
    ),
    (_EXTERNAL, _NOT_RETRIED): Promise(_breaks(_ELSEWHERE + _FORBIDDEN), _NO_COPIES),
    (_EXTERNAL, _CARRIED): Promise(
        _breaks(_ELSEWHERE + _IF_INSIDE), _breaks(_AS_INSIDE + _OUTSIDE)
    ),
    (_EXTERNAL, None): Promise(_breaks(_ELSEWHERE + _UNPROMISED), _NOT_RELIED_ON),
    (None, _IDEMPOTENT): Promise(_NOTHING_PROMISED, _breaks(_OVERPROMISED + _UNBOUND)),
    (None, _KEYED): Promise(_NOTHING_PROMISED, _breaks(_WITH_KEY + _UNBOUND)),
    (None, _DUPLICATING): Promise(_NOTHING_PROMISED, _breaks(_SPARE + _UNBOUND)),
    (None, _NOT_RETRIED): Promise(_NOTHING_PROMISED, _NO_COPIES),
    (None, _CARRIED): Promise(_NOTHING_PROMISED, _breaks(_AS_INSIDE + _UNBOUND)),
    (None, _EXTERNAL): Promise(_NOTHING_PROMISED, _breaks(_BY_OTHERS + _UNBOUND)),
}
"""Total: every class a method can have, stated or not, against every other."""


def class_of(word: str) -> Class:
    """The class that a word of the schema names; the empty word means no class."""
    return RetryClass(word) if word else None
