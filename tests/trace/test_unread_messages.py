"""A message that can't be read, in the middle of a recording: the others are judged, status 2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from acpgen.judge.message_text import MessageText
from acpgen.trace import RULES, judge, record
from acpgen.trace.event_reading import TranscriptError
from case_folders import folders, name
from command_calls import APP
from proofs import a_few
from transcripts import CASES, FILE, TRIALS, lines, protocol

BROKEN = '{"from":"client","message":{"jsonrpc":"2.0","id":'
OK = [*folders(CASES, "ok"), *folders(TRIALS, "ok")]
SOME = [
    CASES / "repeated-initialize" / "ok-before-others",
    CASES / "duplicate-id" / "ok-after-the-answer",
    CASES / "not-retried-resent" / "ok-id-used-again",
]


def found(transcript: Sequence[str]) -> list[str]:
    """The rules of which a transcript has findings; it has one line that can't be read."""
    unread: list[TranscriptError] = []
    entries = (MessageText(line.encode(), number) for number, line in enumerate(transcript, 1))
    recording = record(entries, protocol(), unread=unread.append)
    assert [error.is_json for error in unread] == [False]
    return [finding.rule for finding in judge(recording, FILE)]


@pytest.mark.parametrize("folder", a_few(OK, SOME, "breaks each line of each case"), ids=name)
def test_no_finding_rests_on_a_message_that_cannot_be_read(folder: Path) -> None:
    """Broken is one line after another, but not the last: a log may end anywhere."""
    whole = lines(folder)
    for index in range(len(whole) - 1):
        assert found([*whole[:index], BROKEN, *whole[index + 1 :]]) == [], index + 1


@pytest.mark.parametrize("place", [1, 4])
def test_what_does_not_rest_on_it_is_found(place: int) -> None:
    whole = lines(CASES / "key-reused" / "bad-other-words")
    assert found([*whole[:place], BROKEN, *whole[place:]]) == ["key-reused"]


def test_most_rules_about_the_order_rest_on_absence() -> None:
    others = {"key-not-forwarded", "repeated-initialize", "split-outcome"}
    assert {rule.id for rule in RULES.values() if rule.needs_order and not rule.needs_whole} == (
        others
    )


@pytest.mark.parametrize("lead", ["", "-> "])
@pytest.mark.parametrize("rest", [["trace"], ["view", "-o", "page.html"], ["convert", "-o", "out"]])
def test_nothing_after_it_is_lost(
    rest: list[str], lead: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = lines(CASES / "key-reused" / "bad-other-words")
    senders = [json.loads(line)["from"] for line in whole]
    if lead:
        arrows = {"client": "->", "agent": "<-"}
        whole = [
            f"{arrows[sender]} {json.dumps(json.loads(line)['message'])}"
            for sender, line in zip(senders, whole, strict=True)
        ]
    broken = f'{lead}{{"jsonrpc":"2.0","id":' if lead else BROKEN
    Path("a.log").write_text("\n".join([*whole[:2], broken, *whole[2:], ""]))
    command, *options = rest
    result = CliRunner().invoke(APP, [command, "a.log", *options])
    assert result.exit_code == (0 if command == "view" else 2)
    done = "left out" if command == "convert" else "not judged"
    assert f"3{' ' if command == 'view' else ': '}is not JSON, so it is {done}\n" in result.stderr
    assert "cut off" not in result.stderr
    if command == "trace":
        assert "[key-reused]" in result.stdout
        assert "23 of 29 rules can't be applied" in result.stderr
    elif command == "convert":
        assert len(Path("out").read_text().splitlines()) == len(whole)
        assert "trace the log and not the transcript" in result.stderr
    else:
        assert f"{len(whole) + 1} messages on 1 connection, 2 findings" in result.stderr


def test_several_have_one_reason(tmp_path: Path) -> None:
    whole = lines(CASES / "key-reused" / "bad-other-words")
    log = tmp_path / "a.ndjson"
    log.write_text("\n".join([*whole[:2], BROKEN, *whole[2:4], BROKEN, BROKEN, *whole[4:], ""]))
    result = CliRunner().invoke(APP, ["trace", str(log)])
    assert result.exit_code == 2
    assert ":3: is not JSON, so it is not judged; 2 later messages, too\n" in result.stderr
    assert result.stderr.count("is not JSON") == 1


def test_a_line_that_is_too_long_is_one(tmp_path: Path) -> None:
    """The request is left out, so its answer is no answer to nothing."""
    whole = lines(CASES / "duplicate-id" / "ok-after-the-answer")
    row = json.loads(whole[2])
    row["message"]["params"]["_meta"] = {"x": "y" * 2_000}
    log = tmp_path / "a.ndjson"
    log.write_text("\n".join([*whole[:2], json.dumps(row), *whole[3:], ""]))
    for command in ("trace", "validate"):
        result = CliRunner().invoke(APP, [command, str(log), "--max-line", "1500"])
        assert (result.exit_code, result.stdout) == (2, "")
        assert "is longer than 1500 bytes" in result.stderr
