"""Step four of loading: every $ref leads to a definition, and following it gets somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.findings import Finding
from acpgen.load.schema_text import Document, Documents, RawSchema
from acpgen.model import Pointer, append
from acpgen.types.way_back import way_back


def unresolved(documents: Documents) -> list[Finding]:
    """The references of all files that lead nowhere, and the names that are defined twice.

    If there are none, the references that lead only back to themselves.
    """
    findings = [
        *_repeated_names(documents),
        *(
            finding
            for document in documents.files
            for name, definition in document.definitions.items()
            if not ignored(definition)
            for finding in _unresolved(documents, document, append(Pointer("/$defs"), name))
        ),
    ]
    return findings or [*_circular(documents)]


_WITHOUT_SCHEMAS = frozenset({"examples", "default", "const", "enum", "required"})

_MANY = 2
"""So many definitions of a file may be repeated by mistake. If more are, and most, it is a copy."""


def ignored(definition: RawSchema) -> bool:
    """True if a definition is part of an envelope written out, which acpgen derives instead."""
    return definition.get("x-docs-ignore") is True


def target(reference: str) -> tuple[str, str]:
    """The file name (empty for the same file) and the definition name of a $ref."""
    file, _, name = reference.partition("#/$defs/")
    return file, name


def _repeated_names(documents: Documents) -> Iterator[Finding]:
    home: dict[str, str] = {}
    for document in documents.files:
        repeated = [name for name in document.definitions if name in home]
        if _MANY < len(repeated) > len(document.definitions) / 2:
            others = ", ".join(sorted({home[name] for name in repeated}))
            yield document.finding(
                "repeated-definition",
                Pointer(""),
                f"defines {len(repeated)} of the types in {others} again; if each of these files "
                "is a schema by itself, name the one that is meant",
            )
        else:
            for name in repeated:
                yield document.finding(
                    "repeated-definition",
                    append(Pointer("/$defs"), name),
                    f"is defined in {home[name]} too; a type has one home",
                )
        home = dict.fromkeys(document.definitions, document.name) | home


def _unresolved(documents: Documents, document: Document, pointer: Pointer) -> Iterator[Finding]:
    definition = document.definitions[pointer.rpartition("/")[2]]
    for place, schema in subschemas(definition, pointer):
        if not isinstance(reference := schema.get("$ref"), str):
            continue
        where = append(place, "$ref")
        file, name = target(reference)
        home = documents.by_name(file) if file else document
        if home is None:
            yield document.finding("unresolved-ref", where, _no_file(documents, file))
        elif name not in home.definitions:
            yield document.finding("unresolved-ref", where, f"{home.name} does not define {name}")
        elif ignored(home.definitions[name]):
            yield document.finding(
                "unresolved-ref", where, f"{name} is part of the envelope, which acpgen derives"
            )


def _no_file(documents: Documents, file: str) -> str:
    if not documents.release:
        return f"there is no file {file} beside this"
    folder = documents.path.parent
    if not (folder / file).is_file():
        return f"there is no file {file}; a release holds all that it refers to"
    return f"{file} is not read with a single file; name the folder {folder} instead"


def subschemas(schema: object, pointer: Pointer) -> Iterator[tuple[Pointer, RawSchema]]:
    """A schema and those below it, with their pointers.

    `examples`, `default` and `const` hold no schemas.
    """
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from subschemas(item, append(pointer, index))
    elif isinstance(schema, dict):
        yield pointer, schema
        for key, value in schema.items():
            here = append(pointer, key)
            if key == "properties":
                for name, child in value.items():
                    yield from subschemas(child, append(here, name))
            elif key not in _WITHOUT_SCHEMAS:
                yield from subschemas(value, here)


def _circular(documents: Documents) -> Iterator[Finding]:
    """Definitions that lead back to themselves through references and unions alone."""
    steps = {
        name: list(_immediate(definition))
        for document in documents.files
        for name, definition in document.definitions.items()
    }
    for document in documents.files:
        for name in document.definitions:
            path = way_back(name, steps)
            if path is not None:
                yield document.finding(
                    "circular-ref",
                    append(Pointer("/$defs"), name),
                    f"refers only back to itself: {' -> '.join(path)}",
                )


def _immediate(schema: RawSchema) -> Iterator[str]:
    if "$ref" in schema:
        yield target(schema["$ref"])[1]
    for keyword in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(keyword, ()):
            yield from _immediate(branch)
