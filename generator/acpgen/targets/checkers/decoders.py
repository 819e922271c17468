"""The module of typed decoders: structs for calls, and one decoder for what each side may send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from acpgen.emit.header import HEADER
from acpgen.emit.python import literal
from acpgen.model import (
    SENDS,
    Kind,
    Method,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Side,
    TypeName,
    Union,
)
from acpgen.targets.checkers.names import class_name
from acpgen.targets.checkers.slots import TemplateRenderer
from acpgen.targets.checkers.structs import Structs, StructType, UntypedError

_TEMPLATE = """
    AgentCall AgentLine Annotated Any AnyCall AnyLine AnyObject Anything CHECKERS Checked ClientCall
    ClientLine Decoders Line ListedObject Literal Loose Meta Notification ProxyCall ProxyLine
    Request UNSET Unsent UnsetType
"""
"""The names of classes and the like in the template."""

_REQUEST_ID = TypeName("RequestId")
_SENDERS = (
    ("Agent", SENDS[Side.AGENT]),
    ("Client", SENDS[Side.CLIENT]),
    ("Proxy", SENDS[Side.PROXY]),
)
"""The sides that send, each with the sides that handle what it sends."""
_LINE = """class {sender}Line(Line[{sender}Call], tag="{side}", kw_only=True):
    \"""A line that holds what the {side} side sends.\"""\
"""


def decoders_module(protocol: Protocol, templates: TemplateRenderer, package: str) -> str:
    """The source of the module; `package` is where its checkers are."""
    structs = Structs(protocol, _TEMPLATE.split())
    messages = dict(_messages(protocol, structs))
    classes = [
        f"class {name}({method.kind.value.title()}, tag={literal(method.name)}):\n"
        f"    params: {params.text}"
        for method, (name, params) in messages.items()
    ]
    calls = {method: name for method, (name, _) in messages.items()}
    return templates.render(
        "checkers/decoders.py.jinja",
        header=HEADER,
        package=package,
        structs="\n\n\n".join([*structs.text, *classes]),
        # One level for the message, and one for the line of a transcript that may hold it.
        depth=2 + max((params.depth for _, params in messages.values()), default=0),
        keyed=_tuple(name for method, name in calls.items() if method.key is not None),
        calls="\n".join(
            f"{sender}Call = (\n    {_choice(calls, handled)}\n)"
            for sender, handled in (("Any", frozenset(Side)), *_SENDERS)
        ),
        lines="\n\n\n".join(
            _LINE.format(sender=sender, side=sender.lower()) for sender, _ in _SENDERS
        ),
    )


def _messages(
    protocol: Protocol, structs: Structs
) -> Iterator[tuple[Method, tuple[str, StructType]]]:
    """The calls that have a struct, with its name and their params."""
    names = Counter(method.name for method in protocol.methods)
    for method in protocol.methods:
        if names[method.name] > 1 or (method.kind is Kind.REQUEST and not _has_plain_ids(protocol)):
            continue
        try:
            params = structs.typed(Ref(method.params))
        except UntypedError:
            continue
        # Names that look like a key are searched for in the params and their metadata.
        if not params.opaque:
            yield method, (structs.names.claim(f"{class_name(method.params)}Message"), params)


def _has_plain_ids(protocol: Protocol) -> bool:
    """True if any integer and any string will do as the id of a request."""
    if _REQUEST_ID not in protocol.types:
        return True
    body = protocol.types[_REQUEST_ID].body
    if not isinstance(body, Union):
        return False
    taken = {v.body.type for v in body.variants if isinstance(v.body, Scalar) and _is_plain(v.body)}
    return {ScalarType.INTEGER, ScalarType.STRING} <= taken


def _is_plain(scalar: Scalar) -> bool:
    return replace(scalar, format=None) == Scalar(scalar.type)


def _tuple(expressions: Iterable[str]) -> str:
    return "(" + "".join(f"{expression}, " for expression in expressions).rstrip() + ")"


def _choice(calls: Mapping[Method, str], sides: Collection[Side]) -> str:
    """The union of the calls that some sides handle.

    For a union of one type msgspec would ignore the method, so there is always one more.
    """
    return "\n    | ".join(["Unsent", *(n for method, n in calls.items() if method.side in sides)])
