"""The events of a recording, with the parts of messages that rules need."""

from __future__ import annotations

from dataclasses import dataclass

from acp_wire.pairing import Connection
from acp_wire.redaction import Key
from acpgen.model import Method, Side
from acpgen.trace.digest import Digest


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt in a call of a keyed method.

    `content` is the hash of all its params but the key, `blocks` those of the blocks of the user
    message. `key` is None if there is no key, or a malformed one, which `key_fault` describes. A
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

    `params` is the hash of its params, `about` that of the thing that it is about, where rules
    compare it: a request, an elicitation, an option. `method` is None for an unknown method.
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
        """The name of the method; empty for an unknown one."""
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
    is whether foreground work goes on, None where the update does not report that; `child` names
    another session that the update is about.
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
