"""A whole recording, indexed for rules.

It grows with the number of requests, of user messages and of distinct strings that agents sent, not
with their size: texts are kept as hashes.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_wire.redaction import Key
from acpgen.trace.exchanges import Traffic
from acpgen.trace.message_places import MessagePlaces
from acpgen.trace.prompts import Prompts
from acpgen.trace.seen_strings import Echo
from acpgen.trace.session_states import SessionStates
from acpgen.trace.shown_messages import ShownMessages


@dataclass(frozen=True, slots=True)
class Recording:
    """The events of a transcript, and the indexes that rules need.

    The lines in it are positions of `places`. `echoes` are the keys that agents sent. `keys` are
    all keys, also misspelled and malformed ones, which no finding may show. If it is not `ordered`,
    the messages of each side are in their order, and responses come after requests; what else was
    sent before what is not known. If it is not `whole`, messages before its last one could not be
    read, or it is `one_sided`: it has what one side sent. If it is not `separate`, connections
    overlap in it that nothing tells apart.
    """

    traffic: Traffic
    sessions: SessionStates
    messages: ShownMessages
    prompts: Prompts
    echoes: tuple[Echo, ...]
    keys: frozenset[Key]
    places: MessagePlaces
    ordered: bool = True
    whole: bool = True
    one_sided: bool = False
    separate: bool = True
