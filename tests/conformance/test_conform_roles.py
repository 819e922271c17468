"""`acpgen conform` with clients and proxies."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import wrong_clients
from conform_calls import conform

CLIENT = [
    sys.executable,
    str(Path(__file__).with_name("client.py")),
    "{folder}/outbox.db",
]
KEYLESS = """
import json, subprocess, sys

text, *command = sys.argv[1:]
if not text:
    sys.exit()
agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
prompt = {"sessionId": "session-1", "prompt": [{"type": "text", "text": text}]}
for number, method in enumerate(["initialize", "session/new", "session/prompt"]):
    params = prompt if method == "session/prompt" else {}
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    agent.stdin.write(json.dumps(message).encode() + b"\\n")
    agent.stdin.flush()
    agent.stdout.readline()
"""


def test_a_client_is_judged() -> None:
    plan = ("--client", "--trace", "lost-after-insertion")
    status, out, err = conform(*plan, "--", *CLIENT, "{clock}", "{text}", "{more}", "{agent}")
    assert "partly         SHOULD  client-resends: " in out
    assert "kept in lost-after-insertion" in out
    assert "client-new-key" not in out
    assert (status, err) == (0, "")


def test_a_client_that_sends_nothing_is_not_judged() -> None:
    plan = ("--client", "--trace", "lost-after-insertion")
    starts = "import subprocess, sys; subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL)"
    status, out, err = conform(*plan, "--", sys.executable, "-c", starts, "{agent}")
    assert "lost-after-insertion: the client sent no prompt" in out
    assert err == "acpgen: no verdict: nothing was exercised\n"
    assert status == 2


@pytest.mark.parametrize(
    ("program", "seconds", "summary"),
    [
        ("import sys; sys.exit('no such option')", 30, " (exit status 1; standard error: no such"),
        ("import time; time.sleep(600)", 1, " in 1 seconds: have it run the command that repl"),
    ],
    ids=["dies", "hangs"],
)
def test_a_client_that_starts_no_agent_is_not_tried_again(
    program: str, seconds: int, summary: str
) -> None:
    client = (sys.executable, "-c", program, "{agent}")
    status, out, err = conform("--client", "--timeout", str(seconds), "--", *client)
    why = "acpgen: the program under test does not start: the client did not start its agent"
    assert err.startswith(f"{why}{summary}")
    assert (out, err.count("\n")) == ("", 1)
    assert status == 2


def test_a_client_without_a_core_is_not_fine() -> None:
    plan = ("--client", "--trace", "lost-after-insertion")
    status, out, err = conform(*plan, "--", sys.executable, "-c", KEYLESS, "{text}", "{agent}")
    assert "pass           stated  client-own-ids: " in out
    assert err == "acpgen: no verdict: client-same-key and client-resends were not exercised\n"
    assert status == 2


def test_a_clock_that_is_lent_shows_what_becomes_of_old_prompts() -> None:
    options = ("--client", "--strict", "--trace", "client-shows-old-prompts", "--")
    status, out, err = conform(*options, *CLIENT, "{clock}", "{text}", "{more}", "{agent}")
    assert out.startswith("pass           SHOULD  client-shows-old-prompts: ")
    assert (status, err) == (0, "")
    status, out, err = conform(*options, *CLIENT, "0", "{text}", "{more}", "{agent}")
    assert "\n               held-for-long: COMMAND has no {clock}, " in out
    assert (status, err) == (2, "acpgen: no verdict: nothing was exercised in full\n")


def test_a_client_that_takes_one_prompt_at_a_time_is_not_judged_by_two() -> None:
    options = ("--client", "--trace", "two-pending", "--")
    status, out, err = conform(*options, *CLIENT, "0", "{text}", "{more}", "{agent}")
    assert "partly         stated  client-resends-all: " in out
    assert (status, err) == (0, "")
    status, out, err = conform(*options, *CLIENT, "0", "{text}", "", "{agent}")
    assert "\n               two-pending: COMMAND has no {more}, " in out
    assert (status, err.startswith("acpgen: no verdict: ")) == (2, True)


def test_a_proxy_is_judged() -> None:
    status, out, err = conform("--proxy", "--", "env", "{agent}")
    assert out.startswith("pass           stated  proxy-forwards-key: ")
    assert out.endswith("\n3 passed, 0 failed, 0 not exercised\n")
    assert (status, err) == (0, "")


def test_the_death_of_a_proxy_is_reported() -> None:
    proxy = (sys.executable, "-c", "import sys; sys.exit('no such route')", "{agent}")
    status, out, err = conform("--proxy", "--", *proxy)
    words = "could not be reached (exit status 1; standard error: no such route)"
    why = "acpgen: the program under test does not start: the agent behind the proxy"
    assert (status, out, err) == (2, "", f"{why} {words}\n")
    _, out, _ = conform("--proxy", "--format", "json", "--", *proxy)
    details = [detail for each in json.loads(out)["requirements"] for detail in each["details"]]
    assert f"keys-through-a-proxy: the agent behind the proxy {words}" in details
    unplayed = "restart-of-a-proxy: not played, since the program under test did not start"
    assert unplayed in details


def test_a_failure_outside_the_chosen_traces_is_reported() -> None:
    client = (sys.executable, wrong_clients.__file__, "HasOneId", "{folder}/outbox", "{clock}")
    plan = ("--client", "--trace", "client-waits")
    status, out, _ = conform(*plan, "--", *client, "{text}", "{more}", "{agent}")
    assert "advice         stated  client-own-ids: " in out
    assert out.endswith(
        "\n1 passed, 0 failed, 1 as advice (broken, and weaker than --level), 0 not exercised\n"
    )
    assert status == 0
