"""Checkers of any protocol at run time: the generated modules, run without being written."""

from __future__ import annotations

import sys
from itertools import count
from types import ModuleType
from typing import Any

from acp_wire.checking import Checkers
from acp_wire.decoding import Decoders
from acpgen import resources
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
    checkers: Checkers = _run(module, checkers_module(protocol, Slots(resources.TEMPLATES)))[
        "CHECKERS"
    ]
    return checkers


def compile_decoders(protocol: Protocol, checkers: Checkers) -> Decoders:
    """The decoders of a protocol, which leave what they can't decide to its checkers.

    Raises:
        ImportError: msgspec is not installed.
        OSError: the templates can't be read.
    """
    package = f"acpgen_compiled_{next(_packages)}"
    beside = ModuleType(f"{package}.checkers")
    beside.__dict__["CHECKERS"] = checkers
    module = ModuleType(f"{package}.decoders")
    source = decoders_module(protocol, Slots(resources.TEMPLATES), package)
    # The source imports its checkers by name, and msgspec looks up the types of a module there.
    modules = {package: ModuleType(package), beside.__name__: beside, module.__name__: module}
    sys.modules |= modules
    try:
        decoders: Decoders = _run(module, source)["DECODERS_OF_SCHEMA"]
        decoders.prepare()
        return decoders
    finally:
        for name in modules:
            del sys.modules[name]


def _run(module: ModuleType, source: str) -> dict[str, Any]:
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)  # noqa: S102 - our own
    return module.__dict__
