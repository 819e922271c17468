"""The npm package, installed into a fresh project without a network."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from language_tools import LANGUAGES, require, run, subject_module
from package_building import GENERATED, RELEASE, build, write

_PROGRAM = """
import { Fault, parse, type PromptRequest } from "acp-v2";
import { Answer, resend } from "acp-v2/retry";

const params: PromptRequest = parse("PromptRequest", {
  sessionId: "s",
  prompt: [{ type: "text", text: "x" }],
  idempotencyKey: "k",
});
declare const console: { log(...values: unknown[]): void };
console.log(resend("session/prompt", params).answer === Answer.SameKey);
try {
  parse("PromptRequest", { ...params, idempotencyKey: 5 });
} catch (error) {
  console.log(error instanceof Fault && error.pointer);
}
"""


@pytest.mark.prove("packs and installs; the loop compiles and runs the same files")
def test_it_is_installed_typed_and_used(tmp_path: Path) -> None:
    require("npm", *LANGUAGES["typescript"].needs, "npm")
    (tarball,) = build(GENERATED / "typescript", tmp_path)
    with tarfile.open(tarball) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
        metadata = json.load(archive.extractfile("package/package.json"))  # type: ignore[arg-type]
    assert metadata["version"] == RELEASE
    assert {"LICENSE", "README.md", "CHANGELOG.md", "dist/schema/index.d.ts"} <= names
    assert {name.split("/")[0] for name in names} == {
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "dist",
        "package.json",
        "v2",
    }
    project = write(
        tmp_path / "project",
        {"package.json": '{"private": true, "type": "module"}', "use.ts": _PROGRAM},
    )
    quiet = ("--offline", "--no-audit", "--no-fund", "--loglevel", "error")
    run(["npm", "install", *quiet, tarball], project)
    typescript = subject_module("typescript")
    typescript.compile_strictly(project, [Path("use.ts")])
    assert run(["node", "out/use.js"], project) == "true\n/idempotencyKey\n"
