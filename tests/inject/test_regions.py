"""What the regions hold: the same as the generated pages, for readers of CommonMark and of MDX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit.markdown import Inline
from acpgen.emit.templates import Templates
from acpgen.inject import Elsewhere, Region, base_for, inject, regions, shaping
from acpgen.model import Kind, Protocol
from acpgen.targets.pages import pages
from acpgen.targets.pages.site import plan
from page_reader import read, rewritten, spoil
from whole_schema import whole_schema

Compiler = Callable[..., Mapping[str, str]]
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
    single = {"retry-table", "methods", "retry-classes", "error-codes", "key-rules"}
    assert known().keys() == methods | tables | single


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
        (None, None),
        ("https://x.test/acp", "https://x.test/acp/"),
        ("https://x.test/acp/", "https://x.test/acp/"),
        ("/reference", "/reference/"),
        ("generated/docs", "../generated/docs/"),
        ("guides", "./"),
    ],
)
def test_the_way_to_the_site(
    site: str | None, base: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert base_for(Path("guides/page.md"), site) == base


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


def test_the_templates_that_shape_a_region_are_told(tmp_path: Path) -> None:
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
    return {
        name: region.render(Elsewhere(site, "page.md", "site/"))
        for name, region in regions(spoilt, templates()).items()
    }


def test_no_text_opens_html() -> None:
    for name, text in hostile().items():
        kinds = read(text).kinds
        assert not {"html_block", "html_inline"} & set(kinds), name


def test_no_text_of_the_schema_is_a_marker() -> None:
    end = "\n\n<!-- acpgen:end error-codes -->\n\n{/* acpgen:begin x */}\n"
    spoilt = rewritten(protocol(), lambda field, text: f"{text}{end}" if field in PROSE else text)
    there = regions(spoilt, templates())
    names = [name for name in there if not name.startswith("method:")]
    text = "".join(f"<!-- acpgen:begin {n} -->\n<!-- acpgen:end {n} -->\n" for n in names)

    def render(name: str) -> str:
        return there[name].render(Elsewhere(plan(spoilt), "page.md"))

    once = inject(text, there, render)
    assert once.after.count("acpgen:end error-codes") > len(protocol().methods)
    again = inject(once.after, there, render)
    assert [region.name for region in again.regions] == names
    assert again.stale == ()


def test_every_region_is_mdx(compiled: Compiler) -> None:
    assert compiled(hostile()) == {}
