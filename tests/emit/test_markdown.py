"""Hostile text stays text: what goes in is what a reader of the page sees."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from acpgen.emit.markdown import (
    Inline,
    anchors,
    code,
    fence,
    join,
    link,
    paragraphs,
    prose,
    table,
    text,
)

READER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
MARKUP = r"""a\`*_{}[]()<>#+-.!|~&"'=:$1x 	""" + "\n"
hostile = st.text(st.sampled_from(MARKUP) | st.characters(), max_size=40)


def inline(markdown: str) -> list[Token]:
    """The inline tokens of one paragraph; fails when it is anything else."""
    tokens = READER.parse(markdown)
    assert [token.type for token in tokens] in (["paragraph_open", "inline", "paragraph_close"], [])
    return tokens[1].children or [] if tokens else []


def shown(tokens: list[Token]) -> str:
    return "".join(token.content for token in tokens)


def one_line(value: str) -> str:
    value = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", value)
    return " ".join(re.sub(r"[\ud800-\udfff]", "\ufffd", value).split())


@given(hostile)
@example("# not a heading")
@example("- no list")
@example("12) no list")
@example("export const x = {y}")
@example("<script>alert(1)</script> &lt; &#35;")
@example("https://example.org/a_b_c")
@example("`")
@example("\\")
@example("lone \ud800 surrogate")
def test_text_is_shown_as_it_is(value: str) -> None:
    tokens = inline(text(value))
    assert {token.type for token in tokens} <= {"text", "text_special"}
    assert shown(tokens) == one_line(value)


@given(hostile)
@example("a `code` span, ``another ` one`` and a lone ` backtick")
@example("`a` \\`b`")
@example("` `")
def test_prose_keeps_code_spans_and_nothing_else(value: str) -> None:
    tokens = inline(prose(value))
    assert {token.type for token in tokens} <= {"text", "text_special", "code_inline"}
    without = str.maketrans("", "", "` ")
    assert shown(tokens).translate(without) == one_line(value).translate(without)


def test_a_name_with_underscores_reads_like_one() -> None:
    assert prose("its `kind` is not_retried, not _x or y_") == (
        "its `kind` is not_retried, not \\_x or y\\_"
    )


def test_prose_finds_the_code_spans() -> None:
    tokens = inline(prose("Set `a|b` or ``c`d``."))
    assert [t.content for t in tokens if t.type == "code_inline"] == ["a|b", "c`d"]


@given(hostile)
@example("`")
@example("``a`")
@example(" ")
@example("  padded  ")
@example("{x} <y> *z*")
def test_code_shows_its_value(value: str) -> None:
    tokens = inline(f"x {code(value)} x")[1:-1]
    expected = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", value) or '""'
    expected = re.sub(r"[\ud800-\udfff]", "\ufffd", expected)
    if "\\|" in expected:
        assert {t.type for t in tokens} <= {"text", "text_special"}
    else:
        assert [(t.type, t.content) for t in tokens] == [("code_inline", expected)]


def cells(markdown: str) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in READER.parse(markdown):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(shown(token.children or []))
    return rows


@given(st.lists(st.tuples(hostile, hostile.filter(lambda v: "\\|" not in v)), max_size=4))
@example([("a|b", "c|d"), ("\\|", "\\"), ("a\nb", "`|`")])
def test_every_cell_stays_in_its_column(rows: list[tuple[str, str]]) -> None:
    head = (Inline("One"), Inline("Two"), Inline("Three"))
    markdown = table(head, [(text(a), join((code(b),)), Inline("end")) for a, b in rows])
    control = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+"
    assert cells(markdown) == [["One", "Two", "Three"]] + [
        [
            one_line(a),
            re.sub(r"[\ud800-\udfff]", "\ufffd", re.sub(control, " ", b) or '""'),
            "end",
        ]
        for a, b in rows
    ]


@given(hostile, st.lists(hostile, max_size=3))
def test_a_fence_holds_its_body(first: str, rest: list[str]) -> None:
    body = "\n".join(re.sub(r"[\r\x00]", "", part) for part in (first, *rest))
    (token,) = READER.parse(fence("json", body))
    assert (token.type, token.info) == ("fence", "json")
    shown_body = re.sub(r"[\ud800-\udfff]", "\ufffd", body).rstrip()
    assert token.content == shown_body + "\n"


@pytest.mark.parametrize("target", ["a b.md", "a(b).md", "ä.md#x", "<a>.md", "a\\b.md"])
def test_a_link_keeps_its_target(target: str) -> None:
    tokens = inline(link(text("[label]"), target))
    assert [t.type for t in tokens if t.type.startswith("link")] == ["link_open", "link_close"]
    assert READER.parse(link(Inline("x"), target))


def test_paragraphs_are_divided_by_blank_lines() -> None:
    assert paragraphs("one\nstill one\n \n\n# two\n") == ("one still one", "\\# two")
    assert paragraphs("") == ()


def test_text_never_opens_a_module_statement() -> None:
    assert not text("import x from 'y'").startswith("import")
    assert not prose("export default {}").startswith("export")
    assert text("important") == "important"


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (["Not retried", "session/prompt"], ("not-retried", "sessionprompt")),
        (["A", "a", "A"], ("a", "a-1", "a-2")),
        (["Types: tool_call", "$/cancel_request"], ("types-tool_call", "cancel_request")),
        (["a", "a-1", "a"], ("a", "a-1", "a-2")),
    ],
)
def test_anchors_are_those_of_github(headings: list[str], expected: tuple[str, ...]) -> None:
    assert anchors(headings) == expected


@pytest.mark.parametrize("mark", ["\u061c", "\u200f", "\u202e", "\u2066", "\u2069"])
def test_nothing_turns_the_direction_of_writing(mark: str) -> None:
    spelled = f"\\u{ord(mark):04x}"
    assert code(f"a{mark}b") == f"`a{spelled}b`"
    assert text(f"a{mark}b") == prose(f"a{mark}b") == f"a\\{spelled}b"
    assert anchors([f"a{mark}b"]) == (f"a{spelled[1:]}b",)
