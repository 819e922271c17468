"""Methods without a key: which are resent after a lost connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

import pytest

from acp_retry import (
    AnswerLostError,
    Calls,
    NeverSentError,
    Peer,
    Refused,
    Reply,
    RequestFailedError,
    SupersededError,
)
from acp_retry.link import Sent
from acp_v2.retry import METHODS, Kind, RetryClass
from agents import pipes, settle, sync
from scripted import ScriptedLink

REQUESTS = {m.name: m.retry_class for m in METHODS if m.kind is Kind.REQUEST}
PARAMS = {"sessionId": "s", "method": "session/list", "params": {}}
RESENT = {RetryClass.IDEMPOTENT, RetryClass.DUPLICATING}


async def attempts(
    method: str,
    *,
    again: bool = True,
    params: object = PARAMS,
    versions: tuple[int, int] = (2, 2),
) -> int:
    """How often a request goes out when its first connection is lost."""
    assert isinstance(params, dict)
    calls, lost, next_link = Calls(), ScriptedLink("lost"), ScriptedLink("ok")
    calls.connected(lost, versions[0])
    asked = asyncio.ensure_future(calls.call(method, params, again=again))
    await settle()
    calls.connected(next_link, versions[1])
    await settle()
    calls.resumed("s")
    try:
        await asked
    except AnswerLostError:
        assert next_link.methods == []
    return len(lost.methods) + len(next_link.methods)


@pytest.mark.parametrize(
    "method", sorted(name for name, cls in REQUESTS.items() if cls is not RetryClass.CARRIED)
)
@sync
async def test_the_class_decides(method: str) -> None:
    of_a_connection = method in {"session/resume", "session/close"}
    expected = 2 if REQUESTS[method] in RESENT and not of_a_connection else 1
    assert await attempts(method) == expected
    expected = 2 if REQUESTS[method] is RetryClass.IDEMPOTENT and not of_a_connection else 1
    assert await attempts(method, again=False) == expected


@pytest.mark.parametrize("act", ["lost", "unsent"])
@sync
async def test_who_connects_does_not_wait_for_itself(act: str) -> None:
    calls = Calls()
    calls.connected(ScriptedLink("lost"), 2)
    title = asyncio.ensure_future(calls.call("session/set_title", {"sessionId": "s", "title": "x"}))
    links = [ScriptedLink(act), ScriptedLink("ok", "ok")]
    for link in links:
        await settle()
        calls.connected(link, 2)
        with contextlib.suppress(AnswerLostError, NeverSentError):
            await calls.call("session/resume", {"sessionId": "s"})
            calls.resumed("s")
    assert await title == Reply({}, lost=1)
    assert links[1].methods == ["session/resume", "session/set_title"]


@pytest.mark.parametrize(("carried", "times"), [("session/list", 2), ("initialize", 1)])
@sync
async def test_a_carried_message_decides(carried: str, times: int) -> None:
    params = {"method": carried, "params": {}}
    assert await attempts("proxy/successor", params=params) == times


@pytest.mark.parametrize("method", ["_acme/deploy", "session/unknown"])
@sync
async def test_unlisted_methods_are_not_sent_again(method: str) -> None:
    assert await attempts(method) == 1


@pytest.mark.parametrize("versions", [(1, 2), (2, 1), (1, 1)])
@pytest.mark.parametrize("method", ["session/list", "session/new"])
@sync
async def test_nothing_is_sent_again_from_v1_or_on_it(
    method: str, versions: tuple[int, int]
) -> None:
    assert await attempts(method, versions=versions) == 1


@sync
async def test_prompts_belong_in_an_outbox() -> None:
    calls = Calls()
    calls.connected(ScriptedLink(), 2)
    with pytest.raises(ValueError, match="Outbox"):
        await calls.call("session/prompt", {"idempotencyKey": "k"})


@sync
async def test_a_session_is_resumed_first() -> None:
    calls, lost, link = Calls(), ScriptedLink("lost"), ScriptedLink("ok", "ok")
    calls.connected(lost, 2)
    title = {"sessionId": "s", "title": "x"}
    asked = asyncio.ensure_future(calls.call("session/set_title", title))
    await settle()
    calls.connected(link, 2)
    await settle()
    assert link.methods == []
    await calls.call("session/resume", {"sessionId": "s"})
    calls.resumed("s")
    assert (await asked).lost == 1
    assert link.methods == ["session/resume", "session/set_title"]


@sync
async def test_a_session_is_resumed_anew_on_each_connection() -> None:
    calls, lost, link = Calls(), ScriptedLink("lost"), ScriptedLink("ok")
    calls.connected(lost, 2)
    calls.resumed("s")
    title = {"sessionId": "s", "title": "x"}
    asked = asyncio.ensure_future(calls.call("session/set_title", title))
    await settle()
    calls.connected(link, 2)
    await settle()
    assert link.methods == []
    calls.resumed("s")
    assert (await asked).lost == 1


@pytest.mark.parametrize(
    "method",
    [
        "session/archive",
        "session/delete",
        "session/fork",
        "session/unarchive",
    ],
)
@sync
async def test_some_methods_do_not_wait_for_a_resumed_session(method: str) -> None:
    calls, link = Calls(), ScriptedLink("ok")
    calls.connected(ScriptedLink("lost"), 2)
    asked = asyncio.ensure_future(calls.call(method, {"sessionId": "s"}))
    await settle()
    calls.connected(link, 2)
    assert (await asked).lost == 1
    assert link.methods == [method]


@pytest.mark.parametrize("fault", [OSError, ValueError, LookupError, asyncio.CancelledError])
@sync
async def test_whatever_a_link_raises_is_a_lost_answer(fault: type[BaseException]) -> None:
    class Broken(ScriptedLink):
        async def request(
            self, method: str, params: Mapping[str, object], sent: Sent | None = None
        ) -> dict[str, object]:
            await super().request(method, params, sent)
            raise fault

    calls, link = Calls(), ScriptedLink("ok")
    calls.connected(Broken("ok", "ok"), 2)
    asked = asyncio.ensure_future(calls.call("session/list", {}))
    with pytest.raises(AnswerLostError):
        await calls.call("session/new", {}, again=False)
    await settle()
    calls.connected(link, 2)
    assert await asked == Reply({}, lost=1)


@sync
async def test_params_that_are_not_json_raise_at_the_caller() -> None:
    near, _ = pipes()
    calls = Calls()
    calls.connected(Peer(near), 2)
    with pytest.raises(TypeError):
        await calls.call("session/list", {"cwd": object()})


@sync
async def test_giving_up_a_call_is_the_callers() -> None:
    calls = Calls()
    calls.connected(ScriptedLink("held"), 2)
    asked = asyncio.ensure_future(calls.call("session/list", {}))
    await settle()
    asked.cancel()
    await asyncio.wait([asked])
    assert asked.cancelled()


@sync
async def test_an_error_is_an_answer() -> None:
    calls = Calls()
    calls.connected(ScriptedLink(Refused(-32602, "Invalid params")), 2)
    with pytest.raises(RequestFailedError, match="-32602"):
        await calls.call("session/list", {})


@sync
async def test_a_first_attempt_needs_a_connection() -> None:
    calls = Calls()
    with pytest.raises(NeverSentError):
        await calls.call("session/list", {})
    calls.connected(ScriptedLink("unsent"), 2)
    with pytest.raises(NeverSentError):
        await calls.call("session/list", {})


@sync
async def test_it_outlives_several_connections() -> None:
    calls = Calls()
    links = [ScriptedLink(act) for act in ("lost", "unsent", "lost", "ok")]
    calls.connected(links[0], 2)
    asked = asyncio.ensure_future(calls.call("session/list", {}))
    for link in links[1:]:
        await settle()
        calls.connected(link, 2)
    assert await asked == Reply({}, lost=2)


SETS = {
    "session/set_config_option": ({"configId": "a"}, {"configId": "b"}),
    "session/set_title": ({}, {"sessionId": "other"}),
    "providers/set": ({"providerId": "a"}, {"providerId": "b"}),
}


@pytest.mark.parametrize("method", SETS)
@sync
async def test_a_change_is_superseded_by_one_of_the_same_thing(method: str) -> None:
    same, other = ({"sessionId": "s", **members} for members in SETS[method])
    calls, link, later = Calls(), ScriptedLink("lost", "ok", "lost"), ScriptedLink("ok")
    calls.connected(link, 2)
    stale = asyncio.ensure_future(calls.call(method, same))
    await settle()
    await calls.call(method, same)
    kept = asyncio.ensure_future(calls.call(method, other))
    await settle()
    calls.connected(later, 2)
    for session in ("s", "other"):
        calls.resumed(session)
    with pytest.raises(SupersededError):
        await stale
    assert (await kept).lost == 1
    assert later.params == [other]


OPPOSITES = {
    "auth/logout": ("auth/login", {"methodId": "m"}),
    "auth/login": ("auth/logout", {}),
    "session/archive": ("session/unarchive", {"sessionId": "s"}),
    "session/unarchive": ("session/archive", {"sessionId": "s"}),
    "session/delete": ("session/unarchive", {"sessionId": "s"}),
    "providers/set": ("providers/disable", {"providerId": "a"}),
    "providers/disable": ("providers/set", {"providerId": "a"}),
}


@pytest.mark.parametrize("method", OPPOSITES)
@sync
async def test_a_request_is_superseded_by_a_newer_one_that_it_would_undo(method: str) -> None:
    opposite, params = OPPOSITES[method]
    own = {"sessionId": "s", "providerId": "a", "methodId": "m"}
    calls, link, later = Calls(), ScriptedLink("lost", "ok"), ScriptedLink()
    calls.connected(link, 2)
    stale = asyncio.ensure_future(calls.call(method, own))
    await settle()
    await calls.call(opposite, params)
    calls.connected(later, 2)
    await settle()
    calls.resumed("s")
    with pytest.raises(SupersededError, match=f"a newer {opposite} followed"):
        await stale
    assert later.methods == []


@sync
async def test_a_lost_close_does_not_close_the_session_that_is_open_again() -> None:
    calls, later = Calls(), ScriptedLink("ok", "ok")
    calls.connected(ScriptedLink("lost"), 2)
    closed = asyncio.ensure_future(calls.call("session/close", {"sessionId": "s"}))
    await settle()
    calls.connected(later, 2)
    await settle()
    await later.request("session/resume", {"sessionId": "s"})
    calls.resumed("s")
    with pytest.raises(AnswerLostError):
        await closed
    await settle()
    assert later.methods == ["session/resume"]


@sync
async def test_a_resumed_session_counts_as_a_newer_resume() -> None:
    calls, lost, later = Calls(), ScriptedLink("held"), ScriptedLink("ok", "ok")
    calls.connected(lost, 2)
    deleted = asyncio.ensure_future(calls.call("session/delete", {"sessionId": "s"}))
    await settle()
    calls.connected(later, 2)
    await later.request("session/resume", {"sessionId": "s"})
    calls.resumed("s")
    lost.lose()
    with pytest.raises(SupersededError, match="a newer session/resume followed"):
        await deleted
    assert later.methods == ["session/resume"]


@sync
async def test_opposite_requests_that_are_both_lost_end_as_the_newer_one_says() -> None:
    calls, link, later = Calls(), ScriptedLink("lost", "lost"), ScriptedLink("ok")
    calls.connected(link, 2)
    logout = asyncio.ensure_future(calls.call("auth/logout", {}))
    await settle()
    login = asyncio.ensure_future(calls.call("auth/login", {"methodId": "m"}))
    await settle()
    calls.connected(later, 2)
    with pytest.raises(SupersededError):
        await logout
    assert (await login).lost == 1
    assert later.methods == ["auth/login"]
