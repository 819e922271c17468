"""How the tests compile and run TypeScript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from language_tools import NODE_MODULES, Language, run

TSC = NODE_MODULES / "typescript" / "bin" / "tsc"
OLDEST_TSC = NODE_MODULES / "typescript-oldest" / "bin" / "tsc"
PRETTIER = NODE_MODULES / ".bin" / "prettier"

_STRICT = {
    "strict": True,
    "target": "es2022",
    "module": "nodenext",
    "types": [],
    "declaration": True,
    "allowUnreachableCode": False,
    "allowUnusedLabels": False,
    "erasableSyntaxOnly": True,
    "exactOptionalPropertyTypes": True,
    "isolatedDeclarations": True,
    "noFallthroughCasesInSwitch": True,
    "noImplicitOverride": True,
    "noImplicitReturns": True,
    "noPropertyAccessFromIndexSignature": True,
    "noUncheckedIndexedAccess": True,
    "noUnusedLocals": True,
    "noUnusedParameters": True,
    "verbatimModuleSyntax": True,
}


_LATER = ("erasableSyntaxOnly", "isolatedDeclarations")
"""Options that the oldest compiler doesn't have."""


def options_of(tsc: Path) -> dict[str, object]:
    """The options of a compiler that find something, all of them."""
    later = _LATER if tsc == OLDEST_TSC else ()
    return {name: value for name, value in _STRICT.items() if name not in later}


def compile_strictly(folder: Path, files: Sequence[Path], tsc: Path = TSC) -> None:
    """Compile files into `out`, with every option that finds something."""
    (folder / "package.json").write_text('{"type": "module"}')
    options = {**options_of(tsc), "rootDir": ".", "outDir": "out"}
    sources = [file.as_posix() for file in files if file.suffix == ".ts"]
    config = {"compilerOptions": options, "files": sources}
    (folder / "tsconfig.json").write_text(json.dumps(config))
    run(["node", tsc, "--project", "."], folder)


def _compile(folder: Path, files: Sequence[Path], _: Sequence[Path]) -> None:
    compile_strictly(folder, files)


LANGUAGE = Language(
    needs=("node", TSC, PRETTIER),
    driver=("driver.mjs", "{}/driver.mjs"),
    compile=_compile,
    command=lambda folder, version: [
        "node",
        folder / version / "driver.mjs",
        folder / "out" / version / "schema" / "retry.gen.js",
    ],
    path="typescript/v9/schema/retry.gen.ts",
    literal=r'"\"\\$`{\n\r\t\u0000\u0085\u2028\ue000🚩é\ud800"',
    with_a_warning=("odd.ts", "function unused(): void {}\nexport {};\n"),
    layout=(PRETTIER, "--log-level", "warn", "--check"),
    badly_laid_out=("odd.ts", "export const odd = 'odd'\n"),
    json=True,
)
