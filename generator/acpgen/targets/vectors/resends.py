"""Vectors for the decision whether a message may be sent again.

They say what `acpgen.targets.retry.decision` decides; the tables of all languages are held to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from acpgen.emit.header import HEADER
from acpgen.emit.markdown import Inline, code, prose, table
from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.languages import loops
from acpgen.targets.retry import key_limits, rows
from acpgen.targets.retry.decision import MAX_CARRIED, RULINGS, Decider
from acpgen.targets.vectors import resend_cases
from acpgen.targets.vectors.files import VectorNameError, document
from acpgen.targets.vectors.resend_cases import Case
from acpgen.targets.vectors.vector import compact

_FOLDER = "vectors/resend"


def resends(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The vectors of a protocol, an index of them and how to use them, by path.

    A protocol in which no method has a retry class has no table, so there is nothing to write.

    Raises:
        VectorNameError: two vectors of a file have the same name.
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    if protocol.methods and all(method.retry is None for method in protocol.methods):
        return {}
    table_ = rows(protocol)
    decider = Decider(table_, *key_limits(protocol))
    files = {
        "methods.json": _file(resend_cases.methods(protocol), decider),
        "names.json": _file(resend_cases.names(table_), decider),
        "keys.json": _file(resend_cases.keys(decider), decider),
        "carried.json": _file(resend_cases.carried(table_), decider),
    }
    entries = [
        compact({"file": f"resend/{name}", "sha256": sha256(text.encode()).hexdigest()})
        for name, text in files.items()
    ]
    guide = templates.render(
        "vectors/resend.md.jinja",
        header=HEADER,
        version=protocol.version,
        reasons=_reasons(),
        depth=MAX_CARRIED,
        languages=loops("resend"),
    )
    return {
        **{f"{_FOLDER}/{name}": text for name, text in files.items()},
        f"{_FOLDER}.json": document({"protocolVersion": protocol.version}, "files", entries),
        f"{_FOLDER}/README.md": guide,
    }


def _file(cases: Iterable[Case], decider: Decider) -> str:
    lines: dict[str, str] = {}
    for case in cases:
        if case.name in lines:
            raise VectorNameError(f"more than one resend vector is called {case.name!r}")
        lines[case.name] = _line(case, decider)
    return document({}, "vectors", list(lines.values()))


def _line(case: Case, decider: Decider) -> str:
    decision = decider.decide(case.method, case.params, case.kind)
    row = decision.row
    return compact(
        {
            "name": case.name,
            "method": case.method,
            "kind": None if case.kind is None else case.kind.value,
            "params": case.params,
            "answer": decision.answer.value,
            "reason": decision.reason.value,
            "decidedBy": None if row is None else row.name,
            "retryClass": None if row is None else row.retry_class.value,
        }
    )


def _reasons() -> str:
    head = (Inline("Reason"), Inline("Answer"), Inline("When"))
    return table(head, ((code(r.reason), code(r.answer), prose(r.meaning)) for r in RULINGS))
