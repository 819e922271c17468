"""Regions about acpgen itself: its targets and languages, and the annotations of schema files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from acpgen import resources
from acpgen.emit.markdown import Inline, code, join, prose, table
from acpgen.load.listing import schema_files
from acpgen.model import JsonValue, Protocol
from acpgen.targets import TARGETS, languages
from acpgen.targets.retry.classes import CLASSES


def house_tables(protocol: Protocol) -> dict[str, tuple[str, Callable[[], str]]]:
    """Return the summary of each region and the function that makes its Markdown, by name."""
    return {
        "targets": ("the targets of acpgen generate", _targets),
        "languages": (
            "the languages with a retry table of their own",
            lambda: _languages(protocol.version or 0),
        ),
        "annotations": ("the annotations of schema files", _annotations),
        "class-values": ("the values of x-retry-class", _class_values),
        "schema-files": ("the files of the schema", lambda: _schema_files(Path(protocol.source))),
    }


def _targets() -> str:
    head = (Inline("Target"), Inline("What it writes"), Inline("Where"))
    return table(
        head,
        (
            (code(target.name), prose(target.summary), join(map(code, target.owned_paths), ", "))
            for target in TARGETS
        ),
    )


def _languages(version: int) -> str:
    head = (Inline("Language"), Inline("Target"), Inline("Generated file"))
    return table(
        head,
        (
            (prose(languages.dialect(n).title), code(n), code(languages.table_path(n, version)))
            for n in languages.others()
        ),
    )


def _annotations() -> str:
    dialect = json.loads(resources.DIALECT.read_text("utf-8"))
    stability = dialect["$defs"]["stability"]
    found = {"x-stability": (stability["$comment"], stability["description"])}
    found |= dict(_described(dialect))
    head = (Inline("Annotation"), Inline("On"), Inline("Meaning"))
    return table(
        head, ((code(name), prose(on), prose(what)) for name, (on, what) in sorted(found.items()))
    )


def _described(schema: JsonValue) -> Iterator[tuple[str, tuple[str, str]]]:
    """The annotations that a part of the dialect defines: where each is, and its meaning."""
    if isinstance(schema, list):
        for item in schema:
            yield from _described(item)
    if not isinstance(schema, dict):
        return
    for name, value in schema.items():
        if (name.startswith("x-") or name == "examples") and isinstance(value, dict):
            on, what = value.get("$comment"), value.get("description")
            if isinstance(on, str) and isinstance(what, str):
                yield name, (on, what)
        yield from _described(value)


def _class_values() -> str:
    head = (Inline("Class"), Inline("What a copy does"), Inline("Sender"))
    return table(head, ((code(r.value), e.meaning, e.rule) for r, e in CLASSES.items()))


def _schema_files(folder: Path) -> str:
    files = schema_files(folder) if folder.is_dir() else []
    documents = ((file.name, json.loads(file.read_text("utf-8"))) for file in files)
    head = (Inline("File"), Inline("What it defines"))
    return table(head, ((code(name), prose(d.get("description", ""))) for name, d in documents))
