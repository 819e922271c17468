"""acpgen: the schema and code generation of the Agent Client Protocol v2.

`acpgen.validate` judges one message; it is imported when first used, so that importing acpgen costs
nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acpgen.judge import validate

__all__ = ["__version__", "validate"]

__version__ = "0.1.0"
"""The version of acpgen and of the packages that are released with it."""


def __getattr__(name: str) -> object:
    if name == "validate":
        from acpgen.judge import validate

        return validate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
