"""What is documented of the templates is what they are given, and they use no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import jinja2
import pytest
from jinja2 import meta

from acpgen import resources
from acpgen.emit.templates import Templates, files
from acpgen.inject import inject
from acpgen.inject.contexts import Contexts, Meanings, meanings, mistakes, reference
from acpgen.inject.regions import CONTEXTS, given
from acpgen.targets import languages
from acpgen.targets.models import codegen
from whole_schema import whole_schema

LOCAL = {
    "vectors/README.md.jinja": {"language"},
    "vectors/resend.md.jinja": {"language"},
    "docs/rules/resend.md.jinja": {"section"},
    "docs/rules/type.md.jinja": {"type"},
    "docs/method.md.jinja": {"describe"},
}
"""What is not a name of a context: what includers have from a loop, and macros of the template."""


@pytest.fixture(scope="module")
def contexts() -> Iterator[Contexts]:
    with pytest.MonkeyPatch.context() as patch:
        # The code generator takes long, and its output is not a template's.
        patch.setattr(codegen, "modules", lambda *_: {})
        yield given(whole_schema())


@pytest.fixture(scope="module")
def known() -> Meanings:
    return meanings(resources.TEMPLATES)


def test_all_that_is_given_is_reported_and_nothing_else(
    contexts: Contexts, known: Meanings
) -> None:
    assert mistakes(contexts, known) == []


def test_the_readme_shows_it(contexts: Contexts, known: Meanings) -> None:
    text = (resources.TEMPLATES / "README.md").read_text("utf-8")
    page = inject(text, [CONTEXTS], lambda _: reference(contexts, known))
    assert page.stale == (), "run `acpgen docs inject templates/README.md`"


def test_every_template_is_documented(known: Meanings) -> None:
    reported = [name for templates, _ in known.contexts for name in templates]
    assert sorted([*reported, *known.parts]) == sorted(files(resources.TEMPLATES))


def used(name: str) -> set[str]:
    """The names that a template and its parts take from the context."""
    text = Templates(resources.TEMPLATES).text_of(name)
    assert text is not None
    tree = jinja2.Environment(autoescape=False).parse(text)
    names = set(meta.find_undeclared_variables(tree)) - LOCAL.get(name, set())
    for part in meta.find_referenced_templates(tree):
        names |= used(part) if part is not None else set().union(*map(used, loops(name)))
    return names


def loops(name: str) -> list[str]:
    """The templates that a guide to vectors includes: one from the folder of each language."""
    what = {"vectors/README.md.jinja": "messages", "vectors/resend.md.jinja": "resend"}[name]
    return [each["template"] for each in languages.loops(what)]


def test_templates_use_what_is_documented(known: Meanings) -> None:
    for templates, names in known.contexts:
        for template in templates:
            assert used(template) <= names.keys(), template


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        ("drop", "docs/types.md.jinja: types is not documented"),
        ("add", "docs/types.md.jinja: more is documented, but not passed"),
        ("forget", "docs/types.md.jinja is not documented"),
        ("invent", "none.jinja is documented, but unused"),
    ],
)
def test_the_comparison_bites(
    contexts: Contexts, known: Meanings, change: str, mistake: str
) -> None:
    reported = replace(known, contexts=tuple(changed(known.contexts, change)))
    assert mistakes(contexts, reported) == [mistake]
    with pytest.raises(ValueError, match=mistake.replace(".", r"\.")):
        reference(contexts, reported)


def changed(
    contexts: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...], change: str
) -> Iterator[tuple[tuple[str, ...], Mapping[str, str]]]:
    for templates, names in contexts:
        if templates != ("docs/types.md.jinja",):
            yield templates, names
        elif change == "drop":
            yield templates, {name: text for name, text in names.items() if name != "types"}
        elif change == "add":
            yield templates, {**names, "more": "x"}
        elif change == "invent":
            yield templates, names
            yield ("none.jinja",), {}
