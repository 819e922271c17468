"""Traces as vectors: crashes, lost answers and retries, for test suites in any language.

They are those that `acpgen conform` plays, `runtime/acp-conformance/acp_conformance/traces`.
"""

from __future__ import annotations

import json
from hashlib import sha256

from acp_conformance.trace_script import guide, scripts, texts
from acpgen.emit.header import HEADER
from acpgen.model import Protocol
from acpgen.targets.vectors.files import document
from acpgen.targets.vectors.vector import compact

_KEYED = "session/prompt"
_FOLDER = "vectors/traces"


def traces(protocol: Protocol) -> dict[str, str]:
    """The traces, an index of them and how to play them, by path.

    A protocol has none if it lacks a method that they call, or if prompts take no key.
    """
    keyed = {method.name for method in protocol.methods if method.key is not None}
    called = {method for script in scripts() for method in script.methods}
    if _KEYED not in keyed or not called <= {method.name for method in protocol.methods}:
        return {}
    files = {name: _file(text) for name, text in texts().items()}
    entries = [
        compact({"file": f"traces/{name}", "sha256": sha256(text.encode()).hexdigest()})
        for name, text in files.items()
    ]
    return {
        **{f"{_FOLDER}/{name}": text for name, text in files.items()},
        f"{_FOLDER}.json": document({"protocolVersion": protocol.version}, "files", entries),
        f"{_FOLDER}/README.md": f"[//]: # ({HEADER})\n\n{guide()}",
    }


def _file(text: str) -> str:
    trace = json.loads(text)
    steps = [compact(step) for step in trace.pop("steps")]
    return document(trace, "steps", steps)
