"""Installs agents and lets the kit judge them, each in a sandbox of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from acp_conformance.requirements import ASKED, Role
from acp_conformance.shape_requirements import shape_ids
from agent_catalogue import Candidate, Index
from agent_sandbox import Sandbox, SandboxError, last_line

__all__ = ["Workshop", "requirement_rows"]

ROOT: Final = Path(__file__).resolve().parents[1]
PEER: Final = ROOT / "tests/conformance/peer.mjs"
PYTHON_PEER: Final = ROOT / "tests/conformance/python_peer.py"
MOST: Final = 1800.0
"""The seconds after which the kit is stopped."""

INSTALLING: Final = 600.0
"""The seconds after which npm or pip is stopped."""

PASSES: Final = (("--trace", "shape"), ("--quick",))
"""What the kit plays: the rules apart from keys, and the quick traces about keys."""

WITHOUT_SESSIONS: Final = tuple(
    word
    for name in ("shape-initialize", "shape-newer-version", "shape-older-version")
    for word in ("--trace", name)
)
"""What can be played with an agent that opens no session without a login."""


OPEN: Final = "not exercised"
"""The status of a requirement that is left out."""

FAIL: Final = "fail"
"""The status of a requirement whose failure is described."""

MERGED: Final = ("requirements", "failures")
"""What an agent has once, and not for each run."""


class InstallError(Exception):
    """An agent can't be installed; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where agents are installed and judged.

    Attributes:
        folder: holds a folder for each agent.
        passes: the options of the kit, once for each run.
    """

    folder: Path
    passes: Sequence[Sequence[str]] = PASSES

    def judge(self, candidate: Candidate) -> dict[str, object]:
        """Install and judge an agent. What makes that impossible is in `reason`."""
        home = self.folder / candidate.name
        found: dict[str, object] = {
            "name": candidate.name,
            "package": candidate.package or None,
            "version": candidate.version,
            "note": candidate.note,
            "date": datetime.now(UTC).date().isoformat(),
        }
        runs: list[dict[str, Any]] = []
        reason = ""
        try:
            sandbox = Sandbox(home / "sandbox")
            sandbox.prepare()
            python = sandbox.python()
            command = self._command(candidate, home / "installed", python)
            runs.extend(self._reports(sandbox, [python, "-m", "acpgen"], command))
        except (InstallError, SandboxError, OSError) as error:
            reason = str(error)
        except subprocess.TimeoutExpired as error:
            reason = f"it was stopped after {error.timeout:.0f} seconds"
        reason = reason or next((run["problem"] for run in runs if not run["requirements"]), "")
        return {
            **found,
            "reason": _without_paths(reason, home),
            "runs": [_without_requirements(run, home) for run in runs],
            "requirements": _merged(runs, "requirements"),
            "failures": {
                id_: _without_paths(why, home) for id_, why in _merged(runs, "failures").items()
            },
        }

    def _command(self, candidate: Candidate, installed: Path, python: str) -> list[str]:
        node = shutil.which("node")
        if candidate.package and candidate.index is Index.PYPI:
            _install_from_pypi(candidate, installed, python)
        elif candidate.package:
            if node is None:
                raise InstallError("Node.js is missing")
            _install_from_npm(candidate, installed)
        names = {"{python}": python, "{node}": str(node), "{installed}": str(installed)}
        words = [*candidate.command]
        for name, value in names.items():
            words = [word.replace(name, value) for word in words]
        return words

    def _reports(
        self, sandbox: Sandbox, tool: Sequence[str], command: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        for number, options in enumerate(self.passes, 1):
            one = _report(sandbox, tool, options, command, number)
            yield one
            if not one["requirements"]:  # it opens no session, so that nothing else can be played
                yield _report(sandbox, tool, WITHOUT_SESSIONS, command, 0)
                return


def requirement_rows() -> list[dict[str, str]]:
    """The requirements for agents, as they are in the document: those about shapes first."""
    rows = sorted(
        (asked for asked in ASKED if asked.role is Role.AGENT),
        key=lambda asked: asked.id not in shape_ids(),
    )
    return [{"id": each.id, "level": each.level.value, "text": each.text} for each in rows]


def _install_from_pypi(candidate: Candidate, installed: Path, python: str) -> None:
    """Install a package of PyPI in a folder, for an interpreter.

    Raises:
        InstallError: pip refuses, or is missing.
    """
    package = f"{candidate.package}=={candidate.version}"
    asked = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--upgrade"]
    _run([*asked, "--target", str(installed / "packages"), package], "pip")
    (installed / PYTHON_PEER.name).write_text(PYTHON_PEER.read_text("utf-8"), "utf-8")


def _run(command: Sequence[str], program: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALLING)
    if done.returncode != 0:
        raise InstallError(f"{program} can't install it: {last_line(done.stderr)}")


def _install_from_npm(candidate: Candidate, installed: Path) -> None:
    """Install a package of npm in a folder.

    Raises:
        InstallError: npm refuses, or is missing.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise InstallError("npm is missing")
    installed.mkdir(parents=True, exist_ok=True)
    package = f"{candidate.package}@{candidate.version}"
    options = ("--no-audit", "--no-fund", "--loglevel", "error", "--prefix", str(installed))
    _run([npm, "install", *options, package], "npm")
    text = PEER.read_text("utf-8").replace("../interop/node_modules/", "./node_modules/")
    (installed / PEER.name).write_text(text, "utf-8")


def _report(
    sandbox: Sandbox,
    tool: Sequence[str],
    options: Sequence[str],
    command: Sequence[str],
    number: int,
) -> dict[str, Any]:
    """What the kit found in one run, with the digest of what it recorded."""
    record = sandbox.folder / f"record-{number}"
    kit = [*tool, "conform", "--format", "json", "--record", str(record)]
    done = sandbox.run([*kit, *options, "--", *command], MOST)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise SandboxError(f"the kit can't run: {last_line(done.stderr)}") from None
    run, agent = report.get("run", {}), report.get("agent")
    problems = [each["message"] for each in report["problems"]]
    return {
        "options": " ".join(options),
        "status": done.returncode,
        "agent": agent,
        "prompts": run.get("prompts", 0),
        "starts": run.get("starts", 0),
        "transcript": _digest(record),
        "problem": problems[0] if problems else "",
        "requirements": {
            each["id"]: each["status"] for each in report["requirements"] if each["status"] != OPEN
        },
        "failures": {
            each["id"]: _failure(each) for each in report["requirements"] if each["status"] == FAIL
        },
    }


def _failure(requirement: dict[str, Any]) -> str:
    """What the kit saw that breaks a requirement: the traces, each with the step."""
    return "; ".join([*requirement["details"]])


def _digest(record: Path) -> str | None:
    """The SHA-256 of all transcripts in a folder, one after the other, sorted by name."""
    files = sorted(record.glob("*.ndjson"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest() if files else None


def _merged(runs: Sequence[dict[str, Any]], what: str) -> dict[str, str]:
    """The status of each requirement, or its failure, in the first run that exercised it."""
    first: dict[str, dict[str, Any]] = {}
    for run in runs:
        first = {**dict.fromkeys(run["requirements"], run), **first}
    return {id_: run[what][id_] for id_, run in first.items() if id_ in run[what]}


def _without_requirements(run: dict[str, Any], home: Path) -> dict[str, Any]:
    kept = {name: value for name, value in run.items() if name not in MERGED}
    return {**kept, "problem": _without_paths(kept["problem"], home)}


def _without_paths(text: str, home: Path) -> str:
    return text.replace(str(home), "...").replace(str(ROOT), "...")
