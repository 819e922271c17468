"""Every rule finds what it should and nothing else: each case is a folder with a transcript."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acpgen.findings import Severity, text
from acpgen.judge.transcript import Transcript
from acpgen.model import RetryClass
from acpgen.trace import RULES, TraceRule
from acpgen.types.type_table import type_table
from case_folders import expected, folders, kinds, misfits, name
from transcripts import CASES, TRIALS, findings, lines, protocol

BOTH = [*folders(CASES), *folders(TRIALS)]
SENT_MALFORMED = {
    "key-echoed/ok-error-names-the-member",
    "key-reused/ok-malformed-prompt-mended",
    "T24/ok-mended",
    "unexpected-response/ok-error-without-id",
}
"""Cases beside those of malformed-key-accepted with a message that can only be refused."""

RFD = {
    "A lost response has an unknown outcome",
    "Give every method a retry class",
    "How long a key lasts",
    "How the Agent handles a keyed prompt",
    "Method audit",
    "The idempotencyKey parameter",
}
"""The sections that rules go back to."""

NOT_RETRIED = {
    "initialize": "repeated-initialize",
    "session/cancel": "late-cancel",
    "$/cancel_request": "not-retried-resent",
    "elicitation/complete": "not-retried-resent",
    "auth/status_update": "may say the same twice: the state is what it was",
    "mcp/message": "may say the same twice: MCP decides",
    "session/update": "may say the same twice: a chunk can repeat the one before it",
}
"""Each method that is not retried, and the rule that finds copies or why none does."""


@pytest.mark.parametrize("folder", BOTH, ids=name)
def test_findings_are_as_expected(folder: Path) -> None:
    assert text(findings(lines(folder))) == expected(folder)


@pytest.mark.parametrize("root", [CASES, TRIALS], ids=lambda root: root.name)
def test_every_file_belongs_to_a_case(root: Path) -> None:
    assert misfits(root) == []
    files = {p.name for folder in folders(root) for p in folder.iterdir()}
    assert files == {"transcript.ndjson", "findings.txt"}


def test_every_rule_has_a_case_that_passes_and_one_that_fails() -> None:
    assert kinds(CASES) == {topic: {"ok", "bad"} for topic in RULES}


def test_a_bad_case_has_one_defect() -> None:
    for folder in folders(CASES, "bad"):
        (line,) = expected(folder).splitlines()
        assert f"[{folder.parent.name}]" in line, name(folder)


def test_a_bad_trial_has_one_defect() -> None:
    bad = folders(TRIALS, "bad")
    assert [name(each) for each in bad if len(expected(each).splitlines()) != 1] == []


def test_the_messages_of_a_case_are_acceptable() -> None:
    table = type_table(protocol())
    for folder in BOTH:
        transcript = Transcript(table)
        refused = [line for line in lines(folder) if not transcript.judge_line(line).accepted]
        malformed = folder.parent.name == "malformed-key-accepted" and folder.name != "ok-null"
        meant = name(folder) in SENT_MALFORMED or (malformed and "255" not in folder.name)
        assert len(refused) == int(meant), name(folder)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: TraceRule) -> None:
    summary, rfd, *_ = rule.page.split("\n\n")
    assert summary == rule.summary
    assert summary.endswith(".")
    section = re.fullmatch(r"RFD: (.*?)(; JSON-RPC 2\.0, section \d)?\.", rfd)
    assert section is not None
    assert section[1] in RFD


def test_every_section_is_gone_back_to() -> None:
    pages = [rule.page for rule in RULES.values()]
    assert {section for section in RFD if any(f"RFD: {section}" in page for page in pages)} == RFD


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_warning_says_why_it_is_not_an_error(rule: TraceRule) -> None:
    says = "A warning, because" in rule.page.replace("\n", " ")
    assert says == (rule.severity is Severity.WARNING)


def test_rules_name_rules_that_exist() -> None:
    named = {n for r in RULES.values() for n in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", r.page)}
    assert named
    assert named <= RULES.keys()


def test_every_method_that_is_not_retried_is_judged_or_has_a_reason() -> None:
    methods = {m.name for m in protocol().methods if m.retry is RetryClass.NOT_RETRIED}
    assert methods == NOT_RETRIED.keys()
    judged = {what for what in NOT_RETRIED.values() if " " not in what}
    assert judged <= RULES.keys()
