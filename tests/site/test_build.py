"""The layout of the site, as `site/build.py` works it out."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unavailable
from acpgen.model import Kind, Location, Method, MethodName, RetryClass, Side, Stability, TypeName
from site_visits import SITE

INDEX = """# Protocol

Intro.

## Guides

- [Retries](retries.md): how.
- [Keys](guides/keys.md), see also [Retries](retries.md).

## Methods

### To the agent

| [`go`](methods/go.md) | [Keyed](retries.md#keyed) |

## Errors

[Errors](errors.md) tells.

## Types

| [`go`](types/go.md) | [`Go`](types/go.md#go) |
"""
GO = Method(
    MethodName("go"),
    Kind.REQUEST,
    Side.AGENT,
    Stability.UNSTABLE,
    TypeName("Go"),
    None,
    RetryClass.KEYED,
    "Goes *twice* | `twice`.",
    "Makes the Agent go. And more.",
    Location("go.json"),
)


@pytest.fixture(scope="module")
def build() -> Iterator[Any]:
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(SITE))
    spec = importlib.util.spec_from_file_location("site_build", SITE / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    patch.undo()


def test_the_navigation_follows_the_index(build: Any) -> None:
    assert build.contents(INDEX) == [
        {"Overview": "index.md"},
        {"Guides": [{"Retries": "retries.md"}, {"Keys": "guides/keys.md"}]},
        {"Methods": [{"To the agent": [{"go": "methods/go.md"}]}]},
        {"Errors": "errors.md"},
        {"Types": [{"go": "types/go.md"}]},
    ]


def test_the_front_page_has_one_table_ahead_of_the_rest(build: Any) -> None:
    page = build.front_page(INDEX, [GO])
    assert "\n| [`go`](methods/go.md) *unstable* | Makes the Agent go. | [Keyed](" in page
    assert "Yes, with the same key." in page
    assert "### To the agent" not in page
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Methods",
        "## Guides",
        "## Errors",
        "## Types",
    ]


def test_the_front_page_says_what_the_protocol_is(build: Any) -> None:
    page = build.front_page(f"[//]: # (x)\n\n{INDEX}", [GO], "## This version\n\nTwo.\n\n")
    about, intro, version = page.partition("# Protocol\n\n")[2].split("\n\n")[:3]
    assert about.startswith("The Agent Client Protocol (ACP) connects")
    assert (intro, version) == ("Intro.", "## This version")


def test_an_index_without_methods_is_refused(build: Any) -> None:
    with pytest.raises(build.LayoutError, match="has no section called Methods"):
        build.front_page(INDEX.replace("## Methods", "## Calls"), [GO])


def test_a_page_that_nothing_leads_to_is_refused(
    build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tmp_path / "generated/docs"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text("## Methods\n")
    (docs / "lost.md").write_text("# Lost\n")
    monkeypatch.setattr(build, "GENERATED", docs.parent)
    monkeypatch.setattr(build, "PACKAGES", {})
    with pytest.raises(build.LayoutError, match=r"links to no lost\.md"):
        build.lay_out(tmp_path / "build")


def test_a_script_that_is_not_installed_is_named(
    build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "PACKAGES", {"a.js": "not-installed/a.js"})
    with pytest.raises(build.LayoutError, match=r"not-installed/a\.js: is missing; run `npm ci`"):
        build.lay_out(tmp_path)


def test_the_sources_are_not_built_over(build: Any) -> None:
    with pytest.raises(build.LayoutError, match="holds the sources"):
        build.lay_out(SITE.parent)
    assert (SITE / "build.py").exists()


@pytest.mark.parametrize(("link", "status"), [("index.md", 0), ("nowhere.md", 1)])
def test_a_dead_link_fails_the_build_of_a_page(
    build: Any, tmp_path: Path, link: str, status: int
) -> None:
    shutil.copytree(SITE / "overrides", tmp_path / "overrides")
    shutil.copy(SITE / "zensical.toml", tmp_path)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/index.md").write_text(f"# Page\n\n[Link]({link})\n", "utf-8")
    assert build.run_zensical(tmp_path) == status


@pytest.mark.prove("builds the whole site once more")
def test_a_dead_link_fails_the_build(build: Any, tmp_path: Path) -> None:
    if not (SITE / "node_modules").is_dir():
        unavailable.skip("the scripts of the site are not installed: run `npm ci` in site")
    build.lay_out(tmp_path)
    errors = tmp_path / "pages/errors.md"
    errors.write_text(errors.read_text("utf-8") + "\n[Nowhere](nowhere.md)\n", "utf-8")
    assert build.run_zensical(tmp_path) == 1
