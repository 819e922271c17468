"""The order in which a release is published, as `acpgen release` prints it."""

from __future__ import annotations

import re
import tomllib

import pytest

import acpgen
from acpgen import resources
from acpgen.cli.publication import publication
from acpgen.diff.version import parse
from acpgen.load import load
from acpgen.targets import languages

PROTOCOL = load(resources.SCHEMA)
FOLDERS = (".", "generated/python", *(f"runtime/acp-{n}" for n in ("wire", "retry", "conformance")))


def steps(version: str = "0.2.0", *, own: bool = True) -> list[str]:
    return publication(PROTOCOL, parse(version), own=own)


def uploaded(made: list[str]) -> list[str]:
    """The wheels of some steps, in their order."""
    return [step.partition(":")[0].removeprefix("PyPI, ") for step in made if "twine" in step]


def test_the_tag_comes_after_the_version_and_before_every_package() -> None:
    made = steps()
    assert made[0].startswith("set the version 0.2.0 in pyproject.toml")
    assert made[1].startswith("acpgen generate")
    assert made[2].startswith("git tag v0.2.0,")
    assert made[3] == "make packages"
    assert all(", " in step and ": " in step for step in made[4:])


def test_the_first_step_names_every_file_with_the_version() -> None:
    named = re.findall(r"[\w/-]*(?:pyproject\.toml|__init__\.py)", steps()[0])
    texts = [(resources.ROOT / name).read_text("utf-8") for name in named]
    assert all(re.search(rf'^\S*version\S* = "{acpgen.__version__}"', t, re.M) for t in texts)
    assert {*named} >= {f"runtime/acp-{n}/pyproject.toml" for n in ("wire", "retry", "conformance")}


def test_a_wheel_comes_after_those_that_it_requires() -> None:
    order = uploaded(steps())
    for folder in FOLDERS:
        document = tomllib.loads((resources.ROOT / folder / "pyproject.toml").read_text("utf-8"))
        name, at = document["project"]["name"], order.index(document["project"]["name"])
        hooks = document["tool"]["hatch"].get("metadata", {}).get("hooks", {})
        for sibling in hooks.get("custom", {}).get("siblings", {}):
            assert order.index(sibling) < at, name
    assert len(order) == len(FOLDERS)


@pytest.mark.parametrize("own", [True, False])
def test_every_package_of_a_language_is_named_once(own: bool) -> None:
    named = [step for step in steps(own=own)[2:] if "acp-v2" in step or "acpv2" in step]
    packages = [languages.dialect(name).package for name in languages.others()]
    assert len(named) == 1 + len([each for each in packages if each is not None])
    assert all("{" not in step for step in named)


def test_a_schema_of_others_has_no_packages_of_acpgen() -> None:
    assert uploaded(steps(own=False)) == ["acp-v2"]


@pytest.mark.parametrize(("version", "tagged"), [("0.2.0", False), ("0.2.0-rc.1", True)])
def test_npm_takes_a_pre_release_only_with_a_tag(version: str, tagged: bool) -> None:
    (npm,) = (step for step in steps(version) if step.startswith("npm, "))
    assert npm.endswith(" --tag next") is tagged
    assert f"acp-v2-{version}.tgz" in npm
