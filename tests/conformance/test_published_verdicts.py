"""The page about agents is rendered from its document, and `make agents` judges in a sandbox."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unavailable
from acp_conformance.requirements import ASKED, Role
from agent_catalogue import CATALOGUE, Candidate, Index
from agent_judging import WITHOUT_SESSIONS, Workshop, requirement_rows
from agent_sandbox import Sandbox, SandboxError
from verdict_page import render

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT: dict[str, Any] = json.loads((DOCS / "agents.json").read_text("utf-8"))
SHIPPING = Path(__file__).parents[1] / "support" / "shipping_agent.py"
RENDER = "after a change of requirements or of the page: python judging/judge_agents.py --render"
FEW = (("--trace", "retry-answer"),)
REFERENCE = next(each for each in CATALOGUE if each.name == "reference")


@pytest.fixture
def workshop() -> Iterator[Workshop]:
    """One that plays a single trace. The user of a sandbox can't reach the folders of pytest."""
    if shutil.which("unshare") is None:
        unavailable.skip("unshare is missing: install util-linux")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        sandbox = Sandbox(folder / "sandbox")
        try:
            sandbox.prepare()
            sandbox.python()
        except SandboxError as error:
            pytest.skip(str(error))  # a container may forbid it, also in CI
        yield Workshop(folder, FEW)


def test_the_page_is_rendered_from_the_document() -> None:
    assert (DOCS / "agents.md").read_text("utf-8") == render(DOCUMENT), RENDER


def test_the_document_has_the_agents_of_the_catalogue() -> None:
    versions = {each["name"]: each["version"] for each in DOCUMENT["agents"]}
    assert versions == {each.name: each.version for each in CATALOGUE}


def test_the_document_has_all_requirements_for_agents() -> None:
    assert DOCUMENT["requirements"] == requirement_rows(), RENDER
    assert {each["id"] for each in DOCUMENT["requirements"]} == {
        asked.id for asked in ASKED if asked.role is Role.AGENT
    }


def test_each_agent_was_judged_or_has_a_reason() -> None:
    silent = [
        each["name"]
        for each in DOCUMENT["agents"]
        if not (each["reason"] or (each["requirements"] and all_digests(each)))
    ]
    assert silent == []


def all_digests(agent: dict[str, Any]) -> bool:
    return all(len(run["transcript"] or "") == 64 for run in agent["runs"])


def test_the_reference_is_judged_in_its_sandbox(workshop: Workshop) -> None:
    found: Any = workshop.judge(REFERENCE)
    assert found["reason"] == ""
    assert found["requirements"]["support-keys"] == "pass"
    (run,) = found["runs"]
    assert run["agent"] == {"name": "acp-conformance-reference", "version": "1"}
    assert all_digests(found)


@pytest.mark.prove("judges an agent twice in its sandbox")
def test_what_needs_a_login_is_judged_as_far_as_it_came(workshop: Workshop) -> None:
    command = ("{python}", str(SHIPPING), "{folder}", "login")
    found: Any = workshop.judge(Candidate("login", "", "1", command))
    assert "session/new was answered with the error -32000" in found["reason"]
    assert [run["options"] for run in found["runs"]] == [
        " ".join(FEW[0]),
        " ".join(WITHOUT_SESSIONS),
    ]
    assert found["requirements"] == dict.fromkeys(
        ("negotiates-version", "refuses-old-versions", "initialize-shape"), "pass"
    )


def test_an_agent_that_can_not_be_installed_has_a_reason(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho no such version >&2\nexit 1\n", "utf-8")
    npm.chmod(0o755)
    found_at = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name: str(npm) if name in ("npm", "node") else found_at(name)
    )
    found: Any = workshop.judge(Candidate("absent", "absent", "0", ("{node}",)))
    assert found["reason"] == "npm can't install it: no such version"
    assert (found["runs"], found["requirements"]) == ([], {})


def test_a_package_of_pypi_that_can_not_be_installed_has_a_reason(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    found: Any = workshop.judge(Candidate("absent", "absent", "0", (), index=Index.PYPI))
    assert found["reason"].startswith("pip can't install it: ERROR: ")
    assert "absent==0" in found["reason"]
    assert (found["runs"], found["requirements"]) == ([], {})


def test_a_sandbox_has_no_network_and_no_variables(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "secret")
    sandbox = Sandbox(workshop.folder / "sandbox")
    done = sandbox.run(["sh", "-c", "env; cat /proc/net/dev; id -u; touch here"], 60)
    assert done.returncode == 0
    assert "SECRET" not in done.stdout
    devices = [line.split(":")[0].strip() for line in done.stdout.splitlines() if ": " in line]
    assert [each for each in devices if "=" not in each and each != "face"] == ["lo"]
    assert (sandbox.folder / "here").exists()
