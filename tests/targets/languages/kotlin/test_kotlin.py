"""What only Kotlin needs tested: its loop over the vectors.

Debian and npm lack the JSON library that the loop uses: `make kotlinx` gets it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from language_loops import JARS, KOTLINX, loops, put_keys, put_vectors, spoil, spoil_a_key
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, require, run, write, write_codec


@pytest.mark.prove("compiles for long")
def test_the_loop_of_kotlin_passes_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["kotlin"]
    compiler = Path(language.needs[-1])
    require(language.name, *language.needs, *JARS, *KOTLINX)
    protocol = SUBJECTS["real"].protocol
    (file,) = write(language, tmp_path, [protocol])
    codec = write_codec(language, tmp_path, protocol)
    loop = tmp_path / "RetryTest.kt"
    loop.write_text(loops()["kotlin"], "utf-8")
    libraries = ":".join(map(str, (*JARS, *KOTLINX)))
    strict = ["-Werror", "-Wextra", "-jvm-target", "17", "-no-reflect"]
    kotlinc: list[str | Path] = ["bash", compiler, *strict]
    explicit: list[str | Path] = [
        "-Xexplicit-api=strict",
        "-cp",
        libraries,
        "-d",
        "table.jar",
        file,
        codec,
    ]
    run([*kotlinc, *explicit], tmp_path)
    run([*kotlinc, "-cp", f"table.jar:{libraries}", "-d", "loop.jar", loop], tmp_path)
    count = put_vectors(tmp_path) + put_keys(tmp_path)
    standard = compiler.parents[1] / "lib" / "kotlin-stdlib.jar"
    path = f"loop.jar:table.jar:{libraries}:{standard}"
    console = ["java", "-cp", path, "org.junit.platform.console.ConsoleLauncher"]
    name = "com.agentclientprotocol.model.v2.retry.RetryTest"
    test = [*console, "--disable-banner", "--details=summary", "-c", name]
    assert f"[{count:>10} tests successful      ]" in run(test, tmp_path)
    spoil(tmp_path)
    spoil_a_key(tmp_path)
    with pytest.raises(AssertionError, match="java: ") as caught:
        run(test, tmp_path)
    failed = re.findall(r"^  JUnit Jupiter:RetryTest:(\w+)", str(caught.value), re.MULTILINE)
    assert sorted(failed) == ["derivedVectors", "keyVectors", "resendVectors"]
