"""The table of retry promises: every cell against a model of what senders and receivers do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import pytest

from acpgen.diff import RULES, Party, diff
from acpgen.diff.retry_promises import PROMISES, Class, Consequence
from acpgen.model import Protocol, RetryClass
from small_schema import loaded, schema

CLASSES: tuple[Class, ...] = (*RetryClass, None)
COPIES = {
    RetryClass.IDEMPOTENT: "as is",
    RetryClass.KEYED: "with its key",
    RetryClass.DUPLICATING: "as is",
    RetryClass.CARRIED: "as is",
    RetryClass.EXTERNAL: "as is",
}
"""What senders of a class send after a lost answer; those of other classes send nothing."""

OUTCOMES = {
    (RetryClass.IDEMPOTENT, "as is"): "harmless",
    (RetryClass.IDEMPOTENT, "with its key"): "harmless",
    (RetryClass.KEYED, "as is"): "twice",
    (RetryClass.KEYED, "with its key"): "harmless",
    (RetryClass.DUPLICATING, "as is"): "spare",
    (RetryClass.DUPLICATING, "with its key"): "spare",
    (RetryClass.CARRIED, "as is"): "as inside",
    (RetryClass.CARRIED, "with its key"): "as inside",
    (RetryClass.EXTERNAL, "as is"): "as elsewhere",
    (RetryClass.EXTERNAL, "with its key"): "as elsewhere",
}
"""What a copy does to receivers of a class; to those of other classes it is not known what."""

RECKONED_WITH = {
    RetryClass.IDEMPOTENT: {"harmless"},
    RetryClass.KEYED: {"harmless"},
    RetryClass.DUPLICATING: {"harmless", "spare"},
    RetryClass.CARRIED: {"harmless", "as inside"},
    RetryClass.EXTERNAL: {"harmless", "as elsewhere"},
}
"""What senders of a class reckon with when they send a copy."""


def goes_wrong(sender: Class, receiver: Class) -> bool:
    """True if a copy does what its sender did not reckon with."""
    if sender is None or sender not in COPIES:
        return False
    if receiver is None or receiver not in COPIES:
        return True
    return OUTCOMES[receiver, COPIES[sender]] not in RECKONED_WITH[sender]


def cell(old: Class, new: Class, party: str) -> Consequence:
    promise = PROMISES[old, new]
    return promise.senders if party == "senders" else promise.receivers


def test_the_table_is_total() -> None:
    assert set(PROMISES) == set(product(CLASSES, repeat=2))


def test_a_cell_says_who_breaks() -> None:
    for old, new in PROMISES:
        senders, receivers = old is not new and goes_wrong(old, new), goes_wrong(new, old)
        assert cell(old, new, "senders").breaks is senders, (old, new)
        assert cell(old, new, "receivers").breaks is (old is not new and receivers), (old, new)


@pytest.mark.parametrize("party", ["senders", "receivers"])
def test_a_cell_says_why(party: str) -> None:
    for old, new in PROMISES:
        why = cell(old, new, party).why
        assert f"{{{party}}}" in why, (old, new)
        words = why.format(senders="clients", receivers="agents")
        assert "{" not in words, (old, new)
        assert not words.endswith("."), (old, new)


def test_reasons_of_broken_senders_differ() -> None:
    reasons = [p.senders.why for p in PROMISES.values() if p.senders.breaks]
    assert len(set(reasons)) == len(reasons)


@pytest.fixture(scope="module")
def of_class(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Class], Protocol]:
    """Gives the small schema with its request handled by a side, and of a class or of none."""
    folder = tmp_path_factory.mktemp("classes")

    @cache
    def load(side: str, retry: Class) -> Protocol:
        return loaded(classed(side, retry), folder / f"{side}-{retry}.json")

    return load


def classed(side: str, retry: Class) -> dict[str, Any]:
    """The small schema with its request handled by a side, and of a class or of none."""
    # What says more about a method needs its class.
    more = {"x-resend": None, "x-errors": None, "x-docs": None} if retry is None else {}
    request = {"x-side": side, "x-retry-class": retry, **more}
    return schema({"SendRequest": request, "SendResponse": {"x-side": side}})


@pytest.mark.parametrize(
    ("side", "sender", "receiver"),
    [("agent", Party.CLIENT, Party.AGENT), ("client", Party.AGENT, Party.CLIENT)],
)
@pytest.mark.parametrize(("old", "new"), [pair for pair in PROMISES if pair[0] is not pair[1]])
def test_a_changed_class_is_judged_by_the_table(
    old: Class,
    new: Class,
    side: str,
    sender: Party,
    receiver: Party,
    of_class: Callable[[str, Class], Protocol],
) -> None:
    changes = diff(of_class(side, old), of_class(side, new))
    (change,) = (c for c in changes if c.rule.id == "retry-class-changed")
    promise = PROMISES[old, new]
    broken = {
        party
        for party, consequence in ((sender, promise.senders), (receiver, promise.receivers))
        if consequence.breaks
    }
    assert change.breaks == broken
    words = {"senders": sender.plural, "receivers": receiver.plural}
    for consequence in (promise.senders, promise.receivers):
        assert consequence.why.format(**words).lower() in change.message.lower()


def test_the_rule_shows_the_table() -> None:
    head, *rows = (
        line.split()
        for line in RULES["retry-class-changed"].page.splitlines()
        if line.split()[:1] and line.split()[0] in {*RetryClass, "none"} and len(line.split()) > 6
    )
    words = {(False, False): "-", (True, False): "senders", (False, True): "receivers"}
    names = {cls: "none" if cls is None else cls.value for cls in CLASSES}
    broken = {pair: (p.senders.breaks, p.receivers.breaks) for pair, p in PROMISES.items()}
    expected = [
        [names[old], *(words.get(broken[old, new], "both") for new in CLASSES)] for old in CLASSES
    ]
    assert head == list(names.values())
    assert rows == expected
