"""An agent that was written from the RFD alone: right, or with one fault that has its cause."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from acp_conformance import likely_causes as why
from acp_conformance.likely_causes import Observed, likely_cause
from conform_calls import conform
from plain_faults import FAULTS, RIGHT
from proofs import a_few

AGENT: Final = Path(__file__).parents[1] / "support" / "plain_agent.py"

FORGOTTEN: Final = {"known-across-connections", "known-after-restart", "stored-with-message"}

FAILING: Final[dict[str, set[str]]] = {
    "ignores-keys": {
        "support-keys",
        "insert-once",
        "reused-key",
        "cancel-too-late",
        "concurrent-attempts",
        "known-after-others",
        "known-while-kept",
        *FORGOTTEN,
    },
    "never-sees-keys": {
        "support-keys",
        "reject-malformed-key",
        "malformed-is-not-omitted",
        "insert-once",
        "reused-key",
        "cancel-too-late",
        "concurrent-attempts",
        "known-after-others",
        "known-while-kept",
        *FORGOTTEN,
    },
    "lenient": {"reject-malformed-key", "malformed-is-not-omitted"},
    "inserts-malformed": {"malformed-is-not-omitted"},
    "code": {"reject-malformed-key"},
    "folds-case": {"keys-are-case-sensitive"},
    "normalises": {"keys-are-case-sensitive"},
    "strips": {"keys-are-case-sensitive"},
    "cuts": {"keys-are-case-sensitive"},
    "uuids": {"accept-any-valid-key"},
    "bytes": {"accept-any-valid-key"},
    "null-key": {"null-is-omitted"},
    "null-refused": {"null-is-omitted"},
    "strict": {"support-keys", "accept-any-valid-key", "null-is-omitted"},
    "memory": FORGOTTEN,
    "at-end": FORGOTTEN - {"known-across-connections"},
    "everywhere": {"other-session", "fork-is-another-session"},
    "forked": {"fork-is-another-session"},
    "answers-anew": {"support-keys", "reused-key", "answer-with-first-id", "cancel-too-late"},
    "answers-last": {"answer-with-first-id"},
    "refuses-retry": {
        "support-keys",
        "answer-with-first-id",
        "reused-key-stays",
        "cancel-too-late",
        "known-across-connections",
        "known-after-restart",
        "known-after-others",
        "known-while-kept",
    },
    "few": {"known-after-others", "insert-once"},
    "works-again": {"no-second-round"},
    "embeds": {"keys-stay-private"},
    "shows": {"keys-stay-private"},
    "forgets-closed": {"known-while-kept"},
    "forgets-cancelled": {"known-while-kept"},
    "late-key": {"stored-with-message"},
    "claims-late": {"concurrent-attempts", "insert-once"},
    "no-state": {"state-after-resume"},
    "replays": {"no-unasked-replay"},
    "renames": {"message-id-stays"},
    "any-cursor": {"unknown-cursors-refused"},
    "begins-again": {"initialize-once"},
    "any-version": {"refuses-old-versions"},
    "unknown-method": {"unknown-methods-refused"},
    "closes-once": {"repeatable-methods"},
}
"""What must fail with each fault."""

PACED: Final[dict[str, set[str]]] = {
    "ignores-keys": {"no-second-round", "join-held", "cancel-answers-all", "known-mid-turn"},
    "never-sees-keys": {"no-second-round", "join-held", "cancel-answers-all", "known-mid-turn"},
    "memory": {"known-mid-turn", "insert-once"},
    "at-end": {"known-mid-turn", "insert-once"},
    "refuses-retry": {"known-mid-turn"},
    "late-key": {"known-mid-turn", "known-after-restart", "known-across-connections"},
}
"""What else a fault breaks, in moments that a slow machine may miss."""

CAUSES: Final[dict[str, dict[str, str]]] = {
    "ignores-keys": {"support-keys": why.IGNORED},
    "never-sees-keys": {
        "support-keys": why.UNSEEN,
        "reject-malformed-key": why.UNSEEN,
        "malformed-is-not-omitted": why.UNSEEN,
    },
    "inserts-malformed": {"malformed-is-not-omitted": why.TOO_EARLY},
    "folds-case": {"keys-are-case-sensitive": why.CASE},
    "normalises": {"keys-are-case-sensitive": why.NORMALISED},
    "strips": {"keys-are-case-sensitive": why.BLANKS},
    "cuts": {"keys-are-case-sensitive": why.PARTLY},
    "uuids": {"accept-any-valid-key": why.FORM},
    "bytes": {"accept-any-valid-key": why.UNITS},
    "null-key": {"null-is-omitted": why.NULL_KEY},
    "null-refused": {"null-is-omitted": why.NULL_REFUSED},
    "strict": {"support-keys": why.UNKNOWN},
    "memory": dict.fromkeys(FORGOTTEN | {"known-mid-turn"}, why.MEMORY),
    "at-end": dict.fromkeys(FORGOTTEN | {"known-mid-turn"}, why.AT_END),
    "everywhere": dict.fromkeys(("other-session", "fork-is-another-session"), why.EVERYWHERE),
    "forked": {"fork-is-another-session": why.COPIED},
    "few": {"known-after-others": why.FEW},
    "embeds": {"keys-stay-private": why.EMBEDDED},
    "late-key": dict.fromkeys(FORGOTTEN, why.TWO_STEPS),
    "claims-late": {"concurrent-attempts": why.LATE_CLAIM},
}
"""The causes that are given, but for what follows from `support-keys`."""

MAYBE: Final = {
    "lenient": {"malformed-is-not-omitted": why.TOLERANT},
    "late-key": {"known-mid-turn": why.TWO_STEPS},
}
"""The causes that are given if a slow machine has shown enough."""


def judged(word: str, folder: Path, *names: str) -> tuple[int, dict[str, Any]]:
    traces = [part for name in names for part in ("--trace", name)]
    agent: list[str | Path] = [sys.executable, AGENT, "{folder}/db", *([word] if word else [])]
    status, out, _ = conform("--format", "json", *traces, "--cwd", folder, "--", *agent)
    found = {each["id"]: each for each in json.loads(out)["requirements"]}
    return status, found


def failing(found: dict[str, Any]) -> dict[str, str]:
    """What fails, each with its cause."""
    return {id_: each["cause"] or "" for id_, each in found.items() if each["status"] == "fail"}


def test_every_fault_is_tried() -> None:
    assert FAILING.keys() == FAULTS.keys() >= CAUSES.keys() | PACED.keys() | MAYBE.keys()


@pytest.mark.parametrize(
    "fault", a_few(FAULTS, (), "plays all traces with each of 37 agents", bulk=True)
)
def test_a_fault_fails_what_it_breaks(fault: str, tmp_path: Path) -> None:
    _, found = judged(fault, tmp_path)
    seen = failing(found)
    assert FAILING[fault] <= seen.keys() <= FAILING[fault] | PACED.get(fault, set())
    causes = {id_: cause for id_, cause in seen.items() if cause not in ("", why.FOLLOWS)}
    given = {id_: cause for id_, cause in CAUSES.get(fault, {}).items() if id_ in seen}
    assert given.items() <= causes.items() <= (given | MAYBE.get(fault, {})).items()


@pytest.mark.parametrize(
    "word", a_few(["", *RIGHT], (), "plays all traces with each of 7 agents", bulk=True)
)
def test_a_right_agent_fails_nothing(word: str, tmp_path: Path) -> None:
    status, found = judged(word, tmp_path)
    assert (status, failing(found)) == (0, {})
    if word not in ("required", "derives", "clashes"):
        assert found["stored-with-message"]["status"] == "pass"
        assert found["repeatable-methods"]["status"] == "partly"


SMALL: Final = {
    "answers-anew": ("retry-answer", "retry-same-connection"),
    "refuses-retry": ("retry-same-connection",),
    "embeds": ("other-session", "private"),
    "at-end": ("retry-after-restart", "retry-new-connection"),
}
"""Faults whose neighbours have a cause that must not be given, with traces that show them."""


@pytest.mark.parametrize(
    "fault",
    [
        "answers-anew",
        *(
            pytest.param(fault, marks=pytest.mark.prove("plays traces with one more agent"))
            for fault in SMALL
            if fault != "answers-anew"
        ),
    ],
)
def test_no_cause_is_given_that_does_not_fit(fault: str, tmp_path: Path) -> None:
    _, found = judged(fault, tmp_path, *SMALL[fault])
    seen = failing(found)
    assert seen
    assert seen.keys() <= FAILING[fault]
    causes = {id_: cause for id_, cause in seen.items() if cause not in ("", why.FOLLOWS)}
    assert causes == {id_: each for id_, each in CAUSES.get(fault, {}).items() if id_ in seen}


def test_what_every_agent_repeats_counts_without_the_optional(tmp_path: Path) -> None:
    _, found = judged("required", tmp_path, "repeatable-methods")
    each = found["repeatable-methods"]
    assert (each["status"], each["traces"]) == ("partly", ["repeatable-methods"])


TWICE = "t: step 9, messages: 2 messages hold the text of the prompt, not 1"
NONE = "t: step 9, messages: 0 messages hold the text of the prompt, not 1"
ANEW = "t: step 9, answer: r2 got a messageId other than that of r1"
REFUSED = 't: step 9, answer: r2 was answered with the error -32602 "no"'
FIRST_REFUSED = 't: step 7, answer: r1 was answered with the error -32602 "no"'
ENDED = "t: step 9, answer: r2: the connection ended (exit status 1)"
SUPPORT, READS, ONCE = "support-keys", why.READS, why.ONCE
ACROSS, AFTER = why.RECONNECTED, why.RESTARTED


def pair(first: str, second: str) -> str:
    one, other = f"keys 1, with the key {first}", f"keys 2, with the key {second}"
    return f"t: step 11, ids: {other} got the messageId of {one}"


NEIGHBOURS: Final[list[tuple[str, Observed, str]]] = [
    (SUPPORT, Observed([ANEW], {SUPPORT, ONCE}, {READS}), why.IGNORED),
    (SUPPORT, Observed([ANEW], {SUPPORT}, {READS}), ""),
    (SUPPORT, Observed([REFUSED], {SUPPORT, ONCE}, {READS}), ""),
    (SUPPORT, Observed([ANEW], {SUPPORT, ONCE, READS, why.OMITS}), why.UNSEEN),
    (SUPPORT, Observed([ANEW], {SUPPORT, ONCE, READS}), ""),
    (SUPPORT, Observed([ANEW], {SUPPORT, ONCE, READS, why.PRIVATE}), why.IGNORED),
    (
        SUPPORT,
        Observed([FIRST_REFUSED], {SUPPORT, "null-is-omitted", "accept-any-valid-key"}),
        why.UNKNOWN,
    ),
    (SUPPORT, Observed([FIRST_REFUSED], {SUPPORT}), ""),
    (READS, Observed(["t: empty was answered with a result"], {SUPPORT, READS}), ""),
    (why.PRIVATE, Observed(["t: session/update of the agent holds a key"], {SUPPORT}), ""),
    ("reused-key", Observed([ANEW], {SUPPORT}), why.FOLLOWS),
    ("reused-key", Observed([ENDED], {SUPPORT}), ""),
    ("keyless-prompts-are-new", Observed([TWICE], {SUPPORT}), ""),
    (AFTER, Observed([TWICE], {AFTER, ACROSS}), why.MEMORY),
    (AFTER, Observed([TWICE], {AFTER}, {ACROSS}), why.AT_END),
    (AFTER, Observed([TWICE], {AFTER}), ""),
    (AFTER, Observed([TWICE], {AFTER, ACROSS}, (), {AFTER}), why.TWO_STEPS),
    (ACROSS, Observed([TWICE], {AFTER, ACROSS}, (), {ACROSS}), why.TWO_STEPS),
    (ACROSS, Observed([TWICE], {AFTER, ACROSS}, (), {AFTER}), ""),
    (AFTER, Observed([TWICE, NONE], {AFTER, ACROSS}), ""),
    (AFTER, Observed([REFUSED], {AFTER, ACROSS}), ""),
    (ACROSS, Observed([TWICE], {ACROSS, AFTER}), why.MEMORY),
    (ACROSS, Observed([TWICE], {ACROSS}, {AFTER}), ""),
    (ACROSS, Observed([TWICE], {ACROSS}, is_remote=True), why.CONNECTION),
    (why.ANYWHERE, Observed([ANEW]), why.ONE_PLACE),
    (why.ANYWHERE, Observed([ENDED]), ""),
    ("known-after-others", Observed([TWICE]), why.FEW),
    ("known-after-others", Observed([REFUSED]), ""),
    ("known-mid-turn", Observed([TWICE], {"known-mid-turn"}, {AFTER}), why.QUEUED),
    ("known-mid-turn", Observed([TWICE], {AFTER, ACROSS}), why.MEMORY),
    ("known-mid-turn", Observed([NONE], (), {AFTER}), ""),
    ("stored-with-message", Observed([TWICE], (), {AFTER}), why.TWO_STEPS),
    ("stored-with-message", Observed([TWICE], {AFTER, ACROSS}), why.MEMORY),
    ("stored-with-message", Observed([NONE], (), {AFTER}), ""),
    ("concurrent-attempts", Observed([ANEW]), why.LATE_CLAIM),
    ("concurrent-attempts", Observed([REFUSED]), ""),
    (
        "concurrent-attempts",
        Observed([f"concurrent-after-restart: {TWICE}"], {AFTER, ACROSS}),
        why.MEMORY,
    ),
    ("other-session", Observed([NONE]), why.EVERYWHERE),
    ("other-session", Observed([REFUSED]), ""),
    ("fork-is-another-session", Observed([NONE]), why.COPIED),
    ("fork-is-another-session", Observed([NONE], {"other-session"}), why.EVERYWHERE),
    ("fork-is-another-session", Observed([TWICE]), ""),
    (
        why.PRIVATE,
        Observed(["t: session/update of the agent holds a key, in messageId"]),
        why.EMBEDDED,
    ),
    (
        why.PRIVATE,
        Observed(["t: session/update of the agent holds a key, in idempotencyKey"]),
        why.STORED_WHOLE,
    ),
    (why.PRIVATE, Observed(["t: session/update of the agent holds a key, in text"]), ""),
    ("null-is-omitted", Observed(["t: step 11, answer: r2 got the messageId of r1"]), why.NULL_KEY),
    ("null-is-omitted", Observed([FIRST_REFUSED]), why.NULL_REFUSED),
    ("null-is-omitted", Observed([ENDED]), ""),
    (
        why.OMITS,
        Observed(["t: 7 messages hold the text of the prompt, not 0"], {READS}),
        why.TOLERANT,
    ),
    (why.OMITS, Observed(["t: 2 messages hold the text of the prompt, not 0"], {READS}), ""),
    (
        why.OMITS,
        Observed(["t: 7 messages hold the text of the prompt, not 0"], (), {READS}),
        why.TOO_EARLY,
    ),
    (
        "accept-any-valid-key",
        Observed(["t: step 7, answer: shortest was answered with the error -32602"]),
        why.FORM,
    ),
    (
        "accept-any-valid-key",
        Observed(["t: step 9, answer: marks was answered with the error -32602"]),
        "",
    ),
    (why.DISTINCT, Observed([pair('"Key"', '"key"')]), why.CASE),
    (why.DISTINCT, Observed([pair('"fi"', '"\\ufb01"')]), why.NORMALISED),
    (why.DISTINCT, Observed([pair('"key"', '"key "')]), why.BLANKS),
    (why.DISTINCT, Observed([pair('"o"', '"\\u00f6"')]), why.ACCENTS),
    (why.DISTINCT, Observed([pair('"1"', '"1.0"')]), why.AS_NUMBERS),
    (why.DISTINCT, Observed([pair('"a"', '"b"')]), ""),
    (
        why.DISTINCT,
        Observed([pair('"yy..." of 254 characters', '"yy..." of 255 characters')]),
        why.PARTLY,
    ),
    (why.DISTINCT, Observed([pair('"key"', '"yy..." of 255 characters')]), ""),
    (why.DISTINCT, Observed([TWICE]), ""),
    ("join-held", Observed([TWICE]), ""),
]
"""A failure with its cause, and one beside it that must not get that cause."""


@pytest.mark.parametrize(("id_", "seen", "cause"), NEIGHBOURS)
def test_a_cause_is_given_if_all_that_was_seen_fits(id_: str, seen: Observed, cause: str) -> None:
    assert likely_cause(id_, seen) == cause


ONE_STORE = ("retry-after-restart", "retry-new-connection")


@pytest.mark.parametrize(
    "word",
    [pytest.param("", marks=pytest.mark.prove("plays traces with one more agent")), "memory"],
)
def test_verdicts_do_not_depend_on_what_is_played_beside(word: str, tmp_path: Path) -> None:
    """The agents of all traces overwrite one file."""
    found: list[dict[str, str]] = []
    for jobs in ("4", "1"):
        traces = [part for name in ONE_STORE for part in ("--trace", name)]
        store = tmp_path / f"{jobs}.db"
        agent: list[str | Path] = [sys.executable, AGENT, store, *([word] if word else [])]
        options = ("--format", "json", "--jobs", jobs, *traces)
        document = json.loads(conform(*options, "--", *agent)[1])
        found.append({each["id"]: each["status"] for each in document["requirements"]})
    assert found[0] == found[1]
    assert found[1]["known-after-restart"] == ("fail" if word else "partly")


def test_agents_that_disturb_one_another_are_named(tmp_path: Path) -> None:
    traces = [part for name in ONE_STORE for part in ("--trace", name)]
    agent: list[str | Path] = [sys.executable, AGENT, tmp_path / "one.db", "clashes"]
    options = ("--format", "json", "--jobs", "2", *traces)
    status, out, err = conform(*options, "--", *agent)
    document = json.loads(out)
    disturbed = document["run"]["disturbed"]
    found = {each["id"]: each["status"] for each in document["requirements"]}
    assert (status, found["known-after-restart"]) == (0, "partly")
    assert {*disturbed} <= {*ONE_STORE}
    assert disturbed
    assert "went otherwise beside others than alone, so everything was played again alone;" in err
    assert (
        "they seem to share a store: {folder} in the command gives each a folder of its own" in err
    )
