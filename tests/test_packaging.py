"""The wheel works in a fresh environment, from a folder that knows nothing of the checkout."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def test_the_wheel_holds_the_packages_and_the_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"acpgen", "acp_v2", "acp_conformance", "acp_retry", "acp_wire"}
    assert "acpgen/_resources/schema/v2/prompt.json" in names
    assert "acpgen/_resources/schema/dialect.schema.json" in names
    assert "acpgen/_resources/templates/retry/retry.py.jinja" in names
    assert "acp_v2/py.typed" in names
    assert "acp_v2/retry.py" in names
    assert [name for name in names if "test" in name or "__pycache__" in name] == []


def closure(*wanted: str) -> set[str]:
    """The installed distributions that the wanted ones, such as `acpgen[generate]`, stand on."""
    found: set[tuple[str, str]] = set()
    queue = [Requirement(name) for name in wanted]
    while queue:
        requirement = queue.pop()
        for extra in ("", *requirement.extras):
            if (requirement.name, extra) not in found:
                found.add((requirement.name, extra))
                needed = map(Requirement, distribution(requirement.name).requires or ())
                queue += [
                    each
                    for each in needed
                    if each.marker is None or each.marker.evaluate({"extra": extra})
                ]
    return {canonicalize_name(name) for name, _ in found}


def install(wheel: Path, home: Path, requirement: str) -> Path:
    """A fresh environment that holds the wheel and, taken from this one, what it declares."""
    venv.create(home, with_pip=False, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    for name in closure(requirement) - {"acpgen"}:
        parts = {path.parts[0]: path for path in distribution(name).files or ()}
        for top in parts.keys() - {"..", "__pycache__"}:
            (site / top).symlink_to(str(distribution(name).locate_file(top)))
    return home / "bin" / "python"


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("generate"), "acpgen[generate]")


@pytest.fixture(scope="module")
def base_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("base"), "acpgen")


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


def test_the_wheel_validates(base_python: Path, tmp_path: Path) -> None:
    good = run(base_python, "validate", "-", cwd=tmp_path, stdin=PROMPT % '"k"')
    assert good.returncode == 0, good.stderr
    bad = run(base_python, "validate", "-", cwd=tmp_path, stdin=PROMPT % '""')
    assert bad.returncode == 1, bad.stderr
    assert "-32602 /params/idempotencyKey" in bad.stdout


@pytest.mark.parametrize(
    "command", [["lint"], ["rules"], ["explain", "missing-retry-class"], ["--help"]]
)
def test_the_wheel_alone_does_all_but_generate(
    base_python: Path, tmp_path: Path, command: list[str]
) -> None:
    done = run(base_python, *command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_wheel_alone_says_what_generating_needs(base_python: Path, tmp_path: Path) -> None:
    done = run(base_python, "generate", cwd=tmp_path)
    assert done.returncode == 2
    assert "acpgen[generate]" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "generated").exists()


def test_the_models_need_nothing_more(base_python: Path, tmp_path: Path) -> None:
    program = "import acp_v2.models as m; m.PromptRequest; import acp_v2.retry, acp_v2.checkers"
    done = subprocess.run(
        [str(base_python), "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


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
