"""The command that installs an extra of acpgen."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from acpgen.cli import extras


class Installed:
    """The metadata of an installed acpgen."""

    requires = (
        'rich>=13 ; extra == "other"',
        "jinja2>=3 ; extra == 'generate'",
        'backports.zstd>=1; python_version < "3.14" and extra == "zstd"',
    )

    def __init__(self, origin: object) -> None:
        self._origin = origin

    def read_text(self, _: str) -> str | None:
        return None if self._origin is None else json.dumps(self._origin)


def command(monkeypatch: pytest.MonkeyPatch, origin: object) -> str:
    monkeypatch.setattr(metadata, "distribution", lambda _: Installed(origin))
    return extras.installation("generate")


PACKAGES = "pip install 'jinja2>=3'"


@pytest.mark.parametrize(("options", "words"), [({}, ""), ({"editable": True}, "--editable ")])
def test_a_clone_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: object, words: str
) -> None:
    folder = tmp_path / "my clone"
    folder.mkdir()
    found = command(monkeypatch, {"url": folder.as_uri(), "dir_info": options})
    assert found == f"pip install {words}'{folder}[generate]'"


@pytest.mark.parametrize(
    "origin",
    [
        None,
        {"url": "file:///gone/with/the/wind", "dir_info": {}},
        {"url": "https://example.org/acpgen.whl", "archive_info": {}},
    ],
    ids=["no-record", "folder-is-gone", "archive"],
)
def test_without_a_clone_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, origin: object
) -> None:
    assert command(monkeypatch, origin) == PACKAGES


def test_an_extra_of_some_versions_of_python_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda _: Installed(None))
    assert extras.installation("zstd") == "pip install 'backports.zstd>=1'"
