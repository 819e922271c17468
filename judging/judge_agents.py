"""`make agents`, or `python judging/judge_agents.py [NAME...]`: judge agents that ship.

Writes docs/agents.json and docs/agents.md. With names only these agents are judged anew. The exit
status is 0 also where an agent could not be judged: the page has the reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from acpgen import __version__
from agent_catalogue import CATALOGUE
from agent_judging import ROOT, Workshop, requirement_rows
from verdict_page import render

PAGE: Final = ROOT / "docs/agents.md"
DOCUMENT: Final = ROOT / "docs/agents.json"


def main() -> None:
    """Judge the agents that the command line names, or all."""
    names = [each.name for each in CATALOGUE]
    parser = argparse.ArgumentParser(prog="python judging/judge_agents.py", description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"one of {', '.join(names)}")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/agents")
    parser.add_argument("--render", action="store_true", help="judge nothing anew")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in names]:
        parser.error(f"there is no agent {unknown[0]}: the agents are {', '.join(names)}")
    workshop = Workshop(options.folder.resolve())
    before = json.loads(DOCUMENT.read_text("utf-8")) if DOCUMENT.exists() else {"agents": []}
    found: dict[str, Any] = {each["name"]: each for each in before["agents"]}
    for candidate in CATALOGUE:
        if not options.render and candidate.name in (options.names or names):
            print(f"{candidate.name} {candidate.version}", file=sys.stderr, flush=True)
            found[candidate.name] = workshop.judge(candidate)
    document = {
        "tool": {"name": "acpgen", "version": __version__},
        "requirements": requirement_rows(),
        "agents": [found[name] for name in names if name in found],
    }
    DOCUMENT.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(render(document), "utf-8")


if __name__ == "__main__":
    main()
