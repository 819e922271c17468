"""What the card of a method has, whatever prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acpgen.model import Method, Protocol
from acpgen.startup.method_list import DIRECTIONS
from acpgen.targets.pages.errors import error_names
from acpgen.targets.pages.keys import key_range
from acpgen.targets.retry.classes import CLASSES, UNSTATED, explain

CLASS_LABEL = "Class"
"""The label of the row with the retry class."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def one_line(value: str) -> str:
    """A text of the schema, which may hold anything, on one line until it is wrapped."""
    return " ".join(_CONTROL.sub(" ", value).split())


def facts(method: Method) -> str:
    """The kind, the direction and the stability of a method."""
    return ", ".join((method.kind.value, DIRECTIONS[method.side], method.stability.value))


def paragraphs(method: Method) -> Iterator[str]:
    """What the schema says about a method."""
    yield from map(one_line, re.split(r"\n\s*\n", method.docs.strip()))


def class_title(method: Method) -> str:
    """The retry class of a method in words."""
    return UNSTATED if method.retry is None else CLASSES[method.retry].title


def rows(method: Method, protocol: Protocol) -> Iterator[tuple[str, str]]:
    """The labels and texts of a card."""
    yield CLASS_LABEL, class_title(method)
    explanation = explain(method)
    if explanation is not None:
        yield "Meaning", one_line(explanation.meaning)
        yield "A copy", one_line(method.resend)
        yield "Rule", one_line(explanation.rule)
    if method.key is not None:
        yield "Key", f"{method.key}, {key_range(protocol)}"
    if method.carries is not None:
        yield "Inside", method.carries
    yield "Params", method.params
    if method.result is not None:
        yield "Result", method.result
    names = error_names(protocol)
    label = "Errors"
    for error in method.errors:
        name = names.get(error.code, "Error")
        yield label, one_line(f"{error.code} {name}: {error.when}")
        label = ""
