"""Templates of one's own stand before acpgen's, name by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit import manifest
from acpgen.emit.templates import TemplateError, Templates, files
from acpgen.targets import languages

PAGE = "docs/errors.md.jinja"
PARENT = "docs/page.md.jinja"
CONTEXT = {"header": "H", "title": "T", "error": "E", "error_code": "C", "table": "|"}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own" / "docs").mkdir(parents=True)
    return tmp_path / "own"


def test_python_in_templates_is_little() -> None:
    """No linter or type checker sees what is written there, so it is what the schema decides."""
    folders = (resources.TEMPLATES, Path(languages.__file__).parent)
    texts = [file.read_text("utf-8") for each in folders for file in each.rglob("*.py.jinja")]
    assert 0 < sum(text.count("\n") for text in texts) <= 600


def test_an_empty_folder_leaves_all_as_it_is(own: Path) -> None:
    packaged = Templates(resources.TEMPLATES)
    assert Templates(own).render(PAGE, **CONTEXT) == packaged.render(PAGE, **CONTEXT)


def test_a_template_of_the_folder_is_taken(own: Path) -> None:
    (own / PAGE).write_text("mine: {{ title }}")
    assert Templates(own).render(PAGE, **CONTEXT) == "mine: T"


def test_an_own_parent_serves_a_packaged_child(own: Path) -> None:
    (own / PARENT).write_text("[{{ title }}]{% block body %}{% endblock %}")
    text = Templates(own).render(PAGE, **CONTEXT)
    assert text.startswith("[T]")
    assert "Any* request can meet" in text


def test_a_packaged_parent_serves_an_own_child(own: Path) -> None:
    (own / PAGE).write_text('{% extends "docs/page.md.jinja" %}{% block body %}mine{% endblock %}')
    assert Templates(own).render(PAGE, **CONTEXT).endswith("# T\n\nmine")


def test_a_template_that_nothing_uses_is_refused(own: Path) -> None:
    (own / "docs" / "error.md.jinja").write_text("mine")
    with pytest.raises(TemplateError) as caught:
        Templates(own)
    assert str(caught.value) == (
        f"{own}/docs/error.md.jinja: is an unused template; did you mean {PAGE}?"
    )
    (own / PAGE).write_text("mine too")
    with pytest.raises(TemplateError):
        Templates(own)


def test_a_name_like_no_other_is_refused_too(own: Path) -> None:
    (own / "zzzzz.jinja").write_text("")
    with pytest.raises(TemplateError, match="`acpgen templates export` writes all"):
        Templates(own)


def test_a_template_that_another_one_includes_is_taken(own: Path) -> None:
    (own / "more.jinja").write_text("more")
    (own / PAGE).write_text('{% include "more.jinja" %}')
    assert files(own)["more.jinja"] == own / "more.jinja"
    assert Templates(own).render(PAGE, **CONTEXT) == "more"


def test_what_was_read_is_known(own: Path) -> None:
    templates = Templates(own)
    assert templates.read == {}
    templates.render(PAGE, **CONTEXT)
    assert templates.read == {name: templates.text_of(name) for name in (PAGE, PARENT)}
    assert templates.fresh().read == {}


def test_a_name_that_neither_has_is_an_error(own: Path) -> None:
    with pytest.raises(TemplateError, match=r"none\.jinja: is missing, and acpgen has no template"):
        Templates(own).render("none.jinja")
    assert Templates(own).text_of("none.jinja") is None


@pytest.mark.parametrize("name", ["../secret.jinja", "docs/../../secret.jinja", "/secret.jinja"])
def test_a_name_does_not_lead_out_of_the_folder(own: Path, name: str) -> None:
    (own.parent / "secret.jinja").write_text("secret")
    with pytest.raises(TemplateError, match="is missing"):
        Templates(own).render(name)


def test_a_fault_in_a_packaged_template_tells_its_line(own: Path) -> None:
    context = {name: value for name, value in CONTEXT.items() if name != "table"}
    with pytest.raises(TemplateError) as caught:
        Templates(own).render(PAGE, **context)
    assert str(caught.value).startswith(f"{resources.TEMPLATES / PAGE}:5: 'table' is undefined")


def test_a_template_that_is_not_utf_8_is_an_error(own: Path) -> None:
    (own / PAGE).write_bytes(b"\xff")
    with pytest.raises(TemplateError, match="is not UTF-8"):
        Templates(own).render(PAGE, **CONTEXT)


def digest(folder: Path) -> str:
    return manifest.inputs(resources.SCHEMA, folder)["templates"]


def test_the_digest_is_that_of_what_is_rendered(own: Path) -> None:
    assert digest(own) == digest(resources.TEMPLATES)
    (own / PAGE).write_bytes((resources.TEMPLATES / PAGE).read_bytes())
    assert digest(own) == digest(resources.TEMPLATES)
    (own / PAGE).write_text("mine")
    assert digest(own) != digest(resources.TEMPLATES)
    assert files(own)[PAGE] == own / PAGE
    assert files(own)[PARENT] == resources.TEMPLATES / PARENT


def test_the_digest_covers_the_packaged_templates_too(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own / PAGE).write_text("mine")
    before = digest(own)
    shutil.copytree(resources.TEMPLATES, tmp_path / "packaged")
    monkeypatch.setattr(resources, "TEMPLATES", tmp_path / "packaged")
    assert digest(own) == before
    (tmp_path / "packaged" / PARENT).write_text("another")
    assert digest(own) != before


def test_a_fixed_file_of_the_folder_is_taken(tmp_path: Path) -> None:
    name = "languages/go/fixed/text.go"
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("package mine\n")
    assert Templates(tmp_path).fixed(name) == "package mine\n"
    assert Templates(resources.TEMPLATES).fixed(name).startswith("package schema\n")


def test_a_fixed_file_that_nothing_uses_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "languages" / "go" / "fixed" / "texts.go"
    file.parent.mkdir(parents=True)
    file.write_text("package mine\n")
    with pytest.raises(TemplateError, match=r"unused template; did you mean \S+/text\.go\?"):
        Templates(tmp_path)


def test_a_fixed_file_is_text(tmp_path: Path) -> None:
    file = tmp_path / "languages" / "go" / "fixed" / "text.go"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\xff")
    with pytest.raises(TemplateError, match=r"text\.go: is not UTF-8"):
        Templates(tmp_path).fixed("languages/go/fixed/text.go")
