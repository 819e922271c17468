"""Derived IDs: the golden vectors, and that no two pairs share one by construction."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_retry import NAMESPACE, derive_message_id
from acpgen import resources

GOLDEN = json.loads(Path(__file__).with_name("derive.json").read_text("utf-8"))
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def name(session_id: str, key: str) -> str:
    """The text that is hashed."""
    return f"{len(session_id.encode())}:{session_id},{key}"


def test_the_namespace_is_the_published_one() -> None:
    assert str(NAMESPACE) == GOLDEN["namespace"]
    assert uuid.uuid5(uuid.NAMESPACE_URL, GOLDEN["namespaceName"]) == NAMESPACE


@pytest.mark.parametrize("vector", GOLDEN["vectors"], ids=lambda vector: vector["name"])
def test_golden_vectors(vector: dict[str, str]) -> None:
    derived = derive_message_id(vector["sessionId"], vector["key"])
    assert str(derived) == vector["messageId"]
    assert name(vector["sessionId"], vector["key"]).encode().hex() == vector["hashed"]


def test_the_generated_vectors_are_these() -> None:
    generated = json.loads((resources.GENERATED / "vectors" / "derived.json").read_text("utf-8"))
    assert generated["vectors"] == GOLDEN["vectors"]
    assert generated["namespace"] == GOLDEN["namespace"]


def test_golden_vectors_differ() -> None:
    ids = [vector["messageId"] for vector in GOLDEN["vectors"]]
    assert len(set(ids)) == len(ids) > 15


@given(session_id=text, key=text)
def test_any_uuid5_gives_the_same(session_id: str, key: str) -> None:
    assert derive_message_id(session_id, key) == uuid.uuid5(NAMESPACE, name(session_id, key))


@given(session_id=text, key=text)
def test_the_text_can_be_taken_apart_in_one_way(session_id: str, key: str) -> None:
    length, _, rest = name(session_id, key).encode().partition(b":")
    session, separator, tail = rest[: int(length)], rest[int(length) :][:1], rest[int(length) + 1 :]
    assert (session.decode(), separator, tail.decode()) == (session_id, b",", key)


@pytest.mark.parametrize("pair", [("\ud800", "k"), ("s", "\udfff")])
def test_half_a_surrogate_pair_is_refused_and_not_shown(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="half of a surrogate pair has no UTF-8 form") as refusal:
        derive_message_id(*pair)
    assert type(refusal.value) is ValueError
    assert refusal.value.__context__ is None
