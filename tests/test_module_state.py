"""No module keeps what changes while it is used, so that two users of it don't meet."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOUSE = ("generator/acpgen", "runtime")

STATE = re.compile(
    r"^ +global |"
    r"^\w+(?:: (?:Final\[)?(?:dict|list|set|deque|defaultdict|Counter|OrderedDict)\[[^=]*)? = "
    r"(?:\{\}|\[\]|(?:dict|list|set|deque|defaultdict|Counter|OrderedDict|count|iter)"
    r"(?:\[[^=]*\])?\()|"
    r"^\w+: (?:Final\[)?(?:dict|list|set)\[",
    re.MULTILINE,
)
"""A `global` statement, and a name of a module for a value that can change."""

ALLOWED = {
    "generator/acpgen/targets/checkers/compiled_checkers.py": "a number in the names of modules, "
    "which Python keeps in one table",
    "runtime/acp-wire/acp_wire/reader.py": "scanners that are not in use; a text gets one for "
    "itself, and a scanner keeps nothing of a text",
}
"""Modules with state, each with the reason why no user notices it."""


def test_no_module_keeps_what_changes() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): [match.group().strip() for match in matches]
        for folder in HOUSE
        for path in (ROOT / folder).rglob("*.py")
        if (matches := [*STATE.finditer(path.read_text("utf-8"))])
    }
    assert {path: lines for path, lines in found.items() if path not in ALLOWED} == {}
    assert found.keys() >= ALLOWED.keys()


def test_state_is_recognised() -> None:
    for text in (
        "def f() -> None:\n    global _count\n",
        "_MEMORY: dict[int, str] = {}\n",
        "_seen = set[str]()\n",
        "_numbers = count()\n",
        "_waiting: list[int] = [1]\n",
    ):
        assert STATE.search(text), text
    for text in ("_WORDS: Mapping[str, str] = {}\n", "def f() -> None:\n    seen = set[str]()\n"):
        assert not STATE.search(text), text
