"""Checkers of any protocol at run time: the generated modules, run without being written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from types import ModuleType
from typing import Protocol as Structural

from acpgen import resources
from acpgen.model import Protocol
from acpgen.targets.checkers.decoders import decoders_module
from acpgen.targets.checkers.module import checkers_module
from acpgen.targets.checkers.slots import Slots

_packages = count(1)


class OfMessage(Structural):
    """A question about a decoded message."""

    def __call__(
        self, message: object, sender: str | None = None, answers: str | None = None
    ) -> bool:
        """The answer."""
        ...


class OfText(Structural):
    """A question about the text of a message."""

    def __call__(self, line: bytes, sender: str | None = None, answers: str | None = None) -> bool:
        """The answer."""
        ...


class Decode(Structural):
    """A call out of the text of a message."""

    def __call__(self, line: bytes, sender: str | None = None) -> object:
        """The call, or None."""
        ...


@dataclass(frozen=True, slots=True)
class Checkers:
    """What the module of checkers offers, under the same names."""

    TYPES: Mapping[str, Callable[[object], bool]]
    accepts: OfMessage
    accepts_bytes: OfText
    clean: OfText
    read: Callable[[bytes], object]
    remarkable: Callable[[object], bool]
    module: ModuleType


@dataclass(frozen=True, slots=True)
class Decoders:
    """What the module of decoders offers, under the same names."""

    accepts_bytes: OfText
    clean: OfText
    decode: Decode
    decode_line: Callable[[bytes], object]
    read: Callable[[bytes], object]


def compile_checkers(protocol: Protocol) -> Checkers:
    """The checkers of a protocol, as `acp_v2.checkers` has them for the one that acpgen ships.

    Raises:
        OSError: the templates can't be read.
    """
    module = ModuleType(f"acpgen_compiled_{next(_packages)}.checkers")
    _run(module, checkers_module(protocol, Slots(resources.TEMPLATES)))
    return Checkers(
        module.TYPES,
        module.accepts,
        module.accepts_bytes,
        module.clean,
        module.read,
        module.remarkable,
        module,
    )


def compile_decoders(protocol: Protocol, checkers: Checkers) -> Decoders:
    """The decoders of a protocol, which leave what they can't decide to its checkers.

    Raises:
        ImportError: msgspec is not installed.
        OSError: the templates can't be read.
    """
    package = ModuleType(checkers.module.__name__.rpartition(".")[0])
    package.__dict__["checkers"] = checkers.module
    module = ModuleType(f"{package.__name__}.decoders")
    source = decoders_module(protocol, Slots(resources.TEMPLATES), package.__name__)
    # The source imports its package by name, and msgspec looks for the types of a module there.
    sys.modules |= {package.__name__: package, module.__name__: module}
    try:
        _run(module, source)
    finally:
        del sys.modules[package.__name__], sys.modules[module.__name__]
    return Decoders(
        module.accepts_bytes, module.clean, module.decode, module.decode_line, module.read
    )


def _run(module: ModuleType, source: str) -> None:
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)  # noqa: S102 - our own
