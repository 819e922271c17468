"""Targets that keep their last output, for a process that generates again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets import Target, Tree


@dataclass(frozen=True, slots=True)
class _Made:
    """A tree with its inputs: the view of the protocol, and the templates that were read."""

    seen: Protocol
    read: Mapping[str, str | None]
    tree: Tree

    def holds(self, seen: Protocol, templates: Templates) -> bool:
        """True if the inputs are still the same.

        Raises:
            OSError: a template can't be read.
        """
        return self.seen == seen and all(
            templates.text_of(name) == text for name, text in self.read.items()
        )


def warmed(target: Target) -> Target:
    """The target, with an output that is kept until its inputs change.

    Its inputs are its view of the protocol and the templates that it read.
    """
    return replace(target, make=_Warm(target).make)


class _Warm:
    def __init__(self, target: Target) -> None:
        self._cold = target
        self._made: _Made | None = None

    def make(self, seen: Protocol, templates: Templates) -> Tree:
        """Return the output for a view of the protocol."""
        made = self._made
        if made is None or not made.holds(seen, templates):
            own = templates.fresh()
            tree = self._cold.make(seen, own)
            self._made = made = _Made(seen, dict(own.read), tree)
        return made.tree
