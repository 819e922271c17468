"""Markdown pages: methods, types, retry classes, errors, and the rules of keyed prompts.

Each page is CommonMark with the tables of GitHub, and reads alike as MDX. MDX has no HTML comments
and CommonMark has no front matter, so the line that marks a page as generated is the title of a
link that nothing refers to: no reader shows it. `templates/docs/` holds the layout, and the whole
text of the pages on keyed prompts.
"""

from __future__ import annotations

import re

from acpgen.emit.header import HEADER
from acpgen.emit.markdown import Inline, code, text
from acpgen.emit.templates import Templates
from acpgen.model import Kind, Protocol
from acpgen.targets.pages.errors import ERROR, errors
from acpgen.targets.pages.guides import guide
from acpgen.targets.pages.methods import section
from acpgen.targets.pages.overviews import index, retry_classes
from acpgen.targets.pages.site import (
    ERRORS,
    GUIDES,
    INDEX,
    RETRY,
    Links,
    PageNameError,
    Site,
    UnknownGuideError,
    plan,
    types_page,
    types_title,
)
from acpgen.targets.pages.types import entries, users

__all__ = ["PageNameError", "UnknownGuideError", "pages"]


def pages(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Every page of a protocol, by path.

    Raises:
        PageNameError: two methods would share a page, or one has no name for a page.
        UnknownGuideError: the guide that a method names has no page.
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    site = plan(protocol)
    return {
        **_overview_pages(protocol, site, templates),
        **_guide_pages(protocol, site, templates),
        **_method_pages(protocol, site, templates),
        **_type_pages(protocol, site, templates),
    }


def _overview_pages(protocol: Protocol, site: Site, templates: Templates) -> dict[str, str]:
    version = "" if protocol.version is None else f" v{protocol.version}"
    title = text(f"{protocol.title}{version}")
    return {
        INDEX: _page(templates, "index", title, **index(protocol, Links(site, INDEX))),
        RETRY: _page(
            templates,
            "retry-classes",
            Inline("Retry classes"),
            **retry_classes(protocol, Links(site, RETRY)),
        ),
        ERRORS: _page(
            templates, "errors", Inline("Errors"), **errors(protocol, Links(site, ERRORS))
        ),
    }


def _guide_pages(protocol: Protocol, site: Site, templates: Templates) -> dict[str, str]:
    return {
        path: _page(
            templates,
            f"keyed-prompts/{slug}",
            Inline(GUIDES[slug].heading),
            **guide(protocol, Links(site, path)),
        )
        for slug, path in site.guides.items()
    }


def _method_pages(protocol: Protocol, site: Site, templates: Templates) -> dict[str, str]:
    result = {}
    for name, path in site.methods.items():
        links = Links(site, path)
        methods = (protocol.method(name, kind) for kind in Kind)
        sections = [section(method, protocol, links) for method in methods if method is not None]
        result[path] = _page(
            templates,
            "method",
            code(name),
            sections=sections,
            classes=links.retry_classes(),
            error=links.type(ERROR),
            errors=links.errors(),
        )
    return result


def _type_pages(protocol: Protocol, site: Site, templates: Templates) -> dict[str, str]:
    used_by = users(protocol)
    return {
        types_page(domain): _page(
            templates,
            "types",
            text(types_title(domain)),
            types=entries(protocol, domain, used_by, Links(site, types_page(domain))),
        )
        for domain in protocol.domains
    }


def _page(templates: Templates, name: str, title: Inline, **context: object) -> str:
    """Render a page, with exactly one blank line between blocks."""
    rendered = templates.render(f"docs/{name}.md.jinja", header=HEADER, title=title, **context)
    return re.sub(r"\n{3,}", "\n\n", rendered).strip() + "\n"
