"""What VS Code offers for a message, with the settings that schema/README.md shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import unavailable

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
README = (ROOT / "schema/README.md").read_text("utf-8")
PROMPT = '{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": %s}'
MEMBERS = ["sessionId", "prompt", "idempotencyKey", "_meta"]


def settings() -> dict[str, Any]:
    """The settings of the README."""
    (block,) = re.findall(r"```json\n(\{\n  \"json\.schemas\".*?)```", README, re.DOTALL)
    found: dict[str, Any] = json.loads(block)
    return found


def offered(
    folder: Path, documents: list[tuple[str, str]], used: dict[str, Any]
) -> list[dict[str, Any]]:
    """What the service offers at the cursor of each document."""
    if shutil.which("node") is None or not (HERE / "node_modules").is_dir():
        unavailable.skip("the JSON language service is missing; run `make node`")
    asked = {
        "settings": used,
        "folder": str(folder),
        "documents": [{"name": name, "marked": marked} for name, marked in documents],
    }
    done = subprocess.run(
        ["node", HERE / "editor.mjs"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the bundles where the settings name them."""
    shutil.copytree(ROOT / "generated/schema", tmp_path / "generated/schema")
    return tmp_path


def test_params_of_a_prompt_are_completed_explained_and_checked(workspace: Path) -> None:
    key = '{"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "idempotency|Key": %s}'
    documents = [
        ("new.acp.json", PROMPT % "{|}"),
        ("key.acp.json", PROMPT % (key % '"k"')),
        ("bad.acp.json", PROMPT % (key % '""')),
        ("new.json", PROMPT % "{|}"),
    ]
    new, good, bad, other = offered(workspace, documents, settings())
    assert new["labels"] == MEMBERS
    assert 'Missing property "sessionId".' in new["problems"]
    assert "one submission of a prompt" in good["hover"]
    assert good["problems"] == []
    assert bad["problems"] == ["String is shorter than the minimum length of 1."]
    assert (other["labels"], other["problems"]) == ([], [])


def test_a_schema_beside_a_bundle_refers_to_it_by_its_name(workspace: Path) -> None:
    (text,) = re.findall(r"`(\{\"\$ref\": \"acp-v2.*?\})`", README)
    (workspace / "generated/schema/params.schema.json").write_text(text, "utf-8")
    used = settings()
    used["json.schemas"][0]["url"] = "./generated/schema/params.schema.json"
    (params,) = offered(workspace, [("params.acp.json", "{|}")], used)
    assert params["labels"] == MEMBERS


def test_a_bundle_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    (new,) = offered(tmp_path, [("new.acp.json", PROMPT % "{|}")], settings())
    assert new["labels"] == []
    assert any("Unable to load schema" in problem for problem in new["problems"])
