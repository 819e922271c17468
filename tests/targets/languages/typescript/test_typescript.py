"""What only TypeScript needs tested: its loop over the vectors, and the types of its params."""

from __future__ import annotations

from pathlib import Path

from language_loops import loops, put_vectors, spoil
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, require, run, write


def test_the_loop_of_typescript_passes_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["typescript"]
    require(language.name, *language.needs)
    language.compile(tmp_path, write(language, tmp_path, [SUBJECTS["real"].protocol]), [])
    folder = tmp_path / "out" / "v2" / "schema"
    count = put_vectors(folder)
    (folder / "loop.mjs").write_text(loops()["typescript"], "utf-8")
    counted = ["bash", "-c", "node --test-reporter tap loop.mjs | grep -E '^# (pass|fail) '"]
    assert run(counted, folder) == f"# pass {count}\n# fail 0\n"
    spoil(folder)
    assert run(counted, folder) == f"# pass {count - 2}\n# fail 2\n"


def test_typescript_refuses_params_that_are_no_object(tmp_path: Path) -> None:
    language = LANGUAGES["typescript"]
    require(language.name, *language.needs)
    files = write(language, tmp_path, [SUBJECTS["real"].protocol])
    language.compile(tmp_path, files, [])
    script = (
        'import { resend } from "./out/v2/schema/retry.gen.js";\n'
        'for (const params of ["{}", [], 1, true]) {\n'
        '  try { resend("session/prompt", params); console.log("taken"); }\n'
        "  catch (error) { console.log(error.constructor.name); }\n"
        "}\n"
    )
    (tmp_path / "script.mjs").write_text(script)
    assert run(["node", "script.mjs"], tmp_path).split() == ["TypeError"] * 4
