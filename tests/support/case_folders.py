"""Cases that are folders: `<topic>/ok-*` and `<topic>/bad-*`, with the findings that are expected.

A `bad-*` folder holds them in findings.txt, as the command line prints them there; an `ok-*` folder
has no such file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

EXPECTED = "findings.txt"


def folders(root: Path, kind: str = "") -> list[Path]:
    """The cases, topic by topic: all, or those that are `ok` or `bad`."""
    return sorted(path for path in root.glob(f"*/{kind}*") if path.is_dir())


def name(folder: Path) -> str:
    """What a case is called in a test report."""
    return f"{folder.parent.name}/{folder.name}"


def expected(folder: Path) -> str:
    """The findings that a case expects, whole lines."""
    file = folder / EXPECTED
    return file.read_text("utf-8") if file.exists() else ""


def kinds(root: Path) -> Mapping[str, set[str]]:
    """For each topic which of `ok` and `bad` it has cases of."""
    found: dict[str, set[str]] = defaultdict(set)
    for folder in folders(root):
        found[folder.parent.name].add(folder.name.partition("-")[0])
    return found


def misfits(root: Path) -> list[str]:
    """What lies among the cases and is not a case, or doesn't keep to the form of one."""
    cases = folders(root)
    strays = [path for path in root.iterdir() if not path.is_dir()]
    strays += [path for topic in root.iterdir() for path in topic.glob("*") if not path.is_dir()]
    wrong = [
        path
        for path in cases
        if (path.name.partition("-")[0], bool(expected(path))) not in {("ok", False), ("bad", True)}
    ]
    return sorted(path.relative_to(root).as_posix() for path in strays + wrong)
