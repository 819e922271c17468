"""Code and pages use plain words, so that nobody has to read a sentence twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = ("generator", "runtime", "templates", "docs", "schema", "README.md", "CONTRIBUTING.md")
KINDS = (".py", ".jinja", ".md")

INSTEAD = {
    r'"""Whether ': "True if",
    r"\b[Ww]ho(?:so)?ever\b": "the one who acts",
    r"\b(?:[Nn]obody|[Ss]omebody)\b": "the one who acts",
    r"\bin vain\b": "without effect",
    r"\b[Tt]old\b": "reported, printed",
    r"\b[Mm]end(?:s|ed)?\b": "fix",
    r"(?<!here )\bis no (?!longer|reason|room)[a-z]": "is not a",
    r"(?:^|[.:] )(?:Not [a-z]+|Judged|Compared|Reported) (?:is|are) ": "the subject first",
    r"\bof whom\b": "whose",
}
"""Words that a reader has to decode, each with what to write."""


def texts() -> list[tuple[str, str]]:
    files = (
        file
        for place in PLACES
        for file in ([ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*"))
        if file.suffix in KINDS and "node_modules" not in file.parts and "LICENSE" not in file.name
    )
    return [(file.relative_to(ROOT).as_posix(), file.read_text("utf-8")) for file in sorted(files)]


def found(texts: list[tuple[str, str]]) -> list[str]:
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()!r}; write: {instead}"
        for words, instead in INSTEAD.items()
        for name, text in texts
        for match in re.finditer(words, text, re.MULTILINE)
    ]


def test_words_are_plain() -> None:
    assert found(texts()) == []


@pytest.mark.parametrize(
    "text",
    [
        '"""Whether it is."""',
        "Whoever sends it.",
        "Nobody does.",
        "It waits in vain.",
        "It is told.",
        "Mend: leave it.",
        "A key that is null is no key.",
        "It reads. Not read are others.",
    ],
)
def test_a_riddle_is_found(text: str) -> None:
    assert len(found([("page.md", text)])) == 1


def test_plain_words_are_not_found() -> None:
    text = "There is no key. It is no longer there. That is no reason. We recommend it."
    assert found([("page.md", text)]) == []
