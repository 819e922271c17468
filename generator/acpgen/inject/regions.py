"""The regions that a page can have: tables and texts of the generated pages, each with a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from acpgen import resources
from acpgen.emit.templates import Templates, files
from acpgen.inject.contexts import Contexts, meanings, record, reference
from acpgen.inject.house_tables import house_tables
from acpgen.inject.links import Elsewhere
from acpgen.inject.part_regions import part_regions, rendered
from acpgen.inject.region import Region
from acpgen.model import Kind, MethodName, Protocol
from acpgen.targets.pages.errors import code_table
from acpgen.targets.pages.guides import guide
from acpgen.targets.pages.methods import section
from acpgen.targets.pages.overviews import MethodGroup, audit, class_table, listing
from acpgen.targets.pages.site import Links, plan

CONTEXTS = "template-contexts"
_GROUPS, _KEY_RULES, _METHOD = (
    f"regions/{name}.md.jinja" for name in ("groups", "key-rules", "method")
)


def regions(protocol: Protocol, templates: Templates) -> dict[str, Region]:
    """All regions of a protocol by name. Each is rendered when a page asks for it.

    Rendering one raises a TemplateError where its template is broken.

    Raises:
        PageNameError: two methods would share a page, or one has no name for a page.
        UnknownGuideError: the guide that a method names has no page.
    """
    return {
        **_tables("retry-table", "what a copy of each method does", audit, protocol, templates),
        **_tables("methods", "what each method does", listing, protocol, templates),
        "retry-classes": Region(
            "the retry classes, and whether each lets a message be sent again",
            lambda links: class_table(protocol, links),
        ),
        "error-codes": Region(
            "the error codes, and which requests meet them",
            lambda links: code_table(protocol, links),
        ),
        **dict(_key_rules(protocol, templates)),
        **dict(_boxes(protocol, templates)),
        **dict(part_regions(protocol, templates)),
    }


def house(protocol: Protocol) -> dict[str, Region]:
    """Return the regions about acpgen itself, for its own READMEs."""

    def region(summary: str, render: Callable[[], str]) -> Region:
        return Region(summary, lambda _: render())

    return {name: region(*found) for name, found in house_tables(protocol).items()}


def contexts(protocol: Protocol) -> dict[str, Region]:
    """Return the region for authors of templates. It takes seconds: it generates everything."""
    summary = "the variables of acpgen's own templates"

    def render(_: Elsewhere) -> str:
        return reference(given(protocol), meanings(resources.TEMPLATES))

    return {CONTEXTS: Region(summary, render)}


def given(protocol: Protocol) -> Contexts:
    """The variables of acpgen's own templates, including those of regions."""

    def fill(templates: Templates) -> None:
        links = Elsewhere(plan(protocol), page="")
        for region in regions(protocol, templates).values():
            region.render(links)

    return record(protocol, [fill])


def shaping(region: Region, folder: Path) -> list[Path]:
    """The templates of a folder that render a region; acpgen's own template if it has none of them.

    Raises:
        TemplateError: there is no such folder.
        OSError: a template can't be read.
    """
    paths = files(folder)
    used = [region.template] if region.template else []
    for name in used:
        text = paths[name].read_text("utf-8", errors="replace")
        used += [other for other in paths if other in text and other not in used]
    own = [paths[name] for name in used if paths[name].is_relative_to(folder)]
    return own or [paths[name] for name in used[:1]]


def _tables(
    name: str,
    summary: str,
    groups: Callable[[Protocol, Links], list[MethodGroup]],
    protocol: Protocol,
    templates: Templates,
) -> dict[str, Region]:
    """The methods in groups: all of them, or one group alone."""

    def all_groups(links: Links) -> str:
        return rendered(templates, _GROUPS, groups=groups(protocol, links))

    def one_group(group: str) -> Callable[[Links], str]:
        return lambda links: next(g.table for g in groups(protocol, links) if g.name == group)

    plain = Elsewhere(plan(protocol), page="")
    alone = {
        f"{name}:{group.name}": Region(f"{summary}: {group.title}", one_group(group.name))
        for group in groups(protocol, plain)
    }
    return {name: Region(f"{summary}, by direction", all_groups, _GROUPS), **alone}


def _key_rules(protocol: Protocol, templates: Templates) -> Iterator[tuple[str, Region]]:
    if plan(protocol).guides:
        yield (
            "key-rules",
            Region(
                "the idempotency key, and what Client and Agent do with it",
                lambda links: rendered(templates, _KEY_RULES, **guide(protocol, links)),
                _KEY_RULES,
            ),
        )


def _boxes(protocol: Protocol, templates: Templates) -> Iterator[tuple[str, Region]]:
    for name in dict.fromkeys(method.name for method in protocol.methods):
        yield (
            f"method:{name}",
            Region(f"what a copy of {name} does", _box(name, protocol, templates), _METHOD),
        )


def _box(name: MethodName, protocol: Protocol, templates: Templates) -> Callable[[Elsewhere], str]:
    def render(links: Elsewhere) -> str:
        methods = (protocol.method(name, kind) for kind in Kind)
        sections = [section(method, protocol, links) for method in methods if method is not None]
        if links.base is None:
            # A reference to another page is useless without a link.
            sections = [replace(each, guide=None) for each in sections]
        return rendered(templates, _METHOD, sections=sections)

    return render
