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

_SENDS_ONCE = _keeps("{senders} did not send it again, so nothing new can happen to them")
_NO_COPIES = _keeps("{receivers} get no copies of it from newer {senders}")
_NOT_RELIED_ON = _keeps("newer {senders} rely on nothing that {receivers} would have to do")
_STILL_HARMLESS = _keeps("{receivers} already make every copy harmless")
_NOTHING_PROMISED = _keeps("nothing was promised, so careful {senders} did not send it again")
_OVERPROMISED = "newer {senders} send it again as is, and "
_WITH_KEY = "newer {senders} send it again with its key, and "
_SPARE = "newer {senders} send it again where one too many is harmless, and "
_AS_INSIDE = "newer {senders} send it again whenever the message inside allows it, and "
_BY_OTHERS = "newer {senders} send it again where another protocol allows it, and "
_RUNS_TWICE = "{receivers} that find no key carry out every copy"
_CREATE_MORE = "{receivers} create something more with every copy"
_UNPREPARED = "{receivers} never had to expect a copy"
_LOOK_INSIDE = "{receivers} pass every copy on, whatever it does where it arrives"
_OUTSIDE = "{receivers} do with a copy what another protocol says"
_UNBOUND = "{receivers} never promised what a copy does"

PROMISES: Mapping[tuple[Class, Class], Promise] = {
    **{
        (same, same): Promise(
            _keeps("{senders} may repeat it as before"), _keeps("{receivers} owe what they did")
        )
        for same in (*RetryClass, None)
    },
    (_IDEMPOTENT, _KEYED): Promise(
        _breaks("{senders} that send it again as is now have it carried out twice"),
        _STILL_HARMLESS,
    ),
    (_IDEMPOTENT, _DUPLICATING): Promise(
        _breaks("{senders} that send it again as is now leave something unused behind"),
        _STILL_HARMLESS,
    ),
    (_IDEMPOTENT, _NOT_RETRIED): Promise(
        _breaks("{senders} that send it again as is now do what they no longer may"),
        _NO_COPIES,
    ),
    (_IDEMPOTENT, _CARRIED): Promise(
        _breaks("{senders} that send it again as is may now repeat a message inside that must not"),
        _STILL_HARMLESS,
    ),
    (_IDEMPOTENT, _EXTERNAL): Promise(
        _breaks("{senders} that send it again as is now depend on what another protocol says"),
        _STILL_HARMLESS,
    ),
    (_IDEMPOTENT, None): Promise(
        _breaks("{senders} that send it again as is are no longer promised that it is harmless"),
        _NOT_RELIED_ON,
    ),
    (_KEYED, _IDEMPOTENT): Promise(
        _keeps("{senders} that send it again with its key do what is harmless anyway"),
        _breaks(_OVERPROMISED + _RUNS_TWICE),
    ),
    (_KEYED, _DUPLICATING): Promise(
        _breaks("{senders} that send it again with its key are no longer protected by it"),
        _breaks(_SPARE + _RUNS_TWICE),
    ),
    (_KEYED, _NOT_RETRIED): Promise(
        _breaks("{senders} that send it again with its key now do what they no longer may"),
        _NO_COPIES,
    ),
    (_KEYED, _CARRIED): Promise(
        _breaks("{senders} that put a key beside the message inside are not protected by it"),
        _breaks(_AS_INSIDE + _RUNS_TWICE),
    ),
    (_KEYED, _EXTERNAL): Promise(
        _breaks("{senders} that send it again with its key now depend on another protocol"),
        _breaks(_BY_OTHERS + _RUNS_TWICE),
    ),
    (_KEYED, None): Promise(
        _breaks("{senders} that send it again with its key are promised nothing for it any more"),
        _NOT_RELIED_ON,
    ),
    (_DUPLICATING, _IDEMPOTENT): Promise(
        _keeps("{senders} that send it again now leave nothing unused behind"),
        _breaks(_OVERPROMISED + _CREATE_MORE),
    ),
    (_DUPLICATING, _KEYED): Promise(
        _breaks("{senders} that send it again without a key now have it carried out twice"),
        _breaks(_WITH_KEY + _CREATE_MORE),
    ),
    (_DUPLICATING, _NOT_RETRIED): Promise(
        _breaks("{senders} that send it again now do what they no longer may"),
        _NO_COPIES,
    ),
    (_DUPLICATING, _CARRIED): Promise(
        _breaks("{senders} that send it again may now repeat a message inside that must not be"),
        _breaks(_AS_INSIDE + _CREATE_MORE),
    ),
    (_DUPLICATING, _EXTERNAL): Promise(
        _breaks("{senders} that send it again now depend on what another protocol says"),
        _breaks(_BY_OTHERS + _CREATE_MORE),
    ),
    (_DUPLICATING, None): Promise(
        _breaks("{senders} that send it again are no longer promised that it does little harm"),
        _NOT_RELIED_ON,
    ),
    (_NOT_RETRIED, _IDEMPOTENT): Promise(_SENDS_ONCE, _breaks(_OVERPROMISED + _UNPREPARED)),
    (_NOT_RETRIED, _KEYED): Promise(_SENDS_ONCE, _breaks(_WITH_KEY + _UNPREPARED)),
    (_NOT_RETRIED, _DUPLICATING): Promise(_SENDS_ONCE, _breaks(_SPARE + _UNPREPARED)),
    (_NOT_RETRIED, _CARRIED): Promise(_SENDS_ONCE, _breaks(_AS_INSIDE + _UNPREPARED)),
    (_NOT_RETRIED, _EXTERNAL): Promise(_SENDS_ONCE, _breaks(_BY_OTHERS + _UNPREPARED)),
    (_NOT_RETRIED, None): Promise(_SENDS_ONCE, _NOT_RELIED_ON),
    (_CARRIED, _IDEMPOTENT): Promise(
        _keeps("{senders} may now repeat it even where the message inside would not allow it"),
        _breaks(_OVERPROMISED + _LOOK_INSIDE),
    ),
    (_CARRIED, _KEYED): Promise(
        _breaks("{senders} that follow the message inside put no key beside it"),
        _breaks(_WITH_KEY + _LOOK_INSIDE),
    ),
    (_CARRIED, _DUPLICATING): Promise(
        _breaks(
            "{senders} that follow a harmless message inside now leave something unused behind"
        ),
        _breaks(_SPARE + _LOOK_INSIDE),
    ),
    (_CARRIED, _NOT_RETRIED): Promise(
        _breaks("{senders} that follow a harmless message inside now do what they no longer may"),
        _NO_COPIES,
    ),
    (_CARRIED, _EXTERNAL): Promise(
        _breaks("{senders} that follow the message inside now depend on another protocol"),
        _breaks(_BY_OTHERS + _LOOK_INSIDE),
    ),
    (_CARRIED, None): Promise(
        _breaks("{senders} that follow the message inside are no longer promised that they may"),
        _NOT_RELIED_ON,
    ),
    (_EXTERNAL, _IDEMPOTENT): Promise(
        _keeps("{senders} may now repeat it even where the other protocol would not allow it"),
        _breaks(_OVERPROMISED + _OUTSIDE),
    ),
    (_EXTERNAL, _KEYED): Promise(
        _breaks("{senders} that follow the other protocol put no key in it"),
        _breaks(_WITH_KEY + _OUTSIDE),
    ),
    (_EXTERNAL, _DUPLICATING): Promise(
        _breaks("{senders} that follow the other protocol may now leave something unused behind"),
        _breaks(_SPARE + _OUTSIDE),
    ),
    (_EXTERNAL, _NOT_RETRIED): Promise(
        _breaks("{senders} that follow the other protocol may now do what is forbidden"),
        _NO_COPIES,
    ),
    (_EXTERNAL, _CARRIED): Promise(
        _breaks(
            "{senders} that follow the other protocol may repeat what must not be repeated inside"
        ),
        _breaks(_AS_INSIDE + _OUTSIDE),
    ),
    (_EXTERNAL, None): Promise(
        _breaks("{senders} that follow the other protocol no longer learn that they may"),
        _NOT_RELIED_ON,
    ),
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
