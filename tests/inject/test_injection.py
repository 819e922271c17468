"""What is put into a page, and that nothing else of it changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acpgen.inject.injection import Page, inject
from acpgen.inject.markers import PageError

BEGIN, END = "<!-- acpgen:begin one -->", "<!-- acpgen:end one -->"
TABLE = "| A |\n| - |\n| b |"


def filled(text: str, markdown: str = TABLE) -> Page:
    return inject(text, ["one", "two"], lambda name: f"{name}\n{markdown}")


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
