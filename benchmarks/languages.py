"""What reading costs in the languages that have everything: `python benchmarks/languages.py`.

The params of whole sessions are read in TypeScript and in Go, and parsed with what each language
has for that, by turns. TypeScript is compared with the zod schemas of the official SDK, too.
Needs node, Go, and the packages of tests/languages and tests/interop.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import corpus

HERE = Path(__file__).parent
ROOT = HERE.parent
SDK = (
    ROOT / "tests/interop/node_modules/@agentclientprotocol/sdk/dist/v2/unstable/schema/zod.gen.js"
)
TSC = ROOT / "tests/languages/node_modules/typescript/bin/tsc"
LINES = 10_000


def params() -> Iterator[str]:
    """Lines with a kind, a method and its params."""
    count = 0
    for line in corpus.lines(2 * LINES, 0, 1):
        message = json.loads(line.text)
        if "method" in message and "params" in message and count < LINES:
            kind = "request" if "id" in message else "notification"
            yield json.dumps([kind, message["method"], json.dumps(message["params"])])
            count += 1


def typescript(folder: Path, lines: Path) -> None:
    """Compile the modules, and run the peers of TypeScript."""
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copytree(ROOT / "generated/typescript/v2/schema", folder / "schema")
    options = {"target": "es2022", "module": "nodenext", "types": [], "outDir": "out"}
    config = {"compilerOptions": {**options, "rootDir": "schema"}, "include": ["schema/*.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(config))
    subprocess.run(["node", TSC, "-p", "."], cwd=folder, check=True)
    files = (HERE / "peers" / "readers.mjs", folder / "out" / "index.js", SDK, lines)
    subprocess.run(["node", "--expose-gc", *map(str, files)], check=True)


def go(folder: Path, lines: Path) -> None:
    """Copy the module, and run its benchmark."""
    module = folder / "v2"
    shutil.copytree(ROOT / "generated/go/v2", module)
    program = (HERE / "peers" / "readers_test.go").read_text("utf-8")
    (module / "schema" / "readers_test.go").write_text(program)
    command = ["go", "test", "-run", "^$", "-bench", ".", "-count", "5", "./schema"]
    environment = {**os.environ, "LINES": str(lines), "GOFLAGS": "-mod=mod"}
    subprocess.run(command, cwd=module, env=environment, check=True)


def main() -> None:
    """Print the table of TypeScript, then the benchmark of Go."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = folder / "lines.ndjson"
        lines.write_text("".join(f"{line}\n" for line in params()))
        typescript(folder, lines)
        go(folder, lines)


if __name__ == "__main__":
    main()
