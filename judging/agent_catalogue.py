"""The agents that `make agents` judges: where each comes from, and how it is started."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["CATALOGUE", "Candidate", "Index"]


class Index(StrEnum):
    """Where packages are installed from."""

    NPM = "npm"
    PYPI = "PyPI"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An agent to judge.

    Attributes:
        name: its short name, also that of its folder.
        package: its package; empty for an agent of this repository.
        version: the version to install.
        command: what starts it. `{python}` is the interpreter, `{node}` Node.js, `{installed}` the
            folder with its `node_modules` or `packages`, and `{folder}` a folder of each trace.
        note: what a reader of the verdicts has to know about it.
        index: where the package is from.
    """

    name: str
    package: str
    version: str
    command: tuple[str, ...]
    note: str = ""
    index: Index = Index.NPM


CATALOGUE: Final = (
    Candidate(
        "reference",
        "",
        "1",
        ("{python}", "-m", "acp_conformance.reference", "--store", "{folder}/store"),
        "The agent of this repository that tries out the kit. It opens no second connection here.",
    ),
    Candidate(
        "typescript-sdk",
        "@agentclientprotocol/sdk",
        "2.4.0",
        ("{node}", "{installed}/peer.mjs", "{folder}/store"),
        "An agent of this repository on the typed handlers of the SDK, whose package contains no"
        " agent: `tests/conformance/peer.mjs`.",
    ),
    Candidate(
        "python-sdk",
        "agent-client-protocol",
        "1.0.0rc3",
        ("{python}", "{installed}/python_peer.py", "{folder}/store"),
        "An agent of this repository on the typed handlers of `acp.experimental.v2`, whose package"
        " contains no agent of version 2: `tests/conformance/python_peer.py`.",
        Index.PYPI,
    ),
    Candidate(
        "claude-agent-acp",
        "@agentclientprotocol/claude-agent-acp",
        "0.101.0",
        ("{node}", "{installed}/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"),
        "It answers prompts without a login, with an error of its turn after the insertion.",
    ),
    Candidate(
        "codex-acp",
        "@agentclientprotocol/codex-acp",
        "2.6.0",
        ("{node}", "{installed}/node_modules/@agentclientprotocol/codex-acp/dist/index.js"),
    ),
    Candidate(
        "gemini-cli",
        "@google/gemini-cli",
        "0.61.0",
        ("{node}", "{installed}/node_modules/.bin/gemini", "--experimental-acp"),
    ),
)
"""One agent a row. One that prompts a hosted model by itself must not be among them."""
