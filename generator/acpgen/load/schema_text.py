"""Schema files as strict JSON, and the lines of pointers into them."""

from __future__ import annotations

import errno
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from acp_wire.reader import NotJsonError, decode
from acp_wire.value_places import repeated_lines, value_lines
from acpgen.findings import Finding, Severity, order
from acpgen.load.listing import read_within, require_file, schema_files
from acpgen.load.schema_limits import SchemaLimits, advice
from acpgen.model import Location, Pointer, append

RawSchema = dict[str, Any]
"""One schema object as read. It stays in this package."""

_VERSION = "x-protocol-version"


class SchemaError(Exception):
    """A schema that can't be used; `findings` are sorted by file and pointer."""

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
        return lines_of(self.text)

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
        """The file of a location."""
        return next(d for d in self.files if d.file == location.file)

    def without(self, findings: Iterable[Finding]) -> Documents:
        """The same files, with `{}` in place of each definition that a finding is about.

        Of the other members of a file, those that findings are about are left out.
        """
        faulty = {(f.file, _top(f.pointer)) for f in findings}
        return replace(self, files=tuple(_sound(file, faulty) for file in self.files))

    @property
    def version(self) -> int | None:
        """The protocol's version: the one in a file, else the one in the name of a folder vN."""
        stated = (int(d.root[_VERSION]) for d in self.files if _VERSION in d.root)
        return next(stated, _named_version(self.path, release=self.release))


def in_definition(finding: Finding) -> bool:
    """True if a finding is about one definition, not about a file."""
    return finding.pointer.startswith("/$defs/")


def _top(pointer: str) -> str:
    """The pointer of the definition that a pointer leads into, or else of the file's member."""
    parts = pointer.split("/")
    return "/".join(parts[: 3 if parts[1:2] == ["$defs"] else 2])


def _sound(document: Document, faulty: Collection[tuple[str, str]]) -> Document:
    if not any(file == document.file for file, _ in faulty):
        return document

    def is_faulty(*path: str) -> bool:
        return (document.file, append(Pointer(""), *path)) in faulty

    root = {name: value for name, value in document.root.items() if not is_faulty(name)}
    definitions = root.get("$defs", {})
    kept = {name: {} if is_faulty("$defs", name) else d for name, d in definitions.items()}
    return replace(document, root={**root, "$defs": kept})


def read(path: Path) -> Documents:
    """Read a folder of domain files, or one file.

    Raises:
        SchemaError: a file is not strict JSON, or not an object; two state different versions, or
            one states another version than its folder is called after.
        OSError: the path can't be read.
    """
    documents, findings = read_all(path)
    if findings:
        raise SchemaError(findings)
    return documents


def read_all(path: Path) -> tuple[Documents, list[Finding]]:
    """Read what can be read. Returns it with the findings for which `read` raises an error.

    Raises:
        OSError: the path can't be read, or has more files or bytes than `SchemaLimits` allows.
    """
    release = not path.is_dir()
    if release:
        require_file(path)
    paths = [path] if release else schema_files(path)
    if not paths:
        missing = "holds no *.json file; name a folder of domain files or a single-file release"
        found = Finding("empty-schema", Severity.ERROR, str(path), "", missing)
        return Documents(path, (), release=False), [found]
    limits = SchemaLimits.current()
    files: list[Document] = []
    findings: list[Finding] = []
    for file in paths:
        if file.exists() and not file.is_file():
            raise OSError(errno.EINVAL, "is not a regular file", str(file))
        try:
            files.append(_read_file(file, limits.bytes))
        except SchemaError as error:
            findings.extend(error.findings)
    if beyond := [*_beyond(files, limits)]:
        return Documents(path, (), release=release), [*findings, *beyond]
    findings.extend(_other_versions([d for d in files if _VERSION in d.root]))
    documents = Documents(path, tuple(files), release=release)
    return documents, [*findings, *_contradictions(documents)]


def _beyond(files: Iterable[Document], limits: SchemaLimits) -> Iterator[Finding]:
    """The first file with which the schema has too many definitions, or too many values."""
    definitions = values = 0
    for document in files:
        defined = document.root.get("$defs")
        definitions += len(defined) if isinstance(defined, dict) else 0
        values += _number_of_values(document.root, limits.values - values)
        for limit, count, most in (
            ("definitions", definitions, limits.definitions),
            ("values", values, limits.values),
        ):
            if count > most:
                yield Finding(
                    "schema-size",
                    Severity.ERROR,
                    document.file,
                    "",
                    f"is where the schema has more than {most} {limit}; {advice(limit)}",
                )
                return


def _number_of_values(root: object, most: int) -> int:
    """How many JSON values there are in one, itself included; more than `most` if there are."""
    count, rest = 0, [root]
    while rest and count <= most:
        value = rest.pop()
        count += 1
        if isinstance(value, dict):
            rest.extend(value.values())
        elif isinstance(value, list):
            rest.extend(value)
    return count


def _named_version(path: Path, *, release: bool) -> int | None:
    """The version that the folder of a schema is called after, None if it is called otherwise."""
    place = path.resolve()
    folder = place.parent.name if release else place.name
    return int(folder[1:]) if re.fullmatch(r"v[0-9]+", folder) else None


def _contradictions(documents: Documents) -> Iterator[Finding]:
    """The first file that states a version, where its folder is called after another one."""
    named = _named_version(documents.path, release=documents.release)
    stating = [document for document in documents.files if _VERSION in document.root]
    for document in stating[:1]:
        stated = document.root[_VERSION]
        if named is not None and isinstance(stated, int | float) and stated != named:
            yield document.finding(
                "protocol-version",
                append(Pointer(""), _VERSION),
                f"is another version than that of the folder, which is called v{named}; "
                "correct it, or rename the folder",
            )


def _other_versions(files: Sequence[Document]) -> Iterator[Finding]:
    """Files that state another version of the protocol than the first of them."""
    for document in files[1:]:
        if document.root[_VERSION] != files[0].root[_VERSION]:
            yield document.finding(
                "protocol-version",
                append(Pointer(""), _VERSION),
                f"is another version than {files[0].name} states; state it in one file only",
            )


def _read_file(path: Path, most_bytes: int) -> Document:
    file = str(path)

    def refuse(message: str, line: int) -> NoReturn:
        raise SchemaError([Finding("not-json", Severity.ERROR, file, "", message, line)]) from None

    try:
        decoded = decode(read_within(path, most_bytes), exact=True)
    except NotJsonError as error:
        refuse(str(error), error.line)
    text, root = decoded.text, decoded.value
    if decoded.repeats:
        raise SchemaError(
            Finding(
                "duplicate-member",
                Severity.ERROR,
                file,
                append(Pointer(""), *path),
                "is twice in the same object; keep one",
                line,
            )
            for path, line in repeated_lines(text)
        )
    if not isinstance(root, dict):
        refuse("is not a JSON object; a schema file holds one object with $defs", 1)
    return Document(path.name, file, text, root)


def lines_of(text: str) -> Mapping[Pointer, int]:
    """Return the 1-based line on which the value of each pointer into a JSON text starts."""
    return {append(Pointer(""), *path): line for path, line in value_lines(text).items()}
