"""The jar for Kotlin, used from a fresh project."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from language_tools import LANGUAGES, NODE_MODULES, TESTS, require, run
from package_building import GENERATED, RELEASE, build, write

_PROGRAM = """
import com.agentclientprotocol.model.v2.retry.RetryKt;

public final class Use {
	public static void main(String[] arguments) {
		System.out.println(RetryKt.retryClass("session/prompt", null));
	}
}
"""


def test_the_pom_names_the_standard_library_of_the_compiler() -> None:
    compilers = json.loads((TESTS / "languages/package.json").read_text("utf-8"))["dependencies"]
    pom = (GENERATED / "kotlin/pom.xml").read_text("utf-8")
    named = re.search(r"<artifactId>kotlin-stdlib</artifactId>\s*<version>(.*)</version>", pom)
    assert named is not None
    assert named[1] == compilers["kotlin-compiler"]


@pytest.mark.prove("compiles Kotlin")
def test_the_jar_is_used(tmp_path: Path) -> None:
    require("kotlin", *LANGUAGES["kotlin"].needs, "javac")
    jar, _, _ = build(GENERATED / "kotlin", tmp_path)
    assert jar.name == f"acp-v2-kotlin-{RELEASE}.jar"
    library = NODE_MODULES / "kotlin-compiler/lib/kotlin-stdlib.jar"
    project = write(tmp_path / "project", {"Use.java": _PROGRAM})
    run(["javac", "-cp", f"{jar}:{library}", "-d", "out", "Use.java"], project)
    assert run(["java", "-cp", f"out:{jar}:{library}", "Use"], project) == "KEYED\n"
