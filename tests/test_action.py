"""The GitHub Action and the reusable workflow: their shell steps are run as GitHub runs them."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conform_calls import AGENT
from proofs import a_few

ROOT = Path(__file__).parents[1]
YAML: Any = importlib.import_module("yaml")
ACTION = YAML.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOW = YAML.safe_load((ROOT / ".github" / "workflows" / "acp.yml").read_text("utf-8"))
CALL = WORKFLOW[True]["workflow_call"]  # YAML takes `on` for true
JOB = WORKFLOW["jobs"]["acp"]
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


def run(name: str, inputs: dict[str, str], folder: Path) -> tuple[int, str, str]:
    """Run a step of the action. Returns its status, what it printed, and the job's page."""
    step = STEPS[name]
    given = {**dict.fromkeys(ACTION["inputs"], ""), **inputs}
    env = {key: INPUT.sub(lambda m: given[m[1]], text) for key, text in step["env"].items()}
    page = folder / "summary.md"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=ROOT,
        env={
            **os.environ,
            **env,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": str(page),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, page.read_text("utf-8")


Case = tuple[str, dict[str, str], tuple[int, str, str]]
"""A step, its inputs; its status, and the start and a part of what it writes to the page."""

CASES: list[Case] = [
    (
        "acpgen conform",
        {"agent": shlex.join(AGENT), "conform-options": "--trace retry-answer"},
        (0, "### acpgen conform: clean", "1 passed, 0 failed"),
    ),
    (
        "acpgen conform",
        {"agent": "false", "conform-options": "--trace retry-answer"},
        (2, "### acpgen conform: no verdict", "does not answer"),
    ),
    (
        "acpgen conform --url",
        {"url": "http://127.0.0.1:9/acp", "conform-options": "--trace retry-answer"},
        (2, "### acpgen conform: no verdict", "http://127.0.0.1:9/acp: the server can't be"),
    ),
    (
        "acpgen validate",
        {"validate": "tests/interop/session.ndjson"},
        (0, "### acpgen validate: clean", "accepted"),
    ),
    (
        "acpgen validate",
        {"validate": "tests/interop/faults.ndjson"},
        (1, "### acpgen validate: findings", "faults.ndjson:"),
    ),
    (
        "acpgen generate --check",
        {"generate": "--target rust"},
        (0, "### acpgen generate: clean", "as generated"),
    ),
    (
        "acpgen generate --check",
        {"generate": "--target rust --out /dev/null/nothing"},
        (1, "### acpgen generate: findings", "/dev/null/nothing/manifest.json: "),
    ),
    (
        "acpgen diff",
        {"diff": "schema/v2 schema/v2"},
        (0, "### acpgen diff: clean", "no "),
    ),
    (
        "acpgen diff",
        {"diff": "'no such schema' schema/v2"},
        (2, "### acpgen diff: no verdict", "no such schema"),
    ),
]


@pytest.mark.parametrize("case", a_few(CASES, CASES[2::3], "runs a step"), ids=str)
def test_a_step_runs_and_its_result_is_on_the_page(case: Case, tmp_path: Path) -> None:
    name, inputs, expected = case
    status, out, page = run(name, inputs, tmp_path)
    number, head, text = expected
    assert page.startswith(f"{head}\n\n~~~~~~~~text\n")
    assert (status, text in page) == (number, True)
    assert page.endswith("\n~~~~~~~~\n\n")
    assert out.splitlines()[:3] == page.splitlines()[3:][: len(out.splitlines())][:3]


def test_every_command_has_a_case() -> None:
    assert {name for name, _, _ in CASES} == {name for name, step in STEPS.items() if "if" in step}


def test_nothing_in_an_input_is_expanded(tmp_path: Path) -> None:
    words = f"'$(touch {tmp_path}/made)' `touch {tmp_path}/made` $HOME"
    status, _, page = run("acpgen validate", {"validate": words}, tmp_path)
    assert (status, (tmp_path / "made").exists()) == (2, False)
    assert str(Path.home()) not in page


def test_a_quote_that_is_not_closed_is_not_a_verdict(tmp_path: Path) -> None:
    words = "tests/interop/session.ndjson don't tests/interop/faults.ndjson"
    status, out, page = run("acpgen validate", {"validate": words}, tmp_path)
    assert (status, out) == (2, "")
    assert "acpgen-step: a quote is not closed in: tests/interop/session.ndjson don't" in page


def test_output_cannot_end_the_fence(tmp_path: Path) -> None:
    agent = "sh -c 'echo ~~~~~~~~~ >&2; exit 3'"
    _, _, page = run("acpgen conform", {"agent": agent}, tmp_path)
    fences = [line for line in page.splitlines() if line.startswith("~~~~~~~~")]
    assert fences == ["~~~~~~~~text", "~~~~~~~~"]


def test_the_action_installs_itself(tmp_path: Path) -> None:
    fake = tmp_path / "python3"
    fake.write_text('#!/bin/sh\nmkdir -p "$3/bin" && cp "$0.pip" "$3/bin/python"\n', "utf-8")
    pip = tmp_path / "python3.pip"
    pip.write_text('#!/bin/sh\necho "$@"\n', "utf-8")
    for program in (fake, pip):
        program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", STEPS["Install acpgen"]["run"]],
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTION_PATH": "/action",
            "GITHUB_PATH": str(tmp_path / "path"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "-m pip install --quiet /action[generate,remote]\n"
    assert (tmp_path / "path").read_text("utf-8") == f"{tmp_path}/acpgen/bin\n"


def test_every_input_is_used_and_optional() -> None:
    used = {name for step in STEPS.values() for name in INPUT.findall(str(step.get("env")))}
    assert used == ACTION["inputs"].keys()
    assert all(each["default"] == "" for each in ACTION["inputs"].values())
    for name, step in STEPS.items():
        asked = re.findall(r"inputs\.([a-z-]+) !=", str(step.get("if", "")))
        assert len(asked) == ("env" in step), name
        assert set(asked) <= set(INPUT.findall(str(step.get("env"))))


def test_the_workflow_hands_its_inputs_to_the_action(tmp_path: Path) -> None:
    checkout, hide, *_, setup, action = JOB["steps"][1:]
    own = {"repository", "ref", "setup"}
    assert CALL["inputs"].keys() - own == ACTION["inputs"].keys()
    assert action["with"] == {name: f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert action["uses"] == f"./{checkout['with']['path']}"
    for command in (["git", "init", "-q"], ["bash", "-eo", "pipefail", "-c", hide["run"]]):
        subprocess.run(command, cwd=tmp_path, check=True)
    for folder in (checkout["with"]["path"], "own"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").touch()
    status = ["git", "status", "--porcelain"]
    seen = subprocess.run(status, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert seen.stdout == "?? own/\n"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", setup["run"]],
        env={"PATH": os.environ["PATH"], "SETUP": "echo built; false; echo on"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "built\n")
