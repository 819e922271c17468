"""The rulebook: everything that acpgen can find, declared once and in one way.

A rule is a function under a decorator. The function's name is the rule's id, and its docstring is
the page that `acpgen explain` prints. What the function does depends on the group: it looks for
faults (lint, trace), words a change (diff), or words a finding of an algorithm that looks for many
things at once (load, judge, drift, docs, upstream). The requirements of `acpgen conform` have a
list of their own in `acp_conformance`, from which their rules are made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pkgutil import iter_modules
from typing import Generic, TypeVar

from acpgen.findings import Severity

F_co = TypeVar("F_co", bound=Callable[..., object], covariant=True)
F = TypeVar("F", bound=Callable[..., object])
P = TypeVar("P")
R = TypeVar("R", bound="AnyRule")


class Group(StrEnum):
    """The parts of acpgen that find something. Two of them may use the same id."""

    LOAD = "load"
    LINT = "lint"
    JUDGE = "judge"
    TRACE = "trace"
    DIFF = "diff"
    DRIFT = "drift"
    DOCS = "docs"
    UPSTREAM = "upstream"
    CONFORM = "conform"

    @property
    def command(self) -> str:
        """The command that reports the findings of this group."""
        return _COMMANDS.get(self, self.value)

    @property
    def home(self) -> str:
        """The module or package that declares the rules of this group."""
        return _HOMES.get(self, f"acpgen.{self.value}.rules")


_COMMANDS = {Group.LOAD: "lint", Group.JUDGE: "validate", Group.DRIFT: "generate"}
_HOMES = {
    Group.DRIFT: "acpgen.emit.rules",
    Group.DOCS: "acpgen.inject.rules",
    Group.CONFORM: "acpgen.cli.requirement_rules",
}


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Generic[F_co]):
    """One thing that acpgen can find.

    The first line of its page says what is right, or what has changed for a kind of change.
    """

    id: str
    group: Group
    severity: Severity
    page: str
    function: F_co

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]


AnyRule = Rule[Callable[..., object]]


@dataclass(frozen=True)
class Fault(Generic[P]):
    """A place that breaks a rule, before it has a file and a line.

    Without slots, since an alias such as `Fault[Location]` can't construct a class that has them.

    `subject` is the method concerned, `code` the JSON-RPC error that the receiver owes.
    """

    place: P
    message: str
    subject: str = ""
    code: int | None = None


def rule(group: Group, severity: Severity = Severity.ERROR) -> Callable[[F], Rule[F]]:
    """Declare a function as a rule.

    Raises:
        ValueError: the docstring is not the page of a rule.
    """

    def declare(function: F) -> Rule[F]:
        return Rule(id_of(function), group, severity, page_of(function), function)

    return declare


def id_of(function: Callable[..., object]) -> str:
    """The id of the rule that a function declares."""
    return function.__name__.rstrip("_").replace("_", "-")


_PARTS = ("Why", "Example", "Fix")


def page_of(function: Callable[..., object]) -> str:
    """The page of the rule that a function declares.

    A page is one sentence on one line, then paragraphs that begin with `Why:`, `Example:` and
    `Fix:`. A paragraph `RFD:` with the section that states the rule may come before them.

    Raises:
        ValueError: the function has no docstring, or one of another form.
    """
    page = inspect.getdoc(function)
    if page is None:
        raise ValueError(f"{function.__name__} needs a docstring: it is the page of the rule")
    summary, *paragraphs = page.split("\n\n")
    labels = tuple(p.partition(":")[0] for p in paragraphs if not p.startswith("RFD:"))
    if "\n" in summary or not summary.endswith(".") or labels != _PARTS:
        raise ValueError(
            f"{function.__name__} needs a docstring of one sentence on one line, then paragraphs "
            "that begin with Why:, Example: and Fix:"
        )
    return page


def declared_in(home: str, kind: type[R]) -> Mapping[str, R]:
    """The rules that a module declares, or the modules of a package, by id and in its order.

    They are variables of a module, or the items of a variable that is a tuple.

    Raises:
        ValueError: two of them have the same id.
    """
    package = import_module(home)
    inner = iter_modules(getattr(package, "__path__", ()))
    found: dict[str, R] = {}
    for module in (package, *(import_module(f"{home}.{each.name}") for each in inner)):
        for each in _flat(vars(module).values()):
            if isinstance(each, kind) and found.setdefault(each.id, each) is not each:
                raise ValueError(f"two rules of {home} are called {each.id}")
    return dict(sorted(found.items()))


def _flat(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        yield from value if isinstance(value, tuple) else (value,)


def everything() -> Iterator[AnyRule]:
    """All rules, by group and id. Imports every part of acpgen that finds something."""
    for group in Group:
        yield from declared_in(group.home, Rule).values()


def page(command: str) -> Callable[[str], str | None]:
    """Return a function that finds the page of a rule by its id.

    Where several commands report the id, the page is that of `command` if it is one of them.
    """

    def look_up(id_: str) -> str | None:
        found = [each for each in everything() if each.id == id_]
        found.sort(key=lambda each: each.group.command != command)
        return found[0].page if found else None

    return look_up
