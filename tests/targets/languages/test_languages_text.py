"""What is written into the languages: literals, comments, names, paths, and all of the model."""

from __future__ import annotations

import ast
import json
import typing
from collections.abc import Mapping
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acpgen.emit.header import owns
from acpgen.targets import TARGETS
from acpgen.targets.languages import dialect, others
from acpgen.targets.languages.language_table import table
from acpgen.targets.languages.spelling import block_comment, camel, docstring, line_comment, pascal
from acpgen.targets.languages.view import view
from acpgen.targets.retry import MissingClassError, Row
from acpgen.targets.retry.decision import RULINGS, Answer, Reason
from acpgen.targets.retry.meanings import ENUMERATIONS
from language_subjects import GOLDEN, HOSTILE, TEMPLATES
from language_tools import LANGUAGES, ODD_TEXT, Language

NAMES = others()


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def generated(name: str) -> tuple[str, str]:
    ((path, text),) = table(name, GOLDEN, TEMPLATES).items()
    return path, text


def test_every_language_is_a_target_with_a_territory_of_its_own(name: str) -> None:
    path, _ = generated(name)
    assert [target.name for target in TARGETS if target.owns(path)] == [name]


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_it_lies_where_the_sdk_of_the_language_has_such_files(language: Language) -> None:
    assert generated(language.name)[0] == language.path


def test_it_is_known_as_generated(name: str) -> None:
    _, text = generated(name)
    assert owns(text)
    assert text.startswith("// Code generated ")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_it_is_made_of_all_methods_and_rulings(name: str) -> None:
    _, text = generated(name)
    found = dialect(name)
    for method in GOLDEN.methods:
        assert found.string(method.name) in text
    for ruling in RULINGS:
        assert found.string(ruling.reason.value) in text


def test_a_method_without_a_class_is_left_out(name: str) -> None:
    first, *others = GOLDEN.methods
    protocol = replace(GOLDEN, methods=(replace(first, retry=None), *others))
    (text,) = table(name, protocol, TEMPLATES).values()
    literal = dialect(name).string
    assert literal(first.name) not in text
    assert all(literal(method.name) in text for method in others)


def test_without_any_class_there_is_no_table(name: str) -> None:
    methods = tuple(replace(method, retry=None) for method in GOLDEN.methods)
    with pytest.raises(MissingClassError, match="no method has an x-retry-class"):
        table(name, replace(GOLDEN, methods=methods), TEMPLATES)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_literals(language: Language) -> None:
    assert dialect(language.name).string(ODD_TEXT) == language.literal


def test_every_language_has_a_subject() -> None:
    assert set(LANGUAGES) == set(NAMES)


@given(st.text() | st.text(st.sampled_from('"\\$`{}\nu0 */\u2028')))
def test_a_literal_holds_no_more_than_the_text(value: str) -> None:
    assert json.loads(dialect("typescript").string(value)) == value
    for name in NAMES:
        literal = dialect(name).string(value)
        inside = literal.replace("\\\\", "")[1:-1]
        assert (literal[0], literal[-1]) == ('"', '"')
        assert '"' not in inside.replace('\\"', "")
        if name != "rust":
            assert "\n" not in literal
        literal.encode()


@given(st.text(st.sampled_from(" ab\n"), max_size=400))
def test_a_long_literal_of_rust_loses_no_blank(value: str) -> None:
    lines = dialect("rust").string(value)[1:-1].split("\\\n")
    assert all(line.startswith(" " * 12) for line in lines[1:])
    whole = lines[0] + "".join(line[12:] for line in lines[1:])
    assert all(line[12:13] not in {"", " "} for line in lines[1:])
    assert whole.replace("\\n", "\n") == value


def test_comments_are_wrapped_and_stay_comments() -> None:
    block = block_comment(30)
    assert block("Short.") == "/** Short. */"
    assert block("Several words */ /* that wrap\n\nand more", 2).splitlines() == [
        "  /**",
        "   * Several words *\\/ /\\*",
        "   * that wrap",
        "   *",
        "   * and more",
        "   */",
    ]
    assert block("Words.\n\n@param a b\n@return c").splitlines()[1:-1] == [
        " * Words.",
        " *",
        " * @param a b",
        " * @return c",
    ]
    assert line_comment("///", 12)("One two three.\n\nFour.", 2).splitlines() == [
        "  /// One",
        "  /// two",
        "  /// three.",
        "  ///",
        "  /// Four.",
    ]


def test_javadoc_has_no_markup_of_its_own() -> None:
    comment = dialect("java").comment
    assert comment("`<a>` & <b>") == "/** {@code <a>} &amp; &lt;b&gt; */"
    assert comment("One.\n\nTwo.\n\n@return three").splitlines()[1:-1] == [
        " * One.",
        " *",
        " * <p>Two.",
        " *",
        " * @return three",
    ]


def test_docstrings_are_wrapped_and_end_where_they_should() -> None:
    comment = docstring(30)
    assert comment("Short.", 4) == '    """Short."""'
    assert comment(
        "Several words that wrap.\n\nRaises:\n    OddError: as it is, however long.", 4
    ) == (
        '    """Several words that\n    wrap.\n\n    Raises:\n'
        '        OddError: as it is, however long.\n    """'
    )


@given(st.text(st.sampled_from('"\\n \n'), max_size=12), st.integers(0, 8))
def test_a_docstring_holds_no_more_than_the_text(value: str, indent: int) -> None:
    text = value + "."
    written = f"class Odd:\n{docstring(20)(text, indent + 1)}\n"
    odd = ast.parse(written).body[0]
    assert isinstance(odd, ast.ClassDef)
    assert "".join((ast.get_docstring(odd) or "").split()) == "".join(text.split())


def test_names() -> None:
    assert (pascal("NOT_AT_ALL"), pascal("retry_class")) == ("NotAtAll", "RetryClass")
    assert (camel("retry_class"), camel("key")) == ("retryClass", "key")


def test_every_member_of_every_enumeration_is_documented() -> None:
    assert {Answer, Reason} <= {each.type for each in ENUMERATIONS}
    for each in ENUMERATIONS:
        assert list(each.members) == list(each.type)
        assert all(docs.endswith(".") for docs in each.members.values())


def test_the_rows_have_all_fields(name: str) -> None:
    found = dialect(name)
    context = view(GOLDEN, found)
    rows = typing.cast("list[Mapping[str, str]]", context["rows"])
    optional = {found.field(each) for each in ("result", "key", "carries", "page")}
    missing = optional | {found.field(each) for each in ("undoes", "about")}
    all_ = {found.field("resend" if f.name == "note" else f.name) for f in fields(Row)}
    hints = typing.get_type_hints(Row)
    assert optional == {
        found.field(n) for n, t in hints.items() if type(None) in typing.get_args(t)
    }
    for row in rows:
        assert all_ - missing <= row.keys() <= all_
        assert name == "go" or row.keys() == all_


def test_the_hostile_text_is_hostile() -> None:
    for name in NAMES:
        assert HOSTILE not in dialect(name).string(HOSTILE)
