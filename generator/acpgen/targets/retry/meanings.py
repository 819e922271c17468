"""The meanings of enumerations and rows, for the comments of every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from acpgen.model import Kind, RetryClass, Side, Stability
from acpgen.targets.retry.classes import CLASSES
from acpgen.targets.retry.decision import RULINGS, Answer, Reason


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enumeration with the meaning of each member. `docs` completes "X is ..."."""

    type: type[StrEnum]
    docs: str
    members: Mapping[StrEnum, str]


ENUMERATIONS = (
    Enumeration(
        RetryClass,
        "what sending a message again does",
        {retry: explanation.whole for retry, explanation in CLASSES.items()},
    ),
    Enumeration(
        Side,
        "the side that handles a method",
        {
            Side.AGENT: "The agent handles it.",
            Side.CLIENT: "The client handles it.",
            Side.PROTOCOL: "Client and agent both handle it.",
            Side.PROXY: "A proxy between the two handles it.",
        },
    ),
    Enumeration(
        Kind,
        "how a method is called",
        {
            Kind.REQUEST: "It is answered.",
            Kind.NOTIFICATION: "It is not answered.",
        },
    ),
    Enumeration(
        Stability,
        "how firm a method is",
        {
            Stability.STABLE: "It does not change within this version of the protocol.",
            Stability.UNSTABLE: "It may change without notice.",
        },
    ),
    Enumeration(
        Answer,
        "how a message may be sent again",
        {
            Answer.AS_IS: "As it is.",
            Answer.SAME_KEY: "With the key of the first attempt, unchanged.",
            Answer.NOT_AT_ALL: "Not at all.",
        },
    ),
    Enumeration(
        Reason,
        "the case that a message is, for programs; the values are the same in every language",
        {ruling.reason: ruling.meaning for ruling in RULINGS},
    ),
)

FIELDS = {
    "name": "The JSON-RPC method.",
    "kind": "Whether it is answered.",
    "side": "The side that handles it.",
    "stability": "Whether it may still change.",
    "retry_class": "What sending it again does.",
    "params": "The type of its params.",
    "result": "The type of its result; a notification has none.",
    "key": "The member of params that holds the idempotency key, if there is one.",
    "carries": (
        "The method whose class a carried method always takes; missing when its params name the "
        "method."
    ),
    "undoes": (
        "The methods of which a late copy would undo a newer request, if both agree in the members "
        "of `about`."
    ),
    "about": "The members of params that name what is changed.",
    "page": "The slug of the page that explains it at length, if there is one.",
    "summary": "The first sentence of its description.",
    "resend": "What sending it again does, in words.",
}
"""The members of a row in their order, by their names in snake_case."""
