"""What is put into a page, and that nothing else of it changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acpgen.inject.injection import ContentError, Page, inject
from acpgen.inject.markers import PageError

BEGIN, END = "<!-- acpgen:begin one -->", "<!-- acpgen:end one -->"
TABLE = "| A |\n| - |\n| b |"


def filled(text: str, markdown: str = TABLE) -> Page:
    return inject(text, ["one", "two"], lambda region: f"{region.name}\n{markdown}")


def test_the_text_stands_between_blank_lines() -> None:
    page = filled(f"before\n{BEGIN}\n{END}\nafter\n")
    assert page.after == f"before\n{BEGIN}\n\none\n{TABLE}\n\n{END}\nafter\n"
    assert [region.name for region in page.stale] == ["one"]


def test_filling_twice_changes_nothing() -> None:
    once = filled(f"before\n{BEGIN}\nold\n{END}").after
    again = filled(once)
    assert (again.after, again.stale, again.diff("x")) == (once, (), "")


def test_several_regions_are_filled_and_only_the_stale_are_named() -> None:
    other = f"{BEGIN}\n{END}\n".replace("one", "two")
    once = filled(f"{BEGIN}\n{END}\n\n{other}").after
    page = filled(once.replace("two\n| A |", "two\n| B |"))
    assert [region.name for region in page.regions] == ["one", "two"]
    assert [region.name for region in page.stale] == ["two"]
    assert page.after == once


@pytest.mark.parametrize("indent", ["   ", "\t", " \t"])
def test_every_line_that_is_not_empty_is_indented_like_the_marker(indent: str) -> None:
    page = filled(f"-  a\n\n{indent}{BEGIN}\n   {END}\n", "```\na\n\n  b\n```")
    lines = [BEGIN, "", "one", "```", "a", "", "  b", "```", ""]
    shown = "".join(f"{indent}{line}\n" if line else "\n" for line in lines)
    assert page.after == f"-  a\n\n{shown}   {END}\n"
    assert filled(page.after, "```\na\n\n  b\n```").stale == ()


def test_a_mark_of_the_byte_order_stays() -> None:
    page = filled(f"\ufeff{BEGIN}\n{END}\n")
    assert page.after == f"\ufeff{BEGIN}\n\none\n{TABLE}\n\n{END}\n"


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_are_those_of_the_page(end: str) -> None:
    page = filled(f"before{end}{BEGIN}{end}{END}{end}after")
    lines = ["before", BEGIN, "", "one", *TABLE.split("\n"), "", END, "after"]
    assert page.after == end.join(lines)


def test_a_mixture_of_line_ends_stays() -> None:
    page = filled(f"a\r\nb\n{BEGIN}\r\n{END}\nc\r")
    assert page.after.startswith(f"a\r\nb\n{BEGIN}\r\n\r\none\r\n")
    assert page.after.endswith(f"\r\n{END}\nc\r")


@given(
    st.lists(st.sampled_from(["", "text", "# T", "> q", "\ufeff", "\x0b", "\u2028", "---"])),
    st.lists(st.sampled_from(["", "text", "```", "\x0c", "\x85"])),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_is_outside_stays(before: list[str], after: list[str], end: str) -> None:
    head = "".join(f"{line}{end}" for line in before)
    tail = end.join(after)
    page = filled(f"{head}{BEGIN}{end}old{end}{END}{end}{tail}")
    assert page.after.startswith(f"{head}{BEGIN}{end}{end}one{end}")
    assert page.after.endswith(f"{end}{END}{end}{tail}")
    assert filled(page.after).stale == ()


def test_a_diff_shows_what_changes() -> None:
    page = filled(f"a\n{BEGIN}\nold\n{END}\n", "new")
    assert page.diff("page.md") == (
        "--- page.md (on disk)\n"
        "+++ page.md (generated)\n"
        "@@ -2,3 +2,6 @@\n"
        f" {BEGIN}\n"
        "-old\n"
        "+\n"
        "+one\n"
        "+new\n"
        "+\n"
        f" {END}\n"
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [("onne", "did you mean one?"), ("something", "`acpgen docs regions` lists all")],
)
def test_an_unknown_name_is_a_fault_with_a_hint(name: str, hint: str) -> None:
    text = f"\n<!-- acpgen:begin {name} -->\n<!-- acpgen:end {name} -->\n"
    with pytest.raises(PageError) as caught:
        filled(text)
    (fault,) = caught.value.faults
    assert (fault.line, fault.message) == (2, f"no region is called {name}; {hint}")


def test_line_ends_of_the_text_become_those_of_the_page() -> None:
    page = filled(f"{BEGIN}\n{END}\n", "a\r\nb\rc\nd")
    assert page.after == f"{BEGIN}\n\none\na\nb\nc\nd\n\n{END}\n"
    assert filled(page.after, "a\r\nb\rc\nd").stale == ()


@pytest.mark.parametrize(
    ("markdown", "why"),
    [
        ("```json\n{}\n", "opens a code block with ```json and does not close it"),
        ("~~~~\n~~~\n", "opens a code block with ~~~~ and does not close it"),
        ("- a\n\n```", "opens a code block with ``` and does not close it"),
        ("<!-- a\nb", "opens HTML with <!-- and does not close it"),
        ("<pre>\na\n", "opens HTML with <pre and does not close it"),
        ("<![CDATA[", "opens HTML with <![CDATA[ and does not close it"),
        ("<?a", "opens HTML with <?a and does not close it"),
        (f"\n{END}\n", f"has what reads as a marker: {END}"),
        (f"\n{END}\n\n{BEGIN}\n", f"has what reads as a marker: {END}"),
        (
            "a {/* acpgen:begin three */}",
            "has what reads as a marker: a {/* acpgen:begin three */}",
        ),
        ("\n<!-- acpgen: -->\n", "has what reads as a marker: <!-- acpgen: -->"),
    ],
)
@pytest.mark.parametrize("frame", ["{0}\n{1}\n", "- a\n\n  {0}\n\n  {1}\n\n```\nb\n```\n"])
def test_a_text_after_which_the_region_would_be_lost_is_refused(
    frame: str, markdown: str, why: str
) -> None:
    other = f"{BEGIN}\n{END}\n\n".replace("one", "two")
    text = f"{other}{frame.format(BEGIN, END)}"
    texts = {"one": markdown, "two": TABLE}
    with pytest.raises(ContentError) as caught:
        inject(text, ["one", "two"], lambda region: texts[region.name])
    assert (caught.value.region.name, caught.value.why) == ("one", why)
    assert text.split("\n")[caught.value.region.begin].strip() == BEGIN


@pytest.mark.parametrize(
    "markdown",
    [f"```\n{END}\n```", f"`{END}`", "- a\n  ```\n  b", "> <!-- a", "a <!-- b", "<div>", "`a"],
)
def test_a_text_after_which_the_region_is_found_is_filled_in(markdown: str) -> None:
    once = filled(f"{BEGIN}\n{END}\n", markdown)
    assert filled(once.after, markdown).stale == ()


def test_what_a_page_holds_already_is_not_refused() -> None:
    # A code block that the list item ends.
    frame = f"- a\n\n  {BEGIN}\n\n  one\n  ```\n\n{END}\n"
    assert filled(frame, "```").stale == ()


@given(
    st.lists(
        st.sampled_from(
            [
                *("", "a", "```", "~~~", "<!--", "-->", "<pre>", "</pre>", "<div>", "`", "\r"),
                *("- a", "  b", "    c", "> d", "{/*", "*/}"),
                *(BEGIN, END, BEGIN.replace("one", "two")),
            ]
        )
    ),
    st.sampled_from(["", "  ", "- a\n\n  "]),
    st.booleans(),
)
def test_a_page_that_is_written_is_read_again(parts: list[str], start: str, mdx: bool) -> None:
    markdown = "\n".join(parts)
    begin, end = ("{/* acpgen:begin one */}", "{/* acpgen:end one */}") if mdx else (BEGIN, END)
    indent = start.rpartition("\n")[2]

    def fill(text: str) -> Page:
        return inject(text, ["one", "two"], lambda _: markdown, mdx=mdx)

    try:
        once = fill(f"{start}{begin}\n\n{indent}{end}\n")
    except ContentError:
        return
    again = fill(once.after)
    assert (again.after, again.stale) == (once.after, ())
    assert [region.name for region in again.regions] == ["one"]
