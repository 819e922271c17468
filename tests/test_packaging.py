"""Each package can be installed alone: from a clone, from its repository, and from wheels.

Nothing is fetched. Third-party packages are linked from the environment that runs the tests, and
pip finds them installed.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import acpgen
import unavailable
from proofs import a_few

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "acp-wire": ROOT / "runtime/acp-wire",
    "acp-v2": ROOT / "generated/python",
    "acp-retry": ROOT / "runtime/acp-retry",
    "acp-conformance": ROOT / "runtime/acp-conformance",
    "acpgen": ROOT,
}
PROMPT = (
    '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s",'
    '"prompt":[{"type":"text","text":"x"}],"idempotencyKey":%s}}\n'
)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("dist")
    for folder in PACKAGES.values():
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
            cwd=folder,
            check=True,
            capture_output=True,
        )
    return {path.name.partition("-")[0].replace("_", "-"): path for path in out.glob("*.whl")}


def requirements(wheel: Path) -> list[str]:
    """The requirements of a wheel that belong to no extra."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    lines = archive.read(name).decode("utf-8").splitlines()
    found = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]
    return [each for each in found if ";" not in each]


def test_there_is_a_wheel_for_each_package(wheels: dict[str, Path]) -> None:
    assert wheels.keys() == PACKAGES.keys()


def test_wheels_for_distribution_name_versions(wheels: dict[str, Path]) -> None:
    names = {name: requirements(wheel) for name, wheel in wheels.items()}
    assert names["acp-wire"] == []
    assert names["acp-v2"] == ["acp-wire>=0.1.0"]
    assert names["acp-retry"] == ["acp-v2>=0.1.0", "acp-wire>=0.1.0"]
    assert not any("@" in each for wanted in names.values() for each in wanted)


def test_all_packages_have_one_version() -> None:
    projects = [tomllib.loads((d / "pyproject.toml").read_text("utf-8")) for d in PACKAGES.values()]
    assert {project["project"]["version"] for project in projects} == {acpgen.__version__}


def test_each_package_has_the_licence(wheels: dict[str, Path]) -> None:
    for wheel in wheels.values():
        archive = zipfile.ZipFile(wheel)
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/licenses/LICENSE"))
        assert (ROOT / "LICENSE").read_text("utf-8") in archive.read(name).decode("utf-8")


NAMED = {"wheel": "acp-wire @ file://", "editable": None, "sdist": ">=0.1.0"}


@pytest.mark.parametrize("call", a_few(NAMED, {"wheel"}, "builds a package"))
def test_who_builds_decides_how_siblings_are_named(call: str, tmp_path: Path) -> None:
    named = NAMED[call]
    program = f"import hatchling.build as b; b.build_{call}({str(tmp_path)!r})"
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=PACKAGES["acp-retry"],
        env={"PATH": "/usr/bin:/bin", "PIP_BUILD_TRACKER": "x"},
        check=True,
    )
    (built,) = tmp_path.iterdir()
    if call == "sdist":
        text = subprocess.run(
            ["tar", "-xzOf", str(built), "acp_retry-0.1.0/PKG-INFO"],
            check=True,
            capture_output=True,
        ).stdout.decode()
        assert "Requires-Dist: acp-wire>=0.1.0" in text
    elif named is None:
        assert requirements(built) == []
    else:
        assert any(each.startswith(named) for each in requirements(built))


def test_the_wheel_of_acpgen_holds_its_package_and_data(wheels: dict[str, Path]) -> None:
    names = zipfile.ZipFile(wheels["acpgen"]).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"acpgen"}
    assert "acpgen/_resources/schema/v2/prompt.json" in names
    assert "acpgen/_resources/schema/dialect.schema.json" in names
    assert "acpgen/_resources/templates/contexts.toml" in names
    assert "acpgen/_resources/view/built/session.html" in names
    assert [name for name in names if "test" in name or "__pycache__" in name] == []


def test_the_wheel_of_the_protocol_holds_its_package_only(wheels: dict[str, Path]) -> None:
    names = zipfile.ZipFile(wheels["acp-v2"]).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"acp_v2"}
    assert {"acp_v2/py.typed", "acp_v2/retry.py"} <= {*names}


def closure(*wanted: str) -> set[str]:
    """The third-party distributions that the wanted ones need, themselves included."""
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


def declared(*extras: str) -> set[str]:
    """The third-party distributions that acpgen needs, also with some of its extras."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted: list[str] = document["tool"]["hatch"]["metadata"]["hooks"]["custom"]["dependencies"]
    for extra in extras:
        wanted = wanted + document["project"]["optional-dependencies"][extra]
    return closure(*wanted)


def environment(home: Path, third_party: Iterable[str]) -> Path:
    """The interpreter of a fresh environment with distributions taken from this one."""
    venv.create(home, with_pip=False, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    for name in third_party:
        parts = {path.parts[0]: path for path in distribution(name).files or ()}
        for top in parts.keys() - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(distribution(name).locate_file(top)))
    return home / "bin" / "python"


def install(wheels: dict[str, Path], home: Path, third_party: Iterable[str]) -> Path:
    """The interpreter of a fresh environment that holds all wheels, and what acpgen declares."""
    python = environment(home, third_party)
    (site,) = home.glob("lib/python*/site-packages")
    for wheel in wheels.values():
        zipfile.ZipFile(wheel).extractall(site)
    return python


def pip_install(python: Path, *arguments: str, cwd: Path) -> set[str]:
    """Install without an index; the distributions of this repository that are there by then."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "install", "--quiet", "--no-index", "--no-build-isolation", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    program = "import importlib.metadata as m; print(*(d.name for d in m.distributions()))"
    listed = subprocess.run(
        [str(python), "-c", program], cwd=cwd, capture_output=True, text=True, check=True
    )
    return {*map(canonicalize_name, listed.stdout.split())}


BUILDING = closure("hatchling")


BROUGHT = {
    "acp-wire": {"acp-wire"},
    "acp-v2": {"acp-wire", "acp-v2"},
    "acp-retry": {"acp-wire", "acp-v2", "acp-retry"},
    "acp-conformance": PACKAGES.keys() - {"acpgen"},
}


@pytest.mark.prove("installs packages from the clone")
@pytest.mark.parametrize("name", BROUGHT)
def test_a_clone_installs_each_package_alone(name: str, tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", BUILDING)
    found = pip_install(python, str(PACKAGES[name]), cwd=tmp_path)
    assert found - BUILDING == BROUGHT[name]


@pytest.mark.prove("installs packages from the clone")
@pytest.mark.parametrize("what", [str(ROOT), f"{ROOT}[generate]"])
def test_a_clone_installs_the_command(what: str, tmp_path: Path) -> None:
    third_party = declared("generate") | BUILDING
    python = environment(tmp_path / "venv", third_party)
    assert pip_install(python, what, cwd=tmp_path) - third_party == PACKAGES.keys()
    done = run(python, "validate", "-", cwd=tmp_path, stdin=PROMPT % '"k"')
    assert done.returncode == 0, done.stderr


@pytest.mark.prove("installs packages from the clone")
def test_an_editable_install_takes_the_packages_of_the_checkout(tmp_path: Path) -> None:
    third_party = declared() | BUILDING
    python = environment(tmp_path / "venv", third_party)
    assert pip_install(python, "--editable", str(ROOT), cwd=tmp_path) - third_party == {"acpgen"}
    program = "import acp_wire, acp_v2, acp_retry, acp_conformance as c; print(c.__file__)"
    done = subprocess.run(
        [str(python), "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(PACKAGES["acp-conformance"])


@pytest.mark.prove("builds packages from a repository, twice")
@pytest.mark.parametrize("wanted", ["acp-retry", "acpgen"])
def test_a_repository_installs_twice(wanted: str, tmp_path: Path) -> None:
    """pip keeps the wheel of a commit for the second time, but not the clone it was built in."""
    git = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    if not commit:
        unavailable.skip("no git repository")
    third_party = declared("generate") | BUILDING
    what = f"git+{ROOT.as_uri()}@{commit}"
    if wanted == "acpgen":
        what, brought = f"acpgen[generate] @ {what}", {*PACKAGES}
    else:
        what += f"#subdirectory={PACKAGES[wanted].relative_to(ROOT)}"
        brought = {"acp-wire", "acp-v2", "acp-retry"}
    for time in ("first", "second"):
        python = environment(tmp_path / time, third_party)
        found = pip_install(python, "--cache-dir", str(tmp_path / "cache"), what, cwd=tmp_path)
        assert found - third_party == brought


@pytest.mark.prove("installs once more; the other tests unpack the wheels")
def test_the_wheels_install_without_the_clone(wheels: dict[str, Path], tmp_path: Path) -> None:
    third_party = declared()
    python = environment(tmp_path / "venv", third_party)
    places = str(wheels["acpgen"].parent)
    found = pip_install(python, "--find-links", places, "acpgen", cwd=tmp_path)
    assert found - third_party == PACKAGES.keys()
    assert run(python, "lint", cwd=tmp_path).returncode == 0


@pytest.fixture(scope="module")
def base_python(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheels, tmp_path_factory.mktemp("base"), declared())


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
    "command",
    a_few(
        (["lint"], ["rules"], ["explain", "missing-retry-class"], ["--help"]),
        [["lint"]],
        "starts one more command",
    ),
    ids=" ".join,
)
def test_the_wheel_alone_does_all_but_generate(
    base_python: Path, tmp_path: Path, command: list[str]
) -> None:
    done = run(base_python, *command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_wheel_alone_says_what_generating_needs(base_python: Path, tmp_path: Path) -> None:
    done = run(base_python, "generate", cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install datamodel-code-generator==" in done.stderr
    assert "acpgen[" not in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "generated").exists()


def test_the_wheel_alone_generates_what_needs_no_extra(base_python: Path, tmp_path: Path) -> None:
    done = run(base_python, "generate", "--target", "bundles", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    made = [path for path in (tmp_path / "generated/schema").iterdir() if path.is_file()]
    assert made
    for path in made:
        assert path.read_bytes() == (ROOT / "generated/schema" / path.name).read_bytes()


def test_the_models_need_their_extra_only(wheels: dict[str, Path], tmp_path: Path) -> None:
    python = install(wheels, tmp_path / "venv", closure("pydantic", "typing-extensions"))
    program = "import acp_v2.models as m; m.PromptRequest; import acp_v2.retry, acp_v2.checkers"
    done = subprocess.run(
        [str(python), "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.prove("generates everything in a fresh environment")
def test_the_wheel_generates_what_the_checkout_holds(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    python = install(wheels, tmp_path / "venv", declared("generate"))
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
