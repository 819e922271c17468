"""Files among those of a schema that can't be read as files."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from command_calls import call_acpgen


def make_pipe(place: Path) -> None:
    os.mkfifo(place)


def make_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))


def make_link_to_a_device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def make_a_name_that_is_not_unicode(place: Path) -> None:
    Path(os.fsdecode(bytes(place.parent) + b"/\xff.json")).write_text("{}")


def make_a_link_to_nothing(place: Path) -> None:
    place.symlink_to("nowhere")


def make_folder(place: Path) -> None:
    place.mkdir()


@pytest.mark.parametrize(
    "make",
    [
        make_pipe,
        make_socket,
        make_link_to_a_device,
        make_a_name_that_is_not_unicode,
        make_a_link_to_nothing,
        make_folder,
    ],
)
@pytest.mark.parametrize("command", [["lint"], ["generate", "--schema"], ["methods", "--schema"]])
def test_a_folder_with_one_is_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
    command: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("v9").mkdir()
    make(Path("v9") / "odd.json")
    status, out, err = call_acpgen(*command, "v9")
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert "v9/" in err


@pytest.mark.parametrize("command", [["lint"], ["generate", "--schema"]])
def test_a_device_as_the_schema_is_2(command: list[str]) -> None:
    status, _, err = call_acpgen(*command, "/dev/zero")
    assert status == 2
    assert err == "acpgen: /dev/zero: is not a regular file\n"
