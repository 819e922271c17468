"""What mypy and pyright know of the generated models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.targets.checkers import checkers
from acpgen.targets.models import models
from acpgen.targets.tables import retry
from model_packages import write
from whole_schema import whole_schema

TEMPLATES = Templates(resources.TEMPLATES)
PROTOCOL = whole_schema()

PROGRAM = """
from typing import assert_type

from acp_v2.models import (
    AcpModel,
    ContentChunk,
    ContentBlock,
    ContentBlockText,
    IdleStateUpdate,
    MessageMcpNotification,
    MessageMcpRequest,
    PromptRequest,
    PromptResponse,
    SessionUpdate,
    SessionUpdateStateUpdateIdle,
    SetSessionConfigOptionRequest,
    StateUpdate,
    method_of,
    parse,
    parse_params,
    parse_result,
    signature as signature_of,
)
from pydantic import Field, PrivateAttr

request = PromptRequest(
    session_id="s", prompt=[ContentBlockText(type="text", text="x")], idempotency_key="k"
)
response: PromptResponse = PromptResponse.from_wire(b"{}")
parsed: PromptRequest = parse(PromptRequest, request.to_wire())
signature = method_of(PromptRequest)
if signature is not None:
    name: str = signature.name
    print(name, signature.retry_class.value)

assert_type(parse_params("session/prompt", b""), PromptRequest)
assert_type(parse_params("session/prompt", b"", "request", tolerant=True), PromptRequest)
assert_type(parse_params("mcp/message", b""), MessageMcpRequest)
assert_type(parse_params("mcp/message", b"", "notification"), MessageMcpNotification)
assert_type(parse_params("session/set_config_option", b""), SetSessionConfigOptionRequest)
assert_type(parse_result("session/prompt", b""), PromptResponse)


def read(method: str) -> AcpModel:
    model: AcpModel = parse(signature_of(method).params_type, b"")
    return model


blocks: list[ContentBlock] = [ContentBlockText(text="x")]
PromptRequest(session_id="s", prompt=blocks)


def kind(update: SessionUpdate) -> str:
    match update:
        case IdleStateUpdate(background=background, stop_reason=reason):
            return f"{background} {reason}"
        case StateUpdate() | ContentChunk():
            return "at work"
        case _:
            return "other"


def is_idle(update: SessionUpdate) -> bool:
    return isinstance(update, SessionUpdateStateUpdateIdle)


class Noted(PromptRequest):
    note: str = Field(default="")
    _read: bool = PrivateAttr(default=False)


Noted(session_id="s", prompt=blocks, note="n")
seen: dict[type[AcpModel], int] = {Noted: 1, PromptRequest: 2, type(request): 3}
"""
MISTAKES = {
    'PromptRequest(session_id="s")': "prompt",
    'PromptRequest(session_id="s", prompt=[], idempotencykey="k")': "idempotencykey",
    'PromptRequest(session_id="s", prompt=[], idempotency_key=7)': "idempotency_key",
    "PromptRequest(session_id=None, prompt=[])": "session_id",
    'PromptRequest(session_id="s", prompt=[]).session_id = "t"': "session_id",
    'parse_params("session/prompt", b"").sessionId': "sessionId",
    'parse_result("session/prompt", b"").message': "message",
    'parse_params("session/promt", b"")': "parse_params",
    'parse_result("session/cancel", b"")': "parse_result",
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated package with programs that use it beside it."""
    folder = tmp_path_factory.mktemp("checkout")
    for target in (models, retry, checkers):
        write(target(PROTOCOL, TEMPLATES), folder)
    # Otherwise the committed package would be found first.
    (folder / "python" / "pyrightconfig.json").write_text('{"extraPaths": ["."]}')
    (folder / "python" / "program.py").write_text(PROGRAM)
    imports = "from acp_v2.models import PromptRequest, parse_params, parse_result\n"
    for number, line in enumerate(MISTAKES):
        (folder / "python" / f"mistake{number}.py").write_text(f"{imports}{line}\n")
    return folder / "python"


def run(folder: Path, *command: str) -> str:
    """What a type checker reports."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def lines(report: str, file: str) -> list[str]:
    return [line for line in report.splitlines() if file in line and "error" in line]


def assert_only_mistakes_are_found(report: str) -> None:
    assert "program.py" not in report
    assert "acp_v2/" not in report
    for number, name in enumerate(MISTAKES.values()):
        found = lines(report, f"mistake{number}.py")
        assert found
        assert any(name in line or "arg-type" in line for line in found), found


@pytest.mark.prove("checks a program and all models; `make check` checks the models alone")
def test_mypy_finds_nothing_but_mistakes(checkout: Path) -> None:
    options = ("--strict", "--python-version", "3.11", "--cache-dir", "cache")
    assert_only_mistakes_are_found(run(checkout, "mypy", *options, "."))


@pytest.mark.prove("checks with a second type checker")
def test_pyright_finds_nothing_but_mistakes(checkout: Path) -> None:
    options = ("--pythonversion", "3.11", "--pythonpath", sys.executable)
    report = run(checkout, "pyright", *options, "-p", ".").replace(f"{checkout}/", "")
    assert_only_mistakes_are_found(report)
