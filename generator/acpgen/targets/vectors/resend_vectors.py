"""Vectors for the decision whether a message may be sent again.

The Python table decides what they expect; the tests hold the tables of all languages to them.
"""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.emit.header import HEADER
from acpgen.emit.markdown import Inline, code, prose, table
from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.languages import loops
from acpgen.targets.retry import key_limits, rows
from acpgen.targets.retry.compiled_decision import RetryTable, compile_table
from acpgen.targets.retry.decision import MAX_CARRIED, RULINGS, SEPARATORS_IN_WORDS
from acpgen.targets.vectors import resend_cases
from acpgen.targets.vectors.resend_cases import Case
from acpgen.targets.vectors.vector import compact
from acpgen.targets.vectors.vector_file import VectorNameError, document, folder_index

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
    decided = compile_table(protocol)
    files = {
        "methods.json": _file(resend_cases.methods(protocol), decided),
        "names.json": _file(resend_cases.names(table_), decided),
        "versions.json": _file(resend_cases.versions(table_, protocol.version or 0), decided),
        "keys.json": _file(resend_cases.keys(table_, *key_limits(protocol)), decided),
        "carried.json": _file(resend_cases.carried(table_), decided),
    }
    guide = templates.render(
        "vectors/resend.md.jinja",
        header=HEADER,
        version=protocol.version,
        reasons=_reasons(),
        depth=MAX_CARRIED,
        separators=SEPARATORS_IN_WORDS,
        languages=loops("resend"),
    )
    return {
        **{f"{_FOLDER}/{name}": text for name, text in files.items()},
        f"{_FOLDER}.json": folder_index(protocol.version, "resend", files),
        f"{_FOLDER}/README.md": guide,
    }


def _file(cases: Iterable[Case], decided: RetryTable) -> str:
    lines: dict[str, str] = {}
    for case in cases:
        if case.name in lines:
            raise VectorNameError(f"more than one resend vector is called {case.name!r}")
        lines[case.name] = _line(case, decided)
    return document({}, "vectors", list(lines.values()))


def _line(case: Case, decided: RetryTable) -> str:
    verdict = decided.resend(case.method, case.params, case.kind, case.version)
    row = verdict.method
    return compact(
        {
            "name": case.name,
            "method": case.method,
            "kind": None if case.kind is None else case.kind.value,
            "params": case.params,
            "version": case.version,
            "answer": verdict.answer.value,
            "reason": verdict.reason.value,
            "decidedBy": None if row is None else row.name,
            "retryClass": None if row is None else row.retry_class.value,
        }
    )


def _reasons() -> str:
    head = (Inline("Reason"), Inline("Answer"), Inline("When"))
    return table(head, ((code(r.reason), code(r.answer), prose(r.meaning)) for r in RULINGS))
