"""A pipe or a socket where acpgen reads or writes a file: reported at once, and left as it is."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acpgen import resources
from command_calls import call_acpgen

GOLDEN = resources.ROOT / "tests" / "golden" / "schema" / "v9"
TARGET: list[str | Path] = ["--schema", GOLDEN, "--target", "bundles"]


def make_pipe(place: Path) -> None:
    os.mkfifo(place)


def make_socket(place: Path) -> None:
    # The path of a socket has a limit that the folder of a test may exceed.
    near = Path(os.path.relpath(place))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(near))


MAKERS = pytest.mark.parametrize("make", [make_pipe, make_socket])
Make = Callable[[Path], None]


@pytest.fixture(autouse=True)
def _no_wait() -> Iterator[None]:
    """An error where a call waits for a writer into a pipe."""

    def fail(*_: object) -> None:
        raise AssertionError("waits for a writer")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def replaced(place: Path, make: Make) -> None:
    place.unlink(missing_ok=True)
    make(place)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("generated")
    status, _printed, noted = call_acpgen("generate", "--out", out, *TARGET)
    assert status == 0, noted
    return out


@pytest.fixture(name="out")
def _out(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as generated, in which the current folder is."""
    out = shutil.copytree(generated, tmp_path / "out")
    monkeypatch.chdir(out)
    return out


@MAKERS
def test_one_in_the_place_of_a_generated_file(out: Path, make: Make) -> None:
    place = next(out.glob("schema/*.json"))
    replaced(place, make)
    status, printed, noted = call_acpgen("generate", "--check", "--out", out, *TARGET)
    assert status == 1, noted
    assert f"{place.name}: error[drift-foreign]: " in printed
    status, printed, noted = call_acpgen("generate", "--out", out, *TARGET)
    assert status == 2
    assert f"{place.name} was not written by acpgen" in noted
    assert not stat.S_ISREG(place.stat().st_mode)


@pytest.mark.parametrize("name", ["manifest.json", ".acpgen-drafts"])
def test_one_in_the_place_of_what_a_run_keeps(out: Path, name: str) -> None:
    next(out.glob("schema/*.json")).unlink()
    replaced(out / name, make_pipe)
    status, _printed, noted = call_acpgen("generate", "--out", out, *TARGET)
    assert status == 2
    assert name in noted
    assert "Traceback" not in noted
    assert not stat.S_ISREG((out / name).stat().st_mode)


def test_one_in_the_place_of_a_folder(out: Path) -> None:
    (out / "schema").rename(out / "elsewhere")
    make_pipe(out / "schema")
    status, _printed, noted = call_acpgen("generate", "--out", out, *TARGET)
    assert status == 2
    assert "was not written by acpgen" in noted


def _page(folder: Path) -> list[str | Path]:
    return ["docs", "inject", folder / "odd.md"]


def _check_of_a_page(folder: Path) -> list[str | Path]:
    return ["docs", "inject", "--check", folder / "odd.md"]


def _template(folder: Path) -> list[str | Path]:
    return ["generate", "--out", folder / "new", "--templates", folder, *TARGET]


def _template_of_a_page(folder: Path) -> list[str | Path]:
    (folder / "page.md").write_text("Text.\n")
    return ["docs", "inject", "--templates", folder, folder / "page.md"]


def _accepted(folder: Path) -> list[str | Path]:
    return ["lint", "--accepted", folder / "odd.toml"]


def _release(folder: Path) -> list[str | Path]:
    return ["release", "1.0.0", "--schema", GOLDEN, "--out", folder]


def _overlay(folder: Path) -> list[str | Path]:
    return ["upstream", "overlay", folder / "odd.json"]


@MAKERS
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("odd.md", _page),
        ("odd.md", _check_of_a_page),
        ("table.md.jinja", _template),
        ("table.md.jinja", _template_of_a_page),
        ("odd.toml", _accepted),
        ("CHANGELOG.md", _release),
        ("odd.json", _overlay),
    ],
)
def test_one_among_what_a_command_reads(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Make,
    name: str,
    command: Callable[[Path], list[str | Path]],
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / name)
    status, printed, noted = call_acpgen(*command(tmp_path))
    assert status == 2, printed
    assert f"{name}: " in noted
    assert "is not a regular file" in noted
    assert not stat.S_ISREG((tmp_path / name).stat().st_mode)


@pytest.mark.parametrize("name", ["accepted.toml", "released/CHANGELOG.md"])
def test_one_beside_a_schema(tmp_path: Path, name: str) -> None:
    schema = tmp_path / "own" / "v9"
    schema.mkdir(parents=True)
    for file in GOLDEN.glob("*.json"):
        (schema / file.name).write_bytes(file.read_bytes())
    place = schema.parent / name
    place.parent.mkdir(exist_ok=True)
    os.mkfifo(place)
    status, printed, noted = call_acpgen(
        "generate", "--schema", schema, "--out", tmp_path / "new", "--target", "bundles"
    )
    assert status == 2, printed
    assert f"{place.name}: is not a regular file" in noted
