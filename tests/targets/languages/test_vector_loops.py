"""The loops that the page on resend vectors gives to authors of SDKs, run as they are printed.

Those in Rust, Kotlin and Java need libraries for JSON and tests that are not installed here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from acpgen.targets.vectors import derived, resends
from language_subjects import SUBJECTS, TEMPLATES
from language_tools import LANGUAGES, drivers, require, run, write


@pytest.fixture(scope="module")
def loops() -> dict[str, str]:
    """The loops over the vectors that the page about them has, by language."""
    page = resends(SUBJECTS["real"].protocol, TEMPLATES)["vectors/resend/README.md"]
    return dict(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def put_vectors(folder: Path) -> int:
    """Put the vectors that the loops take into a folder; how many they are."""
    protocol = SUBJECTS["real"].protocol
    count = 0
    for path, text in {**resends(protocol, TEMPLATES), **derived(protocol)}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        if file.suffix == ".json":
            count += len(json.loads(text).get("vectors", ()))
    return count


def test_every_language_has_a_loop_over_the_vectors(loops: dict[str, str]) -> None:
    assert loops.keys() == LANGUAGES.keys()


def test_the_loop_of_typescript_passes_and_bites(loops: dict[str, str], tmp_path: Path) -> None:
    language = LANGUAGES["typescript"]
    require(language.name, *language.needs)
    language.compile(tmp_path, write(language, tmp_path, [SUBJECTS["real"].protocol]), [])
    folder = tmp_path / "out" / "v2" / "schema"
    count = put_vectors(folder)
    (folder / "loop.mjs").write_text(loops["typescript"], "utf-8")
    counted = ["bash", "-c", "node --test-reporter tap loop.mjs | grep -E '^# (pass|fail) '"]
    assert run(counted, folder) == f"# pass {count}\n# fail 0\n"
    spoil(folder)
    assert run(counted, folder) == f"# pass {count - 2}\n# fail 2\n"


def test_the_loop_of_go_passes_and_bites(loops: dict[str, str], tmp_path: Path) -> None:
    language = LANGUAGES["go"]
    require(language.name, *language.needs)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    count = put_vectors(file.parent)
    (file.parent / "loop_test.go").write_text(loops["go"], "utf-8")
    language.compile(tmp_path, [file], drivers(language, tmp_path, ["v2"]))
    assert run([*language.layout, file.parent], tmp_path) == ""
    said = run(["go", "test", "-v", "./..."], tmp_path)
    assert len(re.findall("^    --- PASS: ", said, re.MULTILINE)) == count
    spoil(file.parent)
    with pytest.raises(AssertionError, match="go: ") as caught:
        run(["go", "test", "./..."], tmp_path)
    failed = re.findall("^    --- FAIL: (Test\\w+)/", str(caught.value), re.MULTILINE)
    assert failed == ["TestResendVectors", "TestDerivedVectors"]


def spoil(folder: Path) -> None:
    """Change what one vector of each kind expects."""
    for name, member in (("resend/methods.json", "answer"), ("derived.json", "messageId")):
        file = folder / "vectors" / name
        document = json.loads(file.read_text("utf-8"))
        document["vectors"][0][member] += "0"
        file.write_text(json.dumps(document), "utf-8")
