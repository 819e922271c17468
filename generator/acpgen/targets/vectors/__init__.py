"""Test vectors for every language: verdicts on messages, and when to send a message again.

`vectors` are whole messages with the one verdict that each must get. The verdict follows from the
schema by construction. Before a vector is written, two engines must agree with it: jsonschema-rs on
the bundle, and the checkers, compiled in memory. The tests ask more engines. `resends` are messages
without a response, `derived` are message IDs that follow from a session and a key, `traces` are
scenarios with lost responses, and `ledgers` are the rules by which an agent answers prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from acpgen.emit.templates import Templates
from acpgen.model import ENVELOPE_TYPES, JsonValue, Method, Protocol
from acpgen.targets.vectors.call_vectors import calls, results
from acpgen.targets.vectors.derived_ids import derived
from acpgen.targets.vectors.envelope_vectors import envelope
from acpgen.targets.vectors.guide import guide
from acpgen.targets.vectors.key_vectors import keys
from acpgen.targets.vectors.ledger_vectors import ledgers
from acpgen.targets.vectors.proof import Proof, UnprovenError
from acpgen.targets.vectors.resend_vectors import resends
from acpgen.targets.vectors.trace_vectors import left_out, traces
from acpgen.targets.vectors.vector_file import VectorFile, VectorNameError, index
from acpgen.types.samples import SampleError, Samples

__all__ = [
    "SampleError",
    "UnprovenError",
    "VectorNameError",
    "derived",
    "ledgers",
    "left_out",
    "resends",
    "traces",
    "vectors",
]

_FOLDER = "vectors"


def vectors(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The messages of a protocol, an index of them and how to use them, by path.

    A protocol that lacks the types of the envelope has no messages, so there is nothing to write.

    Raises:
        SampleError: a type has no value that could be worked out.
        UnprovenError: the bundled schema or the checkers contradict a vector.
        VectorNameError: two vectors of a file, or two files, would have the same name.
        jinja2.TemplateError: a template is missing, broken, or uses an unknown name.
    """
    if not all(name in protocol.types for name in ENVELOPE_TYPES):
        return {}
    files: dict[str, str] = {}
    entries: list[JsonValue] = []
    for file in _files(protocol, Samples(protocol), Proof(protocol)):
        if file.name in files:
            raise VectorNameError(f"two methods would share {file.name}: rename one")
        files[file.name] = text = file.text()
        entries.append(file.entry(text))
    files["index.json"] = index(protocol.version, entries)
    files["README.md"] = guide(templates)
    return {f"{_FOLDER}/{name}": text for name, text in files.items()}


def _files(protocol: Protocol, samples: Samples, proof: Proof) -> Iterator[VectorFile]:
    yield VectorFile("envelope.json", tuple(envelope(protocol, samples))).proven(proof)
    if any(method.key is not None for method in protocol.methods):
        yield VectorFile("keys.json", tuple(keys(protocol, samples))).proven(proof)
    for method in protocol.methods:
        name, kind = _slug(method), method.kind.value
        found = tuple(calls(method, protocol, samples))
        yield VectorFile(f"{name}.{kind}.json", found, method.name, kind).proven(proof)
        if method.result is not None:
            found = tuple(results(method, method.result, protocol, samples))
            yield VectorFile(f"{name}.result.json", found, method.name, "result").proven(proof)


def _slug(method: Method) -> str:
    return re.sub(r"[^a-z0-9]+", "-", method.name.lower()).strip("-")
