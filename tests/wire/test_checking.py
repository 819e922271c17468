"""Results of checks: refused, accepted, or accepted with something unknown."""

from __future__ import annotations

import pytest

from acp_v2.checkers import CHECKERS
from acp_wire.checking import ACCEPTED, REFUSED, UNKNOWN, combined, each, only, unknown

RESULTS = (REFUSED, ACCEPTED, UNKNOWN)


@pytest.mark.parametrize("one", RESULTS)
@pytest.mark.parametrize("other", RESULTS)
def test_two_results_combine_to_the_worse(one: int, other: int) -> None:
    worse = REFUSED if REFUSED in (one, other) else max(one, other)
    assert combined(one, other) == worse
    assert each(lambda result: result if isinstance(result, int) else 0, [one, other]) == worse


def test_nothing_at_all_is_accepted() -> None:
    assert each(lambda _: REFUSED, []) == combined() == ACCEPTED


def test_exactly_one_check_must_accept() -> None:
    assert only(REFUSED, UNKNOWN) == UNKNOWN
    assert only(ACCEPTED, UNKNOWN) == only(REFUSED, REFUSED) == only() == REFUSED


@pytest.mark.parametrize(("tag", "result"), [("new", UNKNOWN), ("_own", ACCEPTED), (5, ACCEPTED)])
def test_only_tags_without_an_underscore_are_unknown(tag: object, result: int) -> None:
    assert unknown(tag) == result


def content(tag: str) -> dict[str, object]:
    block = {"type": tag, "text": "x"}
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}, block]}
    return {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}


@pytest.mark.parametrize(
    ("tag", "grade"), [("text", ACCEPTED), ("_own", ACCEPTED), ("hologram", UNKNOWN)]
)
def test_an_unknown_tag_deep_inside_is_in_the_result(tag: str, grade: int) -> None:
    assert CHECKERS.grade(content(tag)) == grade
    assert CHECKERS.accepts(content(tag))


def test_results_do_not_depend_on_earlier_messages() -> None:
    CHECKERS.grade(content("hologram"))
    assert CHECKERS.grade(content("text")) == ACCEPTED
