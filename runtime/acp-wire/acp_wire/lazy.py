"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_names", "lazy_part"]

Getter = Callable[[str], object]
"""The `__getattr__` of a module."""


def lazy_names(package: str, homes: Mapping[str, str]) -> Getter:
    """The `__getattr__` of a package whose names come from other modules.

    Args:
        package: the name of the package.
        homes: the module of each name, absolute or relative to the package.
    """

    def getter(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(home, package), name)
        setattr(sys.modules[package], name, value)
        return value

    return getter


def lazy_part(package: str, part: str, beside: str, names: list[str], digest: str) -> Getter:
    """The `__getattr__` of a package for the names of one module, which may be missing.

    Args:
        package: the name of the package.
        part: the name of the module in the package, and of the target that generates it.
        beside: the target that the package itself is part of.
        names: the names that come from the module.
        digest: the `SCHEMA` that the module must have.
    """

    def getter(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        path = f"{package}.{part}"
        try:
            module = import_module(path)
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
            hint = f"run `acpgen generate --target {part}`"
            raise ImportError(f"{path} is missing; {hint}") from None
        if getattr(module, "SCHEMA", None) != digest:
            raise ImportError(
                f"{path} is made of another schema than {package}; "
                f"run `acpgen generate` for both targets, `{beside}` and `{part}`, with one schema"
            )
        value: object = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return getter
