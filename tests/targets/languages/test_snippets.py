"""The code that pages show for each method: it compiles, and decides as its comment says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import acp_v2.retry
from acpgen.model import Method, MethodName
from acpgen.targets import languages
from acpgen.targets.languages.snippets import snippets
from acpgen.targets.pages.examples import instances
from agreement import acp
from language_subjects import TEMPLATES
from language_tools import LANGUAGES, NODE_MODULES, require, run, subject_module, write_full

PROTOCOL = acp()
_BLOCK = re.compile(r"```(\w+)\n(.*)\n```", re.DOTALL)


def code_of(name: str) -> Iterator[tuple[Method, str]]:
    """The code in a language for every method in each kind."""
    for method in PROTOCOL.methods:
        blocks = [_BLOCK.fullmatch(each.block) for each in snippets(method, PROTOCOL, TEMPLATES)]
        found = {block[1]: block[2] for block in blocks if block is not None}
        yield method, found[name]


def test_each_language_has_one() -> None:
    for method in PROTOCOL.methods:
        titles = [each.title for each in snippets(method, PROTOCOL, TEMPLATES)]
        assert titles == [languages.dialect(name).title for name in languages.names()]


def test_that_of_python_runs_and_decides_as_it_says() -> None:
    reported = set()
    for method, code in code_of("python"):
        params: Any = instances(PROTOCOL, method.params)[0]
        names: dict[str, Any] = {"message": {"params": params}}
        if method.result is not None:
            (first, *_) = instances(PROTOCOL, method.result) or ({},)
            names["response"] = {"result": first}
        exec(code, names)
        decision = names["decision"]
        (comment,) = re.findall(r"sent again\?\n# (.*)", code)
        reported.add(comment)
        if comment != "that of the message inside":
            assert comment.startswith(decision) or comment.endswith(f"else {decision}")
        assert decision is acp_v2.retry.resend(method.name, params, method.kind.value).answer
    assert len(reported) == 4


def typescript(folder: Path) -> None:
    subject = subject_module("typescript")
    files = write_full("typescript", folder, PROTOCOL)
    head = (
        "declare const message: { params: unknown };\n"
        "declare const response: { result: unknown };\n"
    )
    for number, (method, code) in enumerate(code_of("typescript")):
        text = code.replace('from "acp-v2"', 'from "./v2/schema/index.js"')
        used = "params, result, decision" if method.result else "params, decision"
        other = head if method.result else head.partition("\n")[0] + "\n"
        file = folder / f"use{number}.ts"
        file.write_text(f"{other}{text}\nexport const used: unknown[] = [{used}];\n")
        files.append(file)
    subject.compile_strictly(folder, files)


def go(folder: Path) -> None:
    write_full("go", folder, PROTOCOL)
    functions = []
    for number, (method, code) in enumerate(code_of("go")):
        _, _, body = code.partition("\n)\n\n")
        used = "params, result, err, decision" if method.result else "params, err, decision"
        blank = ", ".join("_" for _ in used.split(", "))
        functions.append(
            f"func use{number}(message sent, response got) {{\n{body}\n{blank} = {used}\n}}\n"
        )
    imports = code.partition("\n)\n\n")[0]
    types = "type sent struct{ Params []byte }\n\ntype got struct{ Result []byte }\n"
    place = folder / "v2" / "use" / "use.go"
    place.parent.mkdir()
    place.write_text(f"package use\n\n{imports}\n)\n\n{types}\n{''.join(functions)}")
    run(["go", "build", "./..."], folder / "v2")


def rust(folder: Path) -> None:
    write_full("rust", folder, PROTOCOL)
    bodies = (code for _, code in code_of("rust"))
    functions = [
        f"pub fn use{n}(params: ()) -> acp_v2::retry::Answer {{\n{body}\ndecision\n}}\n"
        for n, body in enumerate(bodies)
    ]
    (folder / "use.rs").write_text("".join(functions))
    rustc = ["rustc", "--edition", "2021", "-D", "warnings", "--crate-type", "rlib"]
    run([*rustc, "--crate-name", "acp_v2", "v2/lib.rs"], folder)
    run([*rustc, "--crate-name", "uses", "--extern", "acp_v2=libacp_v2.rlib", "use.rs"], folder)


def java(folder: Path) -> None:
    files = write_full("java", folder, PROTOCOL)
    table = next(file for file in files if file.name == "AcpRetry.java")
    methods = []
    for number, (_, code) in enumerate(code_of("java")):
        imported, _, body = code.partition(";\n")
        methods.append(
            f"static AcpRetry.Answer use{number}(java.util.Map<String, ?> params) {{\n"
            f"{body}\nreturn decision;\n}}\n"
        )
    (folder / "Use.java").write_text(f"{imported};\nfinal class Use {{\n{''.join(methods)}}}\n")
    run(["javac", "-Xlint:all", "-Werror", "-d", "out", table, "Use.java"], folder)


def kotlin(folder: Path) -> None:
    files = write_full("kotlin", folder, PROTOCOL)
    table = next(file for file in files if file.name == "Retry.kt")
    functions = []
    for number, (_, code) in enumerate(code_of("kotlin")):
        imports, _, body = code.partition("\n\n")
        answer = "com.agentclientprotocol.model.v2.retry.Answer"
        head = f"fun use{number}(params: Map<String, Any?>): {answer} {{"
        functions.append(f"{head}\n{body}\nreturn decision\n}}\n")
    (folder / "Use.kt").write_text(f"{imports}\n\n{''.join(functions)}")
    compiler = NODE_MODULES / "kotlin-compiler" / "bin" / "kotlinc"
    run(["bash", compiler, "-Werror", "-no-reflect", "-d", "out.jar", table, "Use.kt"], folder)


COMPILERS: Mapping[str, Callable[[Path], None]] = {
    "go": go,
    "java": java,
    "kotlin": kotlin,
    "rust": rust,
    "typescript": typescript,
}


@pytest.mark.prove("compiles for long")
@pytest.mark.parametrize("name", languages.others())
def test_it_compiles(name: str, tmp_path: Path) -> None:
    needs: Sequence[str | Path] = LANGUAGES[name].needs
    require(name, *needs)
    COMPILERS[name](tmp_path)


def test_a_name_can_not_end_its_block() -> None:
    odd = replace(PROTOCOL.methods[0], name=MethodName('odd"\n```\n'))
    for snippet in snippets(odd, PROTOCOL, TEMPLATES):
        first, *_, last = snippet.block.split("\n")
        assert snippet.block.count(f"\n{last}") == 1
        assert first.startswith(last)
