"""Schema files as strict JSON, and the lines that pointers into them stand on."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from acpgen.findings import Finding, Severity, order
from acpgen.model import Location, Pointer, append

RawSchema = dict[str, Any]
"""One schema object as read. Nobody outside this package sees one."""

_VERSION = "x-protocol-version"


class SchemaError(Exception):
    """A schema that can't be used; `findings` says where and why, sorted by place."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = order(findings)
        super().__init__(f"{len(self.findings)} finding(s) in the schema")


@dataclass(frozen=True)
class Document:
    """One schema file. `name` is the file name that references between files use."""

    name: str
    file: str
    text: str
    root: RawSchema

    @cached_property
    def lines(self) -> Mapping[Pointer, int]:
        """The 1-based line on which the value of each pointer starts."""
        return scan(self.text).lines

    @property
    def definitions(self) -> dict[str, RawSchema]:
        """The named definitions, empty where the file has none."""
        definitions: dict[str, RawSchema] = self.root.get("$defs", {})
        return definitions

    def finding(self, rule: str, pointer: Pointer, message: str) -> Finding:
        """An error at a pointer into this file."""
        line = self.lines.get(pointer)
        return Finding(rule, Severity.ERROR, self.file, pointer, message, line)


@dataclass(frozen=True)
class Documents:
    """The files of one schema. `release` when it is a single file with the envelope written out."""

    path: Path
    files: tuple[Document, ...]
    release: bool

    def by_name(self, name: str) -> Document | None:
        """The file that a reference calls by that name."""
        return next((d for d in self.files if d.name == name), None)

    def find(self, location: Location) -> Document:
        """The file that a location stands in."""
        return next(d for d in self.files if d.file == location.file)

    @property
    def version(self) -> int | None:
        """The protocol's version: what a file states, else what a folder called vN says."""
        stated = (int(d.root[_VERSION]) for d in self.files if _VERSION in d.root)
        path = self.path.resolve()
        folder = path.parent.name if self.release else path.name
        named = int(folder[1:]) if re.fullmatch(r"v[0-9]+", folder) else None
        return next(stated, named)


def read(path: Path) -> Documents:
    """Read a folder of domain files, or one file.

    Raises:
        SchemaError: a file is not strict JSON, or not an object; two state different versions.
        OSError: the path can't be read.
    """
    if not path.is_dir():
        return Documents(path, (_read_file(path),), release=True)
    paths = sorted(path.glob("*.json"))
    if not paths:
        missing = "holds no *.json file; name a folder of domain files or a single-file release"
        raise SchemaError([Finding("empty-schema", Severity.ERROR, str(path), "", missing)])
    files: list[Document] = []
    findings: list[Finding] = []
    for file in paths:
        try:
            files.append(_read_file(file))
        except SchemaError as error:
            findings.extend(error.findings)
    findings.extend(_other_versions([d for d in files if _VERSION in d.root]))
    if findings:
        raise SchemaError(findings)
    return Documents(path, tuple(files), release=False)


def _other_versions(files: Sequence[Document]) -> Iterator[Finding]:
    """Files that state another version of the protocol than the first of them."""
    for document in files[1:]:
        if document.root[_VERSION] != files[0].root[_VERSION]:
            yield document.finding(
                "protocol-version",
                append(Pointer(""), _VERSION),
                f"is another version than {files[0].name} states; state it in one file only",
            )


def _read_file(path: Path) -> Document:
    file = str(path)

    def refuse(message: str, line: int | None = None, pointer: str = "") -> NoReturn:
        raise SchemaError(
            [Finding("not-json", Severity.ERROR, file, pointer, message, line)]
        ) from None

    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse(f"is not UTF-8 at byte {error.start}", data.count(b"\n", 0, error.start) + 1)
    try:
        root, repeats = _parse(text)
    except json.JSONDecodeError as error:
        refuse(f"is not JSON: {error.msg} at column {error.colno}", error.lineno)
    except _OddValueError as error:
        refuse(f"is not JSON: {error}", _line(text, error.lexeme))
    except RecursionError:
        refuse("is nested too deeply to be a schema")
    if (half := _half_character(text)) is not None:
        refuse("holds half of a surrogate pair, which is no text", _line(text, half))
    if repeats:
        raise SchemaError(
            Finding(
                "duplicate-member",
                Severity.ERROR,
                file,
                pointer,
                "stands twice in the same object; keep one",
                line,
            )
            for pointer, line in scan(text).duplicates
        )
    if not isinstance(root, dict):
        refuse("is not a JSON object; a schema file holds one object with $defs", 1)
    return Document(path.name, file, text, root)


def _parse(text: str) -> tuple[object, bool]:
    """The value of a JSON text, and whether an object in it repeats a member."""
    repeats = False

    def build(members: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeats
        built = dict(members)
        repeats = repeats or len(built) < len(members)
        return built

    root = json.loads(
        text,
        parse_constant=_constant,
        parse_int=_integer,
        parse_float=_fraction,
        object_pairs_hook=build,
    )
    return root, repeats


class _OddValueError(ValueError):
    """A lexeme that Python takes for a value, and others don't."""

    def __init__(self, lexeme: str, reason: str) -> None:
        super().__init__(f"{lexeme[:20]} {reason}")
        self.lexeme = lexeme


def _constant(lexeme: str) -> NoReturn:
    raise _OddValueError(lexeme, "is no JSON value")


def _integer(lexeme: str) -> int:
    try:
        return int(lexeme)
    except ValueError:
        raise _OddValueError(lexeme, "has too many digits") from None


def _fraction(lexeme: str) -> float:
    value = float(lexeme)
    if math.isinf(value):
        raise _OddValueError(lexeme, "is too large for a number")
    return value


def _half_character(text: str) -> str | None:
    """The first string of a JSON text with a surrogate that has no other half."""
    if "\\ud" not in text.lower():
        return None
    strings = (lexeme for lexeme in _TOKEN.findall(text) if lexeme.startswith('"'))
    return next((s for s in strings if re.search("[\ud800-\udfff]", json.loads(s))), None)


def _line(text: str, lexeme: str) -> int:
    """The line on which a lexeme stands for the first time."""
    start = next(m.start() for m in _TOKEN.finditer(text) if m.group() == lexeme)
    return text.count("\n", 0, start) + 1


@dataclass(frozen=True)
class Scan:
    """Where the values of a JSON text stand, and which members stand twice in one object."""

    lines: Mapping[Pointer, int]
    duplicates: tuple[tuple[Pointer, int], ...]


_TOKEN = re.compile(r'[\[\]{}:,]|"(?:[^"\\]|\\.)*"|[^\s\[\]{}:,"]+')


def scan(text: str) -> Scan:
    """Walk a text that is known to be JSON once and note where its values start."""
    lines: dict[Pointer, int] = {}
    duplicates: list[tuple[Pointer, int]] = []
    stack: list[tuple[Pointer, bool]] = []
    pointer, index, seen = Pointer(""), [0], [set[str]()]
    expects_name = False
    line, consumed = 1, 0
    for match in _TOKEN.finditer(text):
        lexeme = match.group()
        line += text.count("\n", consumed, match.start())
        consumed = match.start()
        if lexeme in "]}":
            pointer = stack.pop()[0]
            index.pop()
            seen.pop()
            expects_name = False
        elif lexeme == ",":
            parent, is_object = stack[-1]
            index[-1] += 1
            expects_name = is_object
            pointer = parent if is_object else append(parent, index[-1])
        elif lexeme == ":":
            expects_name = False
        elif expects_name:
            name: str = json.loads(lexeme)
            pointer = append(stack[-1][0], name)
            if name in seen[-1]:
                duplicates.append((pointer, line))
            seen[-1].add(name)
        else:
            lines.setdefault(pointer, line)
            if lexeme in "[{":
                stack.append((pointer, lexeme == "{"))
                index.append(0)
                seen.append(set())
                expects_name = lexeme == "{"
                pointer = pointer if expects_name else append(pointer, 0)
    return Scan(lines, tuple(duplicates))
