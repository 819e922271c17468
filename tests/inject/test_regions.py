"""What the regions hold: the same as the generated pages, for readers of CommonMark and of MDX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit.markdown import Inline
from acpgen.emit.templates import Templates
from acpgen.inject import (
    Elsewhere,
    LinkOptions,
    Marked,
    Region,
    inject,
    place_from,
    regions,
    shaping,
)
from acpgen.model import Kind, Protocol
from acpgen.targets.pages import pages
from acpgen.targets.pages.site import plan, slug_of
from page_reader import read, rewritten, spoil
from whole_schema import whole_schema

Compiler = Callable[..., Mapping[str, str]]
PARTS = {"method", "params", "example", "errors", "type"}
SOME_PARTS = [
    *(f"params:{name}" for name in ("session/prompt", "mcp/message", "elicitation/create")),
    *("example:session/new", "errors:session/prompt", "type:ContentBlock", "type:ErrorCode"),
]
PROSE = {"docs", "other_docs", "resend", "title", "when"}


@cache
def protocol() -> Protocol:
    return whole_schema()


@cache
def templates() -> Templates:
    return Templates(resources.TEMPLATES)


@cache
def known() -> dict[str, Region]:
    return regions(protocol(), templates())


@cache
def tree() -> dict[str, str]:
    return pages(protocol(), templates())


def rendered(name: str, base: str | None = None) -> str:
    return known()[name].render(Elsewhere(plan(protocol()), "page.md", base))


def test_the_names() -> None:
    methods = {f"method:{method.name}" for method in protocol().methods}
    groups = ("agent", "client", "notifications", "proxy")
    tables = {f"{t}:{g}" for t in ("retry-table", "methods") for g in groups}
    methods |= {f"params:{method.name}" for method in protocol().methods}
    methods |= {f"example:{method.name}" for method in protocol().methods}
    methods |= {f"snippets:{method.name}" for method in protocol().methods}
    methods |= {f"errors:{m.name}" for m in protocol().methods if m.kind is Kind.REQUEST}
    types = {f"type:{name}" for name in protocol().types}
    single = {"retry-table", "methods", "retry-classes", "error-codes", "key-rules"}
    assert known().keys() == methods | types | tables | single


def test_the_retry_tables_hold_every_method_once_by_side() -> None:
    sides = {
        "agent": ("agent", Kind.REQUEST),
        "client": ("client", Kind.REQUEST),
    }
    for name, (side, kind) in sides.items():
        (table,) = read(rendered(f"retry-table:{name}")).tables
        expected = [m.name for m in protocol().methods if (m.side, m.kind) == (side, kind)]
        assert [row[0] for row in table[1:]] == expected
    rows = [row for table in read(rendered("retry-table")).tables for row in table[1:]]
    assert sorted(row[0] for row in rows) == sorted(m.name for m in protocol().methods)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("retry-table:agent", "docs/retry-classes.md"),
        ("retry-classes", "docs/retry-classes.md"),
        ("methods:client", "docs/index.md"),
        ("error-codes", "docs/errors.md"),
    ],
)
def test_a_table_is_that_of_the_page(name: str, page: str) -> None:
    tables = read(tree()[page]).tables
    assert all(table in tables for table in read(rendered(name)).tables)


@pytest.mark.parametrize("name", ["session/prompt", "elicitation/create", "session/cancel"])
def test_the_parts_of_a_method_are_those_of_its_page(name: str) -> None:
    page = read(tree()[f"docs/methods/{slug_of(name)}.md"])
    params = read(rendered(f"params:{name}"))
    assert params.tables != []
    assert all(table in page.tables for table in params.tables)
    text = tree()[f"docs/methods/{slug_of(name)}.md"]
    assert text.endswith(f"{rendered(f'example:{name}')}\n")
    if f"errors:{name}" in known():
        (errors,) = read(rendered(f"errors:{name}")).tables
        assert errors in page.tables


def test_a_type_is_that_of_its_page() -> None:
    # Only where links lead differs.
    page, region = (
        re.sub(r"\]\([^)]*#", "](#", text)
        for text in (tree()["docs/types/content.md"], rendered("type:ContentBlock", "site/"))
    )
    assert region.startswith("One piece of")
    assert f"## ContentBlock\n\n{region}\n" in page


def test_the_key_rules_are_those_of_the_guide() -> None:
    guide = tree()["docs/keyed-prompts/prompt-lifecycle.md"]
    rules = [line for line in rendered("key-rules", "").splitlines() if line.startswith(("-", "|"))]
    assert len(rules) > 10
    for rule in rules:
        # Only where links lead differs: the guide stands one folder deeper.
        assert rule in guide.replace("](../", "](")


def test_a_box_tells_class_rule_and_key() -> None:
    box = rendered("method:session/prompt")
    assert read(box).tables == [
        [
            ["Direction", "Kind", "Stability", "Retry class"],
            ["Client to Agent", "request", "stable", "Keyed"],
        ]
    ]
    assert "with the key of the first attempt" in box
    assert "An error leaves the `idempotencyKey` unused" in box


def test_a_method_of_two_kinds_has_two_boxes() -> None:
    box = rendered("method:mcp/message")
    assert len(read(box).tables) == 2
    assert "**As a request**" in box
    assert "**As a notification**" in box


def test_without_a_place_there_are_no_links() -> None:
    for name in known():
        outside = [to for to in read(rendered(name)).links if not to.startswith("https://www.rfc")]
        assert outside == [], name


def test_links_lead_to_pages_that_are_there() -> None:
    links = {to for name in known() for to in read(rendered(name, "site/")).links}
    internal = {to for to in links if to.startswith("site/")}
    assert len(internal) > 30
    for target in internal:
        path, _, anchor = target.removeprefix("site/").partition("#")
        page = read(tree()[f"docs/{path}"])
        assert not anchor or anchor in page.anchors


@pytest.mark.parametrize(
    ("site", "base"),
    [
        ("https://x.test/acp", "https://x.test/acp/"),
        ("https://x.test/acp/", "https://x.test/acp/"),
        ("/reference", "/reference/"),
        ("/", "/"),
        ("generated/docs", "../generated/docs/"),
        ("guides", "./"),
    ],
)
def test_the_way_to_the_site(
    site: str, base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert LinkOptions(place_from(Path("guides/page.md"), site)).base == base


@pytest.mark.parametrize(
    ("target", "suffix", "expected"),
    [
        ("docs/types/ids.md#sessionid", ".md", "site/types/ids.md#sessionid"),
        ("docs/types/ids.md#sessionid", ".html", "site/types/ids.html#sessionid"),
        ("docs/types/ids.md#sessionid", "", "site/types/ids#sessionid"),
        ("docs/errors.md", "", "site/errors"),
        ("docs/index.md", ".html", "site/index.html"),
        ("docs/index.md#methods", "", "site/#methods"),
    ],
)
def test_a_link_ends_as_the_pages_do(target: str, suffix: str, expected: str) -> None:
    links = Elsewhere(plan(protocol()), "page.md", "site/", suffix)
    assert links.to(target, Inline("a")) == f"[a]({expected})"


def test_the_templates_that_shape_a_region_are_reported(tmp_path: Path) -> None:
    key, own = known()["key-rules"], tmp_path / "docs/rules/client.md.jinja"
    assert shaping(key, tmp_path) == [resources.TEMPLATES / "regions/key-rules.md.jinja"]
    own.parent.mkdir(parents=True)
    own.write_text("a")
    assert shaping(key, tmp_path) == [own]
    assert shaping(known()["method:session/prompt"], tmp_path) == [
        resources.TEMPLATES / "regions/method.md.jinja"
    ]
    assert shaping(known()["retry-classes"], tmp_path) == []


@cache
def hostile() -> dict[str, str]:
    spoilt = rewritten(protocol(), spoil)
    site = plan(spoilt)
    there = regions(spoilt, templates())
    # Every type and method is on a page, which other tests spoil.
    names = [name for name in there if name.partition(":")[0] not in PARTS - {"method"}]
    links = Elsewhere(site, "page.md", "site/")
    return {name: there[name].render(links) for name in (*names, *SOME_PARTS)}


def test_no_text_opens_html() -> None:
    for name, text in hostile().items():
        kinds = read(text).kinds
        assert not {"html_block", "html_inline"} & set(kinds), name


def test_no_text_of_the_schema_is_a_marker() -> None:
    end = "\n\n<!-- acpgen:end error-codes -->\n\n{/* acpgen:begin x */}\n"
    spoilt = rewritten(protocol(), lambda field, text: f"{text}{end}" if field in PROSE else text)
    there = regions(spoilt, templates())
    names = [name for name in there if name.partition(":")[0] not in PARTS]
    text = "".join(f"<!-- acpgen:begin {n} -->\n<!-- acpgen:end {n} -->\n" for n in names)

    def render(region: Marked) -> str:
        return there[region.name].render(Elsewhere(plan(spoilt), "page.md"))

    once = inject(text, there, render)
    assert once.after.count("acpgen:end error-codes") > len(protocol().methods)
    again = inject(once.after, there, render)
    assert [region.name for region in again.regions] == names
    assert again.stale == ()


def test_every_region_is_mdx(compiled: Compiler) -> None:
    assert compiled(hostile()) == {}
