"""What only TypeScript needs tested: its loop over the vectors, and the types of its params."""

from __future__ import annotations

from pathlib import Path

from language_loops import loops, put_keys, put_vectors, spoil, spoil_a_key
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, require, run, write


def test_the_loop_of_typescript_passes_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["typescript"]
    require(language.name, *language.needs)
    language.compile(tmp_path, write(language, tmp_path, [SUBJECTS["real"].protocol]), [])
    folder = tmp_path / "out" / "v2" / "schema"
    count = put_vectors(folder) + put_keys(folder)
    (folder / "loop.mjs").write_text(loops()["typescript"], "utf-8")
    counted = ["bash", "-c", "node --test-reporter tap loop.mjs | grep -E '^# (pass|fail) '"]
    assert run(counted, folder) == f"# pass {count}\n# fail 0\n"
    spoil(folder)
    spoil_a_key(folder)
    assert run(counted, folder) == f"# pass {count - 3}\n# fail 3\n"


KEYS = """import { IdempotencyKey, resend } from "./out/v2/schema/retry.gen.js";

const lone = "\\ud83d";
const emoji = "\\u{1f511}";
const texts = ["", "k", emoji.repeat(255), emoji.repeat(256), "k" + lone, "secret".repeat(50)];
for (const text of texts) {
  try {
    console.log(IdempotencyKey.of(text) === text, IdempotencyKey.is(text));
  } catch (error) {
    console.log(error.name, error.message, IdempotencyKey.is(text));
  }
}
console.log([5, 1.5, true, null, undefined, [], {}, new String("k")].some(IdempotencyKey.is));
console.log(IdempotencyKey.MAX_LENGTH);
const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const { generate } = IdempotencyKey;
const keys = Array.from({ length: 100 }, () => generate());
console.log(keys.every((key) => form.test(key)), new Set(keys).size);
console.log(resend("session/prompt", { idempotencyKey: keys[0] }).answer);
"""


def test_a_key_of_typescript_is_checked_and_random(tmp_path: Path) -> None:
    language = LANGUAGES["typescript"]
    require(language.name, *language.needs)
    language.compile(tmp_path, write(language, tmp_path, [SUBJECTS["real"].protocol]), [])
    (tmp_path / "keys.mjs").write_text(KEYS)
    refused = "RangeError an idempotency key has 1 to 255 characters false"
    assert run(["node", "keys.mjs"], tmp_path).splitlines() == [
        refused,
        "true true",
        "true true",
        refused,
        refused,
        refused,
        "false",
        "255",
        "true 100",
        "same_key",
    ]


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
