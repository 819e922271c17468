"""A missing package of an extra is named, with a command that installs it from the index."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from acp_wire.extras import EXTRAS

ROOT = Path(__file__).parents[2]
DISTRIBUTIONS = ("runtime/acp-wire", "runtime/acp-retry", "runtime/acp-conformance")


def error_without(package: str, statement: str) -> str:
    """The last line of what a statement raises where a package is not installed."""
    script = (
        f"import sys; sys.path[:0] = {sys.path!r}; sys.modules[{package!r}] = None; {statement}"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("package", "statement", "extra"),
    [
        ("msgspec", "import acp_v2.decoders", "fast"),
        ("pydantic", "from acp_v2.models import PromptRequest", "models"),
        ("typing_extensions", "from acp_v2.models import PromptRequest", "models"),
        ("acp", "import acp_retry.sdk", "sdk"),
        ("psycopg", "import acp_retry.stores.postgres", "postgres"),
        (
            "httpx2",
            "import asyncio, acp_wire.remote as r; asyncio.run(r.Remote('http://h').connect())",
            "remote",
        ),
        (
            "websockets",
            "import asyncio, acp_wire.remote as r; asyncio.run(r.Remote('ws://h').connect())",
            "remote",
        ),
    ],
)
def test_a_missing_package_is_named_with_its_command(
    package: str, statement: str, extra: str
) -> None:
    error = error_without(package, statement)
    assert error.startswith("acp_wire.extras.MissingExtraError: ")
    assert f" needs {package}" in error
    assert "run `pip install " in error
    assert all(requirement in error for requirement in EXTRAS[extra])


@pytest.mark.parametrize("folder", [*DISTRIBUTIONS, "generated/python"])
def test_the_packages_are_those_of_the_distributions(folder: str) -> None:
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
    for extra, requirements in project["optional-dependencies"].items():
        assert tuple(requirements) == EXTRAS[extra]
