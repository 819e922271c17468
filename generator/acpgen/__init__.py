"""acpgen: the schema and code generation of the Agent Client Protocol v2.

`acpgen.validate` judges one message. It is imported at its first use, because every command imports
this module and few of them need it.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # importing typing takes longer than judging a message
if TYPE_CHECKING:
    from acpgen.judge.single import validate

__all__ = ["__version__", "validate"]

__version__ = "0.1.0"
"""The version of acpgen and of the packages that are released with it."""


def __getattr__(name: str) -> object:
    if name == "validate":
        found: object = import_module("acpgen.judge.single").validate
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
