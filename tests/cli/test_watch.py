"""`acpgen watch`: what makes it generate, how much of it, and how it ends."""

from __future__ import annotations

import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from acpgen import resources
from acpgen.cli import watch
from acpgen.cli.cached_targets import warmed
from acpgen.cli.watch import Watched
from acpgen.emit import manifest
from acpgen.emit.templates import Templates
from acpgen.load import load
from acpgen.model import Protocol
from acpgen.targets import Target
from acpgen.types.views import everything, without_docs
from command_calls import APP
from proofs import a_few

GOLDEN = Path(__file__).parents[1] / "golden" / "schema"
PATIENCE = 300
"""How many seconds to wait for what takes less than one, on a machine that does much else."""


class Watching:
    """A process that watches, and the lines that it prints, wherever to."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "acpgen", "watch", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def end(self) -> None:
        """Make sure that it is gone."""
        self.process.kill()
        self.process.wait()
        self._reading.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def until(self, part: str) -> str:
        """Wait for a line with this in it."""
        return self.through(part)[-1]

    def through(self, part: str) -> list[str]:
        """All lines up to one with this in it."""
        seen: list[str] = []
        while not seen or part not in seen[-1]:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                line = None
            if line is None:
                pytest.fail(f"no line with {part!r} after {seen}")
            seen.append(line)
        return seen

    def rest(self) -> list[str]:
        """The lines that were printed and not waited for."""
        return [line for line in self._lines.queue if line is not None]


def save(path: Path, text: str) -> None:
    """Change a file at once, as editors do: no reader sees half of it."""
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.replace(path)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    shutil.copytree(GOLDEN / "v9", tmp_path / "schema" / "v9")
    (tmp_path / "mine" / "docs").mkdir(parents=True)
    options = ("--schema", "schema/v9", "--out", "out", "--templates", "mine")
    process = Watching(tmp_path, *options, "--target", "retry", "--target", "pages")
    try:
        process.until("watching schema/v9 and mine")
        yield process
    finally:
        process.end()


def test_what_is_wrong_at_first_is_reported_once(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "v9", tmp_path / "schema" / "v9")
    file = tmp_path / "schema/v9/kettle.json"
    text = file.read_text()
    broken = text.replace('"x-retry-class": "idempotent"', '"x-retry-class": "keyed"', 1)
    assert broken != text
    file.write_text(broken)
    process = Watching(tmp_path, "--schema", "schema/v9", "--out", "out", "--target", "retry")
    try:
        first = process.through("watching schema/v9")
        save(file, text)
        process.until("out: wrote ")
    finally:
        process.end()
    assert len([line for line in first if "[keyed-without-key]" in line]) == 1


@pytest.mark.parametrize(
    "ending", a_few((signal.SIGINT, signal.SIGTERM), {signal.SIGTERM}, "starts one more process")
)
def test_it_follows_changes_and_ends_quietly(
    watching: Watching, tmp_path: Path, ending: signal.Signals
) -> None:
    table, page = tmp_path / "out/json/methods.json", tmp_path / "out/docs/errors.md"
    schema = tmp_path / "schema/v9/kettle.json"
    text = schema.read_text()
    assert "Well: " not in table.read_text()

    save(schema, text.replace('"x-resend": "', '"x-resend": "Well: ', 1))
    watching.until("changed: schema/v9/kettle.json")
    watching.until("out: wrote ")
    assert "Well: " in table.read_text()

    save(schema, "{")
    watching.until("schema/v9/kettle.json:1: error[not-json]")
    assert "Well: " in table.read_text()

    save(schema, text)
    watching.until("out: wrote ")
    assert "Well: " not in table.read_text()

    save(tmp_path / "mine/docs/errors.md.jinja", "[//]: # ({{ header }})\n\nmine\n")
    watching.until("changed: mine/docs/errors.md.jinja")
    watching.until("out: wrote 2 files")
    assert page.read_text().endswith("mine\n")

    watching.process.send_signal(ending)
    assert watching.process.wait(PATIENCE) == 0
    watching.end()
    assert [line for line in watching.rest() if not line.startswith("in ")] == []


def test_a_broken_template_is_reported_and_watching_goes_on(
    watching: Watching, tmp_path: Path
) -> None:
    template = tmp_path / "mine/docs/errors.md.jinja"
    save(template, "{% if %}")
    watching.until("mine/docs/errors.md.jinja:1: Expected an expression")
    template.unlink()
    watching.until("out: up to date")


def test_nothing_to_watch_is_2(tmp_path: Path) -> None:
    for missing in ("--schema", "--templates"):
        result = CliRunner().invoke(APP, ["watch", missing, str(tmp_path / "none")])
        assert (result.exit_code, result.stdout) == (2, "")
        assert "does not exist, so it can't be watched" in result.stderr


def test_what_concerns_it(tmp_path: Path) -> None:
    schema, own = tmp_path / "schema" / "v9", tmp_path / "mine"
    (own / "docs").mkdir(parents=True)
    schema.mkdir(parents=True)
    watched = Watched(schema, own)
    concerned = {
        schema / "tea.json": True,
        schema.parent / "accepted.toml": True,
        own / "docs" / "x.md.jinja": True,
        own / "docs": True,
        resources.TEMPLATES / "docs" / "page.md.jinja": True,
        schema / "tea.json.swp": False,
        schema / "deep" / "tea.json": False,
        schema.parent / "README.md": False,
        own / "docs" / "x.md": False,
        tmp_path / "out" / "a.json": False,
    }
    assert {path: watched.concerns(path) for path in concerned} == concerned
    assert watched.folders() >= {schema, schema.parent, own, own / "docs"}


def test_the_locks_of_editors_do_not_concern_it(tmp_path: Path) -> None:
    schema, templates = tmp_path / "v9", tmp_path / "templates"
    for folder in (schema, templates):
        folder.mkdir()
    watched = Watched(schema, templates)
    assert watched.concerns(schema / "parcels.json")
    assert not watched.concerns(schema / ".#parcels.json")
    assert watched.concerns(templates / "page.md.jinja")
    assert not watched.concerns(templates / ".#page.md.jinja")
    hidden = tmp_path / ".acp.json"
    hidden.write_text("{}")
    assert Watched(hidden, templates).concerns(hidden)


def test_a_file_is_watched_with_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "v9" / "schema.json"
    file.parent.mkdir()
    file.write_text("{}")
    watched = Watched(file, resources.TEMPLATES)
    assert watched.concerns(file)
    assert not watched.concerns(file.with_name("other.json"))
    assert file.parent in watched.folders()
    assert tmp_path not in watched.folders()


def counting(
    name: str, view: Callable[[Protocol], Protocol] = everything
) -> tuple[Target, list[Protocol]]:
    """A target that renders one template, and the protocols that it was made from."""
    made: list[Protocol] = []

    def generate(protocol: Protocol, templates: Templates) -> Mapping[str, str]:
        made.append(protocol)
        context = {"header": "H", "title": "T", "error": "", "error_code": "", "table": ""}
        return {"x": templates.render(name, **context)}

    return warmed(Target("x", "", ("x",), generate, view=view)), made


def test_only_what_a_target_is_made_of_makes_it_anew(tmp_path: Path) -> None:
    page, other, parent = (
        tmp_path / "docs" / f"{name}.md.jinja" for name in ("errors", "index", "page")
    )
    page.parent.mkdir()
    warm, made = counting("docs/errors.md.jinja")

    def generate(protocol: Protocol) -> str:
        return warm.generate(protocol, Templates(tmp_path))["x"]

    protocol = load(GOLDEN / "v9")
    first = generate(protocol)
    assert generate(load(GOLDEN / "v9")) == first
    other.write_text("another page")
    assert generate(protocol) == first
    assert len(made) == 1
    parent.write_text("{% block body %}{% endblock %}")
    assert generate(protocol) != first
    page.write_text("mine")
    assert generate(protocol) == "mine"
    page.unlink()
    parent.unlink()
    assert generate(protocol) == first
    assert len(made) == 4


def test_another_protocol_makes_it_anew(tmp_path: Path) -> None:
    warm, made = counting("docs/errors.md.jinja")
    shutil.copytree(GOLDEN / "v9", tmp_path / "v9")
    warm.generate(load(tmp_path / "v9"), Templates(resources.TEMPLATES))
    file = tmp_path / "v9" / "kettle.json"
    file.write_text(f"{file.read_text()}\n\n")
    warm.generate(load(tmp_path / "v9"), Templates(resources.TEMPLATES))
    assert len(made) == 1
    file.write_text(file.read_text().replace('"x-resend": "', '"x-resend": "Well: ', 1))
    warm.generate(load(tmp_path / "v9"), Templates(resources.TEMPLATES))
    assert len(made) == 2


def test_what_a_target_does_not_see_makes_nothing_anew(tmp_path: Path) -> None:
    warm, made = counting("docs/errors.md.jinja", without_docs)
    shutil.copytree(GOLDEN / "v9", tmp_path / "v9")
    file = tmp_path / "v9" / "kettle.json"
    templates = Templates(resources.TEMPLATES)
    warm.generate(load(tmp_path / "v9"), templates)
    file.write_text(file.read_text().replace('"description": "', '"description": "Well: '))
    warm.generate(load(tmp_path / "v9"), templates)
    assert len(made) == 1
    file.write_text(file.read_text().replace('"x-resend": "', '"x-resend": "Well: '))
    warm.generate(load(tmp_path / "v9"), templates)
    assert len(made) == 2


def test_a_template_that_appears_is_a_change(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "errors.md.jinja"
    page.parent.mkdir()
    page.write_text('{% include "docs/page.md.jinja.note" ignore missing %}')
    warm, made = counting("docs/errors.md.jinja")
    protocol = load(GOLDEN / "v9")
    assert warm.generate(protocol, Templates(tmp_path))["x"] == ""
    (page.parent / "page.md.jinja.note").write_text("now")
    assert warm.generate(protocol, Templates(tmp_path))["x"] == "now"
    assert len(made) == 2


def test_it_ends_when_acpgen_itself_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = iter(["old", "old", "old", "new"])  # started, watched, nothing changed, something did
    monkeypatch.setattr(manifest, "of_acpgen", lambda: {"generator": next(digests)})
    monkeypatch.setattr(watch, "_changes", lambda _: iter([frozenset(), frozenset({"x"})]))
    monkeypatch.setattr(watch, "_generate", lambda _: False)
    outcome = CliRunner().invoke(APP, ["watch", "--out", str(tmp_path / "out")])
    assert outcome.exit_code == 2
    assert "acpgen itself has changed since it was started; start it again" in outcome.stderr
