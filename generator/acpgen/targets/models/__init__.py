"""Python models: one lazily imported module a domain, on the base in `acp_wire.models`.

`normalization` turns the protocol's types into `python_shapes`, `codegen_schema` writes those as
the JSON Schema that datamodel-code-generator renders well, `codegen` calls it, and `package` adds
the table of methods and the lazy front.
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
