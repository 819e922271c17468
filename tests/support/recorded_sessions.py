"""Recorded sessions for the tests of the page that shows them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

BIDI = "evil\u202efdp.exe\u2066\u200b"
SCRIPT = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)><!--"
LONG = "long " * 20_000
KEY = "5d0c7b52-6f0c-4a3d-8a55-0f1d5b1c9e21"
TOKEN = "sk-live-0123456789abcdef"  # a made-up secret, to be redacted


def line(sender: str, message: dict[str, Any], **more: Any) -> str:
    frame = {"from": sender, **more, "message": {"jsonrpc": "2.0", **message}}
    return json.dumps(frame, ensure_ascii=False) + "\n"


def prompt(id_: int, text: str, **params: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": text}]
    return {
        "id": id_,
        "method": "session/prompt",
        "params": {"sessionId": "s1", "prompt": blocks, **params},
    }


def hostile() -> str:
    """A session in which every text that a page might show tries to break it."""
    return "".join(
        [
            line("client", prompt(1, SCRIPT), connection=SCRIPT, time="2026-01-01T00:00:00Z"),
            line("agent", {"id": 1, "result": {"messageId": BIDI}}, connection=SCRIPT),
            line("client", {"id": 2, "method": SCRIPT + BIDI, "params": {SCRIPT: LONG}}),
            line("agent", {"id": 2, "error": {"code": -32601, "message": LONG}}),
            line(
                "agent", {"method": "session/update", "params": {"sessionId": BIDI, "update": {}}}
            ),
            "{ this line is torn \u202e </script>\n",
            line("nobody", {"id": 3, "result": {}}),
            line(
                "client",
                {"id": 4, "method": "_x/deep", "params": {"a": [[[[LONG]]]], "": {"/~": 1}}},
            ),
        ]
    )


def secret() -> str:
    """A session with a key that is sent twice, and other secrets."""
    server = {
        "type": "http",
        "name": "tickets",
        "url": f"https://user:{TOKEN}@tickets.example/mcp",
        "headers": [{"name": "Authorization", "value": f"Bearer {TOKEN}"}],
    }
    new = {"cwd": "/w", "mcpServers": [server], "_meta": {"acme.dev/token": TOKEN}}
    return "".join(
        [
            line("client", {"id": 1, "method": "session/new", "params": new}),
            line("agent", {"id": 1, "result": {"sessionId": "s1"}}),
            line("client", prompt(2, "Deploy", idempotencyKey=KEY)),
            line("client", prompt(3, "Deploy", idempotencyKey=KEY), connection=2),
            line("agent", {"id": 3, "result": {"messageId": "m1"}}, connection=2),
            line("agent", {"method": "_x/log", "params": {"text": f"got {KEY}"}}, connection=2),
        ]
    )


def long(messages: int) -> Iterator[str]:
    """A session of many messages: prompts, their updates and answers, and a fault now and then."""
    for number in range(messages // 10):
        at = {"time": 1_767_225_600 + number * 0.7, "connection": 1 + number % 2}
        yield line(
            "client",
            prompt(number, f"Task {number // 2}: tidy up", idempotencyKey=f"k{number // 2}-{KEY}"),
            **at,
        )
        for part in range(8):
            update = {
                "sessionUpdate": "agent_message_chunk",
                "messageId": f"m{number}",
                "content": {"type": "text", "text": f"Part {part} of the answer to task {number}."},
            }
            if number % 100 == 99 and part == 7:
                update["content"] = 5  # type: ignore[assignment] # a fault, on purpose
            yield line(
                "agent",
                {"method": "session/update", "params": {"sessionId": "s1", "update": update}},
                **at,
            )
        yield line("agent", {"id": number, "result": {"messageId": f"u{number // 2}"}}, **at)
