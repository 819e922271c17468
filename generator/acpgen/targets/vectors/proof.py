"""The proof of a vector: engines that don't know what it claims come to the same verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, NoReturn

from acpgen.emit.jsonschema import JsonSchema
from acpgen.emit.validators import Validators
from acpgen.model import JsonValue, Protocol, Side, Stability
from acpgen.targets.bundles import bundle
from acpgen.targets.checkers import compile_checkers
from acpgen.targets.vectors.vector import Vector

_ROOT: Final = "the root"


class UnprovenError(ValueError):
    """A vector that an engine gives another verdict on."""


class Proof:
    """Two engines for a whole protocol, unstable parts included: its bundle and its checkers.

    jsonschema-rs reads the bundle, and the checkers are Python made from the types. Neither knows
    how a vector was made.
    """

    def __init__(self, protocol: Protocol) -> None:
        self._checkers = compile_checkers(protocol)
        self._definitions = _definitions(bundle(protocol, Stability.UNSTABLE))
        self._validators = Validators(self._definitions)
        self._results = {m.name: m.result for m in protocol.methods if m.result is not None}

    def proven(self, file: str, vectors: Iterable[Vector]) -> Iterator[Vector]:
        """Yield the vectors of a file that hold: all except those with a contested fault.

        Vectors on which implementations differ need no proof.

        Raises:
            UnprovenError: an engine takes what a vector calls invalid, or refuses what it calls
                valid.
        """
        for vector in vectors:
            denier = None if vector.differs is not None else self._denier(vector)
            if denier is None:
                yield vector
            elif vector.fault is None or not vector.fault.contested:
                claimed, found = ("valid", "invalid") if vector.valid else ("invalid", "valid")
                raise UnprovenError(
                    f"{file}: {vector.name!r} should be {claimed}, and by the {denier} it "
                    f"is {found}; look for members that two parts of a type declare differently"
                )

    def _denier(self, vector: Vector) -> str | None:
        """The engine that contradicts the vector, or None."""
        text = vector.text
        if self._fits(text, vector) is not vector.valid:
            return "bundled schema"
        sent = text.encode("utf-8")
        if self._checkers.accepts_bytes(sent, vector.sender, vector.answers) is not vector.valid:
            return "checkers"
        return None

    def _fits(self, text: str, vector: Vector) -> bool:
        """True if the text of a vector, sent by its sender, fits the bundle."""
        try:
            message: JsonValue = json.loads(text, parse_constant=_refuse)
        except ValueError:
            return False
        if not self._validators.of(self._entry(vector.sender)).is_valid(message):
            return False
        if vector.answers is None or not isinstance(message, dict) or "result" not in message:
            return True
        result = self._results[vector.answers]
        return self._validators.of(result).is_valid(message["result"])

    def _entry(self, sender: Side) -> str:
        """The entry point of a side. One that calls nothing has none, and answers like others."""
        name = f"{sender.capitalize()}Envelope"
        return name if name in self._definitions else _ROOT


def _definitions(schema: JsonSchema) -> JsonSchema:
    """The definitions of a bundle, and its root as one of them."""
    definitions = schema["$defs"]
    if not isinstance(definitions, dict):
        raise TypeError("the $defs of a bundle are an object")
    return {**definitions, _ROOT: {k: v for k, v in schema.items() if not k.startswith("$")}}


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
