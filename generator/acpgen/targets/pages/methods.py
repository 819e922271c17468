"""The page of a method: each of its kinds as one section."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.emit.markdown import Inline, code, paragraphs, prose, table
from acpgen.model import Kind, Method, MethodName, Protocol, Stability, TypeName
from acpgen.startup.method_list import DIRECTIONS
from acpgen.targets.pages.bodies import Bodies
from acpgen.targets.pages.errors import error_table
from acpgen.targets.pages.examples import Example, examples
from acpgen.targets.pages.site import GuideEntry, Links
from acpgen.targets.retry.classes import Explanation, explain


@dataclass(frozen=True, slots=True)
class Part:
    """Params or result: the type, its description, and the tables of its parts."""

    type: Inline
    docs: tuple[Inline, ...]
    blocks: list[str]


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of a method, ready to be laid out."""

    name: MethodName
    kind: str
    unstable: bool
    docs: tuple[Inline, ...]
    facts: str
    retry: Inline
    explanation: Explanation | None
    resend: Inline
    carries: Inline
    guide: GuideEntry | None
    params: Part
    result: Part | None
    errors: str
    key_note: Inline
    examples: list[Example]


def section(method: Method, protocol: Protocol, links: Links) -> Section:
    """Describe one method in one kind."""
    return Section(
        name=method.name,
        kind=method.kind.value,
        unstable=method.stability is Stability.UNSTABLE,
        docs=paragraphs(method.docs),
        facts=_facts(method, links),
        retry=links.retry_class(method.retry),
        explanation=explain(method),
        resend=prose(method.resend),
        carries=links.method(method.carries) if method.carries is not None else Inline(""),
        guide=None if method.page is None else links.guide_entry(method.page),
        params=_part(method.params, protocol, links, own_docs=False),
        result=None if method.result is None else _part(method.result, protocol, links),
        errors=error_table(method, protocol, links) if method.kind is Kind.REQUEST else "",
        key_note=key_note(method, links),
        examples=examples(method, protocol),
    )


def _facts(method: Method, links: Links) -> str:
    head = ("Direction", "Kind", "Stability", "Retry class")
    row = (DIRECTIONS[method.side], method.kind.value, method.stability.value)
    cells = [*(Inline(cell) for cell in row), links.retry_class(method.retry)]
    return table([Inline(cell) for cell in head], [cells])


def _part(name: TypeName, protocol: Protocol, links: Links, *, own_docs: bool = True) -> Part:
    type_ = protocol.types[name]
    return Part(
        type=links.type(name),
        docs=paragraphs(type_.docs) if own_docs else (),
        blocks=Bodies(protocol, links).blocks(protocol.resolve(type_.body)),
    )


def key_note(method: Method, links: Links) -> Inline:
    """What an error says about the key of a message; empty if it takes no key."""
    if method.key is None:
        return Inline("")
    more = links.guide("prompt-lifecycle", "errors-leave-the-key-unused", "unused")
    return Inline(
        f"An error leaves the {code(method.key)} {more}, and proves nothing about earlier attempts "
        "whose answer was lost. The exception is the refusal of a key that is recorded for another "
        "prompt."
    )
