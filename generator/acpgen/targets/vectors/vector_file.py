"""Vectors as files: one a line, and an index with a digest of each file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from acpgen.emit.header import HEADER
from acpgen.model import JsonValue
from acpgen.targets.vectors.proof import Proof
from acpgen.targets.vectors.vector import Outcome, Vector, compact


class VectorNameError(ValueError):
    """Two vectors of a file, or two files, would have the same name."""


@dataclass(frozen=True, slots=True)
class VectorFile:
    """The vectors for one method in one kind, or for no particular method (both None)."""

    name: str
    vectors: Sequence[Vector]
    method: str | None = None
    kind: str | None = None

    def proven(self, proof: Proof) -> VectorFile:
        """The file with the vectors that hold.

        Raises:
            UnprovenError: the bundled schema or the checkers contradict a vector.
        """
        return replace(self, vectors=tuple(proof.proven(self.name, self.vectors)))

    def text(self) -> str:
        """The file: a JSON object in ASCII with each vector on a line of its own.

        Raises:
            VectorNameError: two vectors have the same name.
        """
        counts = Counter(vector.name for vector in self.vectors)
        if twice := [name for name, count in counts.items() if count > 1]:
            raise VectorNameError(f"{self.name}: more than one vector is called {twice[0]!r}")
        head: dict[str, JsonValue] = {"method": self.method, "kind": self.kind}
        return document(head, "vectors", [vector.line() for vector in self.vectors])

    def entry(self, text: str) -> JsonValue:
        """Return the entry of the index for the file with that text."""
        outcomes = Counter(vector.outcome for vector in self.vectors)
        return {
            "file": self.name,
            "method": self.method,
            "kind": self.kind,
            "vectors": len(self.vectors),
            **{outcome.value: outcomes[outcome] for outcome in Outcome},
            "sha256": sha256(text.encode("utf-8")).hexdigest(),
        }


def index(version: int | None, entries: Sequence[JsonValue]) -> str:
    """The index: a JSON object with each file on a line of its own."""
    return document({"protocolVersion": version}, "files", [compact(e) for e in entries])


def folder_index(version: int | None, folder: str, files: Mapping[str, str]) -> str:
    """The index of a folder, given the text of each of its files by name."""
    return index(
        version,
        [
            {"file": f"{folder}/{name}", "sha256": sha256(text.encode()).hexdigest()}
            for name, text in files.items()
        ],
    )


def document(head: dict[str, JsonValue], name: str, lines: Sequence[str]) -> str:
    """A JSON object: the header, the members of `head`, and an array with a line an element."""
    head = {"$comment": HEADER, **head}
    members = [f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()]
    body = ",\n".join(lines)
    return f'{{\n{"".join(members)}"{name}": [\n{body}\n]\n}}\n'
