"""Where each page is, and the links between pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, anchors, code, link, prose
from acpgen.model import Kind, Method, MethodName, Protocol, RetryClass, TypeName
from acpgen.targets.retry.classes import CLASSES, UNSTATED

INDEX = "docs/index.md"
RETRY = "docs/retry-classes.md"
ERRORS = "docs/errors.md"
PROMPT = MethodName("session/prompt")


@dataclass(frozen=True, slots=True)
class Guide:
    """A hand-written page on keyed prompts: its title among them, and what it is about."""

    title: str
    summary: str

    @property
    def heading(self) -> str:
        """The title that the page has by itself."""
        return f"Keyed prompts: {self.title.lower()}"


GUIDES: Mapping[str, Guide] = {
    "prompt-lifecycle": Guide(
        "Prompt lifecycle",
        "the key of a prompt, what Client and Agent do with it, and how prompts are cancelled.",
    ),
    "session-setup": Guide(
        "Session setup", "how long a key lasts, and what to do after reconnecting."
    ),
    "transports": Guide(
        "Transports",
        "where answers get lost, where the record of a key has to live, and what proxies do.",
    ),
}
"""The guides by slug: what `x-docs` can name."""

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


class PageNameError(ValueError):
    """A method has no name that a page could have, or two methods have the same."""


class UnknownGuideError(ValueError):
    """A method names a guide that has no page."""


@dataclass(frozen=True, slots=True)
class GuideEntry:
    """The link to a guide, and what it is about."""

    link: Inline
    summary: str


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

    def prose(self, value: str) -> Inline:
        """Any text as `prose`, with a link at each method that it names as code."""
        return Inline(_CODE_SPAN.sub(self._named, prose(value)))

    def _named(self, span: re.Match[str]) -> str:
        is_method = span[1] == "`" and MethodName(span[2]) in self.site.methods
        return self.method(span[2]) if is_method else span[0]

    def type(self, name: str) -> Inline:
        """A type by its name."""
        target = self.site.types.get(TypeName(name))
        return code(name) if target is None else self.to(target, code(name))

    def guide(self, slug: str, anchor: str = "", label: str = "") -> Inline:
        """A page on keyed prompts, called by its title unless a label is given."""
        name = Inline(label or GUIDES[slug].title)
        target = self.site.guides.get(slug)
        return name if target is None else self.to(target + (anchor and f"#{anchor}"), name)

    def guide_entry(self, slug: str) -> GuideEntry:
        """A page on keyed prompts, called by its whole title, and what it is about."""
        guide = GUIDES[slug]
        return GuideEntry(self.guide(slug, label=guide.heading), guide.summary)

    def errors(self) -> Inline:
        """The page on errors."""
        return self.to(ERRORS, Inline("Errors"))

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
        UnknownGuideError: the guide that a method names has no page.
    """
    guides = _guides(protocol)
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
        guides=guides,
    )


def types_page(domain: str) -> str:
    """The path of the page that holds the types of a domain."""
    return f"docs/types/{domain}.md"


def types_title(domain: str) -> str:
    """The title of that page, as plain text."""
    return f"Types: {domain}"


def _guides(protocol: Protocol) -> dict[str, str]:
    for method in protocol.methods:
        if complaint := guide_complaint(protocol, method):
            place = method.location.at("x-docs")
            raise UnknownGuideError(f"{place.file}: {place.pointer}: {complaint}")
    return {slug: f"docs/keyed-prompts/{slug}.md" for slug in GUIDES} if _keyed(protocol) else {}


def guide_complaint(protocol: Protocol, method: Method) -> str | None:
    """Why the guide that a method names has no page; None if it has one, or none is named."""
    if method.page is None:
        return None
    if method.page not in GUIDES:
        return f"no guide is called {method.page!r}: name one of {', '.join(GUIDES)}, or remove it"
    if _keyed(protocol):
        return None
    return (
        f"the guide {method.page!r} is about the key of {PROMPT}, which this schema does not have: "
        f"define {PROMPT} with its key, or remove this"
    )


def _keyed(protocol: Protocol) -> bool:
    """True if prompts take a key, without which there are no guides."""
    prompt = protocol.method(PROMPT, Kind.REQUEST)
    return prompt is not None and prompt.key is not None


def _type_anchors(protocol: Protocol, domain: str) -> Iterable[tuple[TypeName, str]]:
    names = [t.name for t in protocol.types.values() if t.domain == domain]
    return zip(names, anchors([types_title(domain), *names])[1:], strict=True)


def slug_of(name: str) -> str:
    """The name of a method's page."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _slugs(names: Iterable[MethodName]) -> dict[MethodName, str]:
    slugs: dict[MethodName, str] = {}
    for name in names:
        slug = slug_of(name)
        if not slug:
            raise PageNameError(f"{name!r}: name the method with letters or digits")
        if slug in slugs.values():
            other = next(n for n, s in slugs.items() if s == slug)
            raise PageNameError(f"{other!r} and {name!r} would share {slug}.md: rename one")
        slugs[name] = slug
    return slugs
