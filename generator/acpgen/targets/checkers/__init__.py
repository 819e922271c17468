"""Checkers: the schema compiled to Python that says valid or not, in two modules.

`acp_v<version>.checkers` needs the standard library only and starts at once. For long input
`acp_v<version>.decoders` reads and checks in one go, with msgspec, and leaves to the checkers what
it can't decide. Both give the verdicts of the bundle of the whole protocol and, for a number with a
fraction or an exponent where an integer belongs, refuse what JSON Schema takes.
"""

from __future__ import annotations

from acpgen.checks import Checkers, Decoders
from acpgen.model import Protocol
from acpgen.targets.checkers.compiled import compile_checkers, compile_decoders
from acpgen.targets.checkers.decoders import decoders_module
from acpgen.targets.checkers.module import checkers_module
from acpgen.targets.checkers.slots import Renderer
from acpgen.types.fingerprint import digest
from acpgen.types.views import without_docs

__all__ = ["Checkers", "Decoders", "checkers", "compile_checkers", "compile_decoders"]


def checkers(protocol: Protocol, templates: Renderer) -> dict[str, str]:
    """The modules of a protocol's checkers, as `python/acp_v<version>/...`."""
    package = f"acp_v{protocol.version or 0}"
    schema = digest(without_docs(protocol))
    return {
        f"python/{package}/checkers.py": checkers_module(protocol, templates, schema),
        f"python/{package}/decoders.py": decoders_module(protocol, templates, package),
    }
