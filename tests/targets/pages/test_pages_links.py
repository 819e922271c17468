"""Every link leads somewhere, and the test would notice one that doesn't."""

from __future__ import annotations

import re

import pytest

from acpgen import resources
from acpgen.model import MethodName, Protocol
from acpgen.targets.pages.site import Links, plan
from page_reader import Reader, Tree

TRANSPORTS = "docs/keyed-prompts/transports.md"


def test_every_link_leads_to_a_page_and_a_heading(tree: Tree, reader: Reader) -> None:
    assert reader.broken_links(tree) == []
    assert sum(len(reader.read(text).links) for text in tree.values()) > 1000


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("(session-setup.md#after-reconnecting)", "(session-setup.md#after-connecting)"),
        ("(../methods/session-resume.md)", "(methods/session-resume.md)"),
        ("(prompt-lifecycle.md)", "(/docs/keyed-prompts/prompt-lifecycle.md)"),
    ],
)
def test_a_broken_link_is_found(good: str, bad: str, tree: Tree, reader: Reader) -> None:
    assert good in tree[TRANSPORTS]
    broken = {**tree, TRANSPORTS: tree[TRANSPORTS].replace(good, bad)}
    assert set(reader.broken_links(broken)) == {f"{TRANSPORTS}: {bad[1:-1]}"}


def test_a_page_that_goes_missing_is_found(tree: Tree, reader: Reader) -> None:
    fewer = {path: text for path, text in tree.items() if path != "docs/types/plan.md"}
    broken = reader.broken_links(fewer)
    assert broken
    assert all("plan.md" in link for link in broken)


def test_every_page_can_be_reached_from_the_index(tree: Tree, reader: Reader) -> None:
    linked = {link.partition("#")[0] for link in reader.read(tree["docs/index.md"]).links}
    assert {f"docs/{path}" for path in linked} == set(tree) - {"docs/index.md"}


def test_templates_name_only_methods_that_exist(protocol: Protocol) -> None:
    named = {
        name
        for path in (resources.TEMPLATES / "docs").rglob("*.jinja")
        for name in re.findall(r'method\("([^"]+)"\)', path.read_text("utf-8"))
    }
    assert named
    assert named <= {method.name for method in protocol.methods}


def test_what_has_no_page_is_named_without_a_link(protocol: Protocol) -> None:
    links = Links(plan(protocol), "docs/index.md")
    assert links.method(MethodName("_acme/x")) == "`_acme/x`"
    assert links.method(MethodName("session/new")) == "[`session/new`](methods/session-new.md)"
