"""The built page is what its sources give, and complete by itself."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import unavailable
from acpgen import resources

VIEW = Path(__file__).parents[2] / "view"
PAGE = resources.VIEW_PAGE.read_text("utf-8")


@pytest.mark.parametrize("call", [["build.mjs", "--check"], ["node_modules/typescript/bin/tsc"]])
def test_the_sources_give_the_page(call: list[str]) -> None:
    node = shutil.which("node")
    if node is None or not (VIEW / "node_modules").is_dir():
        unavailable.skip("the packages of the page are not installed: run `npm ci` in view")
    result = subprocess.run([node, *call], cwd=VIEW, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads((VIEW / "package-lock.json").read_text("utf-8"))["packages"]
    assert all("resolved" not in package for package in packages.values())


def test_the_licences_of_what_is_bundled_are_kept() -> None:
    notices = PAGE.partition("-->")[2].partition("-->")[0]
    wanted = json.loads((VIEW / "package.json").read_text("utf-8"))["dependencies"]
    for name, version in wanted.items():
        assert f"\n{name} {version}\n" in notices
    assert notices.count("Permission is hereby granted") == len(wanted)


def test_only_the_script_of_the_page_may_run() -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', PAGE)
    script = re.search(r"<script>(.*)</script>", PAGE, re.DOTALL)
    assert policy is not None
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode("utf-8")).digest()).decode()
    assert policy[1].split("; ") == [
        "default-src 'none'",
        "img-src data:",
        "style-src 'unsafe-inline'",
        f"script-src 'sha256-{digest}'",
    ]


def test_the_page_is_light() -> None:
    assert len(PAGE) < 120_000
