"""Changes as a changelog in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from types import MappingProxyType

from acpgen.diff.change import Change, Standing
from acpgen.diff.effect import ReportSection
from acpgen.diff.message_channels import Party
from acpgen.emit.markdown import Inline, code, prose
from acpgen.findings import Severity

_FEW = 6


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading, and the changes under it."""

    title: str
    holds: Callable[[Change], bool]


def _breaks(party: Party) -> Callable[[Change], bool]:
    return lambda change: party in change.breaks and not _promise(change)


def _promise(change: Change) -> bool:
    return change.rule.about_resending and _is_stable(change)


def _is_stable(change: Change) -> bool:
    return change.standing is not Standing.UNSTABLE


def _unstable(change: Change) -> bool:
    settled = {ReportSection.ADDITIONS, ReportSection.DOCS}
    return not _is_stable(change) and change.effect.value.section not in settled


def _adds(change: Change) -> bool:
    return change.effect.value.section is ReportSection.ADDITIONS


def _forgets(change: Change) -> bool:
    return change.effect.value.section is ReportSection.FORGOTTEN and _is_stable(change)


def _types(change: Change) -> bool:
    alone = change.severity is Severity.WARNING and not _promise(change)
    return alone and change.effect.value.section is ReportSection.TYPES


def _also(change: Change) -> bool:
    other = change.effect.value.section is ReportSection.OTHER
    return other and _is_stable(change) and not _promise(change)


def _docs(change: Change) -> bool:
    return change.effect.value.section is ReportSection.DOCS and not _promise(change)


_SECTIONS = (
    _Section("Breaking for clients", _breaks(Party.CLIENT)),
    _Section("Breaking for agents", _breaks(Party.AGENT)),
    _Section("Breaking for proxies", _breaks(Party.PROXY)),
    _Section("Retry promises", _promise),
    _Section("Additions", _adds),
    _Section("Receivers fall back", lambda change: bool(change.recovers)),
    _Section("No longer understood", _forgets),
    _Section("Generated types only", _types),
    _Section("Also changed", _also),
    _Section("Unstable parts", _unstable),
)


def changelog(
    changes: Sequence[Change],
    title: Inline,
    level: int = 1,
    accepted: Mapping[Change, str] = MappingProxyType({}),
) -> str:
    """A changelog under a heading of some level, with a section for each party that breaks.

    A change that breaks several parties is in each section. One paragraph lists where only texts
    changed. `accepted` are further changes, which are last, with the reasons for accepting them.
    """
    blocks = [f"{'#' * level} {title}"]
    if not changes and not accepted:
        blocks.append("No changes.")
    for section in _SECTIONS:
        held = [change for change in changes if section.holds(change)]
        if held:
            blocks.append(f"{'#' * (level + 1)} {section.title}")
            blocks.append("\n".join(_items(held)))
    if reworded := sorted({_owner(change.path) for change in changes if _docs(change)}):
        blocks.append(f"{'#' * (level + 1)} Docs only")
        blocks.append(f"The texts about {', '.join(code(path) for path in reworded)}.")
    if accepted:
        blocks.append(f"{'#' * (level + 1)} Accepted")
        blocks.append("\n".join(starmap(_accepted, accepted.items())))
    return "\n\n".join(blocks) + "\n"


def _accepted(change: Change, reason: str) -> str:
    return f"- {code(change.path)}: {prose(change.message)}; accepted ({prose(reason)})"


def _items(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        yield f"- {code(change.path)}: {_sentence(change)}{_carried(change)}"


def _owner(path: str) -> str:
    """The type or method that a path begins with."""
    return path if "/" in path else re.split(r"[.<\[{]", path, maxsplit=1)[0]


def _sentence(change: Change) -> Inline:
    message = change.message
    return prose(message if message.endswith(".") else f"{message}.")


def _carried(change: Change) -> str:
    """The methods that carry a type, where the path doesn't name the method itself."""
    methods = [method for method in change.methods if method != change.path]
    if not methods:
        return ""
    more = f" and {len(methods) - _FEW} more" if len(methods) > _FEW else ""
    return f" Carried by {', '.join(code(method) for method in methods[:_FEW])}{more}."
