"""The user messages that a recording shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from acp_wire.pairing import Connection
from acpgen.trace.digest import Digest
from acpgen.trace.event import Update
from acpgen.trace.grouping import group

MessageName = tuple[str, str]
"""A session and the ID of a message in it."""


@dataclass(frozen=True, slots=True)
class MessageShown:
    """A user message as one connection shows it: where first, where last, with which content.

    `replayed` if the first time was part of a replay.
    """

    line: int
    last: int
    connection: Connection
    session: str
    message_id: str
    blocks: tuple[Digest, ...]
    replayed: bool

    @property
    def name(self) -> MessageName:
        """The session and the ID of the message."""
        return (self.session, self.message_id)


@dataclass(frozen=True, slots=True)
class ShownMessages:
    """The user messages, in the order of the lines that show them first.

    `latest` has for a session the line on which a connection last showed a message for the first
    time. `inserted` has the messages that came into being during the recording: those that no
    replay showed first.
    """

    by_name: Mapping[MessageName, tuple[MessageShown, ...]]
    latest: Mapping[str, int]
    inserted: Mapping[MessageName, MessageShown]


@dataclass(slots=True)
class _Growing:
    """A user message on one connection, as far as it has come."""

    first: MessageShown
    last: int
    blocks: list[Digest] = field(default_factory=list)

    def grow(self, update: Update, *, replaying: bool) -> None:
        """Take in an update. What a replay repeats adds nothing."""
        self.last = update.line
        if update.blocks is not None and not replaying:
            if not update.appends:
                self.blocks.clear()
            self.blocks.extend(update.blocks)

    @property
    def shown(self) -> MessageShown:
        """All of it."""
        return replace(self.first, last=self.last, blocks=tuple(self.blocks))


class MessageLog:
    """Collects the user messages while a recording is read."""

    def __init__(self) -> None:
        self._growing: dict[tuple[Connection, str, str], _Growing] = {}

    def add(self, update: Update, *, replaying: bool) -> None:
        """Note the user message that an update shows, if it shows one."""
        if update.message_id is None:
            return
        name = (update.connection, update.session, update.message_id)
        if name not in self._growing:
            first = MessageShown(
                line=update.line,
                last=update.line,
                connection=update.connection,
                session=update.session,
                message_id=update.message_id,
                blocks=(),
                replayed=replaying,
            )
            self._growing[name] = _Growing(first, update.line)
        self._growing[name].grow(update, replaying=replaying)

    def messages(self) -> ShownMessages:
        """Return everything noted."""
        all_shown = [growing.shown for growing in self._growing.values()]
        by_name = group((shown.name, shown) for shown in all_shown)
        return ShownMessages(
            by_name=by_name,
            latest={shown.session: shown.line for shown in all_shown},
            inserted={name: shown[0] for name, shown in by_name.items() if not shown[0].replayed},
        )
