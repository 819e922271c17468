"""`acpgen watch`: generate whenever the schema or a template changes."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli.cached_targets import warmed
from acpgen.cli.extras import installation
from acpgen.cli.follow import interruptible
from acpgen.cli.generate import chosen, put, work_out
from acpgen.cli.report import fail, note, relative
from acpgen.cli.schema_options import Out, Schema, TemplateFolder
from acpgen.cli.stderr import note_other_schema
from acpgen.emit import manifest
from acpgen.emit.templates import OWN, TemplateError, is_template
from acpgen.findings import Format
from acpgen.load.listing import accepted_beside, is_hidden, is_schema_file
from acpgen.targets.generation import Plan

_PULSE_MS = 250
"""How long to wait before looking whether watching is to end."""
_QUIET_MS = 50
"""How long nothing may change before something is generated, so that a whole save is seen."""


def watch(
    schema: Schema = resources.SCHEMA,
    out: Out = resources.GENERATED,
    target: Annotated[
        list[str] | None,
        typer.Option(help="Only this one; may be repeated.", metavar="NAME"),
    ] = None,
    templates: TemplateFolder = resources.TEMPLATES,
) -> None:
    """Generate, and again whenever the schema, its accepted findings or a template changes.

    Only targets that depend on the change run again. Errors are printed and watching goes on;
    Ctrl-C ends it. Exit status: 0 when it is ended, 2 when there is nothing to watch or acpgen
    itself has changed.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    for path in (schema, templates):
        if not path.exists():
            fail(f"{path}: does not exist, so it can't be watched")
    acpgen = manifest.of_acpgen().items()
    targets = [warmed(each) for each in chosen(target)]
    plan = Plan(relative(schema), relative(out), targets, relative(templates))
    with interruptible():
        seen = _inputs(plan)
        _generate(replace(plan, full=True))
        gc.freeze()  # most objects of now stay, so the collector can skip them
        for changed in _changes(Watched(schema.resolve(), templates.resolve())):
            if changed:
                note(f"changed: {', '.join(sorted(changed))}")
            before, seen = seen, _inputs(plan)
            if seen is not None and not acpgen <= seen.items():
                fail("acpgen itself has changed since it was started; start it again")
            # What changed before the watch began is found here too.
            if (changed or seen != before) and not _generate(plan) and changed:
                note(f"{plan.out}: up to date")
            if not changed:
                note(f"watching {plan.schema} and {plan.templates}; Ctrl-C ends it")


def _inputs(plan: Plan) -> Mapping[str, str] | None:
    """The digests of the inputs; None if they can't be read."""
    try:
        return manifest.inputs(plan.schema, plan.templates, accepted_beside(plan.schema))
    except (OSError, TemplateError):
        return None


def _generate(plan: Plan) -> bool:
    """Write the differences. Returns whether anything was printed. Errors are printed."""
    start = time.perf_counter()
    plan = replace(plan, accepted=accepted_beside(plan.schema))
    try:
        outcome = work_out(plan, Format.TEXT)
        if outcome.differences:
            put(plan, outcome, Format.TEXT)
            note(f"in {time.perf_counter() - start:.1f} s")
    except typer.Exit:
        sys.stdout.flush()  # so that a pipe shows the errors at once
        return True
    return bool(outcome.differences)


@dataclass(frozen=True, slots=True)
class Watched:
    """The watched schema and folder of templates, as absolute paths."""

    schema: Path
    templates: Path

    def concerns(self, path: Path) -> bool:
        """True if a change at a path may change the output. A new folder may get templates."""
        if path != self.schema and is_hidden(path.name):
            return False
        if any(path.is_relative_to(folder) for folder in (self.templates, *OWN)):
            return is_template(path) or path.is_dir()
        if path == self.schema.parent / resources.ACCEPTED.name or path == self.schema:
            return True
        return path.parent == self.schema and is_schema_file(path.name)

    def folders(self) -> frozenset[Path]:
        """Every folder in which a change may happen."""
        bases = (self.templates, *OWN)
        below = (path for base in bases for path in base.rglob("*") if path.is_dir())
        own = (self.schema, self.schema.parent, *bases, *below)
        return frozenset(path for path in own if path.is_dir())


def _changes(watched: Watched) -> Iterator[frozenset[str]]:
    """Yield the names of changed files, and an empty set each time watching begins.

    It begins again when a folder is added or removed.
    """
    try:
        from watchfiles import watch as watch_folders
    except ImportError as error:
        fail(f"{error}; watching needs more packages: {installation('generate')}")
    while True:
        folders = watched.folders()
        rounds = watch_folders(
            *folders,
            watch_filter=lambda _, path: watched.concerns(Path(path)),
            step=_QUIET_MS,
            rust_timeout=_PULSE_MS,
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=True,
        )
        began = False
        for changes in rounds:
            if changes or not began:
                yield _names(path for _, path in changes)
                began = True
            if changes and watched.folders() != folders:
                break


def _names(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(str(relative(Path(path))) for path in paths)
