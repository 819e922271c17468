"""The wheel works in a fresh environment, from a folder that knows nothing of the checkout."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROMPT = (
    '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s",'
    '"prompt":[{"type":"text","text":"x"}],"idempotencyKey":%s}}\n'
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_two_packages_and_the_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"acpgen", "acp_v2"}
    assert "acpgen/_resources/schema/v2/prompt.json" in names
    assert "acpgen/_resources/schema/dialect.schema.json" in names
    assert "acpgen/_resources/templates/retry/retry.py.jinja" in names
    assert "acp_v2/py.typed" in names
    assert "acp_v2/retry.py" in names
    assert [name for name in names if "test" in name or "__pycache__" in name] == []


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel; what it depends on is taken from this one."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    packages = [p for p in sys.path if p.endswith("site-packages")]
    (site / "borrowed.pth").write_text("\n".join(packages) + "\n")
    return home / "bin" / "python"


def run(
    python: Path, *arguments: str, cwd: Path, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), "-P", "-m", "acpgen", *arguments],
        cwd=cwd,
        input=stdin,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_validates(python: Path, tmp_path: Path) -> None:
    good = run(python, "validate", "-", cwd=tmp_path, stdin=PROMPT % '"k"')
    assert good.returncode == 0, good.stderr
    bad = run(python, "validate", "-", cwd=tmp_path, stdin=PROMPT % '""')
    assert bad.returncode == 1, bad.stderr
    assert "-32602 /params/idempotencyKey" in bad.stdout


def test_the_wheel_generates_what_the_checkout_holds(python: Path, tmp_path: Path) -> None:
    done = run(python, "generate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    where = tmp_path / "generated"
    made = {p.relative_to(where): p.read_text() for p in where.rglob("*") if p.is_file()}
    held = ROOT / "generated"
    kept = {
        p.relative_to(held): p.read_text()
        for p in held.rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert made == kept
