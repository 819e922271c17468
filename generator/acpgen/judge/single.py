"""The verdict on one message by itself."""

from __future__ import annotations

from functools import cache

from acp_wire.reader import NotJsonError, decode
from acpgen import resources
from acpgen.judge.message import Judge
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.judge.text_faults import complete, unreadable
from acpgen.judge.type_checks import JudgedMethod
from acpgen.load import load
from acpgen.model import Method, Protocol, Side
from acpgen.types.type_table import method_row, type_table


def validate(
    message: bytes | str,
    *,
    protocol: Protocol | None = None,
    sender: Side | None = None,
    answers: Method | None = None,
) -> MessageVerdict:
    """The verdict on the text of one message, which is true where the message is accepted.

    `protocol` is what `acpgen.load.load` returns, by default the schema that comes with acpgen.
    `sender` None is any side. `answers` is the method of the request that a response is for;
    without it only the envelope of a result is judged, and the verdict is not complete. For many
    messages use a `Transcript`.

    Raises:
        TypeError: the message is not text.
        ValueError: the sender is not agent, client or proxy.
        SchemaError: no protocol is given, and the schema that comes with acpgen is broken.
    """
    try:
        decoded = decode(message)
    except NotJsonError as error:
        return unreadable(error)
    judge = Judge(type_table(_own() if protocol is None else protocol))
    asked = None if answers is None else JudgedMethod(method_row(answers))
    verdict = judge.judge(decoded.value, sender=sender, answers=asked)
    return complete(verdict, decoded, decoded.value)


@cache
def _own() -> Protocol:
    # Loading needs a JSON Schema engine, which judging by a given protocol does without.

    return load(resources.SCHEMA)
