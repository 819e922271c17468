"""Regions about one type or method: the type, or params, examples, errors and code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from acpgen.emit.markdown import Inline, paragraphs
from acpgen.emit.templates import Templates
from acpgen.inject.links import Elsewhere
from acpgen.inject.region import Region
from acpgen.model import Kind, Method, MethodName, Protocol, TypeDef
from acpgen.targets.languages.snippets import Snippet, snippets
from acpgen.targets.pages.bodies import Bodies
from acpgen.targets.pages.errors import ERROR, error_table
from acpgen.targets.pages.examples import Example, examples
from acpgen.targets.pages.methods import key_note
from acpgen.targets.pages.param_fields import FieldChoice, FieldTree, ParamField
from acpgen.targets.pages.site import Links
from acpgen.targets.pages.types import Users, entry, users

_TYPE, _PARAMS, _EXAMPLE, _ERRORS, _SNIPPETS = (
    f"regions/{name}.md.jinja" for name in ("type", "params", "example", "errors", "snippets")
)


@dataclass(frozen=True, slots=True)
class ParamsSection:
    """The params of a method in one kind: as Markdown in `blocks`, and as a tree of members."""

    kind: str
    type: Inline
    docs: tuple[Inline, ...]
    blocks: list[str]
    fields: tuple[ParamField, ...]
    choices: tuple[FieldChoice, ...]


@dataclass(frozen=True, slots=True)
class ExampleSection:
    """The messages of a method in one kind."""

    kind: str
    examples: list[Example]


@dataclass(frozen=True, slots=True)
class SnippetSection:
    """The code for a method in one kind."""

    kind: str
    snippets: list[Snippet]


def part_regions(protocol: Protocol, templates: Templates) -> Iterator[tuple[str, Region]]:
    """Yield the regions of every method and type, by name."""
    parts = _Parts(protocol, templates)
    for name in dict.fromkeys(method.name for method in protocol.methods):
        yield parts.params(name)
        yield from parts.example(name)
        yield from parts.errors(name)
        yield parts.snippets(name)
    for type_ in protocol.types.values():
        yield parts.type(type_)


def rendered(templates: Templates, name: str, **context: object) -> str:
    """The Markdown of a region's template, with one blank line between blocks."""
    text = templates.render(name, **context)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


@dataclass(frozen=True)
class _Parts:
    protocol: Protocol
    templates: Templates

    @cached_property
    def users(self) -> Users:
        return users(self.protocol)

    def params(self, name: MethodName) -> tuple[str, Region]:
        def render(links: Elsewhere) -> str:
            sections = [self._params(method, links) for method in self._kinds(name)]
            return rendered(self.templates, _PARAMS, sections=sections)

        return f"params:{name}", Region(f"the params of {name}", render, _PARAMS)

    def example(self, name: MethodName) -> Iterator[tuple[str, Region]]:
        sections = [
            ExampleSection(method.kind.value, found)
            for method in self._kinds(name)
            if (found := examples(method, self.protocol))
        ]
        if sections:
            summary = f"complete messages of {name}"
            yield (
                f"example:{name}",
                self._region(summary, _EXAMPLE, lambda _: {"sections": sections}),
            )

    def errors(self, name: MethodName) -> Iterator[tuple[str, Region]]:
        method = self.protocol.method(name, Kind.REQUEST)
        if method is None:
            return

        def context(links: Links) -> dict[str, object]:
            return {
                "table": error_table(method, self.protocol, links),
                "key_note": key_note(method, links),
                "error": links.type(ERROR),
            }

        summary = f"the errors that {name} is answered with"
        yield f"errors:{name}", self._region(summary, _ERRORS, context)

    def snippets(self, name: MethodName) -> tuple[str, Region]:
        def context(_: Links) -> dict[str, object]:
            kinds = self._kinds(name)
            return {
                "sections": [
                    SnippetSection(m.kind.value, [*snippets(m, self.protocol, self.templates)])
                    for m in kinds
                ]
            }

        summary = f"code in each language that reads {name} and decides about sending it again"
        return f"snippets:{name}", self._region(summary, _SNIPPETS, context)

    def type(self, type_: TypeDef) -> tuple[str, Region]:
        def context(links: Links) -> dict[str, object]:
            return {"type": entry(type_, self.protocol, self.users, links)}

        summary = f"the type {type_.name}: what it is, its members and examples"
        return f"type:{type_.name}", self._region(summary, _TYPE, context)

    def _region(
        self, summary: str, template: str, context: Callable[[Elsewhere], dict[str, object]]
    ) -> Region:
        return Region(
            summary, lambda links: rendered(self.templates, template, **context(links)), template
        )

    def _params(self, method: Method, links: Links) -> ParamsSection:
        type_ = self.protocol.types[method.params]
        tree = FieldTree(self.protocol, links)
        return ParamsSection(
            kind=method.kind.value,
            type=links.type(method.params),
            docs=paragraphs(type_.docs),
            blocks=Bodies(self.protocol, links).blocks(self.protocol.resolve(type_.body)),
            fields=tree.fields(type_.body),
            choices=tree.choices(type_.body),
        )

    def _kinds(self, name: MethodName) -> list[Method]:
        methods = (self.protocol.method(name, kind) for kind in Kind)
        return [method for method in methods if method is not None]
