"""A template is compiled once in a process, and again when its text is another one."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from acpgen.emit.templates import TemplateError, Templates

NAME = "docs/errors.md.jinja"


class CompiledError(Exception):
    """Something was compiled."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A template that was rendered once. Nothing can be compiled any more."""
    write(tmp_path, "first {{ word }}\n")
    assert Templates(tmp_path).render(NAME, word="x") == "first x\n"

    def compile_(*_: object) -> None:
        raise CompiledError

    monkeypatch.setattr(jinja2.Environment, "compile", compile_)
    return tmp_path


def write(folder: Path, text: str) -> None:
    (folder / NAME).parent.mkdir(exist_ok=True)
    (folder / NAME).write_text(text)


def test_the_same_text_is_not_compiled_again(folder: Path) -> None:
    templates = Templates(folder)
    assert templates.render(NAME, word="y") == "first y\n"
    assert templates.read == {NAME: "first {{ word }}\n"}


def test_another_text_is(folder: Path) -> None:
    write(folder, "second {{ word }}\n")
    with pytest.raises(CompiledError):
        Templates(folder).render(NAME, word="y")


def test_a_template_of_the_same_name_and_text_elsewhere_has_its_own_lines(
    tmp_path: Path,
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, "{{ word.none }}\n")
        with pytest.raises(TemplateError, match=f"/{name}/{NAME}:1: "):
            Templates(tmp_path / name).render(NAME, word="y")
