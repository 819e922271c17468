"""Targets that remember what they made, for a process that makes it again and again."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets import Target, Tree


@dataclass(frozen=True, slots=True)
class _Made:
    """A tree, and all that it was made from: the protocol and the templates that were read."""

    protocol: Protocol
    read: Mapping[str, str]
    tree: Tree


class Warm:
    """A target that is generated again only if something that it is made from has changed.

    `seconds` is how long that took the last time.
    """

    def __init__(self, target: Target) -> None:
        self.seconds = 0.0
        self.target = replace(target, generate=self._generate)
        self._cold = target
        self._made: _Made | None = None

    def holds(self, protocol: Protocol, templates: Templates) -> bool:
        """Whether what was made last is what would be made now.

        Raises:
            OSError: a template can't be read.
        """
        made = self._made
        return (
            made is not None
            and made.protocol == protocol
            and all(templates.text_of(name) == text for name, text in made.read.items())
        )

    def _generate(self, protocol: Protocol, templates: Templates) -> Tree:
        if self._made is not None and self.holds(protocol, templates):
            return self._made.tree
        own = templates.fresh()
        start = time.perf_counter()
        tree = self._cold.generate(protocol, own)
        self.seconds = time.perf_counter() - start
        self._made = _Made(protocol, dict(own.read), tree)
        return tree
