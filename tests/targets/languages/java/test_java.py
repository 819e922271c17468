"""What only Java needs tested: its loop over the vectors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from language_loops import JARS, loops, put_keys, put_vectors, spoil, spoil_a_key
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, require, run, write, write_codec


@pytest.mark.prove("compiles for long")
def test_the_loop_of_java_passes_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["java"]
    require(language.name, *language.needs, *JARS)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    codec = write_codec(language, tmp_path, SUBJECTS["real"].protocol)
    keys = language.folder / "KeyTest.java"
    count = put_vectors(tmp_path) + put_keys(tmp_path) + keys.read_text().count("@Test\n")
    loop = file.with_name("AcpRetryTest.java")
    loop.write_text(loops()["java"], "utf-8")
    path = ":".join(map(str, (tmp_path / "out", *JARS)))
    compile_ = [
        "javac",
        "-encoding",
        "UTF-8",
        "-Xlint:all,-processing,-path",
        "-Werror",
        "-d",
        "out",
    ]
    run([*compile_, "-cp", path, file, codec, loop, keys], tmp_path)
    console = ["java", "-cp", path, "org.junit.platform.console.ConsoleLauncher"]
    name = ".".join([*file.relative_to(tmp_path).parent.parts, loop.stem])
    test = [
        *console,
        "--disable-banner",
        "--details=summary",
        "-c",
        name,
        "-c",
        name.replace("AcpRetryTest", "KeyTest"),
    ]
    assert f"[{count:>10} tests successful      ]" in run(test, tmp_path)
    spoil(tmp_path)
    spoil_a_key(tmp_path)
    with pytest.raises(AssertionError, match="java: ") as caught:
        run(test, tmp_path)
    failed = re.findall(r"^  JUnit Jupiter:AcpRetryTest:(\w+)", str(caught.value), re.MULTILINE)
    assert sorted(failed) == ["derivedVectors", "keyVectors", "resendVectors"]
