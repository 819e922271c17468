"""Python models: one lazily imported module a domain, on a base that is exact on the wire.

`normal` turns the protocol's types into the `shapes` that Python has, `spelling` writes those as
the JSON Schema that datamodel-code-generator renders well, `codegen` calls it, and `package` puts
the base, the tolerant reading and the table of methods around what comes back.
"""

from acpgen.targets.models.package import models

__all__ = ["models"]
