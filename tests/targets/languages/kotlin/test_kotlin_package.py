"""The jar for Kotlin, used from a fresh project."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from language_loops import KOTLINX
from language_tools import LANGUAGES, NODE_MODULES, TESTS, require, run
from package_building import GENERATED, RELEASE, build, write

_PROGRAM = """
import com.agentclientprotocol.model.v2.retry.IdempotencyKey
import com.agentclientprotocol.model.v2.retry.resend

fun main() {
    println(resend("session/prompt", mapOf("idempotencyKey" to IdempotencyKey.generate())).answer)
    println(resend("session/prompt", mapOf("idempotencyKey" to 5)).answer)
}
"""
_WITH_JSON = """
import com.agentclientprotocol.model.v2.retry.IdempotencyKey
import com.agentclientprotocol.model.v2.retry.IdempotencyKeySerializer
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json

fun main() {
    val lenient = Json { isLenient = true }
    println(lenient.encodeToString(IdempotencyKeySerializer, IdempotencyKey("k")))
    try {
        println(lenient.decodeFromString(IdempotencyKeySerializer, "5"))
    } catch (error: SerializationException) {
        println(error.message)
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
    kotlin = LANGUAGES["kotlin"]
    require("kotlin", *kotlin.needs, *KOTLINX)
    jar, sources, _ = build(GENERATED / "kotlin", tmp_path)
    assert jar.name == f"acp-v2-kotlin-{RELEASE}.jar"
    serializer = "com/agentclientprotocol/model/v2/retry/IdempotencyKeySerializer.kt"
    assert serializer in zipfile.ZipFile(sources).namelist()
    library = NODE_MODULES / "kotlin-compiler/lib/kotlin-stdlib.jar"
    printed = {"Use": "SAME_KEY\nNOT_AT_ALL\n", "UseJson": '"k"\nAn idempotency key is a string\n'}
    programs = {"Use.kt": _PROGRAM, "UseJson.kt": _WITH_JSON}
    project = write(tmp_path / "project", programs)
    for name, wanted in printed.items():
        json_library = KOTLINX if name == "UseJson" else []
        path = ":".join(map(str, [jar, library, *json_library]))
        compiler: list[str | Path] = ["bash", kotlin.needs[-1], "-no-reflect", "-cp", path]
        run([*compiler, "-d", f"{name}.jar", f"{name}.kt"], project)
        assert run(["java", "-cp", f"{name}.jar:{path}", f"{name}Kt"], project) == wanted
