"""Compilers of the languages, and programs that print what the generated tables say."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import unavailable
from acpgen.model import Protocol
from acpgen.targets.languages import DIALECTS, language
from language_subjects import TEMPLATES, Subject, plain

TESTS = Path(__file__).parents[1]
DRIVERS = TESTS / "targets" / "languages" / "drivers"
NODE_MODULES = TESTS / "languages" / "node_modules"
KOTLIN = NODE_MODULES / "kotlin-compiler"
TSC = NODE_MODULES / ".bin" / "tsc"
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


@dataclass(frozen=True, slots=True)
class Language:
    """How a language is compiled and run.

    Fields:
        name: that of the dialect.
        needs: programs, and files of npm packages, that have to be there.
        driver: the driver's source, and its place in a folder for the version in braces.
        compile: builds generated files and drivers in a folder, without a single warning.
        command: what prints the records of one version from such a folder.
        layout: what fails for files that the language's formatter would change.
        json: whether the driver reads JSON; otherwise it reads the plain form.
    """

    name: str
    needs: tuple[str | Path, ...]
    driver: tuple[str, str]
    compile: Callable[[Path, Sequence[Path], Sequence[Path]], None]
    command: Callable[[Path, str], Sequence[str | Path]]
    layout: tuple[str | Path, ...] = ()
    json: bool = False


def write(language_: Language, folder: Path, protocols: Iterable[Protocol]) -> list[Path]:
    """Write the generated files of one language, and say where they are."""
    trees = (language(DIALECTS[language_.name], each, TEMPLATES) for each in protocols)
    written = []
    for path, text in ((path, text) for tree in trees for path, text in tree.items()):
        file = folder / Path(path).relative_to(language_.name)
        file.parent.mkdir(parents=True)
        file.write_bytes(text.encode())
        written.append(file)
    return written


def drivers(language_: Language, folder: Path, versions: Iterable[str]) -> list[Path]:
    """Put a driver for each version into a folder."""
    source, place = language_.driver
    text = (DRIVERS / source).read_text("utf-8")
    written = []
    for version in versions:
        file = folder / place.format(version)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("v2", version), "utf-8")
        written.append(file)
    return written


def once(folder: Path, build: Callable[[Path], None]) -> Path:
    """A folder that was built, by this process or by another worker of the same test run."""
    run_ = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    shared = folder.parent / f"{folder.name}-{run_}"
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = shared / "done"
        if not done.exists():
            shutil.rmtree(shared, ignore_errors=True)
            shared.mkdir()
            build(shared)
            done.touch()
    return shared


def require(what: str, *needs: str | Path) -> None:
    """Skip what needs a program or a file that is not installed; in CI, fail."""
    missing = [
        str(need) for need in needs if shutil.which(need) is None and not Path(need).is_file()
    ]
    if missing:
        reason = f"{what}: {', '.join(missing)} is missing; see tests/languages/README.md"
        unavailable.skip(reason)


def run(command: Sequence[str | Path], folder: Path, text: str = "") -> str:
    """The output of a program that succeeds without a word on standard error."""
    talkative = {"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"}
    environment = {
        **{name: value for name, value in os.environ.items() if name not in talkative},
        "GOCACHE": os.environ.get("GOCACHE", str(folder.parent / "go-cache")),
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "JAVA_OPTS": "-XX:TieredStopAtLevel=1",
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    output, errors = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
    said = output + errors if done.returncode else errors
    assert (done.returncode, said) == (0, ""), f"{command[0]}: {said[:4000]}"
    return output


def records(
    language_: Language, folder: Path, subject: Subject, pairs: Sequence[dict[str, Any]] = ()
) -> list[list[str]]:
    """What the driver of a language prints for a subject, and then for pairs to derive IDs from."""
    asked = {"messages": [*subject.messages], "pairs": [*pairs]}
    text = json.dumps(asked) if language_.json else plain(**asked)
    output = run(language_.command(folder, subject.version), folder, text)
    return [record.split("\x1f") for record in output.split("\x1e")[:-1]]


def _compile_typescript(folder: Path, files: Sequence[Path], _: Sequence[Path]) -> None:
    (folder / "package.json").write_text('{"type": "module"}')
    options = {**_STRICT, "rootDir": ".", "outDir": "out"}
    config = {"compilerOptions": options, "files": [file.as_posix() for file in files]}
    (folder / "tsconfig.json").write_text(json.dumps(config))
    run([TSC, "--project", "."], folder)


def _compile_rust(folder: Path, files: Sequence[Path], drivers_: Sequence[Path]) -> None:
    rustc = ["rustc", "--edition", "2021", "-D", "warnings", "-D", "missing_docs", "--out-dir"]
    for file in files:
        run([*rustc, file.parent, "--crate-type", "rlib", "--crate-name", "retry", file], folder)
    for file in drivers_:
        table = f"retry={file.parent}/libretry.rlib"
        run([*rustc, file.parent, "--extern", table, file], folder)


def _compile_go(folder: Path, _: Sequence[Path], __: Sequence[Path]) -> None:
    (folder / "go.mod").write_text("module example.org/acp\n\ngo 1.18\n")
    run(["go", "vet", "./..."], folder)
    run(["go", "build", "-o", "bin/", "./..."], folder)


def _compile_kotlin(folder: Path, files: Sequence[Path], drivers_: Sequence[Path]) -> None:
    options = ["-Werror", "-Wextra", "-Xexplicit-api=strict", "-jvm-target", "17", "-d", "out.jar"]
    run(["bash", KOTLIN / "bin" / "kotlinc", *options, *files, *drivers_], folder)


def _compile_java(folder: Path, files: Sequence[Path], drivers_: Sequence[Path]) -> None:
    strict = ["-Xlint:all", "-Xdoclint:all/public", "-Werror"]
    options = ["--release", "17", "-encoding", "UTF-8", *strict, "-d", "out"]
    run(["javac", *options, *files, *drivers_], folder)


LANGUAGES = {
    each.name: each
    for each in (
        Language(
            "typescript",
            ("node", TSC, PRETTIER),
            ("driver.mjs", "{}/driver.mjs"),
            _compile_typescript,
            lambda folder, version: [
                "node",
                folder / version / "driver.mjs",
                folder / "out" / version / "schema" / "retry.gen.js",
            ],
            (PRETTIER, "--log-level", "warn", "--check"),
            json=True,
        ),
        Language(
            "rust",
            ("rustc", "rustfmt"),
            ("driver.rs", "{}/driver.rs"),
            _compile_rust,
            lambda folder, version: [folder / version / "driver"],
            ("rustfmt", "--edition", "2021", "--check"),
        ),
        Language(
            "go",
            ("go", "gofmt"),
            ("driver.go", "cmd/driver_{}/main.go"),
            _compile_go,
            lambda folder, version: [folder / "bin" / f"driver_{version}"],
            ("gofmt", "-d"),
            json=True,
        ),
        Language(
            "kotlin",
            ("java", KOTLIN / "bin" / "kotlinc"),
            ("Driver.kt", "driver/{}/Driver.kt"),
            _compile_kotlin,
            lambda folder, version: [
                "java",
                "-cp",
                f"{folder / 'out.jar'}:{KOTLIN / 'lib' / 'kotlin-stdlib.jar'}",
                f"driver.{version}.DriverKt",
            ],
        ),
        Language(
            "java",
            ("java", "javac"),
            ("Driver.java", "driver/{}/Driver.java"),
            _compile_java,
            lambda folder, version: ["java", "-cp", folder / "out", f"driver.{version}.Driver"],
        ),
    )
}
