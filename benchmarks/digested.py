"""What code generators make of the strict bundle and of the normalized one.

    npm ci --prefix benchmarks/generators
    python benchmarks/digested.py

prints the table of docs/generators.md. Each generator gets the types of both bundles, as an object
with one member a type or, where it reads OpenAPI, as components. Its code has to compile. Where it
checks values at run time, it judges the params and results of all vectors, and the table has what
it gets wrong. It needs Node.js and the packages of the extra `generate`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs

from acpgen import resources
from acpgen.emit.jsonschema import JsonSchema
from acpgen.load import load
from acpgen.model import Kind, MethodName, Protocol, Stability
from acpgen.targets.bundles import bundle
from acpgen.targets.normalized import normalized_bundle

NODE = Path(__file__).parent / "generators"
BIN = NODE / "node_modules" / ".bin"
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Value:
    """Params or a result: the type, the value, and whether the strict bundle takes it."""

    type: str
    value: Any
    valid: bool


@dataclass(frozen=True, slots=True)
class Generator:
    """A code generator.

    Fields:
        name: of the package.
        run: generates from a schema in a folder, and returns the file.
        compiles: whether the file is code without errors.
        names: a pattern of the names that the file defines.
        judge: what the code says about values; None where it says nothing at run time.
    """

    name: str
    run: Callable[[JsonSchema, Path], Path]
    compiles: Callable[[Path], bool]
    names: str
    judge: Callable[[Path, list[Value]], list[str]] | None = None


def call(*words: str | Path, folder: Path, text: str = "") -> str:
    """The output of a program.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    done = subprocess.run(words, cwd=folder, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def rooted(definitions: Mapping[str, Any]) -> JsonSchema:
    """One object with a member a type."""
    members: JsonSchema = {name: {"$ref": f"#/$defs/{name}"} for name in definitions}
    dialect = "https://json-schema.org/draft/2020-12/schema"
    head: JsonSchema = {"$schema": dialect, "title": "Acp", "type": "object"}
    return {**head, "properties": members, "$defs": dict(definitions)}


def openapi(schema: JsonSchema) -> JsonSchema:
    """The types as the components of an API without paths."""
    text = json.dumps(schema["$defs"]).replace("#/$defs/", "#/components/schemas/")
    info: JsonSchema = {"title": "Acp", "version": "2"}
    return {
        "openapi": "3.1.0",
        "info": info,
        "paths": {},
        "components": {"schemas": json.loads(text)},
    }


def written(document: JsonSchema, folder: Path) -> Path:
    """A document in a file."""
    file = folder / "schema.json"
    file.write_text(json.dumps(document), "utf-8")
    return file


def json2ts(schema: JsonSchema, folder: Path) -> Path:
    """Run json-schema-to-typescript."""
    out = folder / "types.ts"
    call(BIN / "json2ts", written(schema, folder), out, "--unreachableDefinitions", folder=folder)
    return out


def openapi_typescript(schema: JsonSchema, folder: Path) -> Path:
    """Run openapi-typescript."""
    out = folder / "types.ts"
    source = written(openapi(schema), folder)
    call(BIN / "openapi-typescript", source, "-o", out, "--root-types", folder=folder)
    return out


def hey_api(schema: JsonSchema, folder: Path) -> Path:
    """Run @hey-api/openapi-ts with its plugin for Zod."""
    source = written(openapi(schema), folder)
    plugins = ("-p", "zod", "-p", "@hey-api/typescript")
    call(BIN / "openapi-ts", "-i", source, "-o", folder / "out", *plugins, folder=folder)
    return folder / "out" / "zod.gen.ts"


def quicktype(schema: JsonSchema, folder: Path) -> Path:
    """Run quicktype for TypeScript with Zod."""
    out = folder / "types.ts"
    source = written(schema, folder)
    words = ("-s", "schema", "--lang", "typescript-zod", "--top-level", "Acp", "-o", out)
    call(BIN / "quicktype", source, *words, folder=folder)
    return out


def datamodel(schema: JsonSchema, folder: Path) -> Path:
    """Run datamodel-code-generator for pydantic, with its own defaults."""
    out = folder / "models.py"
    words = ("--input-file-type", "jsonschema", "--output-model-type", "pydantic_v2.BaseModel")
    program = (sys.executable, "-m", "datamodel_code_generator", "--disable-timestamp")
    call(*program, *words, "--input", written(schema, folder), "--output", out, folder=folder)
    return out


def type_checks(file: Path) -> bool:
    """Whether the compiler of TypeScript takes a file."""
    (file.parent / "node_modules").symlink_to(NODE / "node_modules")
    flags = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext")
    done = subprocess.run(
        [BIN / "tsc", *flags, file], cwd=file.parent, capture_output=True, check=False
    )
    return done.returncode == 0


def imports(file: Path) -> bool:
    """Whether Python imports a file."""
    words = [sys.executable, "-c", "import models"]
    return not subprocess.run(words, cwd=file.parent, capture_output=True, check=False).returncode


def zod(file: Path, values: list[Value]) -> list[str]:
    """What Zod schemas in TypeScript say."""
    flags = ("--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--outDir", "js")
    (file.parent / "package.json").write_text('{"type": "module"}', "utf-8")
    subprocess.run([BIN / "tsc", *flags, file], cwd=file.parent, capture_output=True, check=False)
    script = next((file.parent / "js").rglob(f"{file.stem}.js"))
    asked = [{"type": value.type, "value": value.value} for value in values]
    names = ["z*", "*Schema"]
    text = json.dumps({"module": script.as_uri(), "names": names, "values": asked})
    said: list[str] = json.loads(call("node", NODE / "verdicts.mjs", folder=NODE, text=text))
    return said


PYDANTIC = """
import json, sys, models
from pydantic import TypeAdapter, ValidationError
known = {}
def verdict(type_, value):
    if not hasattr(models, type_):
        return "missing"
    if type_ not in known:
        known[type_] = TypeAdapter(getattr(models, type_))
    try:
        read = known[type_].validate_json(json.dumps(value))
    except ValidationError:
        return "refused"
    written = known[type_].dump_json(read, by_alias=True, exclude_unset=True)
    return "accepted" if json.loads(written) == value else "changed"
print(json.dumps([verdict(each["type"], each["value"]) for each in json.load(sys.stdin)]))
"""


def pydantic(file: Path, values: list[Value]) -> list[str]:
    """What models of pydantic say."""
    text = json.dumps([{"type": value.type, "value": value.value} for value in values])
    said: list[str] = json.loads(
        call(sys.executable, "-c", PYDANTIC, folder=file.parent, text=text)
    )
    return said


TYPESCRIPT = r"export (?:declare )?(?:type|interface|const|enum) (\w+)"
GENERATORS = (
    Generator("json-schema-to-typescript", json2ts, type_checks, TYPESCRIPT),
    Generator("openapi-typescript", openapi_typescript, type_checks, TYPESCRIPT),
    Generator("@hey-api/openapi-ts, zod", hey_api, type_checks, TYPESCRIPT, zod),
    Generator("quicktype, zod", quicktype, type_checks, TYPESCRIPT, zod),
    Generator("datamodel-code-generator", datamodel, imports, r"^class (\w+)", pydantic),
)


def vector_values(protocol: Protocol) -> Iterator[Value]:
    """The params and results in the vectors, which are judged anew, without their envelope."""
    definitions = bundle(protocol, Stability.UNSTABLE)["$defs"]
    valid: dict[str, Callable[[Any], bool]] = {}
    for file in sorted((ROOT / "generated" / "vectors").glob("*.*.json")):
        for vector in json.loads(file.read_text("utf-8"))["vectors"]:
            message = vector.get("message")
            found = None if message is None else content(message, vector.get("answers"), protocol)
            if found is None:
                continue
            name, value = found
            if name not in valid:
                schema: Any = {"$ref": f"#/$defs/{name}", "$defs": definitions}
                valid[name] = jsonschema_rs.validator_for(schema).is_valid
            yield Value(name, value, valid[name](value))


def content(message: object, answers: str | None, protocol: Protocol) -> tuple[str, Any] | None:
    """The type and the value in a message, None without one."""
    if not isinstance(message, dict):
        return None
    if answers is not None and "result" in message:
        asked = protocol.method(MethodName(answers), Kind.REQUEST)
        return None if asked is None or asked.result is None else (asked.result, message["result"])
    kind = Kind.REQUEST if "id" in message else Kind.NOTIFICATION
    method = protocol.method(MethodName(str(message.get("method"))), kind)
    return (method.params, message["params"]) if method and "params" in message else None


def row(generator: Generator, kind: str, schema: JsonSchema, values: list[Value]) -> str:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as name:
        try:
            file = generator.run(schema, Path(name))
        except subprocess.CalledProcessError as error:
            print(f"{generator.name}, {kind}: {error.stderr[-400:]}", file=sys.stderr)
            return f"| {generator.name} | {kind} | fails | | | | |"
        names = set(re.findall(generator.names, file.read_text("utf-8"), re.MULTILINE))
        ordinals = sum(bool(re.search(r"\d$", each.removesuffix("Schema"))) for each in names)
        compiles = "yes" if generator.compiles(file) else "no"
        figures = "- | - | -"
        if generator.judge is not None:
            said = Counter(
                (value.valid, verdict)
                for value, verdict in zip(values, generator.judge(file, values), strict=True)
            )
            refused = said[True, "refused"] + said[True, "missing"]
            taken = said[False, "accepted"] + said[False, "changed"]
            figures = f"{refused:,} | {taken:,} | {said[True, 'changed']:,}"
    return f"| {generator.name} | {kind} | {compiles} | {ordinals} | {figures} |"


def main() -> None:
    """Print the table; what a generator says when it fails goes to standard error."""
    protocol = load(resources.SCHEMA)
    strict: Any = bundle(protocol, Stability.UNSTABLE)["$defs"]
    normal: Any = normalized_bundle(protocol, Stability.UNSTABLE)["$defs"]
    schemas = {
        "strict": rooted({name: each for name, each in strict.items() if name in protocol.types}),
        "normalized": rooted(normal),
    }
    values = list(vector_values(protocol))
    valid = sum(value.valid for value in values)
    print(
        "| generator | bundle | compiles | names with a number | "
        f"refused of {valid:,} valid | taken of {len(values) - valid:,} invalid | changed |"
    )
    print("|-|-|-|-:|-:|-:|-:|")
    for generator in GENERATORS:
        for kind, schema in schemas.items():
            print(row(generator, kind, schema, values), flush=True)


if __name__ == "__main__":
    main()
