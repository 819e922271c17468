"""`acpgen generate --check` where nothing has changed, without slow imports."""

from __future__ import annotations

from pathlib import Path

from acpgen import resources
from acpgen.cli import input_files
from acpgen.cli.stderr import note
from acpgen.emit.templates import TemplateError
from acpgen.load.listing import accepted_beside
from acpgen.startup.checkout import other_schema
from acpgen.targets import TARGETS
from acpgen.targets.generation import Plan, is_up_to_date


def passes() -> bool:
    """Note that what is generated is up to date, if its digests say so.

    False means that nothing is noted, and that the call is left to the rest of acpgen, which also
    reports what can't be read.
    """
    if other_schema() is not None:
        return False
    out = Path(input_files.relative(str(resources.GENERATED)))
    accepted = accepted_beside(resources.SCHEMA)
    plan = Plan(resources.SCHEMA, out, TARGETS, resources.TEMPLATES, accepted=accepted)
    try:
        if not is_up_to_date(plan):
            return False
    except (OSError, TemplateError):
        return False
    note(f"{out}: as generated")
    return True
