"""Code in each language that reads the messages of a method and decides about sending it again.

A language has a snippet if its folder has a template `snippet.<ending>.jinja`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acpgen import resources
from acpgen.emit.markdown import fence
from acpgen.emit.templates import Templates
from acpgen.model import Kind, Method, Protocol, RetryClass
from acpgen.targets.languages import dialect, names
from acpgen.targets.retry.decision import RULINGS, Reason

_REASONS = {
    RetryClass.IDEMPOTENT: Reason.IDEMPOTENT,
    RetryClass.DUPLICATING: Reason.DUPLICATING,
    RetryClass.NOT_RETRIED: Reason.NOT_RETRIED,
    RetryClass.EXTERNAL: Reason.EXTERNAL,
}
_ANSWERS = {ruling.reason: ruling.answer for ruling in RULINGS}


@dataclass(frozen=True, slots=True)
class Snippet:
    """Code in one language: the title of the language, and the code as a block of Markdown."""

    title: str
    block: str


def snippets(method: Method, protocol: Protocol, templates: Templates) -> Iterator[Snippet]:
    """Yield the code for a method in one kind, by the name of the language.

    Raises:
        TemplateError: a template is broken, or uses an unknown name.
    """
    for name in names():
        spoken = dialect(name)
        file = f"snippet{Path(spoken.path).suffix}.jinja"
        if not (resources.LANGUAGES / name / file).is_file():
            continue
        code = templates.render(
            f"languages/{name}/{file}",
            version=protocol.version or 0,
            method=spoken.string(method.name),
            kind=method.kind.value,
            params=method.params,
            result=method.result or "",
            answer=str(_answer(method)),
        )
        yield Snippet(spoken.title, fence(name, code))


def _answer(method: Method) -> str:
    """What the decision about a message of a method is, in words."""
    if method.kind is Kind.NOTIFICATION:
        return _ANSWERS[Reason.NOTIFICATION]
    if method.retry is None:
        return _ANSWERS[Reason.UNKNOWN_METHOD]
    if method.retry is RetryClass.CARRIED:
        return "that of the message inside"
    if method.retry is RetryClass.KEYED:
        with_key, without = Reason.KEYED_WITH_KEY, Reason.KEYED_WITHOUT_KEY
        return f"{_ANSWERS[with_key]} with a key, else {_ANSWERS[without]}"
    return _ANSWERS[_REASONS[method.retry]]
