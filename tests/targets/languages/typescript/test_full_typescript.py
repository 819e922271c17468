"""TypeScript in full: types that compile or don't as they should, readers that agree with ours."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acpgen.load.schema_text import SchemaError
from acpgen.model import Protocol, TypeName
from acpgen.targets.languages.typescript.full_typescript import full_typescript
from acpgen.targets.languages.typescript.type_declarations import Declarations
from agreement import acp
from full_values import (
    HOSTILE_MEMBERS,
    KEY,
    KEY_FAULTS,
    answers,
    hostile_types,
    mutants,
    nested,
    of_vectors,
    reversed_types,
    unlike_python,
    unlike_the_judge,
    unlike_the_vectors,
)
from language_subjects import GOLDEN, SUBJECTS, TEMPLATES, hostile, partial
from language_tools import LANGUAGES, once, require, run, subject_module, write_full
from proofs import a_few, amount, scaled

HERE = Path(__file__).parent
ESBUILD = HERE.parents[3] / "view" / "node_modules" / ".bin" / "esbuild"
SUBJECT = subject_module("typescript")
PROTOCOLS = {
    "real": acp(),
    "invented": GOLDEN,
    "hostile": hostile_types(hostile(GOLDEN)),
    "partial": partial(GOLDEN),
    "empty": SUBJECTS["empty"].protocol,
}
DIFFERS = {"integral-float", "lone-surrogate"}
"""What JSON.parse hides, and vectors are about."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the compiled modules of ACP."""
    require("TypeScript in full", *LANGUAGES["typescript"].needs)
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def build(folder: Path) -> None:
        SUBJECT.compile_strictly(folder, write_full("typescript", folder, acp()))

    return once(shared / "full-typescript", build) / "out" / "v2" / "schema"


def reported(built: Path, lines: str) -> list[dict[str, Any]]:
    """What the compiled readers print of each line."""
    return answers(run(["node", HERE / "full.mjs", built / "index.js"], built, lines))


def test_it_agrees_with_the_vectors(built: Path) -> None:
    pieces = of_vectors()
    wrong = unlike_the_vectors(pieces, reported(built, "\n".join(piece.line for piece in pieces)))
    assert len(pieces) > 3500
    assert [each for each in wrong if each[1] is None] == []
    assert {each[1] for each in wrong} == DIFFERS


@scaled("damages many values")
def test_it_finds_in_damaged_values_what_the_judge_finds(built: Path) -> None:
    pieces = list(mutants(amount(60, 100_000)))
    found = reported(built, "\n".join(piece.line for piece in pieces))
    assert unlike_the_judge(pieces, found) == []
    assert 0.3 < sum(each["strict"] for each in found) / len(found) < 0.9


@scaled("damages many values")
def test_it_repairs_what_the_models_repair(built: Path) -> None:
    pieces = [piece for piece in mutants(amount(80, 60_000), seed=2) if not piece.valid]
    found = reported(built, "\n".join(piece.line for piece in pieces))
    assert unlike_python(pieces, found) == []
    assert sum("read" in each for each in found) > amount(2, 4_000)


def test_a_spoilt_plan_is_noticed(built: Path, tmp_path: Path) -> None:
    spoilt = shutil.copytree(built, tmp_path / "spoilt")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    file = spoilt / "plans.gen.js"
    text = file.read_text("utf-8")
    assert '["messageId","@MessageId",1]' in text
    file.write_text(text.replace('["messageId","@MessageId",1]', '["messageId","@MessageId",0]'))
    pieces = [p for p in of_vectors() if p.type == "PromptResponse"]
    found = reported(spoilt, "\n".join(piece.line for piece in pieces))
    wrong = unlike_the_vectors(pieces, found)
    missing = "session-prompt.result.json PromptResponse.messageId: missing"
    assert missing in {name for name, _, _ in wrong}


def test_no_error_has_a_key(built: Path) -> None:
    script = (
        f'import {{ parse, read }} from "{built.as_uri()}/index.js";\n'
        'import { readFileSync } from "node:fs";\n'
        'for (const line of readFileSync(0, "utf8").split("\\n")) {\n'
        "  const { type, value } = JSON.parse(line);\n"
        "  for (const reader of [parse, read]) {\n"
        "    try { reader(type, value); console.log('taken'); }\n"
        "    catch (error) { console.log(String(error), JSON.stringify(error), error.stack); }\n"
        "  }\n}\n"
    )
    printed = run(
        ["node", "--input-type=module", "-e", script], built, "\n".join(p.line for p in KEY_FAULTS)
    )
    assert KEY not in printed
    assert printed.count("Fault: /") >= 2 * len(KEY_FAULTS)
    assert "taken" not in printed


def test_hostile_members_do_no_harm(built: Path) -> None:
    value = HOSTILE_MEMBERS[:-1] + ', "sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}'
    lines = (
        f'{{"type": "PromptRequest", "value": {value}}}',
        f'{{"type": "Error", "value": {HOSTILE_MEMBERS}}}',
    )
    first, empty = reported(built, "\n".join(lines))
    assert (first["strict"], first["steady"], first["read"]) == (True, True, json.loads(value))
    assert [fault[:2] for fault in empty["found"]] == [
        ["required", "/code"],
        ["required", "/message"],
    ]


def test_deep_values_do_no_harm(built: Path) -> None:
    script = (
        f'import {{ faults, read }} from "{built.as_uri()}/index.js";\n'
        'import { readFileSync } from "node:fs";\n'
        'const { type, value } = JSON.parse(readFileSync(0, "utf8"));\n'
        "console.log(read(type, value) === value, faults(type, value).length);\n"
        "console.log(faults(type, { ...value, _meta: value._meta.x })[0].pointer);\n"
    )
    command = ["node", "--input-type=module", "-e", script]
    assert run(command, built, nested(10_000)).split() == ["true", "0", "/_meta"]


def test_what_is_unknown_comes_back_as_it_was(built: Path) -> None:
    block = {"type": "_mine", "x": {"deep": [1, None]}, "_meta": {}}
    known = {"type": "text", "text": "x", "_extra": [1]}
    value = {"sessionId": "s", "prompt": [block, known], "_new": {"a": 1}, "_meta": []}
    line = json.dumps({"type": "PromptRequest", "value": value})
    (found,) = reported(built, line)
    assert found["strict"] is False
    del value["_meta"]
    assert found["read"] == value


GOOD = """
import { IdempotencyKey, isIdempotencyKey, read, readParams, retry } from "INDEX";
import type { ContentBlock, OtherTag, PromptRequest, Requests, Role, SessionUpdate } from "INDEX";

export function text(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return block.mimeType;
    case "audio":
      return block.data;
    case "resource_link":
      return block.uri;
    case "resource":
      return block.resource.uri;
    default: {
      const other: OtherTag = block.type;
      return other;
    }
  }
}
export function reason(update: SessionUpdate): string | undefined {
  if (update.sessionUpdate === "agent_message_chunk") {
    return update.content.type === "text" ? update.content.text : undefined;
  }
  if (update.sessionUpdate === "state_update" && update.state === "idle") {
    return update.stopReason === "error" ? update.error?.message : undefined;
  }
  return undefined;
}
export const prompt: PromptRequest = {
  sessionId: "s",
  prompt: [
    { type: "text", text: "x" },
    { type: "_mine", anything: 1 },
  ],
  idempotencyKey: null,
};
export const role: Role = "_x";
export function keyed(key: string): PromptRequest {
  return isIdempotencyKey(key) ? { ...prompt, idempotencyKey: key } : prompt;
}
export const keys: IdempotencyKey[] = [IdempotencyKey.of("k"), IdempotencyKey.generate()];
export const other: retry.IdempotencyKey | undefined = keys[0];
export const result: Requests["session/prompt"]["result"] = read("PromptResponse", {});
export const params: PromptRequest = readParams("session/prompt", {});
export const answer: retry.Answer = retry.resend("session/prompt", params).answer;
"""

BAD = {
    "undefined is not a missing member": (
        'const bad: PromptRequest = { sessionId: "s", prompt: [], idempotencyKey: undefined };',
        "TS2375",
    ),
    "a text is not a key": (
        'const bad: PromptRequest = { sessionId: "s", prompt: [], idempotencyKey: "plain" };',
        "TS2322",
    ),
    "a member in another spelling": (
        'const bad: PromptRequest = { sessionId: "s", prompt: [], idempotency_key: null };',
        "TS2561",
    ),
    "a known tag without its members": ('const bad: ContentBlock = { type: "text" };', "TS2322"),
    "a misspelled member of a known variant": (
        'const bad: ContentBlock = { type: "text", text: "x", annotation: null };',
        "TS2561",
    ),
    "a tag that is neither known nor one's own": (
        'const bad: ContentBlock = { type: "texxt", text: "x" };',
        "TS2820",
    ),
    "a method that there is not": ('const bad = readParams("session/promt", {});', "TS2345"),
    "a notification as a request": ('const bad = readParams("session/update", {});', "TS2345"),
    "a result of another method": (
        'const bad: Requests["session/new"]["result"] = readResult("session/prompt", {});',
        "TS2741",
    ),
}
"""What must not compile, each with the one code of its error."""

_HEAD = """import { readParams, readResult } from "INDEX";
import type { ContentBlock, PromptRequest, Requests } from "INDEX";
export type Used = [ContentBlock, PromptRequest, Requests];
export const used = [readParams, readResult];
"""


@pytest.mark.parametrize(
    "tsc", a_few(["newest", "oldest"], {"newest"}, "the oldest compiler takes long")
)
def test_what_must_not_compile_does_not(tsc: str, built: Path, tmp_path: Path) -> None:
    program = {"newest": SUBJECT.TSC, "oldest": SUBJECT.OLDEST_TSC}[tsc]
    require("the compiler", program)
    index = f"{os.path.relpath(built, tmp_path)}/index.js"
    sources = {
        "good": GOOD,
        **{str(n): f"{_HEAD}export {b[0]}" for n, b in enumerate(BAD.values())},
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.ts").write_text(source.replace("INDEX", index))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = {**SUBJECT.options_of(program), "noEmit": True, "declaration": False}
    config = {"compilerOptions": options, "include": ["*.ts"]}
    options.pop("isolatedDeclarations", None)
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    done = subprocess.run(
        ["node", program, "-p", ".", "--pretty", "false"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"^(\w+)\.ts\(\d+,\d+\): error (TS\d+)", done.stdout, re.MULTILINE)
    older = {"TS2561": "TS2322"} if tsc == "oldest" else {}
    assert found == [(str(n), older.get(c, c)) for n, (_, c) in enumerate(BAD.values())]


@pytest.mark.parametrize("name", a_few(PROTOCOLS, {"hostile"}, "compiles for long"))
def test_it_compiles_and_is_laid_out(name: str, tmp_path: Path) -> None:
    require("TypeScript in full", *LANGUAGES["typescript"].needs)
    files = write_full("typescript", tmp_path, PROTOCOLS[name])
    SUBJECT.compile_strictly(tmp_path, files)
    if name in {"real", "invented", "partial"}:
        sources = [file for file in files if file.suffix == ".ts"]
        assert run([*LANGUAGES["typescript"].layout, *sources], tmp_path) == ""


@pytest.mark.prove("the oldest compiler takes long")
@pytest.mark.parametrize("name", PROTOCOLS)
def test_it_compiles_with_the_oldest_compiler(name: str, tmp_path: Path) -> None:
    require("TypeScript in full", "node", SUBJECT.OLDEST_TSC)
    files = write_full("typescript", tmp_path, PROTOCOLS[name])
    SUBJECT.compile_strictly(tmp_path, files, SUBJECT.OLDEST_TSC)


def bundled(built: Path, source: str, folder: Path) -> bytes:
    """A program that imports the modules, as a bundler ships it."""
    require("a bundler", ESBUILD)
    modules = folder / "modules"
    if not modules.is_dir():
        shutil.copytree(built, modules)
        package = {"type": "module", "sideEffects": False}
        (modules / "package.json").write_text(json.dumps(package))
    (folder / "entry.js").write_text(source)
    options = ["--bundle", "--minify", "--format=esm", "--log-level=warning"]
    return run([ESBUILD, "entry.js", *options], folder).encode()


@pytest.mark.parametrize("module", ["index.js", "checks.gen.js"])
def test_one_check_does_not_pull_in_the_rest(module: str, built: Path, tmp_path: Path) -> None:
    source = f'import {{ isTextContent }} from "./modules/{module}"; isTextContent(process.argv);'
    one = bundled(built, source, tmp_path)
    assert b"annotations" in one
    assert len(one) < 1_000


def test_the_decision_does_not_pull_in_the_types(built: Path, tmp_path: Path) -> None:
    source = 'import { retry } from "./modules/index.js"; console.log(retry.resend);'
    decision = bundled(built, source, tmp_path)
    assert b"session/prompt" in decision
    assert b"annotations" not in decision


def test_all_readers_are_small(built: Path, tmp_path: Path) -> None:
    source = 'import * as all from "./modules/reader.gen.js"; console.log(all);'
    everything = bundled(built, source, tmp_path)
    assert b"annotations" in everything
    assert len(gzip.compress(everything)) < 16 * 1024


def names(protocol: Protocol) -> list[str]:
    return sorted(each.name for each in Declarations(protocol).all())


def test_every_name_comes_from_the_schema_and_keeps_its_meaning() -> None:
    declared = names(acp())
    assert set(acp().types) <= set(declared)
    assert [name for name in declared if name[-1].isdigit()] == []
    assert names(reversed_types(acp())) == declared


def test_all_methods_have_their_types() -> None:
    text = full_typescript(acp(), TEMPLATES)["typescript/v2/schema/signatures.gen.ts"]
    assert text.count("params: ") == len(acp().methods)
    types = full_typescript(acp(), TEMPLATES)["typescript/v2/schema/types.gen.ts"]
    requests = types[types.index("export interface Requests") :]
    for method in acp().methods:
        assert f"    params: {method.params};" in requests
        assert method.result is None or f"    result: {method.result};" in requests


def test_nothing_is_any() -> None:
    for path, text in full_typescript(acp(), TEMPLATES).items():
        code = re.sub(
            r"/\*.*?\*/|//.*?$|\"[^\"\n]*\"|'[^'\n]*'", "", text, flags=re.DOTALL | re.MULTILINE
        )
        assert re.findall(r"\bany\b", code) == [], path


@pytest.mark.parametrize("name", ["UnknownTag", "AskRequestCommon"])
def test_a_name_in_use_is_refused(name: str) -> None:
    tea = GOLDEN.types[TypeName("Leaves")]
    types = {**GOLDEN.types, TypeName(name): replace(tea, name=TypeName(name))}
    with pytest.raises(SchemaError) as caught:
        full_typescript(replace(GOLDEN, types=types), TEMPLATES)
    (finding,) = caught.value.findings
    assert finding.rule == "unsupported-schema"
    assert finding.message.startswith(f"{name} can't be declared in TypeScript")
