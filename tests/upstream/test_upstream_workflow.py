"""The scheduled job that follows upstream: its step is run as GitHub runs it."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unavailable
from acpgen.load import load

ROOT = Path(__file__).parents[2]
YAML: Any = importlib.import_module("yaml")
FILE = ROOT / ".github/workflows/upstream.yml"
WORKFLOW: dict[Any, Any] = YAML.safe_load(FILE.read_text("utf-8"))
JOB = WORKFLOW["jobs"]["follow"]
STEPS = {step["name"]: step["run"] for step in JOB["steps"] if "run" in step}


@pytest.fixture
def sdk(upstream_schemas: Path, tmp_path: Path) -> Path:
    """The installed package, where the job puts the newest one."""
    folder = Path(tmp_path, JOB["env"]["SDK"])
    shutil.copytree(upstream_schemas / "v2", folder / "schema" / "v2")
    shutil.copy(upstream_schemas.parent / "package.json", folder)
    return folder


def follow(folder: Path) -> tuple[int, str]:
    """Run the step. Returns its status and the summary of the job."""
    if shutil.which("node") is None:
        unavailable.skip("node is missing, with which the job reads the version")
    page = folder / "summary.md"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS["Follow it"]],
        cwd=folder,
        env={
            **os.environ,
            **JOB["env"],
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(page),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("", "")
    return done.returncode, page.read_text("utf-8")


def test_it_is_scheduled_and_may_only_read() -> None:
    assert WORKFLOW[True].keys() == {"schedule", "workflow_dispatch"}  # YAML takes `on` for true
    assert WORKFLOW["permissions"] == {"contents": "read"}


def test_it_takes_the_newest_release_that_npm_has() -> None:
    assert "@agentclientprotocol/sdk@latest" in STEPS["Take the newest release"]
    assert "--prefix upstream" in STEPS["Take the newest release"]


@pytest.mark.prove("calls the command for each schema of the release")
def test_a_known_release_is_clean_and_annotated(sdk: Path, tmp_path: Path) -> None:
    version = json.loads((sdk / "package.json").read_text("utf-8"))["version"]
    status, page = follow(tmp_path)
    assert status == 0, page
    assert page.startswith(f"## Upstream: @agentclientprotocol/sdk {version}\n")
    for name in ("schema.json", "schema.unstable.json"):
        assert f"### {name}, acpgen upstream compare: clean\n" in page
        assert f"### {name}, acpgen upstream overlay: clean\n" in page
        (tmp_path / "v2").mkdir(exist_ok=True)
        annotated = shutil.copy(tmp_path / "annotated" / name, tmp_path / "v2")
        assert all(method.retry is not None for method in load(Path(annotated)).methods)


@pytest.mark.prove("runs five commands on whole releases")
def test_a_new_definition_is_in_the_summary(sdk: Path, tmp_path: Path) -> None:
    release = sdk / "schema/v2/schema.json"
    document = json.loads(release.read_text("utf-8"))
    document["$defs"]["Kettle"] = {"type": "string"}
    release.write_text(json.dumps(document), "utf-8")
    status, page = follow(tmp_path)
    assert status == 1
    assert "### schema.json, acpgen upstream compare: findings\n" in page
    assert "Kettle" in page
    assert "### schema.unstable.json, acpgen upstream compare: clean\n" in page


@pytest.mark.prove("calls the command for each schema of the release")
def test_a_release_that_cannot_be_read_is_not_a_verdict(sdk: Path, tmp_path: Path) -> None:
    (sdk / "schema/v2/schema.json").write_text("{", "utf-8")
    status, page = follow(tmp_path)
    assert status == 2
    assert "### schema.json, acpgen upstream compare: no verdict\n" in page
    assert "### schema.unstable.json, acpgen upstream overlay: clean\n" in page
