"""Every language's package: its metadata, its version, its licence and its changelog."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import acpgen
from acpgen import resources
from acpgen.emit import manifest
from acpgen.load.last_release import last_release
from acpgen.model import SchemaRelease
from acpgen.targets import languages
from acpgen.targets.distribution import distribution
from acpgen.targets.languages.language_table import language_files
from language_subjects import GOLDEN, TEMPLATES
from package_building import GENERATED, ROOT

RELEASED = replace(GOLDEN, release=SchemaRelease("3.1.4-rc.2", "## 3.1.4-rc.2\n\nBetter tea.\n"))
VERSIONED = {
    "java": "pom.xml",
    "kotlin": "pom.xml",
    "rust": "Cargo.toml",
    "typescript": "package.json",
}
LOG = "# Changelog of the schema\n\nIntroduction.\n\n## 0.2.0\n\nNew.\n\n## 0.1.0\n\nOld.\n"


def files(name: str) -> dict[str, str]:
    """The metadata of a language's package in its folder, by file name."""
    if name == languages.PYTHON:
        made = distribution(RELEASED, TEMPLATES)
    else:
        made = language_files(name, RELEASED, TEMPLATES)
    (folder,) = {path.rpartition("/")[0] for path in made if path.endswith("/LICENSE")}
    return {p.removeprefix(f"{folder}/"): t for p, t in made.items() if p.startswith(folder)}


@pytest.mark.parametrize("name", languages.names())
def test_each_has_a_licence_a_readme_and_a_changelog(name: str) -> None:
    made = files(name)
    assert (ROOT / "LICENSE").read_text("utf-8") in made["LICENSE"]
    assert "SPDX-License-Identifier: Apache-2.0" in made["README.md"]
    assert "Better tea." in made["CHANGELOG.md"]


@pytest.mark.parametrize(("name", "metadata"), [*VERSIONED.items(), ("python", "pyproject.toml")])
def test_each_has_the_version_of_the_schema(name: str, metadata: str) -> None:
    text = files(name)[metadata]
    assert "3.1.4-rc.2" in text
    assert "Apache-2.0" in text


def test_what_comes_with_acpgen_keeps_its_own_version() -> None:
    wanted = f'path = "../../runtime/acp-wire", version = ">={acpgen.__version__}"'
    assert wanted in files("python")["pyproject.toml"]


def test_a_module_whose_path_has_no_major_version_may_be_released_as_zero() -> None:
    assert "\nmodule agentclientprotocol.com/go/acpv9\n" in files("go")["go.mod"]


def test_without_a_release_the_version_is_zero() -> None:
    made = language_files("rust", GOLDEN, TEMPLATES)
    assert '\nversion = "0.0.0"\n' in made["rust/Cargo.toml"]
    assert made["rust/CHANGELOG.md"].endswith("\nNothing is released yet.\n")


def test_the_release_is_the_newest_entry_of_the_changelog(tmp_path: Path) -> None:
    schema = tmp_path / "v2"
    schema.mkdir()
    assert last_release(schema) == SchemaRelease()
    log = tmp_path / "released" / "CHANGELOG.md"
    log.parent.mkdir()
    log.write_text("# Changelog\n", "utf-8")
    assert last_release(schema) == SchemaRelease()
    log.write_text(LOG, "utf-8")
    assert last_release(schema) == SchemaRelease("0.2.0", LOG[LOG.index("## 0.2.0") :])


def test_a_release_makes_what_was_generated_out_of_date(tmp_path: Path) -> None:
    schema = tmp_path / "v2"
    shutil.copytree(resources.SCHEMA, schema)
    before = manifest.inputs(schema, resources.TEMPLATES)
    log = tmp_path / "released" / "CHANGELOG.md"
    log.parent.mkdir()
    log.write_text(LOG, "utf-8")
    after = manifest.inputs(schema, resources.TEMPLATES)
    assert {name for name in after if after[name] != before[name]} == {"releases"}


def test_the_changelog_of_each_package_is_that_of_the_schema() -> None:
    log = last_release(resources.SCHEMA).changelog.rstrip()
    logs = [*GENERATED.rglob("CHANGELOG.md")]
    assert len(logs) == len(languages.names())
    for path in logs:
        assert log in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("files_", "reason"),
    [
        ({"README.md": ""}, "has none of package.json, Cargo.toml, go.mod, pom.xml"),
        ({"go.mod": "go 1.18\n", "CHANGELOG.md": "## 0.1.0\n"}, "go.mod names no module"),
        ({"go.mod": "module a.b/c\n", "CHANGELOG.md": ""}, "CHANGELOG.md names no release"),
    ],
)
def test_a_folder_that_is_not_a_package_is_refused(
    files_: dict[str, str], reason: str, tmp_path: Path
) -> None:
    for name, text in files_.items():
        (tmp_path / name).write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, ROOT / "packages/build_packages.py", tmp_path, "--out", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "packages")
    builders = importlib.import_module("builders")
    library = ([tmp_path / "jackson.jar"], "get it")
    monkeypatch.setitem(builders.LIBRARIES, "jackson", library)
    with pytest.raises(builders.BuildError, match=r"^jackson\.jar is missing; get it$"):
        builders.build_jar(GENERATED / "java", tmp_path)
