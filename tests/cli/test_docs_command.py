"""`acpgen docs` as the authors of pages and their CI call it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

GOLDEN = Path(__file__).parents[1] / "golden" / "schema" / "v9"
PAGE = "# Tea\n\n<!-- acpgen:begin retry-classes -->\n<!-- acpgen:end retry-classes -->\n"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["docs", *arguments, "--schema", "v9"])


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN, "v9")
    Path("page.md").write_text(PAGE)


def test_regions_are_written_and_then_clean() -> None:
    result = run("inject", "page.md")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 region in 1 page: wrote 1\n"
    assert "| Keyed | Yes, with the same key. |" in Path("page.md").read_text()
    result = run("inject", "--check", "page.md")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 region in 1 page: up to date\n"


def test_a_page_that_is_up_to_date_is_not_touched() -> None:
    run("inject", "page.md")
    before = Path("page.md").stat()
    assert run("inject", "page.md").exit_code == 0
    after = Path("page.md").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_planted_link_is_not_followed() -> None:
    Path("other").write_text("kept")
    Path(".page.md.tmp").symlink_to("other")
    assert run("inject", "page.md").exit_code == 0
    assert Path("other").read_text() == "kept"
    assert not Path("page.md").is_symlink()


def test_check_writes_nothing_and_shows_the_difference() -> None:
    result = run("inject", "--check", "page.md")
    assert result.exit_code == 1
    assert Path("page.md").read_text() == PAGE
    first, *diff = result.stdout.splitlines()
    assert first == (
        "page.md:3: error[stale-region]: retry-classes is not as generated; "
        "run `acpgen docs inject`"
    )
    assert diff[:2] == ["--- page.md (on disk)", "+++ page.md (generated)"]
    assert "+| Keyed | Yes, with the same key. |" in diff
    assert result.stderr == "1 region in 1 page: would write 1\n"


def test_a_changed_schema_is_found() -> None:
    page = "<!-- acpgen:begin method:kettle/heat -->\n<!-- acpgen:end method:kettle/heat -->\n"
    Path("page.md").write_text(page)
    run("inject", "page.md")
    kettle = Path("v9/kettle.json")
    text = kettle.read_text()
    old = '"x-retry-class": "idempotent"'
    assert old in text
    kettle.write_text(text.replace(old, '"x-retry-class": "duplicating"'))
    assert run("inject", "--check", "page.md").exit_code == 1


def test_findings_for_programs() -> None:
    result = run("inject", "--check", "page.md", "--format", "json")
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding["rule"], finding["file"], finding["line"]) == ("stale-region", "page.md", 3)
    assert result.exit_code == 1


def test_links_lead_from_each_page_to_the_site() -> None:
    Path("deep").mkdir()
    Path("deep/page.md").write_text(PAGE)
    result = run("inject", "page.md", "deep/page.md", "--links", "site")
    assert result.exit_code == 0
    assert "[Keyed](site/retry-classes.md#keyed)" in Path("page.md").read_text()
    assert "[Keyed](../site/retry-classes.md#keyed)" in Path("deep/page.md").read_text()


def test_a_template_of_ones_own_shapes_a_region() -> None:
    Path("mine/regions").mkdir(parents=True)
    Path("mine/regions/method.md.jinja").write_text("{{ sections[0].retry }}!")
    page = "<!-- acpgen:begin method:kettle/pour -->\n<!-- acpgen:end method:kettle/pour -->\n"
    Path("page.md").write_text(page)
    assert run("inject", "page.md", "--templates", "mine").exit_code == 0
    assert "\n\nKeyed!\n\n" in Path("page.md").read_text()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x\n\n```json\n{}\n", "opens a code block with ```json and does not close it"),
        ("x\n\n<!-- y\n", "opens HTML with <!-- and does not close it"),
        ("<!-- acpgen:end x -->\n", "has what reads as a marker: <!-- acpgen:end x -->"),
    ],
)
@pytest.mark.parametrize("check", [(), ("--check",)])
def test_a_template_that_would_hide_a_region_is_refused(
    text: str, why: str, check: tuple[str, ...]
) -> None:
    Path("mine/regions").mkdir(parents=True)
    Path("mine/regions/method.md.jinja").write_text(text)
    page = "<!-- acpgen:begin method:kettle/pour -->\n<!-- acpgen:end method:kettle/pour -->\n"
    Path("page.md").write_text(f"{PAGE}\n{page}")
    result = run("inject", "page.md", "--templates", "mine", *check)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "acpgen: page.md:6: method:kettle/pour would not be found again: "
        f"mine/regions/method.md.jinja {why}; fix that first\n"
    )
    assert Path("page.md").read_text() == f"{PAGE}\n{page}"


@pytest.mark.parametrize("check", [(), ("--check",)])
def test_a_page_without_a_region_is_fine(check: tuple[str, ...]) -> None:
    Path("page.md").write_text("text\n")
    result = run("inject", "page.md", *check)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "0 regions in 1 page: up to date; write <!-- acpgen:begin NAME --> where one belongs\n"
    )
    assert Path("page.md").read_text() == "text\n"


def test_options_are_kept_in_the_marker() -> None:
    Path("deep").mkdir()
    Path("deep/page.md").write_text(f"\ufeff{PAGE[7:]}")
    result = run("inject", "page.md", "deep/page.md", "--links", "a b", "--ending", "html")
    assert result.exit_code == 0
    first, deep = (Path(name).read_text() for name in ("page.md", "deep/page.md"))
    assert "<!-- acpgen:begin retry-classes links=a%20b ending=html -->\n" in first
    assert "[Keyed](a%20b/retry-classes.html#keyed)" in first
    assert "\ufeff<!-- acpgen:begin retry-classes links=../a%20b ending=html -->\n" in deep
    assert "[Keyed](../a%20b/retry-classes.html#keyed)" in deep
    result = run("inject", "--check", "page.md", "deep/page.md")
    assert (result.exit_code, result.stdout) == (0, "")
    assert run("inject", "page.md", "deep/page.md").exit_code == 0
    assert [Path(name).read_text() for name in ("page.md", "deep/page.md")] == [first, deep]


def test_an_option_replaces_the_marker_s_and_the_other_stays() -> None:
    marker = "acpgen:begin retry-classes"
    Path("page.md").write_text(PAGE.replace(marker, f"{marker} links=docs ending=html"))
    result = run("inject", "--check", "page.md", "--links", "https://x.test/")
    assert result.exit_code == 1
    assert "+<!-- acpgen:begin retry-classes links=https://x.test/ ending=html -->" in result.stdout
    assert run("inject", "page.md", "--links", "https://x.test/").exit_code == 0
    assert "[Keyed](https://x.test/retry-classes.html#keyed)" in Path("page.md").read_text()


def test_an_ending_is_for_links() -> None:
    result = run("inject", "page.md", "--ending", "html")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "acpgen: page.md:3: has an ending of links, but no links; write links=PLACE, "
        "or use --links\n"
    )
    assert Path("page.md").read_text() == PAGE


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"<!-- acpgen:begin retry-class -->\n<!-- acpgen:end retry-class -->\n", "page.md:1: no "),
        (b"\n<!-- acpgen:begin retry-classes -->\n", "page.md:2: retry-classes has no end; "),
        (b"\nx\xff\n", "page.md:2: is not UTF-8"),
        (None, "page.md: No such file or directory; "),
    ],
)
def test_what_is_wrong_is_2_and_nothing_is_written(content: bytes | None, complaint: str) -> None:
    Path("other.md").write_text(PAGE)
    if content is None:
        Path("page.md").unlink()
    else:
        Path("page.md").write_bytes(content)
    result = run("inject", "other.md", "page.md")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"acpgen: {complaint}")
    assert Path("other.md").read_text() == PAGE
    assert sorted(p.name for p in Path().iterdir() if p.name.startswith(".")) == []
    assert Path("page.md").exists() == (content is not None)


def test_the_faults_of_all_pages_are_reported_at_once() -> None:
    Path("page.md").write_text("<!-- acpgen:begin -->\n<!-- acpgen:end x -->\n")
    Path("other.mdx").write_text(PAGE)
    result = run("inject", "page.md", "other.mdx")
    assert result.exit_code == 2
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == [
        "page.md:1",
        "page.md:2",
        "other.mdx:3",
        "other.mdx:4",
    ]


@pytest.mark.parametrize("name", ["page.mdx", "page.MDX"])
def test_a_page_in_mdx_is_known_by_its_name(name: str) -> None:
    region = "{/* acpgen:begin retry-classes */}\n    {/* acpgen:end retry-classes */}"
    Path(name).write_text(f"<Step>\n    {region}\n</Step>\n")
    assert run("inject", name).exit_code == 0
    assert "\n    | Keyed | Yes, with the same key. |\n" in Path(name).read_text()
    assert run("inject", "--check", name).exit_code == 0


def test_an_unknown_name_comes_with_what_may_be_meant() -> None:
    Path("page.md").write_text(PAGE.replace("retry-classes", "retry-clases"))
    assert "did you mean retry-classes?" in run("inject", "page.md").stderr


def test_a_broken_schema_is_2() -> None:
    Path("v9/tea.json").write_text("{")
    result = run("inject", "page.md")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "v9/tea.json:1: error[not-json]" in result.stderr


def test_a_link_stays_a_link_and_the_mode_stays() -> None:
    Path("page.md").rename("real.md")
    Path("real.md").chmod(0o640)
    Path("page.md").symlink_to("real.md")
    assert run("inject", "page.md").exit_code == 0
    assert Path("page.md").is_symlink()
    assert "Keyed" in Path("real.md").read_text()
    assert Path("real.md").stat().st_mode & 0o777 == 0o640


def test_the_regions_are_listed() -> None:
    result = run("regions")
    assert result.exit_code == 0
    names = [line.split("  ")[0] for line in result.stdout.splitlines()]
    assert {"retry-table", "error-codes", "methods", "method:kettle/pour"} <= {*names}
    # Rules of keyed prompts are for a protocol whose prompts take a key.
    assert "key-rules" not in names
