"""Traces as vectors: crashes, lost answers and retries, for test suites in any language.

They are those that `acpgen conform` plays, `runtime/acp-conformance/acp_conformance/traces`.
"""

from __future__ import annotations

import json

from acp_conformance.trace_script import guide, remote_scripts, scripts, texts
from acpgen.emit.header import HEADER
from acpgen.model import Protocol
from acpgen.targets.vectors.vector import compact
from acpgen.targets.vectors.vector_file import document, folder_index

_KEYED = "session/prompt"
_FOLDER = "vectors/traces"


def traces(protocol: Protocol) -> dict[str, str]:
    """Return the traces, an index of them and how to play them, by path.

    A trace that calls a method of ACP which the protocol lacks is left out. Without keys for
    prompts there are no traces.
    """
    dropped = left_out(protocol)
    kept = {name: text for name, text in texts().items() if _path(name) not in dropped}
    if not kept:
        return {}
    files = {name: _file(text) for name, text in kept.items()}
    return {
        **{_path(name): text for name, text in files.items()},
        f"{_FOLDER}.json": folder_index(protocol.version, "traces", files),
        f"{_FOLDER}/README.md": f"[//]: # ({HEADER})\n\n{guide()}",
    }


def left_out(protocol: Protocol) -> dict[str, str]:
    """Return the paths of the traces that a protocol can't play, each with the reason."""
    if any(method.name == _KEYED and method.key is None for method in protocol.methods):
        return {_path(name): f"{_KEYED} takes no key" for name in texts()}
    known = {method.name for method in protocol.methods}
    all_ = (*scripts(), *remote_scripts())
    lacking = {
        script.name: sorted(each for each in script.methods - known if not each.startswith("_"))
        for script in all_
    }
    return {
        _path(f"{name}.json"): f"the trace calls {' and '.join(methods)}, which the schema lacks"
        for name, methods in lacking.items()
        if methods
    }


def _path(name: str) -> str:
    return f"{_FOLDER}/{name}"


def _file(text: str) -> str:
    trace = json.loads(text)
    steps = [compact(step) for step in trace.pop("steps")]
    return document(trace, "steps", steps)
