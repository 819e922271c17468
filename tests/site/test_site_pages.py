"""What the site holds, read without a browser."""

from __future__ import annotations

import posixpath
import re
import zipfile
from pathlib import Path

import pytest

import page_reader
from acpgen.targets import languages
from html_pages import HtmlPage
from site_visits import SITE

PROMPT = "methods/session-prompt.html"
DOCS = SITE.parent / "generated/docs"
SOURCES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, HtmlPage]:
    return {
        path.relative_to(site).as_posix(): HtmlPage(path.read_text("utf-8"))
        for path in site.rglob("*.html")
    }


def current(pages: dict[str, HtmlPage]) -> set[str]:
    """The pages of the current version, without those that show files of the schema."""
    return {path for path in pages if not path.startswith(("404", "versions/", "source/"))}


@pytest.mark.prove("builds the site")
def test_there_is_a_page_for_each_source(pages: dict[str, HtmlPage]) -> None:
    sources = {source.replace(".md", ".html") for source in SOURCES}
    assert current(pages) == sources | {"versions.html"}


@pytest.mark.prove("builds the site")
def test_the_front_page_leads_to_every_page(pages: dict[str, HtmlPage]) -> None:
    led_to = {link.partition("#")[0] for link in pages["index.html"].links}
    assert current(pages) <= led_to


@pytest.mark.prove("builds the site")
def test_each_page_has_a_description_of_its_own(site: Path, pages: dict[str, HtmlPage]) -> None:
    found = {}
    for path in current(pages):
        text = (site / path).read_text("utf-8")
        meta = re.search(r'<meta name="description" content="([^"]+)"', text)
        assert meta is not None, path
        found[path] = meta[1]
    assert len({*found.values()}) == len(found)
    assert max(map(len, found.values())) < 200
    assert found["methods/session-prompt.html"].startswith(
        "session/prompt: Adds a user message to a session for the Agent to work on."
    )


@pytest.mark.prove("builds the site")
def test_a_page_leads_to_its_markdown_and_llms_txt_to_all(
    site: Path, pages: dict[str, HtmlPage]
) -> None:
    listed = (site / "llms.txt").read_text("utf-8")
    for path in current(pages):
        markdown = path.replace(".html", ".md")
        assert Path(markdown).name in pages[path].links
        assert f"]({markdown}): " in listed
        text = f"\n{(site / markdown).read_text('utf-8')}"
        assert text.count("\n# ") == 1
    assert (site / "errors.md").read_bytes() == (DOCS / "errors.md").read_bytes()


@pytest.mark.prove("builds the site")
def test_a_link_to_the_source_leads_to_the_line(pages: dict[str, HtmlPage]) -> None:
    links = [to for to in pages["methods/session-prompt.html"].links if "/source/" in to]
    (target,) = links
    file, _, anchor = target.removeprefix("../").partition("#")
    assert anchor in pages[file].ids
    number = int(anchor.rpartition("-")[2])
    lines = (SITE.parent / "schema/v2/prompt.json").read_text("utf-8").splitlines()
    assert '"PromptRequest": {' in lines[number - 1]


@pytest.mark.prove("builds the site")
def test_there_is_no_sitemap_without_an_entry(site: Path) -> None:
    assert not (site / "sitemap.xml").exists()


@pytest.mark.prove("builds the site")
def test_each_release_is_beside_the_current_version(pages: dict[str, HtmlPage]) -> None:
    released = [path.name for path in (SITE.parent / "schema/released").glob("*.schema.json")]
    assert released != []
    for name in released:
        version = name.removeprefix("acp-v2-").removesuffix(".schema.json")
        assert f"versions/{version}/index.html" in pages["versions.html"].links
        assert f"files/{name}" in pages["versions.html"].links
        assert "../../index.html" in pages[f"versions/{version}/index.html"].links


@pytest.mark.prove("builds the site")
def test_the_version_menu_leads_to_the_same_page(pages: dict[str, HtmlPage], site: Path) -> None:
    assert f"../versions/0.1.0/{PROMPT}" in pages[PROMPT].links
    assert f"../../../{PROMPT}" in pages[f"versions/0.1.0/{PROMPT}"].links
    for path in current(pages) - {"versions.html"}:
        assert 'class="added versions"' in (site / path).read_text("utf-8"), path


@pytest.mark.prove("builds the site")
def test_the_front_page_leads_to_every_language(pages: dict[str, HtmlPage], site: Path) -> None:
    links = pages["index.html"].links
    for name in languages.names():
        with zipfile.ZipFile(site / f"files/acp-v2-{name}.zip") as archive:
            held = archive.namelist()
        assert f"files/acp-v2-{name}.zip" in links
        assert any(path.endswith("/LICENSE") for path in held), name
        table = "retry.py" if name == "python" else Path(languages.table_path(name, 2)).name
        assert f"files/{table}" in links
        assert (site / "files" / table).is_file()
    assert "versions.html#changelog" in links
    assert "changelog" in pages["versions.html"].ids


@pytest.mark.prove("builds the site")
def test_each_method_has_code_in_every_language(pages: dict[str, HtmlPage], site: Path) -> None:
    methods = [path for path in current(pages) if path.startswith("methods/")]
    for path in methods:
        text = (site / path).read_text("utf-8")
        kinds = text.count('<fieldset class="added code-tabs">')
        assert kinds == text.count('id="params') > 0, path
        for name in languages.names():
            assert text.count(f'value="{languages.dialect(name).title}"') == kinds


@pytest.mark.prove("builds the site")
def test_every_link_leads_somewhere(pages: dict[str, HtmlPage], site: Path) -> None:
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if path == "404.html" or link.startswith(("http:", "https:")):
                continue
            to, mark, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), to)) if to else path
            known = pages[target].ids if target in pages else set()
            if not (site / target).exists() or (mark and anchor and anchor not in known):
                dead.append(f"{path}: {link}")
    assert dead == []


@pytest.mark.prove("builds the site")
@pytest.mark.parametrize("source", [source for source in SOURCES if source != "index.md"])
def test_a_page_reads_the_way_commonmark_does(source: str, pages: dict[str, HtmlPage]) -> None:
    expected = HtmlPage(page_reader.READER.render((DOCS / source).read_text("utf-8")))
    assert pages[source.replace(".md", ".html")].content == expected.content


@pytest.mark.prove("builds the site")
def test_members_can_be_expanded_and_an_example_is_beside_the_params(site: Path) -> None:
    text = (site / "methods/session-prompt.html").read_text("utf-8")
    params = text.partition('id="params"')[2].partition('id="result"')[0]
    assert "<summary>Inside <code>prompt</code>" in params
    assert "<code>resource_link</code></summary>" in params
    figure = params.partition("<figure")[2]
    captions = re.findall("<figcaption>(.*?)</figcaption>", figure)
    assert captions == ["Request 1", "Response", "Error response, <code>-32002</code>"]
