"""The loop over the vectors in Kotlin, compiled only.

No package of Debian or npm has the library for JSON that it uses.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from language_loops import JARS, loops
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, require, run, write


@pytest.mark.prove("compiles for long")
def test_the_loop_of_kotlin_compiles(tmp_path: Path) -> None:
    language = LANGUAGES["kotlin"]
    require(language.name, *language.needs, *JARS)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    loop = file.with_name("RetryTest.kt")
    loop.write_text(loops()["kotlin"], "utf-8")
    path = ["-no-reflect", "-cp", ":".join(map(str, JARS))]
    options = ["-Werror", "-jvm-target", "17", *path, "-d", "out.jar"]
    run(["bash", language.needs[-1], *options, language.folder / "Json.kt", file, loop], tmp_path)
