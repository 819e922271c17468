"""A method that is added to one schema file is known to everything that follows from it."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest

import proofs
from acpgen import resources, validate
from acpgen.lint import lint
from acpgen.load import load
from acpgen.model import RetryClass
from acpgen.targets import TARGETS
from acpgen.targets.generation import Plan, apply, generate
from whole_schema import whole_schema

DEMO = """
    "DemoSessionRequest": {
      "description": "Shows a session to somebody.",
      "x-method": "session/demo",
      "x-side": "agent",
      "x-retry-class": "idempotent",
      "x-resend": "Shows it once more.",
      "x-stability": "unstable",
      "x-errors": [
        { "code": -32800, "when": "The Client withdrew the request with `$/cancel_request`." }
      ],
      "type": "object",
      "properties": {
        "sessionId": {
          "description": "The session that is shown.",
          "$ref": "ids.json#/$defs/SessionId"
        },
        "_meta": { "$ref": "protocol.json#/$defs/Meta" }
      },
      "required": ["sessionId"],
      "examples": [{ "sessionId": "sess_7f3a" }]
    },

    "DemoSessionResponse": {
      "description": "Tells that the session was shown.",
      "x-method": "session/demo",
      "x-side": "agent",
      "x-stability": "unstable",
      "type": "object",
      "properties": { "_meta": { "$ref": "protocol.json#/$defs/Meta" } },
      "examples": [{}]
    },
"""
REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "session/demo", "params": {"sessionId": "s"}}


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schema") / "v2"
    shutil.copytree(resources.SCHEMA, folder)
    file = folder / "session.json"
    head, mark, tail = file.read_text("utf-8").partition('  "$defs": {\n')
    file.write_text(f"{head}{mark}{DEMO}\n{tail}", "utf-8")
    return folder


@pytest.fixture(scope="module")
def out(schema: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    order = Plan(schema, tmp_path_factory.mktemp("out"), TARGETS, resources.TEMPLATES)
    apply(order, generate(order))
    return order.out


def test_the_schema_is_still_clean(schema: Path) -> None:
    known = {finding.message for finding in lint(whole_schema())}
    assert [f for f in lint(load(schema)) if f.message not in known] == []


def test_the_loader_and_the_validator_know_it(schema: Path) -> None:
    protocol = load(schema)
    assert validate(json.dumps(REQUEST), protocol=protocol).accepted
    broken = {**REQUEST, "params": {}}
    assert validate(json.dumps(broken), protocol=protocol).code == -32602


def test_the_bundles_know_it(out: Path) -> None:
    unstable = json.loads((out / "schema/acp-v2.unstable.schema.json").read_text())
    stable = json.loads((out / "schema/acp-v2.schema.json").read_text())
    assert jsonschema_rs.is_valid(unstable, REQUEST)
    assert not jsonschema_rs.is_valid(unstable, {**REQUEST, "params": {}})
    assert not jsonschema_rs.is_valid(stable, REQUEST)


def test_the_tables_know_it(out: Path) -> None:
    rows = json.loads((out / "json/methods.json").read_text())["methods"]
    (row,) = [row for row in rows if row["method"] == "session/demo"]
    assert row["retryClass"] == RetryClass.IDEMPOTENT
    script = (
        "from acp_v2 import models, retry\n"
        "assert retry.resend('session/demo', {}).answer == 'as_is'\n"
        'demo = models.DemoSessionRequest.from_wire(b\'{"sessionId": "s"}\')\n'
        "assert models.method_of(type(demo)).name == 'session/demo'\n"
        "parsed = models.parse_params('session/demo', b'{\"sessionId\": \"s\"}')\n"
        "assert type(parsed) is type(demo)\n"
    )
    environment = {"PYTHONPATH": str(out / "python")}
    subprocess.run([sys.executable, "-P", "-c", script], env=environment, check=True)


def test_the_pages_know_it(out: Path) -> None:
    assert "Shows a session to somebody." in (out / "docs/methods/session-demo.md").read_text()
    assert "methods/session-demo.md" in (out / "docs/index.md").read_text()
    assert "methods/session-demo.md" in (out / "docs/retry-classes.md").read_text()
    assert "DemoSessionResponse" in (out / "docs/types/session.md").read_text()


def test_nothing_knows_it_without_the_edit() -> None:
    retry = importlib.import_module("acp_v2.retry")
    assert retry.find("session/demo") is None


FOLLOWERS = (
    "tests/lint",
    "tests/load",
    "tests/targets",
    "tests/test_golden.py",
    "tests/test_keys_everywhere.py",
    "tests/validate",
)
"""The tests of what follows from the schema. Upstream's schema is compared elsewhere."""


@pytest.mark.prove("runs thousands of tests in a copy of the repository")
def test_the_tests_of_the_repository_agree(schema: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(resources.ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    shutil.copytree(schema, copy / "schema" / "v2", dirs_exist_ok=True)
    roots = (
        "generator",
        "generated/python",
        "runtime/acp-wire",
        "runtime/acp-retry",
        "runtime/acp-conformance",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(copy / root) for root in roots)}
    environment.pop(proofs.VARIABLE, None)
    for arguments in (
        ("-m", "acpgen", "generate", "--full"),
        ("-m", "pytest", "-q", "-m", "not prove", "-p", "no:cacheprovider", *FOLLOWERS),
    ):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]


LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "*_cache", "__pycache__", ".hypothesis")
