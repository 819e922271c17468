"""The rule for each requirement of clients, applied to what a client sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from acp_conformance.client_log import ClientLog, LoggedPrompt, params_of, result_of
from acp_conformance.client_plans import LATER
from acp_conformance.key_content import found_in
from acp_conformance.key_randomness import LEAST_KEYS, flaw
from acp_conformance.verdict import TraceResult

__all__ = ["RANDOM", "RULES", "judge", "judge_keys"]

Judgement = bool | str | None
"""True: the requirement was kept. A text: it was broken, and how. None: the log doesn't show it."""

_ONE_KEY: Final = "two submissions of the same text had one key"

RANDOM: Final = "client-random-key"
"""The requirement that is judged by the keys of all plans together."""


def _without_content(log: ClientLog) -> Judgement:
    for prompt in log.prompts:
        if isinstance(prompt.key, str):
            written = (prompt.content, prompt.written)
            if found := found_in(prompt.key, prompt.session, prompt.text, *written):
                return found
    return True if log.keys else None


def _one_prompt(log: ClientLog) -> Judgement:
    for key in log.keys:
        if len({p.content for p in log.prompts if p.key == key}) > 1:
            return "a key came with two prompts"
    return True if log.keys else None


def _same_key(log: ClientLog) -> Judgement:
    retries = [(first, retry) for first, retry in log.retries if first.key is not None]
    if _repeats(log) or not retries:
        return None
    if any(retry.key != first.key for first, retry in retries):
        return "a later attempt had another key, or none"
    return True


def _new_key(log: ClientLog) -> Judgement:
    """Each run submits the text anew. A run after one that was killed may resend the old prompt."""
    if not _repeats(log):
        return None
    if log.plan.more:
        return _two_keys(log)
    whole = range(min(log.late, default=len(log.plan.texts)))
    runs = [
        keys
        for run in whole
        if (keys := {p.key for p in log.prompts if p.run == run and isinstance(p.key, str)})
    ]
    for number, keys in enumerate(runs[1:], 1):
        if keys <= set[str]().union(*runs[:number]):
            return _ONE_KEY
    return True if len(runs) > 1 else None


def _two_keys(log: ClientLog) -> Judgement:
    """The run submits a text twice, on one connection unless that was lost."""
    for number in range(len(log.connections)):
        keys = [p.key for p in log.prompts if p.connection == number and p.key is not None]
        if len(keys) > 1:
            return True if len({*map(json.dumps, keys)}) > 1 else _ONE_KEY
    return None


def _repeats(log: ClientLog) -> bool:
    """True if the plan submits one text several times, so that equal prompts are not retries."""
    return "client-new-key" in log.plan.about


def _own_ids(log: ClientLog) -> Judgement:
    for connection in range(len(log.connections)):
        ids = [json.dumps(message["id"]) for _, message in log.requests(connection)]
        if len(set(ids)) < len(ids):
            return "two requests of a connection had one id"
    return True if log.prompts else None


def _resends(log: ClientLog) -> Judgement:
    if "client-resends" not in log.plan.about:
        return None
    return _sent_again(log, 1, "a prompt that got no answer was not sent again")


def _resends_all(log: ClientLog) -> Judgement:
    if "client-resends-all" not in log.plan.about:
        return None
    return _sent_again(log, 2, "of two prompts that got no answer one was not sent again")


def _sent_again(log: ClientLog, least: int, broken: str) -> Judgement:
    """Judge whether the client resent all lost prompts; at least `least` must have been lost."""
    keyed = [attempts for attempts in log.submissions if attempts[0].key is not None]
    owed = [attempts[-1].run for attempts in keyed if _lost(log, attempts[-1])]
    final = len(log.plan.texts) - 1
    if any(run < final for run in owed) and final not in log.late:
        return broken
    lost = [each for each in keyed if _lost(log, each[0])]
    return True if len(lost) >= least and not owed else None


def _lost(log: ClientLog, prompt: LoggedPrompt) -> bool:
    return log.answer(prompt.connection, prompt.place) is None


def _resumes_first(log: ClientLog) -> Judgement:
    later = [prompt for prompt in log.prompts if not _created(log, prompt)]
    for prompt in later:
        if log.requests(prompt.connection)[0][1]["method"] != "initialize":
            return "a retry came before initialize"
        if not _resumed(log, prompt):
            return "a retry came before session/resume succeeded"
    return True if later else None


def _created(log: ClientLog, prompt: LoggedPrompt) -> bool:
    """True if the session of a prompt was created on its connection."""
    return any(
        result_of(line.message).get("sessionId") == prompt.session
        for line in log.connections[prompt.connection][: prompt.place]
        if line.sender == "agent"
    )


def _resumed(log: ClientLog, prompt: LoggedPrompt) -> bool:
    answers = [
        log.answer(prompt.connection, place, prompt.place)
        for place, request in log.requests(prompt.connection)
        if request["method"] == "session/resume"
        and place < prompt.place
        and params_of(request).get("sessionId") == prompt.session
    ]
    return any(answer is not None and "result" in answer for answer in answers)


def _waits(log: ClientLog) -> Judgement:
    if _repeats(log):
        return None
    for attempts in log.submissions:
        for earlier, later in pairwise(attempts):
            on_one = earlier.connection == later.connection
            under_its_key = later.key is not None and later.key == earlier.key
            if under_its_key or not on_one:
                continue
            if log.answer(later.connection, earlier.place, later.place) is None:
                return "a prompt was sent again without its key while it waited for its answer"
    return True if log.met and "client-waits" in log.plan.about else None


def _shows_old_prompts(log: ClientLog) -> Judgement:
    if "client-shows-old-prompts" not in log.plan.about:
        return None
    clocks = [run.clock for run in log.plan.runs]
    first: dict[str, LoggedPrompt] = {}
    again = [
        (first.setdefault(prompt.content, prompt).run, prompt.run)
        for prompt in sorted(log.prompts, key=lambda prompt: prompt.run)
    ]
    if any(clocks[later] - clocks[run] >= LATER for run, later in again):
        return "a prompt of three days ago was sent again"
    return True if any(later > run for run, later in again) else None


RULES: Final[Mapping[str, Callable[[ClientLog], Judgement]]] = {
    "client-key-without-content": _without_content,
    "client-one-key-one-prompt": _one_prompt,
    "client-same-key": _same_key,
    "client-new-key": _new_key,
    "client-own-ids": _own_ids,
    "client-waits": _waits,
    "client-resends": _resends,
    "client-resends-all": _resends_all,
    "client-shows-old-prompts": _shows_old_prompts,
    "client-resumes-first": _resumes_first,
}
"""The rule for each requirement of clients except `RANDOM`, by its id."""


def judge(log: ClientLog) -> TraceResult:
    """Apply every rule to what a client sent in a plan.

    A failure counts in any plan. A kept requirement counts only in the plans that are about it.
    """
    judged = {id_: rule(log) for id_, rule in RULES.items()}
    asked = log.plan.proves - {RANDOM}
    unseen = frozenset(id_ for id_ in asked if judged[id_] is None)
    reason = "the client sent no key" if log.prompts else "the client sent no prompt"
    return TraceResult(
        log.plan.name,
        frozenset(id_ for id_ in asked if judged[id_] is True),
        tuple((id_, text) for id_, text in judged.items() if isinstance(text, str)),
        unseen if log.late else frozenset(),
        f"{'nothing that it sent shows it' if log.keys else reason}{_ended(log)}",
        transcript=log.transcript,
        moot=frozenset() if log.late else unseen,
    )


ALL_KEYS: Final = "all keys"
"""The name in a result about all plans together, which has no single trace."""


def judge_keys(all_: Sequence[ClientLog]) -> TraceResult:
    """Apply `RANDOM` to the keys of all plans."""
    runs = [log.keys for log in all_]
    wrong, count = flaw(runs), sum(map(len, runs))
    if any(_malformed(prompt.key) for log in all_ for prompt in log.prompts):
        wrong = "a key is not a string of 1 to 255 characters"
    kept = wrong is None and count >= LEAST_KEYS
    asked = frozenset({RANDOM})
    return TraceResult(
        ALL_KEYS,
        asked if kept else frozenset(),
        () if wrong is None else ((RANDOM, wrong),),
        frozenset() if kept or wrong else asked,
        f"it takes {LEAST_KEYS} keys, and the client sent {count}{_ended(*all_)}",
    )


def _ended(*all_: ClientLog) -> str:
    late = any(log.late for log in all_)
    return " (a run took too long and was ended: see --timeout)" if late else ""


def _malformed(key: object) -> bool:
    return key is not None and not (isinstance(key, str) and 1 <= len(key) <= 255)
