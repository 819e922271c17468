"""`make packages` builds everything that is published, in one run."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import acpgen
from language_loops import JACKSON, KOTLINX
from language_tools import LANGUAGES, require
from package_building import RELEASE, ROOT

CRATES = Path("/usr/share/cargo/registry")
WHEELS = ("acpgen", "acp_v2", "acp_wire", "acp_retry", "acp_conformance")
PACKAGES = {
    f"acp-v2-{RELEASE}.tgz": "package/",
    f"acp-v2-{RELEASE}.crate": f"acp-v2-{RELEASE}/",
    f"go/agentclientprotocol.com/go/acpv2/@v/v{RELEASE}.zip": (
        f"agentclientprotocol.com/go/acpv2@v{RELEASE}/"
    ),
    f"maven/com/agentclientprotocol/acp-v2/{RELEASE}/acp-v2-{RELEASE}.jar": "META-INF/",
    f"maven/com/agentclientprotocol/acp-v2-kotlin/{RELEASE}/acp-v2-kotlin-{RELEASE}.jar": (
        "META-INF/"
    ),
}
"""The packages of the other languages, each with the folder inside that has its papers."""


def contents(path: Path) -> Iterator[tuple[str, str]]:
    """The files of an archive that are text, each with its text."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield name, archive.read(name).decode("utf-8", "replace")
        return
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                yield member.name, file.read().decode("utf-8", "replace")


@pytest.mark.prove("builds every package")
def test_one_run_builds_every_package(tmp_path: Path) -> None:
    crate = next(CRATES.glob("serde_json-1.*"), CRATES / "serde_json")
    compilers = [need for name in ("java", "kotlin", "rust") for need in LANGUAGES[name].needs]
    typescript = LANGUAGES["typescript"].needs
    needed: list[str | Path] = ["make", "npm", "cargo", crate / "Cargo.toml", *JACKSON, *KOTLINX]
    require("make packages", *needed, *compilers, *typescript)
    copy = tmp_path / "copy"
    kept = ("generated", "runtime", "packages", "generator", "schema", "templates", "view")
    for folder in kept:
        ignored = shutil.ignore_patterns("node_modules", "__pycache__")
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for link in (".venv", "tests", "build/kotlinx"):
        (copy / link).parent.mkdir(exist_ok=True)
        (copy / link).symlink_to(ROOT / link)
    # What installs tools is left out: they are here, and a test reaches no network.
    installed = [
        part for each in ("node", "kotlinx", ".venv/installed-dev") for part in ("-o", each)
    ]
    done = subprocess.run(
        ["make", "packages", *installed], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    wheels = sorted(path.name for path in (copy / "build/wheels").iterdir())
    assert wheels == sorted(f"{n}-{acpgen.__version__}-py3-none-any.whl" for n in WHEELS)
    for wheel in wheels:
        held = dict(contents(copy / "build/wheels" / wheel))
        (metadata,) = (text for name, text in held.items() if name.endswith("/METADATA"))
        assert "License-Expression: Apache-2.0" in metadata
        assert any(name.endswith("licenses/LICENSE") for name in held), wheel
    for place, inside in PACKAGES.items():
        held = dict(contents(copy / "build/packages" / place))
        assert "Apache License" in held[f"{inside}LICENSE"], place
        assert "SPDX-License-Identifier: Apache-2.0" in held[f"{inside}README.md"], place
        assert f"## {RELEASE}" in held[f"{inside}CHANGELOG.md"], place
    named = re.findall(r"^/\S+$", done.stdout, re.MULTILINE)
    assert all(Path(path).is_file() for path in named)
    assert len(named) == len(PACKAGES) + 6
