"""What a method's page says of a guide, and that a slug of no guide is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from acpgen.emit.templates import Templates
from acpgen.model import Kind, Method, Protocol
from acpgen.targets.pages import UnknownGuideError, pages
from acpgen.targets.pages.site import GUIDES
from page_reader import Reader, Tree


def prompt_of(protocol: Protocol) -> Method:
    method = protocol.method("session/prompt", Kind.REQUEST)
    assert method is not None
    return method


def test_every_guide_is_named_by_a_method_and_every_name_is_a_guide(protocol: Protocol) -> None:
    assert {m.page for m in protocol.methods if m.page is not None} == set(GUIDES)


def test_a_page_links_the_guide_that_its_method_names_and_no_other(
    protocol: Protocol, tree: Tree
) -> None:
    for path in (path for path in tree if path.startswith("docs/methods/")):
        (name,) = re.findall(r"^# `(.*)`$", tree[path], re.MULTILINE)
        named = [m.page for m in protocol.methods if m.name == name and m.page is not None]
        linked = re.findall(
            r"\*\*See also\.\*\* \[.*?\]\(\.\./keyed-prompts/(.*?)\.md\)", tree[path]
        )
        assert linked == named, path
        assert tree[path].count("See also") == len(named), path


def test_a_guide_is_called_by_its_title_with_what_it_is_about(
    protocol: Protocol, tree: Tree, reader: Reader
) -> None:
    assert protocol.methods
    for slug, guide in GUIDES.items():
        path = f"docs/keyed-prompts/{slug}.md"
        (title,) = [name for level, name in reader.read(tree[path]).headings if level == 1]
        entry = f"[{title}](keyed-prompts/{slug}.md): {guide.summary}"
        assert entry in tree["docs/index.md"]


@pytest.mark.parametrize("slug", ["pouring", "prompt_lifecycle", "retry-classes"])
def test_a_slug_of_no_guide_is_refused(slug: str, protocol: Protocol, templates: Templates) -> None:
    prompt = prompt_of(protocol)
    methods = tuple(replace(m, page=slug) if m == prompt else m for m in protocol.methods)
    place = f"{prompt.location.file}: /$defs/PromptRequest/x-docs"
    reason = (
        f"{place}: no guide is called '{slug}': "
        "name one of prompt-lifecycle, session-setup, transports, or remove it"
    )
    with pytest.raises(UnknownGuideError, match=f"^{re.escape(reason)}$"):
        pages(replace(protocol, methods=methods), templates)


def test_guides_that_are_not_written_can_not_be_named(
    protocol: Protocol, templates: Templates
) -> None:
    keyless = tuple(replace(m, key=None) for m in protocol.methods)
    with pytest.raises(
        UnknownGuideError, match=r"the guide '.*' is about the key of session/prompt, which"
    ):
        pages(replace(protocol, methods=keyless), templates)
