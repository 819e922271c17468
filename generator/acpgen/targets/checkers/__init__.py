"""Checkers: the schema compiled to Python that accepts or refuses messages.

`acp_v<version>.checkers` needs `acp_wire` only and starts quickly. For long input
`acp_v<version>.decoders` reads and checks in one step, with msgspec, and leaves to the checkers
what it can't decide. From the table in `acp_v<version>.type_table` acpgen explains what they
refuse. Checkers and decoders give the verdicts of the bundle of the whole protocol, except that
they refuse an integer that is written with a fraction or an exponent.
"""

from __future__ import annotations

from acpgen.model import Protocol
from acpgen.targets.checkers.compiled_checkers import compile_checkers, compile_decoders
from acpgen.targets.checkers.decoders import decoders_module
from acpgen.targets.checkers.module import checkers_module
from acpgen.targets.checkers.slots import TemplateRenderer
from acpgen.targets.checkers.table_module import table_module
from acpgen.types.fingerprint import digest
from acpgen.types.views import without_docs

__all__ = ["checkers", "compile_checkers", "compile_decoders"]


def checkers(protocol: Protocol, templates: TemplateRenderer) -> dict[str, str]:
    """The modules of a protocol's checkers, as `python/acp_v<version>/...`."""
    package = f"acp_v{protocol.version or 0}"
    schema = digest(without_docs(protocol))
    return {
        f"python/{package}/checkers.py": checkers_module(protocol, templates, schema),
        f"python/{package}/decoders.py": decoders_module(protocol, templates, package),
        f"python/{package}/type_table.py": table_module(protocol, templates),
    }
