"""Python models: one lazily imported module a domain, on a base that is exact on the wire.

`normal` turns the protocol's types into the `shapes` that Python has, `spelling` writes those as
the JSON Schema that datamodel-code-generator renders well, `codegen` calls it, and `package` puts
the base, the tolerant reading and the table of methods around what comes back.
"""

from __future__ import annotations

from acpgen.emit.templates import Templates
from acpgen.model import Protocol

__all__ = ["models"]


def models(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The package of a protocol's models; see `acpgen.targets.models.package`.

    Raises:
        ImportError: the code generator is not installed, which comes with the extra `generate`.
    """
    from acpgen.targets.models import package

    return package.models(protocol, templates)
