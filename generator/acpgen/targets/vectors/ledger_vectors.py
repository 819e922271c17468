"""The ledger's rules and traces as files, for ports of `KeyLedger` to other languages."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.emit.header import HEADER
from acpgen.emit.markdown import Inline, code, prose, table
from acpgen.emit.templates import Templates
from acpgen.model import JsonValue, Protocol
from acpgen.targets.vectors.ledger_rules import (
    CONDITIONS,
    EFFECTS,
    EVENTS,
    OPERATIONS,
    RULES,
    STATES,
    LedgerRule,
)
from acpgen.targets.vectors.ledger_script import LedgerTrace
from acpgen.targets.vectors.ledger_traces import LEDGER_TRACES
from acpgen.targets.vectors.vector import compact
from acpgen.targets.vectors.vector_file import document, folder_index

_KEYED = "session/prompt"
_FOLDER = "vectors/ledger"


def ledgers(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the rules, the traces, an index of them and how to use them, by path.

    Without keys for prompts there are none.

    Raises:
        jinja2.TemplateError: the template is missing, broken, or uses an unknown name.
    """
    if not any(method.name == _KEYED and method.key for method in protocol.methods):
        return {}
    rules = document({}, "rules", [compact(_row(rule)) for rule in RULES])
    files = {"rules.json": rules} | {f"{each.name}.json": _file(each) for each in LEDGER_TRACES}
    page = templates.render(
        "vectors/ledger.md.jinja",
        header=HEADER,
        states=_meanings("State", STATES),
        events=_meanings("`event`", EVENTS),
        effects=_meanings("`do`", EFFECTS),
        conditions=_meanings("`when`", CONDITIONS),
        operations=_meanings("`does`", OPERATIONS),
        rules=_table(),
        traces=_traces(),
    )
    return {
        **{f"{_FOLDER}/{name}": text for name, text in files.items()},
        f"{_FOLDER}.json": folder_index(protocol.version, "ledger", files),
        f"{_FOLDER}/README.md": page,
    }


def _row(rule: LedgerRule) -> JsonValue:
    return {
        "id": rule.id,
        "state": rule.state,
        "event": rule.event,
        "when": list(rule.when),
        "next": rule.next,
        "does": list(rule.does),
    }


def _file(trace: LedgerTrace) -> str:
    head: dict[str, JsonValue] = {
        "name": trace.name,
        "title": trace.title,
        "compare": trace.compare,
        "keepOrphans": trace.keep_orphans,
        "most": trace.most,
        "mostBytes": trace.most_bytes,
    }
    return document(head, "steps", [compact(step.members()) for step in trace.steps])


def _meanings(title: str, meanings: Mapping[str, str]) -> str:
    head = (Inline(title), Inline("Meaning"))
    return table(head, ((code(name), Inline(meaning)) for name, meaning in meanings.items()))


def _table() -> str:
    head = map(Inline, ("Rule", "State", "Event", "When", "Next state", "Does"))
    rows = (
        (
            code(rule.id),
            code(rule.state),
            code(rule.event),
            _codes(rule.when),
            code(rule.next),
            _codes(rule.does),
        )
        for rule in RULES
    )
    return table(tuple(head), rows)


def _codes(names: tuple[str, ...]) -> Inline:
    return Inline(", ".join(f"`{name}`" for name in names))


def _traces() -> str:
    head = (Inline("Trace"), Inline("What it shows"))
    return table(head, ((code(each.name), prose(each.title)) for each in LEDGER_TRACES))
