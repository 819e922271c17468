"""`acpgen conform` explains what it can't do, and still reports what it has found before."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from conform_calls import AGENT, ONE, conform, write_forgetful


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--quick", "--list"), "--list has all traces: leave out --quick"),
        (
            ("--trace", "privte", "--", "true"),
            "there is no trace or requirement privte: did you mean private?",
        ),
        (
            ("--trace", "insert-onc", "--", "true"),
            "there is no trace or requirement insert-onc: did you mean insert-once?",
        ),
        (
            ("--client", "--trace", "insert-once", "--", "true", "{agent}"),
            "there is no trace or requirement insert-once: it is a requirement for an agent",
        ),
        (
            ("--proxy", "--trace", "zzz", "--", "true", "{agent}"),
            "there is no trace or requirement zzz: --list prints them all",
        ),
        (
            ("--client", "--restart-command", "x", "--", "true", "{agent}"),
            "--restart-command is for agents only",
        ),
        (("--proxy", "--record", "x", "--", "true", "{agent}"), "--record is for agents only"),
        (
            ("--timeout", "10", "--silence", "1.1", "--", "true"),
            "--silence 1.1 takes --timeout 11 at least: ",
        ),
        (("--timeout", "inf", "--", "true"), "--timeout inf is not from 0.1 to 86400 seconds"),
        (("--timeout", "nan", "--", "true"), "--timeout nan is not from 0.1 to 86400 seconds"),
        (("--timeout", "1e10", "--", "true"), "--timeout 1e+10 is not from 0.1 to 86400 seconds"),
        (("--timeout", "0", "--", "true"), "--timeout 0 is not from 0.1 to 86400 seconds"),
        (("--timeout=-1", "--", "true"), "--timeout -1 is not from 0.1 to 86400 seconds"),
        (("--silence", "inf", "--", "true"), "--silence inf is not from 0.05 to 8640 seconds"),
        (("--silence", "nan", "--", "true"), "--silence nan is not from 0.05 to 8640 seconds"),
        (("--silence", "0", "--", "true"), "--silence 0 is not from 0.05 to 8640 seconds"),
        (
            ("--client", "--timeout", "inf", "--", "true", "{agent}"),
            "--timeout inf is not from 0.1 to 86400 seconds",
        ),
        (
            ("--proxy", "--timeout", "nan", "--", "true", "{agent}"),
            "--timeout nan is not from 0.1 to 86400 seconds",
        ),
        (("--cwd", "no-such-folder", "--", "true"), "--cwd no-such-folder is not a folder: create"),
        (("--env", "NAME", "--", "true"), "--env takes NAME=VALUE, such as HOME=/home/agent"),
        (("--env", "=x", "--", "true"), "--env takes NAME=VALUE, such as HOME=/home/agent"),
        (("--url", "http://host", "--env", "A=b"), "--env is of no use with --url"),
        (("--client", "--login", "x", "--", "true", "{agent}"), "--login is for agents only"),
        (("--proxy", "--jobs", "2", "--", "true", "{agent}"), "--jobs is for agents only"),
        (("--prompt-hold", " ", "--", "true"), "the value of --prompt-hold is blank: is a"),
        (("--budget", "1", "--trace", "keyless", "--", "true"), "--budget 1 is less than any"),
        (
            ("--budget", "9", "--jobs", "2", "--", "true"),
            "--budget plays one trace after the other",
        ),
        (("--dry-run", "--timeout", "-1", "--", "true"), "--timeout -1 is not from 0.1 to 86400"),
        (
            ("--url", "ftp://me:hidden@host/acp?token=hidden"),
            "not a URL of http, https, ws or wss: 'ftp://host/acp?...'",
        ),
        (
            ("--quick", "--trace", "live-only", "--", "true"),
            "--quick leaves out every trace that --trace names: leave one of them out",
        ),
        (
            ("--expected-failures", "no-such-file", "--", "true"),
            "no-such-file: No such file or directory",
        ),
        (("--", "no-such-agent"), "no-such-agent can't be started: "),
        (("--", " "), "COMMAND begins with a blank word: give the program to start"),
        (
            ("--client", "--", "", "{agent}"),
            "COMMAND begins with a blank word: give the program to start",
        ),
        (("--restart-command", "", "--", "true"), "--restart-command names no program: is a"),
        (("--restart-command", "  ", "--", "true"), "--restart-command names no program: is a"),
        (("--second-command", "", "--", "true"), "--second-command names no program: is a"),
        (("--second-command", "''", "--", "true"), "--second-command names no program: is a"),
        (("--second-command", " \t", "--", "true"), "--second-command names no program: is a"),
        (("--trace", "", "--", "true"), "the value of --trace is blank: is a variable unset?"),
        (("--record", "", "--", "true"), "the value of --record is blank: is a variable unset?"),
        (("--record", __file__, "--", *AGENT), f"{__file__}: File exists"),
        (("--restart-command", "'", "--", "true"), "': No closing quotation"),
        (("--client", "--", "true"), "COMMAND has no {agent}: put it where the"),
        (("--proxy", "--", "true"), "COMMAND has no {agent}: put it where the"),
        (("--client", "--proxy", "--", "x", "{agent}"), "--client and --proxy exclude each other"),
        (("--client", "--", "no-such-client", "{agent}"), "no-such-client can't be started: "),
    ],
)
def test_a_wrong_command_line_is_explained(args: tuple[str, ...], message: str) -> None:
    status, out, err = conform(*args)
    assert err.startswith(f"acpgen: {message}")
    assert (status, out) == (2, "")


def test_findings_are_reported_if_a_program_is_missing_later(tmp_path: Path) -> None:
    traces = ("--trace", "null-key", "--trace", "retry-answer", "--trace", "retry-after-restart")
    missing = ("--restart-command", "no-such-agent", *traces)
    reported = "no-such-agent can't be started: "
    status, out, err = conform(*missing, "--", *AGENT)
    assert "pass           stated  null-is-omitted: " in out
    assert f"\n               retry-after-restart: {reported}" in out
    assert err.startswith(f"acpgen: {reported}")
    assert status == 2
    status, out, err = conform(
        "--trace", "malformed-keys-refused", *missing, "--", *write_forgetful(tmp_path)
    )
    assert "fail           MUST    reject-malformed-key: " in out
    assert err.startswith(f"acpgen: {reported}")
    assert status == 1
    status, out, _ = conform("--format", "json", *missing, "--", *AGENT)
    document = json.loads(out)
    assert document["problems"][0]["message"].startswith(reported)
    assert (status, document["summary"]["pass"] > 0, document["complete"]) == (2, True, False)
    status, out, _ = conform("--format", "junit", *missing, "--", *AGENT)
    (suite,) = ET.fromstring(out)
    tags = {child.tag for case in suite.iter("testcase") for child in case}
    assert tags == {"skipped", "error"}
    assert status == 2


def test_findings_are_reported_if_they_cannot_be_recorded(tmp_path: Path) -> None:
    (tmp_path / "retry-answer.ndjson").mkdir()
    status, out, err = conform(*ONE, "--record", tmp_path, "--", *AGENT)
    assert out.endswith("\n1 passed, 0 failed, 0 not exercised\n")
    why = f"{tmp_path / 'retry-answer.ndjson'}: Is a directory"
    assert err == f"acpgen: not all transcripts are written: {why}\n"
    assert status == 2


@pytest.mark.parametrize(
    "args",
    [
        ("--trace", "privte", "--", "true"),
        ("--timeout", "inf", "--", "true"),
        ("--second-command", "", "--", "true"),
        ("--record", __file__, "--", *AGENT),
        ("--", "no-such-agent"),
        ("--restart-command", "'", "--", "true"),
        ("--client", "--", "true"),
        ("--proxy", "--", "no-such-proxy", "{agent}"),
        ("--client", "--proxy", "--", "x", "{agent}"),
    ],
)
def test_json_has_the_reason_for_a_missing_verdict(args: tuple[str, ...]) -> None:
    status, out, err = conform("--format", "json", *args)
    document = json.loads(out)
    (problem,) = document["problems"]
    assert (status, err) == (2, f"acpgen: {problem['message']}\n")
    assert (document["complete"], document["requirements"]) == (False, [])
    status, out, _ = conform("--format", "junit", *args)
    (suite,) = ET.fromstring(out)
    ((error,),) = suite.iter("testcase")
    assert (error.tag, error.get("message")) == ("error", problem["message"])
    assert (suite.get("tests"), suite.get("errors"), status) == ("1", "1", 2)
