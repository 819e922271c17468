"""A key is found in every spelling that anyone reads, and a value derived from it is none."""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acp_conformance.agent_connection import AgentConnection
from acp_conformance.agent_timeouts import AgentTimeouts
from acp_conformance.key_disclosure import disclosure
from acp_conformance.launchers import Launcher
from acp_conformance.play_options import TestPrompt
from acp_conformance.scenario import PROMPT, Scenario, SentRequest

KEY = "5d0c7b52-8f0e-4c1f-9a6b-2f6f0e6c1d3a"
OTHER = "1b2e9d44-0c55-4f7e-8a10-7c1d2e3f4a5b"
BYTES = uuid.UUID(KEY).bytes

SHOWN: dict[str, tuple[Callable[[str], str], str]] = {
    "plain": (lambda key: f"msg_{key}-1", "a key"),
    "capitals": (str.upper, "a key in another spelling"),
    "without hyphens": (lambda key: f"msg{key.replace('-', '')}", "a key in another spelling"),
    "underscores": (lambda key: key.replace("-", "_"), "a key in another spelling"),
    "hexadecimal": (lambda key: key.encode().hex().upper(), "a key in hexadecimal digits"),
    **{
        f"base64 after {before}": (
            lambda key, before=before: base64.b64encode(b"x" * before + key.encode()).decode(),  # type: ignore[misc]
            "a key in base64",
        )
        for before in range(4)
    },
    "the bytes of a UUID": (
        lambda _: base64.urlsafe_b64encode(BYTES).decode(),
        "a key in base64",
    ),
}


@pytest.mark.parametrize("way", SHOWN)
def test_a_key_is_found(way: str) -> None:
    write, found = SHOWN[way]
    assert disclosure(f'{{"messageId": "{write(KEY)}"}}', [OTHER, KEY]) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        OTHER,
        str(uuid.uuid5(uuid.NAMESPACE_URL, KEY)),
        hashlib.sha256(KEY.encode()).hexdigest(),
        KEY[:-1],
        KEY[1:],
    ],
)
def test_what_is_not_a_key_is_not(text: str) -> None:
    assert disclosure(text, [KEY]) is None


def test_every_random_key_is_found() -> None:
    keys = [str(uuid.uuid4()) for _ in range(200)]
    for key in keys:
        for before in (b"", b"a", b"ab"):
            encoded = base64.urlsafe_b64encode(before + uuid.UUID(key).bytes + b"z").decode()
            assert disclosure(encoded, [key]) == "a key in base64"
            assert disclosure(encoded, [OTHER]) is None


WRITTEN = f"Why was {KEY} refused? [12ab34cd]"


def leak_in(update: dict[str, Any]) -> str:
    """Where a scenario finds a key, if its prompt has one in the text, and an update comes."""
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}
    stream = SimpleNamespace(lines=[message])
    connection = cast("AgentConnection", SimpleNamespace(stream=stream))
    scenario = Scenario(cast("Launcher", None), AgentTimeouts(), "/")
    scenario.connections["c1"] = connection
    scenario.keys["K"] = KEY
    prompt = TestPrompt(WRITTEN)
    scenario.requests["r1"] = SentRequest(connection, 1, PROMPT, {}, 0, 0.0, 0.0, prompt)
    return scenario.leak


def content(kind: str, text: str) -> dict[str, Any]:
    return {"sessionUpdate": kind, "messageId": "m", "content": [{"type": "text", "text": text}]}


def test_a_prompt_that_is_shown_as_it_was_written_discloses_nothing() -> None:
    assert leak_in(content("user_message", WRITTEN)) == ""


@pytest.mark.parametrize(
    "update",
    [
        content("agent_message", f"You ask about {KEY}."),
        content("user_message", WRITTEN.upper()),
        {**content("user_message", WRITTEN), "_meta": {"of": KEY}},
        {"sessionUpdate": "session_info_update", "title": KEY},
    ],
)
def test_an_agent_that_shows_a_key_in_its_own_words_discloses_it(update: dict[str, Any]) -> None:
    assert leak_in(update).startswith("session/update of the agent holds a key")
