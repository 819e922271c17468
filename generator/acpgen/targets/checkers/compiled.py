"""Checkers of any protocol at run time: the generated modules, run without being written."""

from __future__ import annotations

import sys
from itertools import count
from types import ModuleType
from typing import cast

from acpgen import resources
from acpgen.checks import Checkers, Decoders
from acpgen.model import Protocol
from acpgen.targets.checkers.decoders import decoders_module
from acpgen.targets.checkers.module import checkers_module
from acpgen.targets.checkers.slots import Slots

_packages = count(1)


def compile_checkers(protocol: Protocol) -> Checkers:
    """The checkers of a protocol, as `acp_v2.checkers` has them for the one that acpgen ships.

    Raises:
        OSError: the templates can't be read.
    """
    module = ModuleType(f"acpgen_compiled_{next(_packages)}.checkers")
    _run(module, checkers_module(protocol, Slots(resources.TEMPLATES)))
    return cast("Checkers", module)


def compile_decoders(protocol: Protocol, checkers: Checkers) -> Decoders:
    """The decoders of a protocol, which leave what they can't decide to its checkers.

    Raises:
        ImportError: msgspec is not installed.
        OSError: the templates can't be read.
    """
    package = ModuleType(f"acpgen_compiled_{next(_packages)}")
    package.__dict__["checkers"] = checkers
    module = ModuleType(f"{package.__name__}.decoders")
    source = decoders_module(protocol, Slots(resources.TEMPLATES), package.__name__)
    # The source imports its package by name, and msgspec looks for the types of a module there.
    sys.modules |= {package.__name__: package, module.__name__: module}
    try:
        _run(module, source)
    finally:
        del sys.modules[package.__name__], sys.modules[module.__name__]
    return cast("Decoders", module)


def _run(module: ModuleType, source: str) -> None:
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)  # noqa: S102 - our own
