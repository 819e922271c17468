"""Types in words: one line each, fit for a table cell."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.emit.markdown import Inline, code, join
from acpgen.model import (
    Array,
    ClosedEnum,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Tolerance,
    Type,
    Union,
)
from acpgen.targets.pages.site import Links
from acpgen.types.wording import as_json

CHARACTERS = "characters (Unicode code points)"
_NULL = code("null")
_OBJECT = code("object")
_IMPLIED: Mapping[str, tuple[int, int]] = {
    f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)
}
"""The bounds that a format of integers implies."""


def expression(type_: Type, links: Links) -> Inline:
    """A type as a reader would call it, with links to the types that it names."""
    match type_:
        case Scalar():
            return _scalar(type_)
        case Ref(name=name):
            return links.type(name)
        case Nullable(of=inner):
            what = expression(inner, links)
            comma = "," if isinstance(inner, Array | Map) and what != _OBJECT else ""
            return Inline(f"{what}{comma} or {_NULL}")
        case Array(items=items):
            return Inline(f"array of {expression(items, links)}")
        case Map(values=Scalar(type=ScalarType.ANY)):
            return _OBJECT
        case Map(values=values):
            return Inline(f"{_OBJECT} with values of {expression(values, links)}")
        case Object():
            return _OBJECT
        case Union():
            return join((expression(v.body, links) for v in type_.variants), " or ")
        case OpenEnum() | ClosedEnum():
            known = join((code(str(value.value)) for value in type_.values), ", ")
            rest = f" or another {code(type_.type.value)}" if isinstance(type_, OpenEnum) else ""
            return Inline(f"{known}{rest}")


def limits(type_: Type, protocol: Protocol) -> tuple[Inline, ...]:
    """The constraints on values of a type, one sentence each. References are followed."""
    type_ = protocol.resolve(type_)
    if isinstance(type_, Nullable):
        type_ = protocol.resolve(type_.of)
    match type_:
        case Scalar():
            least, most = _bounds(type_)
            sentences = [
                _range(type_.min_length, type_.max_length, "character", CHARACTERS),
                _range(least, most),
                Inline(f"Matches {code(type_.pattern)}." if type_.pattern is not None else ""),
            ]
        case Array():
            sentences = [_range(type_.min_items, type_.max_items, "item", "items")]
        case _:
            sentences = []
    return tuple(sentence for sentence in sentences if sentence)


def default(member: Property) -> Inline:
    """The default of a member as a sentence, or nothing."""
    return Inline("" if member.default is None else f"Default: {code(as_json(member.default))}.")


def tolerance(member: Property) -> Inline:
    """How receivers recover from a malformed value; empty if they refuse it."""
    return join(_tolerated(member.tolerance, _fallback(member)))


def _tolerated(marks: Tolerance, fallback: str) -> list[Inline]:
    sentences = {
        f"Recovered when malformed: read as {fallback}.": marks.default_on_error,
        "Malformed items are dropped, the rest is kept.": marks.skip_invalid_items,
        f"A {_NULL} is read as {fallback}.": marks.default_on_null,
    }
    return [Inline(sentence) for sentence, applies in sentences.items() if applies]


def _fallback(member: Property) -> str:
    if member.default is not None:
        return "the default"
    if not member.required:
        return "omitted"
    return "an empty array" if isinstance(member.type, Array) else "the default of its type"


def _scalar(scalar: Scalar) -> Inline:
    if scalar.type is ScalarType.ANY:
        return Inline("any JSON value")
    notes = [note for note in (scalar.format, scalar.content_encoding) if note is not None]
    shown = "".join(f" ({code(note)})" for note in notes)
    return Inline(f"{code(scalar.type.value)}{shown}")


def _bounds(scalar: Scalar) -> tuple[float | None, float | None]:
    implied = _IMPLIED.get(scalar.format or "", (None, None))
    least = None if scalar.minimum == implied[0] else scalar.minimum
    most = None if scalar.maximum == implied[1] else scalar.maximum
    return least, most


def _range(least: float | None, most: float | None, one: str = "", many: str = "") -> Inline:
    match (least, most):
        case (None, None):
            return Inline("")
        case (_, None):
            unit, words = (one if least == 1 else many), f"At least {least}"
        case (None, _):
            unit, words = (one if most == 1 else many), f"At most {most}"
        case _:
            unit, words = many, f"{least} to {most}"
    return Inline(f"{words} {unit}".rstrip() + ".")
