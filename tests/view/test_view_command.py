"""`acpgen view` as people call it, and what is in the page that it writes."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.trace import RULES
from recorded_sessions import BIDI, KEY, SCRIPT, TOKEN, hostile, line, prompt, secret
from view_pages import run, session_in, written

INTEROP = Path(__file__).parents[1] / "interop"
CLIENT, AGENT, PROXY, UNKNOWN = range(4)


def test_a_page_is_written_whatever_is_found(tmp_path: Path) -> None:
    page = tmp_path / "faults.html"
    result = run(INTEROP / "faults.ndjson", "-o", page)
    assert result.exit_code == 0
    assert result.stderr == f"{page}: 20 messages on 1 connection, 2 findings\n"
    contents, texts = session_in(page)
    assert len(texts) == 20
    found = [
        (contents["messages"]["line"][f[0]], contents["rules"][f[1]]["id"], f[3])
        for f in contents["findings"]
    ]
    assert found == [(17, "type", "/params/title"), (19, "min-length", "/params/idempotencyKey")]


def test_findings_of_trace_are_in_it_with_their_pages(tmp_path: Path) -> None:
    contents, _ = session_in(written(secret(), tmp_path))
    rules = {rule["id"]: rule for rule in contents["rules"]}
    assert rules["retry-before-resume"]["command"] == "trace"
    assert rules["retry-before-resume"]["page"] == RULES["retry-before-resume"].page


def test_requests_are_joined_with_answers_and_attempts_by_key(tmp_path: Path) -> None:
    columns = session_in(written(secret(), tmp_path))[0]["messages"]
    assert columns["partner"] == [1, 0, -1, 4, 3, -1]
    assert columns["key"] == [-1, -1, 0, 0, 0, -1]
    assert columns["connection"] == [0, 0, 0, 1, 1, 1]


def test_the_same_key_in_another_session_is_another_submission(tmp_path: Path) -> None:
    other = prompt(2, "Deploy", idempotencyKey=KEY)
    other["params"]["sessionId"] = "s2"
    transcript = line("client", prompt(1, "Deploy", idempotencyKey=KEY)) + line("client", other)
    contents, _ = session_in(written(transcript, tmp_path))
    assert contents["messages"]["key"] == [0, 1]
    assert len(set(contents["keys"])) == 1


def test_who_gets_a_message_of_a_proxy_is_shown_if_it_is_known(tmp_path: Path) -> None:
    transcript = "".join(
        [
            line("client", prompt(1, "Hello")),
            line("proxy", {"id": 1, "result": {"messageId": "m"}}),
            line("proxy", {"id": 2, "method": "_x/unknown"}),
        ]
    )
    columns = session_in(written(transcript, tmp_path))[0]["messages"]
    assert columns["from"] == [CLIENT, PROXY, PROXY]
    assert columns["to"] == [PROXY, CLIENT, UNKNOWN]


def test_no_secret_is_in_the_page(tmp_path: Path) -> None:
    page = written(secret(), tmp_path)
    contents, texts = session_in(page)
    whole = json.dumps(contents) + "".join(texts)
    assert KEY not in whole
    assert TOKEN not in whole
    (hashed,) = set(re.findall(r"key-[0-9a-f]{32}", whole))
    assert contents["keys"] == [hashed]
    assert hashed in texts[5]  # the agent repeats it


def test_keys_are_shown_if_asked_but_no_other_secret(tmp_path: Path) -> None:
    contents, texts = session_in(written(secret(), tmp_path, "--show-keys"))
    assert contents["keys"] == [KEY]
    assert KEY in texts[2]
    assert TOKEN not in "".join(texts)


def test_the_hash_of_a_key_is_another_in_each_page(tmp_path: Path) -> None:
    keys = [session_in(written(secret(), tmp_path))[0]["keys"] for _ in range(2)]
    assert keys[0] != keys[1]


def test_no_text_of_the_session_is_markup(tmp_path: Path) -> None:
    source, page = tmp_path / f"{SCRIPT.replace('/', '')}.ndjson", tmp_path / "page.html"
    source.write_text(hostile(), "utf-8")
    assert run(source, "-o", page).exit_code == 0
    built = resources.VIEW_PAGE.read_text("utf-8")
    text = page.read_text("utf-8")
    assert BIDI not in text
    assert text.count("<script") == built.count("<script")
    assert text.count("<img") == built.count("<img")


def test_what_is_not_a_message_is_there_too(tmp_path: Path) -> None:
    contents, texts = session_in(written(hostile(), tmp_path))
    assert contents["messages"]["kind"][5:7] == [4, 4]
    assert texts[5] == ""  # a text that is not JSON can't be searched for secrets
    assert json.loads(texts[6])["from"] == "nobody"
    assert contents["notes"] == [
        "line 6 is not JSON, so it is not judged",
        "line 7 from must be one of client, agent, proxy, so it is not judged",
        "not all messages can be read, and findings may rest on the absence of one: 23 of 29 rules "
        "can't be applied",
    ]


def test_times_are_in_seconds(tmp_path: Path) -> None:
    times = ["2026-01-01T00:00:00.250Z", 1_767_225_601, 1_767_225_602_500, "noon", None]
    transcript = "".join(line("client", prompt(i, "x"), time=time) for i, time in enumerate(times))
    columns = session_in(written(transcript, tmp_path))[0]["messages"]
    start = 1_767_225_600
    assert columns["at"] == [start + 0.25, start + 1, start + 2.5, None, None]


def test_an_integer_of_any_size_is_not_an_obstacle(tmp_path: Path) -> None:
    huge = '{"from":"client","message":{"jsonrpc":"2.0","method":"_x","params":{"n":%s}}}\n'
    transcript = line("client", {"method": "_x"}) + huge % ("7" * 5000)
    _, texts = session_in(written(transcript, tmp_path))
    assert json.loads(texts[1])["params"]["n"] == 10**4299  # as `validate` reads it


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no messages"),
        (b"starting up\n", "no line is a message"),
        (gzip.compress(secret().encode())[:60], "is cut off"),
    ],
    ids=["empty", "other", "cut"],
)
def test_what_can_not_be_shown_is_2(content: bytes, reason: str, tmp_path: Path) -> None:
    source, page = tmp_path / "log", tmp_path / "page.html"
    source.write_bytes(content)
    result = run(source, "-o", page)
    assert result.exit_code == 2
    assert f"log: {reason}" in result.stderr
    assert not page.exists()


def test_the_transcript_is_never_replaced(tmp_path: Path) -> None:
    source = tmp_path / "session.ndjson"
    source.write_text(secret(), "utf-8")
    result = run(source, "-o", source)
    assert (result.exit_code, source.read_text("utf-8")) == (2, secret())
    assert "is the file to show" in result.stderr


def test_a_folder_that_is_missing_is_2(tmp_path: Path) -> None:
    result = run(INTEROP / "faults.ndjson", "-o", tmp_path / "missing" / "page.html")
    assert result.exit_code == 2
    assert "No such file or directory" in result.stderr


def test_a_page_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    out = tmp_path / "missing" / "page.html"
    result = run(INTEROP / "faults.ndjson", "-o", out)
    assert result.stderr == f"acpgen: {out}: No such file or directory\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two logs in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("arrows.log", "second.ndjson"):
        (tmp_path / name).write_text(secret(), "utf-8")
    (tmp_path / "packed.ndjson.gz").write_bytes(gzip.compress(secret().encode()))
    return tmp_path


def test_a_page_is_named_after_its_log(here: Path) -> None:
    result = run("arrows.log", "second.ndjson", "packed.ndjson.gz")
    assert result.exit_code == 0
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == [
        "arrows.html",
        "second.html",
        "packed.html",
    ]
    assert sorted(each.name for each in here.glob("*.html")) == [
        "arrows.html",
        "packed.html",
        "second.html",
    ]


def test_a_page_of_standard_input_is_called_session(here: Path) -> None:
    assert run(stdin=secret().encode()).exit_code == 0
    assert session_in(here / "session.html")


def test_pages_can_go_to_a_folder(here: Path) -> None:
    folder = here / "pages"
    folder.mkdir()
    assert run("arrows.log", "second.ndjson", "-o", folder).exit_code == 0
    assert sorted(each.name for each in folder.iterdir()) == ["arrows.html", "second.html"]


def test_a_page_is_only_replaced_if_view_wrote_it_or_it_is_asked_for(here: Path) -> None:
    page = here / "arrows.html"
    assert [run("arrows.log").exit_code for _ in range(2)] == [0, 0]
    page.write_text("mine", "utf-8")
    result = run("arrows.log")
    assert (result.exit_code, page.read_text("utf-8")) == (2, "mine")
    reason = "is not a page of acpgen view, so it is kept: name the page with -o"
    assert result.stderr == f"acpgen: arrows.html: {reason}\n"
    assert run("arrows.log", "-o", "arrows.html").exit_code == 0
    assert session_in(page)


def test_pages_of_two_logs_do_not_replace_each_other(here: Path) -> None:
    (here / "arrows.ndjson").write_text(secret(), "utf-8")
    result = run("arrows.log", "arrows.ndjson")
    assert (result.exit_code, [*here.glob("*.html")]) == (2, [])
    assert "would both have the page arrows.html" in result.stderr
    result = run("arrows.log", "second.ndjson", "-o", "both.html")
    assert (result.exit_code, [*here.glob("*.html")]) == (2, [])
    assert "is one page for 2 files" in result.stderr


def test_a_log_that_can_not_be_shown_does_not_stop_the_others(here: Path) -> None:
    result = run("missing.log", "arrows.log")
    assert result.exit_code == 2
    assert "acpgen: missing.log: No such file or directory\n" in result.stderr
    assert session_in(here / "arrows.html")


def test_a_bar_shows_on_a_terminal_while_a_long_log_is_read(here: Path) -> None:
    padded = b"".join(b" " * 200_000 + line + b"\n" for line in secret().encode().splitlines())
    (here / "long.log").write_bytes(padded * 4)
    assert b"reading  [####" in on_terminal("long.log")
    assert b"reading" not in on_terminal("arrows.log")


def on_terminal(log: str) -> bytes:
    """What a terminal shows on standard error."""
    primary, secondary = pty.openpty()
    command = [sys.executable, "-m", "acpgen", "view", log]
    with subprocess.Popen(command, stderr=secondary):
        os.close(secondary)
        shown = b""
        try:
            while chunk := os.read(primary, 65536):
                shown += chunk
        except OSError:  # the terminal has no writer any more
            pass
    os.close(primary)
    return shown


def test_it_reads_and_writes_pipes() -> None:
    result = run("-", "-o", "-", stdin=secret().encode())
    assert result.exit_code == 0
    assert result.stdout.startswith("<!doctype html>")
    assert "<title>&lt;stdin&gt; · acpgen view</title>" in result.stdout


def test_any_log_is_shown(tmp_path: Path) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
    log = [
        "agent starts\n",
        f"2026-01-01T00:00:00Z -> {json.dumps(asked)}\n",
        f"2026-01-01T00:00:01Z <- {json.dumps(answer)}\n",
    ]
    page = written("".join(log), tmp_path)
    contents, texts = session_in(page)
    columns = contents["messages"]
    assert (columns["line"], columns["from"]) == ([2, 3], [CLIENT, AGENT])
    assert columns["partner"] == [1, 0]
    assert json.loads(texts[0]) == asked
    assert contents["notes"][0].startswith("read as lines with a prefix")


def test_several_messages_on_one_line_keep_their_findings(tmp_path: Path) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
    wrong = {"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": {"cwd": 5}}
    contents, _ = session_in(written(json.dumps([asked, wrong]), tmp_path))
    assert [f[0] for f in contents["findings"] if f[3] == "/params/cwd"] == [1]


def test_a_connection_of_another_version_is_shown_but_not_judged(tmp_path: Path) -> None:
    transcript = "".join(
        [
            line("client", {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
            line("agent", {"id": 0, "result": {"protocolVersion": 1}}),
            line("client", {"id": 1, "method": "session/load", "params": {}}),
        ]
    )
    contents, _ = session_in(written(transcript, tmp_path))
    assert [contents["rules"][f[1]]["command"] for f in contents["findings"]].count("validate") == 0
    assert any("settles on version 1" in note for note in contents["notes"])


def test_a_guessed_sender_is_not_held_against_a_message(tmp_path: Path) -> None:
    answers = [{"jsonrpc": "2.0", "id": n, "result": {"sessions": []}} for n in range(2)]
    log = "".join(f"{json.dumps(answer)}\n" for answer in answers)
    contents, _ = session_in(written(log, tmp_path))
    assert [contents["rules"][f[1]]["command"] for f in contents["findings"]].count("validate") == 0
    assert any("doesn't show the sender of 2 messages" in note for note in contents["notes"])


def test_messages_that_share_a_line_have_their_numbers(tmp_path: Path) -> None:
    log, page = tmp_path / "log.json", tmp_path / "log.html"
    texts = [f'{{"jsonrpc":"2.0","id":{n},"method":"session/list","params":{{}}}}' for n in (1, 2)]
    log.write_text(f"[{','.join(texts)}]", "utf-8")
    assert run(log, "-o", page).exit_code == 0
    columns = session_in(page)[0]["messages"]
    assert (columns["line"], columns["number"]) == ([1, 1], [1, 2])


def test_a_name_that_is_not_utf_8_is_shown_as_by_other_commands(tmp_path: Path) -> None:
    source = tmp_path / os.fsdecode(b"n\xff.log")
    source.write_text(secret(), "utf-8")
    result = run(source, "-o", source.with_suffix(".html"))
    assert result.exit_code == 0
    assert "n\ufffd.html: " in result.stderr
    assert "udcff" not in result.stderr
