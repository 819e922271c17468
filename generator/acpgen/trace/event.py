"""What a recording consists of: frozen events, with as much of a message as rules ask for."""

from __future__ import annotations

from dataclasses import dataclass

from acp_wire.pairing import Connection
from acp_wire.redaction import Key
from acpgen.model import Method, Side
from acpgen.trace.digest import Digest


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a call of a keyed method asks for.

    `content` stands for all its params but the key, `blocks` for each block of the user message.
    `key` is None where there is none, and where it is malformed: then `key_fault` says how. A
    prompt that is not `well_formed` can only be refused.
    """

    key: Key | None
    content: Digest
    blocks: tuple[Digest, ...]
    key_fault: str = ""
    well_formed: bool = True


@dataclass(frozen=True, slots=True)
class CallEvent:
    """A request or, without an id, a notification.

    `params` stands for its params, `about` for the one thing it is about, where rules compare that:
    a request, an elicitation, an option. `method` is None for what the protocol doesn't have.
    """

    line: int
    connection: Connection
    sender: Side
    name: str
    id: int | str | None
    method: Method | None
    session: str | None
    params: Digest
    about: Digest
    prompt: Prompt | None = None
    replays: bool = False

    @property
    def subject(self) -> str:
        """The method, in the words of the protocol."""
        return self.method.name if self.method is not None else ""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: `code` is that of the error, None for a result.

    `version` is the one of the protocol that the result of `initialize` settles.
    """

    line: int
    connection: Connection
    sender: Side
    id: int | str
    code: int | None
    message_id: str | None = None
    session: str | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """A session/update.

    `message_id` and `blocks` are those of a user message, whole or, if it `appends`, a part; `busy`
    says that foreground work goes on or doesn't, and is None where the update says nothing about
    that; `child` names another session that the update is about.
    """

    line: int
    connection: Connection
    session: str
    message_id: str | None = None
    blocks: tuple[Digest, ...] | None = None
    appends: bool = False
    busy: bool | None = None
    child: str | None = None


Event = CallEvent | Response | Update
