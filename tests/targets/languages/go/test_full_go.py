"""Go in full: a module that vet and gofmt leave alone, and readers that agree with ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acpgen.load.schema_text import SchemaError
from acpgen.model import Object, Protocol, Scalar, ScalarType, TypeName
from acpgen.targets.languages.go.full_go import full_go
from acpgen.targets.languages.go.go_declarations import GoDeclarations
from agreement import acp
from full_values import (
    HOSTILE_MEMBERS,
    KEY,
    answers,
    hostile_types,
    mutants,
    nested,
    of_vectors,
    reversed_types,
    unlike_python,
    unlike_the_judge,
    unlike_the_vectors,
    within_64_bits,
)
from language_subjects import GOLDEN, SUBJECTS, TEMPLATES, hostile, partial
from language_tools import LANGUAGES, once, require, run, write_full

HERE = Path(__file__).parent
STATICCHECK = "go-staticcheck"
"""Staticcheck as Debian calls it."""
PROTOCOLS = {
    "real": acp(),
    "invented": GOLDEN,
    "hostile": hostile_types(hostile(GOLDEN)),
    "partial": partial(GOLDEN),
    "empty": SUBJECTS["empty"].protocol,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the module of ACP, and the program that reads values with it."""
    require("Go in full", *LANGUAGES["go"].needs)
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def build(folder: Path) -> None:
        write_full("go", folder, acp())
        program = folder / "v2" / "cmd" / "full" / "main.go"
        program.parent.mkdir(parents=True)
        program.write_text((HERE / "full.go").read_text("utf-8"))
        run(["go", "build", "-o", "full", "./cmd/full"], folder / "v2")

    return once(shared / "full-go", build) / "v2"


def reported(built: Path, lines: str) -> list[dict[str, Any]]:
    """What the compiled readers print of each line."""
    return answers(run([built / "full"], built, lines))


@pytest.mark.prove("compiles for long")
def test_it_agrees_with_the_vectors(built: Path) -> None:
    pieces = of_vectors()
    found = reported(built, "\n".join(piece.line for piece in pieces))
    assert len(pieces) > 3500
    assert unlike_the_vectors(pieces, found) == []


@pytest.mark.prove("compiles for long, and damages many values")
def test_it_finds_in_damaged_values_what_the_judge_finds(built: Path) -> None:
    pieces = [p for p in mutants(100_000) if within_64_bits(p.value)]
    found = reported(built, "\n".join(piece.line for piece in pieces))
    assert unlike_the_judge(pieces, found) == []
    assert 0.3 < sum(each["strict"] for each in found) / len(found) < 0.9


@pytest.mark.prove("compiles for long, and damages many values")
def test_it_repairs_what_the_models_repair(built: Path) -> None:
    values = mutants(60_000, seed=2)
    pieces = [piece for piece in values if not piece.valid and within_64_bits(piece.value)]
    found = reported(built, "\n".join(piece.line for piece in pieces))
    assert unlike_python(pieces, found) == []
    assert sum("read" in each for each in found) > 4_000


@pytest.mark.prove("compiles for long")
def test_a_number_beyond_64_bits_is_refused_where_an_integer_is_due(built: Path) -> None:
    lines = [f'{{"type": "UsageUpdate", "value": {{"used": 1, "size": {n}}}}}' for n in (7, 2**64)]
    fits, beyond = reported(built, "\n".join(lines))
    assert (fits["strict"], fits["found"]) == (True, [])
    assert (beyond["strict"], beyond["found"]) == (False, [["maximum", "/size", "error"]])


@pytest.mark.prove("compiles for long")
def test_hostile_members_and_depth_do_no_harm(built: Path) -> None:
    value = HOSTILE_MEMBERS[:-1] + ', "sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}'
    odd = f'{{"type": "PromptRequest", "value": {value}}}'
    first, deep, flat = reported(built, "\n".join((odd, nested(9_900), nested(100))))
    assert (first["strict"], first["steady"], first["read"]) == (True, True, json.loads(value))
    assert deep["found"] == [["not-json", "", "error"]]
    assert (flat["strict"], flat["steady"]) == (True, True)


@pytest.mark.prove("compiles for long")
def test_what_is_unknown_comes_back_as_it_was(built: Path) -> None:
    block = {"type": "_mine", "x": {"deep": [1, None, 1e2]}, "_meta": {}}
    known = {"type": "text", "text": "x", "_extra": [18446744073709551616]}
    value = {"sessionId": "s", "prompt": [block, known], "_new": {"a": 1.50}, "_meta": []}
    (found,) = reported(built, json.dumps({"type": "PromptRequest", "value": value}))
    del value["_meta"]
    assert (found["strict"], found["read"]) == (False, value)


@pytest.mark.prove("compiles for long")
def test_go_code_uses_it(built: Path) -> None:
    folder = built / "schema"
    text = (HERE / "use.go").read_text("utf-8")
    assert f'"{KEY}"' in text
    (folder / "use_test.go").write_text(text)
    try:
        printed = run(["go", "test", "-v", "./schema"], built)
    finally:
        (folder / "use_test.go").unlink()
    assert printed.count("--- PASS: ") == 3


BAD = {
    "a text is not a key": (
        'var bad schema.IdempotencyKey = "plain"',
        "cannot use",
    ),
    "a misspelled member": ('var bad = schema.TextContent{Txt: "x"}', "unknown field"),
    "a struct of one's own is not a variant": (
        "var bad schema.ContentBlock = struct{}{}",
        r"missing (method )?isContentBlock",
    ),
    "a variant of another union": (
        "var bad schema.ContentBlock = schema.SessionUpdateOther{}",
        r"missing (method )?isContentBlock",
    ),
}
"""What must not compile, each with a part of its error."""


@pytest.mark.prove("compiles for long")
@pytest.mark.parametrize("name", BAD)
def test_what_must_not_compile_does_not(name: str, built: Path) -> None:
    code, error = BAD[name]
    folder = built / "cmd" / f"bad{list(BAD).index(name)}"
    folder.mkdir()
    head = 'package main\n\nimport "agentclientprotocol.com/go/acpv2/schema"\n\n'
    (folder / "main.go").write_text(f"{head}{code}\n\nfunc main() {{ _ = bad }}\n")
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    environment.setdefault("GOCACHE", str(built.parent / "go-cache"))
    done = subprocess.run(
        ["go", "build", "-o", os.devnull, f"./cmd/{folder.name}"],
        cwd=built,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("main.go:") == 1
    assert re.search(error, done.stderr)


@pytest.mark.prove("compiles for long")
@pytest.mark.parametrize("name", PROTOCOLS)
def test_it_compiles_without_a_warning_and_is_laid_out(name: str, tmp_path: Path) -> None:
    require("Go in full", *LANGUAGES["go"].needs)
    protocol = PROTOCOLS[name]
    files = write_full("go", tmp_path, protocol)
    module = tmp_path / f"v{protocol.version}"
    run(["go", "vet", "./..."], module)
    run(["go", "build", "./..."], module)
    layout = LANGUAGES["go"].layout
    assert run([*layout, *(file for file in files if file.parent.name == "schema")], tmp_path) == ""


@pytest.mark.prove("compiles for long")
def test_staticcheck_is_content_and_bites(tmp_path: Path) -> None:
    require("Go in full", *LANGUAGES["go"].needs, STATICCHECK)
    write_full("go", tmp_path, acp())
    module = tmp_path / "v2"
    check = [STATICCHECK, "-checks", "all", "./..."]
    assert run(check, module) == ""
    (module / "schema" / "odd.go").write_text("package schema\n\nfunc odd() int { return 1 }\n")
    with pytest.raises(AssertionError, match=r"odd\.go:3:6: func odd is unused \(U1000\)"):
        run(check, module)


def declared(protocol: Protocol) -> list[str]:
    declarations = GoDeclarations(protocol)
    list(declarations.all())
    assert declarations.faults == []
    return sorted(declarations.declared)


def test_every_name_comes_from_the_schema_and_keeps_its_meaning() -> None:
    names = declared(acp())
    assert set(acp().types) <= {*names, "IdempotencyKey"}
    assert [name for name in names if name[-1].isdigit()] == []
    assert declared(reversed_types(acp())) == names


def test_nothing_is_of_any_type() -> None:
    text = full_go(acp(), TEMPLATES)["go/v2/schema/types_gen.go"]
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    assert "interface{}" not in code
    assert re.findall(r"\bany\b", code) == []


def refused(protocol: Protocol) -> list[str]:
    with pytest.raises(SchemaError) as caught:
        full_go(protocol, TEMPLATES)
    assert {finding.rule for finding in caught.value.findings} == {"unsupported-schema"}
    return [finding.message for finding in caught.value.findings]


@pytest.mark.parametrize("name", ["Opt", "AskRequestVariant", "AskRequestConfirm"])
def test_a_name_in_use_is_refused(name: str) -> None:
    tea = GOLDEN.types[TypeName("Leaves")]
    types = {**GOLDEN.types, TypeName(name): replace(tea, name=TypeName(name))}
    (message,) = refused(replace(GOLDEN, types=types))
    assert message == f"{name} can't be declared in Go: the name is in use; rename it"


def test_two_members_of_one_name_are_refused() -> None:
    leaves = GOLDEN.types[TypeName("Leaves")]
    assert isinstance(leaves.body, Object)
    first = leaves.body.properties[0]
    twice = replace(leaves.body, properties=(first, replace(first, name="_Origin")))
    types = {**GOLDEN.types, leaves.name: replace(leaves, body=twice)}
    (message,) = refused(replace(GOLDEN, types=types))
    assert message == "Leaves would have the field Origin twice in Go; rename a member"


def test_a_pattern_that_go_lacks_is_refused() -> None:
    body = Scalar(ScalarType.STRING, pattern="^(?!x)")
    flush = GOLDEN.types[TypeName("Flush")]
    types = {**GOLDEN.types, flush.name: replace(flush, body=body)}
    (message,) = refused(replace(GOLDEN, types=types))
    assert message == "the pattern ^(?!x) looks ahead, which Go's regexp can't; write another"


@pytest.mark.prove("compiles for long")
def test_a_pattern_that_go_reads_in_another_way_is_written_for_it(tmp_path: Path) -> None:
    require("Go in full", *LANGUAGES["go"].needs)
    body = Scalar(ScalarType.STRING, pattern=r"^\u2028.$")
    flush = GOLDEN.types[TypeName("Flush")]
    types = {**GOLDEN.types, flush.name: replace(flush, body=body)}
    write_full("go", tmp_path, replace(GOLDEN, types=types))
    folder = tmp_path / f"v{GOLDEN.version}"
    (folder / "schema" / "pattern_test.go").write_text(_PATTERN_TEST)
    run(["go", "test", "./schema"], folder)
    run(["gofmt", "-l", "."], folder)


_PATTERN_TEST = """package schema

import (
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	if _, err := Read[Flush]([]byte(`"\\u2028a"`)); err != nil {
		t.Fatal(err)
	}
	_, err := Read[Flush]([]byte(`"\\u2028\\r"`))
	if err == nil || !strings.Contains(err.Error(), "does not match ^\\\\u2028.$") {
		t.Fatal(err)
	}
}
"""


def test_a_member_called_like_what_every_struct_has_keeps_a_field() -> None:
    leaves = GOLDEN.types[TypeName("Leaves")]
    assert isinstance(leaves.body, Object)
    (first, *_) = leaves.body.properties
    more = replace(leaves.body, properties=(first, replace(first, name="extra")))
    types = {**GOLDEN.types, leaves.name: replace(leaves, body=more)}
    text = full_go(replace(GOLDEN, types=types), TEMPLATES)["go/v9/schema/types_gen.go"]
    (struct,) = re.findall(r"type Leaves struct \{\n(.*?)\n\}", text, re.DOTALL)
    assert re.findall(r"^\t(\w+) ", struct, re.MULTILINE) == ["Origin", "ExtraMember", "Extra"]
