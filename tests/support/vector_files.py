"""Generated test vectors, read back from their files as another project would."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import acpgen
from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.model import Kind, MethodName, Protocol, Side
from acpgen.targets.vectors import vectors
from whole_schema import whole_schema

SEVERITIES = {
    "accept": set[Severity](),
    "report": {Severity.NOTE, Severity.WARNING},
    "recover": {Severity.RECOVERED},
    "refuse": {Severity.ERROR},
}


@dataclass(frozen=True)
class Vector:
    """A vector of a file, with no other members than these."""

    file: str
    name: str
    sender: str
    outcome: str
    valid: bool
    code: int | None
    rule: str | None
    pointer: str | None
    reason: str | None
    message: Any = None
    raw: str | None = None
    answers: str | None = None
    loose: bool = False
    repair: tuple[dict[str, Any], ...] | None = None
    differs: str | None = None

    def __str__(self) -> str:
        return f"{self.file} {self.name}"

    @property
    def text(self) -> str:
        """The text that is sent."""
        return json.dumps(self.message) if self.raw is None else self.raw

    @property
    def parsed(self) -> Any:
        """A fresh copy of the message; of a member named twice the last."""
        return json.loads(self.text)

    @property
    def content(self) -> Any:
        """The params, the result or the error in the message."""
        message = self.parsed
        return next(message[name] for name in ("params", "result", "error") if name in message)

    @property
    def entry(self) -> str:
        """The definition of the bundle for what the sender sends."""
        return f"{self.sender.capitalize()}Envelope"


def read(tree: dict[str, str]) -> list[Vector]:
    """All vectors of a generated tree."""
    return [
        Vector(file=path.removeprefix("vectors/"), **content)
        for path, text in tree.items()
        if path.endswith(".json") and path != "vectors/index.json"
        for content in json.loads(text)["vectors"]
    ]


def judged(vector: Vector, protocol: Protocol, text: str | None = None) -> MessageVerdict:
    """The judge's verdict on a vector, or on another text in its place."""
    answers = None
    if vector.answers is not None:
        answers = protocol.method(MethodName(vector.answers), Kind.REQUEST)
        assert answers is not None
    text = vector.text if text is None else text
    return acpgen.validate(text, protocol=protocol, sender=Side(vector.sender), answers=answers)


def unlike_the_judge(found: list[Vector], protocol: Protocol) -> list[tuple[str, MessageVerdict]]:
    """The vectors of which the judge says something else than they claim."""
    return [
        (str(vector), verdict)
        for vector in found
        if not _agrees(vector, verdict := judged(vector, protocol))
    ]


def _agrees(vector: Vector, verdict: MessageVerdict) -> bool:
    if verdict.code != vector.code or verdict.accepted is (vector.outcome == "refuse"):
        return False
    if vector.valid is not (vector.outcome in {"accept", "report"}):
        return False
    if vector.outcome == "accept":
        return verdict.findings == () and vector.rule is vector.pointer is vector.reason is None
    if len(verdict.findings) != 1:
        return False
    (fault,) = verdict.findings
    at = fault.pointer == vector.pointer
    below = vector.loose and fault.pointer.startswith(f"{vector.pointer}/")
    severe = fault.severity in SEVERITIES[vector.outcome]
    return severe and fault.rule == vector.rule and (at or below)


PROTOCOL = whole_schema()
TEMPLATES = Templates(resources.TEMPLATES)
TREE = vectors(PROTOCOL, TEMPLATES)
INDEX = json.loads(TREE["vectors/index.json"])
VECTORS = read(TREE)


def named(file: str) -> dict[str, Vector]:
    """The vectors of a file by name."""
    return {vector.name: vector for vector in VECTORS if vector.file == file}
