"""docs/tap.md shows commands that can be called."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from acpgen import resources
from acpgen.tap.disruptions import read_disruptions
from acpgen.tap.tap_options import OPTIONS, parse

PAGE = (resources.ROOT / "docs" / "tap.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def commands() -> list[list[str]]:
    """The words after `acpgen` in each example."""
    (zed,) = (json.loads(block) for block in blocks("json") if "agent_servers" in block)
    found = [server["args"] for server in zed["agent_servers"].values()]
    for block in (*blocks("ts"), *blocks("python")):
        found += [json.loads(words) for words in re.findall(r"tap = (\[.*\])", block)]
    found += [shlex.split(block)[1:] for block in blocks("sh")]
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_each_command_is_plain(command: list[str]) -> None:
    assert command[0] == "tap"
    options = parse(command[1:])
    assert options is not None
    assert options.command[0] == "my-agent"
    read_disruptions(options.lose, options.delay, options.cut, options.kill)


def test_there_is_one_for_each_client() -> None:
    assert len(commands()) == 5


def test_the_readme_has_a_line_for_each_client() -> None:
    text = (resources.ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```text\n(\"My agent\".*?)```", text, flags=re.DOTALL)
    zed, typescript, python = block.splitlines()
    server = json.loads(f"{{{zed}}}")["My agent"]
    assert (server["type"], server["command"]) == ("custom", "acpgen")
    called = re.findall(r"spawn\((.*), (\[.*\])\);", typescript)
    assert [json.loads(part) for part in called[0]] == ["acpgen", server["args"]]
    words = json.loads(f"[{python.split('client, ')[1].removesuffix(')')}]")
    assert words == ["acpgen", *server["args"]]
    options = parse(server["args"][1:])
    assert options is not None
    assert (options.command, options.record) == (("my-agent",), "/tmp/session.ndjson")


def test_every_option_is_described() -> None:
    table = PAGE.split("## What it does")[1].split("## What stays")[0]
    assert {name for option in OPTIONS.values() for name in option.names} <= set(
        re.findall(r"--[a-z-]+", table)
    )
