"""Keys that are shown as a length and a hash, also where they are part of something."""

from __future__ import annotations

import pytest

from acp_wire.redaction import LONG_KEY, Key, KeyMask, masked

SHORT, LONG = "k" * (LONG_KEY - 1), "k" * LONG_KEY


def test_a_key_is_its_length_and_a_hash() -> None:
    assert str(Key.of("a")) == "key of 1 character, #ca9781"
    assert "secret" not in f"{Key.of('secret')!r} {Key.of('secret')}"
    assert str(Key.of('"', shown=True)) == 'key "\\""'


@pytest.mark.parametrize(("key", "within"), [(SHORT, False), (LONG, True)])
def test_only_a_long_key_is_hidden_inside_a_text(key: str, *, within: bool) -> None:
    text = f"a{key}b"
    assert masked(key, [key]) == f"[{Key.of(key)}]"
    assert (masked(text, [key]) != text) is within
    mask = KeyMask(frozenset({Key.of(key)}))
    assert mask.hides(key)
    assert mask.hides(text) is within


def test_a_key_is_found_in_a_pointer() -> None:
    key = "one/two~three"
    assert masked("one~1two~0three", [key]) == f"[{Key.of(key)}]"


def test_a_word_of_the_protocol_is_shown_though_it_contains_a_key() -> None:
    mask = KeyMask(frozenset({Key.of("sessionI")}))
    assert not mask.hides("sessionId", word=True)
