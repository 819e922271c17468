"""Rules about the errors that a method lists."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.lint.rule import Fault, rule
from acpgen.model import ERROR_CODE, Method, MethodError, Protocol
from acpgen.words import counted

_INVALID_PARAMS = -32602


@rule()
def unknown_error_code(protocol: Protocol) -> Iterator[Fault]:
    """A code in x-errors is one that ErrorCode names, or -32602.

    Why: programs branch on the code. One that the schema doesn't describe is often a typing error,
    and its reader does not find its meaning.

    Example: `"x-errors": [{"code": -32020, "when": "..."}]`

    Fix: correct the code, or describe it in ErrorCode.
    """
    known = {*protocol.error_codes, _INVALID_PARAMS}
    unknown = [row for row in _errors(protocol) if row[2].code not in known]
    if unknown and ERROR_CODE not in protocol.types:
        others = len(unknown) - 1
        method, index, _ = unknown[0]
        more = f" and {counted(others, 'other code')} in x-errors" if others else ""
        message = f"no type ErrorCode describes this code{more}"
        yield _fault(method, index, message, "code")
        return
    for method, index, error in unknown:
        yield _fault(method, index, f"ErrorCode doesn't name {error.code}", "code")


@rule()
def repeated_error(protocol: Protocol) -> Iterator[Fault]:
    """A method lists an error once.

    Why: a code may have many reasons, each a sentence of its own. The same sentence twice is a
    slip, and often the second was meant to be another one.

    Example: `"x-errors": [{"code": -32602, "when": "A."}, {"code": -32602, "when": "A."}]`

    Fix: remove one of the two, or describe the difference.
    """
    seen: set[tuple[str, MethodError]] = set()
    for method, index, error in _errors(protocol):
        if (method.params, error) in seen:
            yield _fault(method, index, "is in the list twice")
        seen.add((method.params, error))


@rule()
def error_sentence(protocol: Protocol) -> Iterator[Fault]:
    """The reason of an error is a sentence with a full stop at its end.

    Why: the pages put the sentences of one code after each other. Without the stop, two run into
    one.

    Example: `"x-errors": [{"code": -32602, "when": "unknown option"}]`

    Fix: write a whole sentence, as in "The Agent does not know the option."
    """
    for method, index, error in _errors(protocol):
        if not error.when.endswith("."):
            yield _fault(method, index, "must be a sentence that ends with a full stop", "when")


def _errors(protocol: Protocol) -> Iterator[tuple[Method, int, MethodError]]:
    for method in protocol.methods:
        for index, error in enumerate(method.errors):
            yield method, index, error


def _fault(method: Method, index: int, message: str, *member: str) -> Fault:
    return Fault(method.location.at("x-errors", index, *member), message, method.name)
