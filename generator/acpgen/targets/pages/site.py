"""Where each page is, and the links between pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, anchors, code, link
from acpgen.model import Kind, MethodName, Protocol, RetryClass, TypeName
from acpgen.targets.pages.classes import CLASSES, UNSTATED

INDEX = "docs/index.md"
RETRY = "docs/retry-classes.md"
PROMPT = MethodName("session/prompt")
GUIDES: Mapping[str, str] = {
    "prompt-lifecycle": "Prompt lifecycle",
    "session-setup": "Session setup",
    "transports": "Transports",
}
"""The pages on keyed prompts: slug to title."""


class PageNameError(ValueError):
    """A method has no name that a page could have, or two methods have the same."""


@dataclass(frozen=True, slots=True)
class Site:
    """The place of every page, and of every type on its page (`path#anchor`)."""

    methods: Mapping[MethodName, str]
    types: Mapping[TypeName, str]
    guides: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Links:
    """The links of one page. What has no page is named without a link."""

    site: Site
    page: str

    def to(self, target: str, label: Inline) -> Inline:
        """A link to a page of the site, or to a place on it."""
        path, mark, anchor = target.partition("#")
        start = posixpath.dirname(self.page)
        relative = "" if path == self.page and mark else posixpath.relpath(path, start)
        return link(label, f"{relative}{mark}{anchor}")

    def method(self, name: str) -> Inline:
        """A method by its name."""
        target = self.site.methods.get(MethodName(name))
        return code(name) if target is None else self.to(target, code(name))

    def type(self, name: str) -> Inline:
        """A type by its name."""
        target = self.site.types.get(TypeName(name))
        return code(name) if target is None else self.to(target, code(name))

    def guide(self, slug: str, anchor: str = "", label: str = "") -> Inline:
        """A page on keyed prompts, called by its title unless a label is given."""
        name = Inline(label or GUIDES[slug])
        target = self.site.guides.get(slug)
        return name if target is None else self.to(target + (anchor and f"#{anchor}"), name)

    def retry_classes(self) -> Inline:
        """The page on retry classes."""
        return self.to(RETRY, Inline("Retry classes"))

    def retry_class(self, retry: RetryClass | None) -> Inline:
        """A retry class by its title."""
        if retry is None:
            return UNSTATED
        title = CLASSES[retry].title
        return self.to(f"{RETRY}#{anchors([title])[0]}", Inline(title))


def plan(protocol: Protocol) -> Site:
    """Give every page of a protocol its place.

    The pages on keyed prompts exist when prompts take a key.

    Raises:
        PageNameError: two methods would share a page, or one has no name for a page.
    """
    prompt = protocol.method(PROMPT, Kind.REQUEST)
    keyed = prompt is not None and prompt.key is not None
    return Site(
        methods={
            name: f"docs/methods/{slug}.md"
            for name, slug in _slugs(dict.fromkeys(m.name for m in protocol.methods)).items()
        },
        types={
            name: f"{types_page(domain)}#{anchor}"
            for domain in protocol.domains
            for name, anchor in _type_anchors(protocol, domain)
        },
        guides={slug: f"docs/keyed-prompts/{slug}.md" for slug in GUIDES} if keyed else {},
    )


def types_page(domain: str) -> str:
    """The path of the page that holds the types of a domain."""
    return f"docs/types/{domain}.md"


def types_title(domain: str) -> str:
    """The title of that page, as plain text."""
    return f"Types: {domain}"


def _type_anchors(protocol: Protocol, domain: str) -> Iterable[tuple[TypeName, str]]:
    names = [t.name for t in protocol.types.values() if t.domain == domain]
    return zip(names, anchors([types_title(domain), *names])[1:], strict=True)


def _slugs(names: Iterable[MethodName]) -> dict[MethodName, str]:
    slugs: dict[MethodName, str] = {}
    for name in names:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if not slug:
            raise PageNameError(f"{name!r}: name the method with letters or digits")
        if slug in slugs.values():
            other = next(n for n, s in slugs.items() if s == slug)
            raise PageNameError(f"{other!r} and {name!r} would share {slug}.md: rename one")
        slugs[name] = slug
    return slugs
