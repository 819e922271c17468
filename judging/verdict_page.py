"""The page of verdicts, rendered from the document that `make agents` writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from acpgen.emit.markdown import Inline, code, prose, table, text

__all__ = ["render"]

Document = Mapping[str, Any]

OPEN: Final = "not exercised"
UNUSABLE: Final = "the program under test can't be judged: "
_WORDS: Final = {"fail": "**fail**", OPEN: ""}

HEAD: Final = """# Agents

What the conformance kit saw of agents that ship. `make agents` installs them, plays traces with
each, and writes this page and [agents.json](agents.json); nothing is written by hand. Each agent
ran as an ordinary user in a sandbox: without network, with an empty home, and without the variables
of the environment. No agent was logged in.

A pass means that the traces which were played showed nothing else, in this version on this day.
These are `--trace shape` and `--quick`; `partly` means that more traces are about the requirement.
An empty cell means that it was not exercised, which is neither a pass nor a failure.
"""


def render(document: Document) -> str:
    """The page in Markdown."""
    return "\n".join([HEAD, *_lines(document)]) + "\n"


def _lines(document: Document) -> Iterator[str]:
    agents: Sequence[Document] = document["agents"]
    yield table(_heads("Agent", "Version", "Date", "Result"), [_summary(each) for each in agents])
    yield ""
    yield "## Requirements"
    yield ""
    judged = [each for each in agents if each["requirements"]]
    heads = _heads("Requirement", "Level", *(each["name"] for each in judged))
    yield table(heads, [_row(asked, judged) for asked in document["requirements"]])
    yield ""
    yield "## Failures"
    yield ""
    yield "What the kit saw first, by trace and step. `acpgen explain ID` has the rule."
    yield ""
    heads = _heads("Agent", "Requirement", "Seen")
    rows = [(each["name"], *failure) for each in agents for failure in each["failures"].items()]
    yield table(heads, [[text(name), code(id_), prose(seen)] for name, id_, seen in rows])
    yield ""
    yield "## Runs"
    yield ""
    yield (
        "The digest is the SHA-256 of the transcripts of a run, one after the other by name. Keys"
        " are random, so that each run has another."
    )
    yield ""
    heads = _heads(
        "Agent", "Options", "Reports itself as", "Prompts", "Starts", "Digest", "Left out"
    )
    yield table(heads, [_run(each, run) for each in agents for run in each["runs"]])


def _heads(*words: str) -> list[Inline]:
    return [text(word) for word in words]


def _summary(agent: Document) -> list[Inline]:
    name = code(agent["package"] or agent["name"])
    counts = Counter(agent["requirements"].values())
    shown = [f"{counts[word]} {word}" for word in ("pass", "partly", "fail") if counts[word]]
    reason = agent["reason"].removeprefix(UNUSABLE)
    sentences = [", ".join(shown) if shown else "not judged", reason, agent["note"]]
    result = ". ".join(prose(each).rstrip(".") for each in sentences if each)
    return [name, code(agent["version"]), text(agent["date"]), Inline(f"{result}.")]


def _row(asked: Document, judged: Sequence[Document]) -> list[Inline]:
    statuses = [each["requirements"].get(asked["id"], OPEN) for each in judged]
    cells = (Inline(_WORDS.get(each, each)) for each in statuses)
    return [code(asked["id"]), text(asked["level"]), *cells]


def _run(agent: Document, run: Document) -> list[Inline]:
    own = run["agent"] or {"name": "", "version": ""}
    digest = run["transcript"]
    return [
        text(agent["name"]),
        code(run["options"]),
        prose(f"{own['name']} {own['version']}".strip()),
        text(str(run["prompts"])),
        text(str(run["starts"])),
        code(digest) if digest else Inline(""),
        prose(run["problem"].removeprefix(UNUSABLE)),
    ]
