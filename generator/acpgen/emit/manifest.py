"""Digests of what went into a generated tree and of what came out.

With them an unchanged tree is recognised by hashing alone: no parsing, no code generator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from acpgen import resources
from acpgen.emit.header import HEADER
from acpgen.emit.templates import files as template_files
from acpgen.load.last_release import changelog_beside
from acpgen.load.listing import is_hidden, require_file, schema_files
from acpgen.startup import digests

NAME = "manifest.json"
_PACKAGE = Path(resources.__file__).parent
SHAPING_MODULES = (
    "startup/__init__.py",
    "startup/digests.py",
    "startup/checkout.py",
    "startup/method_list.py",
    "startup/output.py",
    "startup/slotted_value.py",
    "types/*.py",
    "model.py",
    "sides.py",
    "patterns/*.py",
    "report/document.py",
    "words.py",
    "load/*.py",
    "lint/**/*.py",
    "emit/*.py",
    "judge/message_verdict.py",
    "targets/**/*.py",
)
"""The modules of acpgen that what is generated depends on."""
_SHAPING_PACKAGES = ("datamodel-code-generator", "jinja2")


@dataclass(frozen=True, slots=True)
class Manifest:
    """`inputs` by kind; `outputs` by target, then path, for the targets made from those inputs."""

    inputs: Mapping[str, str]
    outputs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def text(self) -> str:
        """The manifest as the JSON file that is kept."""
        document = {
            "$comment": HEADER,
            "inputs": self.inputs,
            "outputs": {name: dict(sorted(o.items())) for name, o in sorted(self.outputs.items())},
        }
        return json.dumps(document, indent=2) + "\n"


def read(folder: Path) -> Manifest | None:
    """The manifest of a folder, or None when there is none to be trusted."""
    try:
        document = json.loads(digests.content_of(str(folder / NAME)))
        inputs, outputs = document["inputs"], document["outputs"]
        if (
            _is_texts(inputs)
            and isinstance(outputs, dict)
            and all(map(_is_texts, outputs.values()))
        ):
            return Manifest(inputs, outputs)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None


def inputs(schema: Path, templates: Path, accepted: Path | None = None) -> dict[str, str]:
    """Digest everything that shapes the output, and what the schema was let through by.

    That is the schema, its accepted findings and its changelog, the dialect, the templates with
    acpgen's own where their folder has none, the traces that become vectors, the generator with its
    rules, and its pinned tools. Line ends don't count: a checkout with CRLF has the same digests.

    Raises:
        TemplateError: the folder of templates does not exist.
        OSError: one of them can't be read.
    """
    require_file(schema)
    log = changelog_beside(schema)
    files = schema_files(schema) if schema.is_dir() else [schema]
    return {
        "schema": _combined(schema.parent if schema.is_file() else schema, files),
        "version": _version_folder(schema),
        "releases": "" if log is None else _combined(log.parent, [log]),
        "accepted": "" if accepted is None else _combined(accepted.parent, [accepted]),
        "templates": _total(template_files(templates)),
        **of_acpgen(),
    }


def of_acpgen() -> dict[str, str]:
    """Digest what shapes the output and is part of acpgen, so that a process reads it only once.

    Raises:
        OSError: one of the files can't be read.
    """
    return {
        "dialect": _combined(resources.DIALECT.parent, [resources.DIALECT]),
        "traces": _combined(
            resources.CONFORMANCE,
            [resources.CONFORMANCE / "trace_script.py", *_found(resources.CONFORMANCE, "traces/*")],
        ),
        "generator": _combined(
            _PACKAGE, (f for pattern in SHAPING_MODULES for f in _found(_PACKAGE, pattern))
        ),
        **{name: _version(name) for name in _SHAPING_PACKAGES},
    }


def outputs(tree: Mapping[str, str]) -> dict[str, str]:
    """The digest of each text of a tree."""
    return {path: digests.of_bytes(text.encode("utf-8")) for path, text in tree.items()}


def holds(folder: Path, recorded: Mapping[str, str]) -> bool:
    """True if every recorded file in the folder is as it was recorded."""
    return all(_file_digest(folder / path) == digest for path, digest in recorded.items())


def unchanged(folder: Path, recorded: Mapping[str, str]) -> list[str]:
    """The recorded paths in the folder whose files are unchanged."""
    inside = {p: d for p, d in recorded.items() if ".." not in Path(p).parts}
    return [p for p, digest in inside.items() if _file_digest(folder / p) == digest]


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _version_folder(schema: Path) -> str:
    """The folder's name where the protocol's version may come from it."""
    place = schema.resolve()
    name = place.parent.name if place.is_file() else place.name
    return name if re.fullmatch(r"v[0-9]+", name) else ""


def _found(base: Path, pattern: str) -> Iterator[Path]:
    return (path for path in base.glob(pattern) if not is_hidden(path.name))


def _combined(base: Path, files: Iterable[Path]) -> str:
    return _total(
        {f.relative_to(base).as_posix() if f.is_relative_to(base) else f.name: f for f in files}
    )


def _total(files: Mapping[str, Path]) -> str:
    return digests.of_text_files({name: str(file) for name, file in files.items()})


def _file_digest(path: Path) -> str | None:
    try:
        return digests.of_bytes(digests.content_of(str(path)))
    except (
        FileNotFoundError,
        NotADirectoryError,
        IsADirectoryError,
        digests.IrregularFileError,
    ):
        return None


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
