"""Compilers of the languages, and programs that print what the generated tables say."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import unavailable
from acpgen.model import Protocol
from acpgen.targets.languages.language_table import codec, language_files, table
from language_subjects import TEMPLATES, Subject, plain

TESTS = Path(__file__).parents[1]
SUBJECTS_FOLDER = TESTS / "targets" / "languages"
NODE_MODULES = TESTS / "languages" / "node_modules"


@dataclass(frozen=True, slots=True)
class Language:
    """How the tests compile and run a language.

    Fields:
        needs: programs, and files of npm packages, that have to be installed.
        driver: the driver's source, and its place in a folder for the version in braces.
        compile: builds generated files and drivers in a folder, without a single warning.
        command: the program that prints the records of one version from such a folder.
        path: the generated file of the invented protocol.
        literal: a literal of the text that tests call `ODD_TEXT`.
        with_a_warning: the name and text of a file that compiles, though with a warning.
        layout: a command that fails for files that the language's formatter would change.
        badly_laid_out: the name and text of a file that the formatter would change.
        json: whether the driver reads JSON; otherwise it reads the plain form.
        lone_surrogates: how the driver gets a text without a UTF-8 form: as `text`, as `bytes`
            beside it, or not at all where the language has no such text.
        name: the name of the folder, set by the listing.
    """

    needs: tuple[str | Path, ...]
    driver: tuple[str, str]
    compile: Callable[[Path, Sequence[Path], Sequence[Path]], None]
    command: Callable[[Path, str], Sequence[str | Path]]
    path: str
    literal: str
    with_a_warning: tuple[str, str] | None = None
    layout: tuple[str | Path, ...] = ()
    badly_laid_out: tuple[str, str] | None = None
    json: bool = False
    lone_surrogates: str | None = "text"
    name: str = ""

    @property
    def folder(self) -> Path:
        """The folder with what the tests know about the language."""
        return SUBJECTS_FOLDER / self.name


ODD_TEXT = '"\\$`{\n\r\t\0\x85\u2028\ue000🚩é\ud800'
"""A text with characters that most languages escape."""


def write(language_: Language, folder: Path, protocols: Iterable[Protocol]) -> list[Path]:
    """Write the generated files of one language, and say where they are."""
    trees = (table(language_.name, each, TEMPLATES) for each in protocols)
    written = []
    for path, text in ((path, text) for tree in trees for path, text in tree.items()):
        file = folder / Path(path).relative_to(language_.name)
        file.parent.mkdir(parents=True)
        file.write_bytes(text.encode())
        written.append(file)
    return written


def write_codec(language_: Language, folder: Path, protocol: Protocol) -> Path:
    """Write what reads and writes keys with the usual JSON library, and say where it is."""
    ((path, text),) = codec(language_.name, protocol, TEMPLATES).items()
    file = folder / Path(path).relative_to(language_.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def write_full(name: str, folder: Path, protocol: Protocol) -> list[Path]:
    """Write all files of one language, types of everything among them, and say where they are."""
    written = []
    for path, text in language_files(name, protocol, TEMPLATES).items():
        file = folder / Path(path).relative_to(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        written.append(file)
    return written


def drivers(language_: Language, folder: Path, versions: Iterable[str]) -> list[Path]:
    """Put a driver for each version into a folder."""
    source, place = language_.driver
    text = (language_.folder / source).read_text("utf-8")
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
    reported = output + errors if done.returncode else errors
    assert (done.returncode, reported) == (0, ""), f"{command[0]}: {reported[:4000]}"
    return output


def records(
    language_: Language, folder: Path, subject: Subject, pairs: Sequence[dict[str, Any]] = ()
) -> list[list[str]]:
    """What the driver of a language prints for a subject, and then for pairs to derive IDs from."""
    asked = {"messages": [*subject.messages], "pairs": [*pairs]}
    text = json.dumps(asked) if language_.json else plain(**asked)
    output = run(language_.command(folder, subject.version), folder, text)
    return [record.split("\x1f") for record in output.split("\x1e")[:-1]]


def subject_module(name: str) -> ModuleType:
    """The `subject.py` of a language."""
    spec = spec_from_file_location(f"subject_of_{name}", SUBJECTS_FOLDER / name / "subject.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _subject(name: str) -> Language:
    language: Language = subject_module(name).LANGUAGE
    return replace(language, name=name)


LANGUAGES = {
    path.parent.name: _subject(path.parent.name)
    for path in sorted(SUBJECTS_FOLDER.glob("*/subject.py"))
}
"""The languages that the tests have a subject of, found by listing."""
