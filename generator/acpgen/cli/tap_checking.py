"""Judges what passes a tap, in a process of its own.

Each line of the pipe has a sender, the number of its line among those of the sender, and a message.
The sender `gap` means that messages are missing: what later ones answer isn't known then.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from acp_wire.reader import attempt
from acpgen import findings
from acpgen.cli.stderr import note_other_schema
from acpgen.cli.verdicts import findings_of
from acpgen.findings import printable
from acpgen.judge.fast_path import FastEngine
from acpgen.judge.message_text import MessageText
from acpgen.judge.message_verdict import MessageRule
from acpgen.judge.versions import VersionedEngine
from acpgen.startup import checker_source
from acpgen.startup.checker_source import SHIPPED_VERSION
from acpgen.tap.companion import skipped_text

_GAP = b"gap"
_CONNECTION = ""
_PAIRING = frozenset({MessageRule.UNEXPECTED_RESPONSE.value, MessageRule.DUPLICATE_ID.value})
"""What is not known after a gap."""


def check(pipe: int, *, schemas: Sequence[str] = (), show_keys: bool) -> None:
    """Print what is found in the lines of a pipe, on standard error, until it ends."""
    engine = _engine(schemas)
    if engine is None:
        return
    whole = True
    with os.fdopen(pipe, "rb") as lines:
        for line in lines:
            sender, number, text = line.rstrip(b"\n").split(b" ", 2)
            if sender == _GAP:
                whole = False
                engine.pairing.clear()
                _print(f"acpgen: {skipped_text(int(number))}\n")
                continue
            side, entry = sender.decode(), MessageText(text, int(number))
            first = not engine.others
            verdict = engine.message(attempt(text), side, _CONNECTION)
            if verdict is None:
                if first:
                    _print(_other_version(engine))
            elif verdict.findings:
                found = findings_of(f"<{side}>", entry, verdict, show_keys=show_keys)
                known = (each for each in found if whole or each.rule not in _PAIRING)
                _print(findings.text(known))


def _engine(schemas: Sequence[str]) -> VersionedEngine | None:
    """The engine that judges; None if a schema can't be read, which is printed."""
    engines: list[tuple[int | None, FastEngine]] = []
    for schema in schemas or (None,):
        if schema is None:
            note_other_schema()
        name = "the schema that comes with acpgen" if schema is None else printable(schema)
        try:
            source = checker_source.of_schema(schema)
        except (OSError, checker_source.UnusableSchemaError):
            _print(f"acpgen: {name} can't be read as a schema: nothing is judged\n")
            return None
        is_made = isinstance(source, checker_source.Made)
        version = source.table().version if is_made else SHIPPED_VERSION
        if engines and version in {None, *(known for known, _ in engines)}:
            _print(f"acpgen: {name} needs a version of its own: nothing is judged\n")
            return None
        engines.append((version, FastEngine(source, version)))
    return VersionedEngine(engines)


def _other_version(engine: VersionedEngine) -> str:
    version = max(version for _, version in engine.others)
    return (
        f"acpgen: the connection is of version {version}, and --check judges version "
        f"{engine.version}: its messages are not judged\n"
    )


def _print(text: str) -> None:
    data = text.encode(errors="backslashreplace")
    while data:
        data = data[os.write(2, data) :]
