"""One builder for each kind of package: from its folder to the files that a registry takes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = ROOT / "tests" / "languages" / "node_modules"
CRATES = Path("/usr/share/cargo/registry")
"""The crates of Debian, which `cargo package` resolves optional dependencies with."""

JARS = Path("/usr/share/java")
KOTLINX = ROOT / "build" / "kotlinx"

LIBRARIES: Mapping[str, tuple[Sequence[Path], str]] = {
    "jackson": (
        [JARS / f"jackson-{name}.jar" for name in ("annotations", "core", "databind")],
        "on Debian, apt-get install libjackson2-databind-java",
    ),
    "kotlinx": (
        [KOTLINX / f"kotlinx-serialization-{name}-jvm-1.9.0.jar" for name in ("core", "json")],
        "run `make kotlinx`",
    ),
}
"""What the sources in a folder beside `com` are compiled with, and how to get it.

Who installs the package without that library can use everything else.
"""

PAPERS = ("LICENSE", "README.md", "CHANGELOG.md")
"""What a jar holds besides classes, for people."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_POM = "{http://maven.apache.org/POM/4.0.0}"

Builder = Callable[[Path, Path], list[Path]]
"""Builds the package of a folder into another one, and returns the files that it wrote."""


class BuildError(Exception):
    """A package that can't be built, with the reason and what to do."""


def build_npm(folder: Path, out: Path) -> list[Path]:
    """An npm tarball with the sources, compiled modules and their declarations.

    Raises:
        BuildError: node, npm or the compiler is missing or fails.
    """
    compiler = COMPILERS / "typescript" / "bin" / "tsc"
    if not compiler.is_file():
        raise BuildError("the TypeScript compiler is missing; run `make node`")

    def build(scratch: Path) -> None:
        copy = _copy(folder, scratch / "package")
        _run(["node", compiler, "--project", "."], copy)
        _run(["npm", "pack", "--offline", "--ignore-scripts", "--pack-destination", scratch], copy)

    return _built(build, out, "*.tgz")


def build_crate(folder: Path, out: Path) -> list[Path]:
    """A crate. Cargo compiles what it packed, with the crates of Debian.

    Raises:
        BuildError: cargo or the crates are missing, or cargo fails.
    """
    if not any(CRATES.glob("serde_json-1.*")):
        raise BuildError("serde_json is missing; on Debian, apt-get install librust-serde-json-dev")
    mirror = ("source.crates-io.replace-with='debian'", f"source.debian.directory='{CRATES}'")
    options = [part for each in mirror for part in ("--config", each)]

    def build(scratch: Path) -> None:
        copy = _copy(folder, scratch / "crate")
        _run(["cargo", "package", "--offline", "--quiet", *options, "--target-dir", scratch], copy)
        for made in (scratch / "package").glob("*.crate"):
            made.rename(scratch / made.name)

    return _built(build, out, "*.crate")


def build_go_module(folder: Path, out: Path) -> list[Path]:
    """A module as the files of a module proxy, so that `GOPROXY=file://.../go` serves it.

    Raises:
        BuildError: go.mod names no module, or the changelog no release.
    """
    text = (folder / "go.mod").read_text("utf-8")
    module = re.search(r"^module (\S+)$", text, re.MULTILINE)
    if module is None:
        raise BuildError("go.mod names no module; run `acpgen generate`")
    version = f"v{_newest(folder / 'CHANGELOG.md')}"
    place = out / "go" / module[1] / "@v"
    place.mkdir(parents=True, exist_ok=True)
    files = {
        f"{module[1]}@{version}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in _files(folder)
    }
    _write_zip(place / f"{version}.zip", files)
    (place / f"{version}.mod").write_text(text, "utf-8")
    (place / f"{version}.info").write_text(json.dumps({"Version": version}) + "\n", "utf-8")
    (place / "list").write_text(f"{version}\n", "utf-8")
    return [place / f"{version}{ending}" for ending in (".info", ".mod", ".zip")]


def build_jar(folder: Path, out: Path) -> list[Path]:
    """A jar, its sources and its POM, in the layout of a Maven repository.

    Raises:
        BuildError: a compiler or a library is missing, or a compiler fails.
    """
    root = ElementTree.parse(folder / "pom.xml").getroot()
    group, artifact, version = (
        root.findtext(f"{_POM}{name}") or "" for name in ("groupId", "artifactId", "version")
    )
    place = out / "maven" / group.replace(".", "/") / artifact / version
    place.mkdir(parents=True, exist_ok=True)
    stem = f"{artifact}-{version}"
    papers = {f"META-INF/{name}": (folder / name).read_bytes() for name in PAPERS}
    pom = {f"META-INF/maven/{group}/{artifact}/pom.xml": (folder / "pom.xml").read_bytes()}
    manifest = {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\n\r\n"}
    paths = [path for path in _files(folder) if path.suffix in {".java", ".kt"}]
    sources = {_in_jar(path.relative_to(folder)): path.read_bytes() for path in paths}
    with tempfile.TemporaryDirectory() as scratch:
        classes = _compiled(folder, paths, Path(scratch))
        _write_zip(place / f"{stem}.jar", {**manifest, **papers, **pom, **classes})
    _write_zip(place / f"{stem}-sources.jar", {**manifest, **papers, **sources})
    shutil.copyfile(folder / "pom.xml", place / f"{stem}.pom")
    return [place / f"{stem}{ending}" for ending in (".jar", "-sources.jar", ".pom")]


BUILDERS: Mapping[str, Builder] = {
    "package.json": build_npm,
    "Cargo.toml": build_crate,
    "go.mod": build_go_module,
    "pom.xml": build_jar,
}
"""The builder of a folder, by the file of metadata that the folder has."""


def builder_of(folder: Path) -> Builder:
    """Return the builder of a folder.

    Raises:
        BuildError: the folder has no metadata of a package.
    """
    for name, builder in BUILDERS.items():
        if (folder / name).is_file():
            return builder
    raise BuildError(f"has none of {', '.join(BUILDERS)}; name a folder with a package")


def _in_jar(source: Path) -> str:
    """Where a source is in a jar, from its path in the folder of its language."""
    inside = source.relative_to(source.parts[0]) if source.parts[0] in LIBRARIES else source
    return inside.as_posix()


def _libraries(folder: Path) -> str:
    """The class path that a folder's sources need."""
    jars: list[Path] = []
    for name, (library, advice) in LIBRARIES.items():
        if not (folder / name).is_dir():
            continue
        if missing := [jar.name for jar in library if not jar.is_file()]:
            raise BuildError(f"{', '.join(missing)} is missing; {advice}")
        jars += library
    return ":".join(map(str, jars))


def _compiled(folder: Path, sources: Sequence[Path], scratch: Path) -> dict[str, bytes]:
    """The class files of Java's or Kotlin's sources, by path."""
    libraries = _libraries(folder)
    path = ["-cp", libraries] if libraries else []
    if any(path.suffix == ".kt" for path in sources):
        compiler = COMPILERS / "kotlin-compiler" / "bin" / "kotlinc"
        if not compiler.is_file():
            raise BuildError("the Kotlin compiler is missing; run `make node`")
        _run(["bash", compiler, "-jvm-target", "17", *path, "-d", scratch, *sources], folder)
    else:
        options = ["--release", "17", "-encoding", "UTF-8", *path]
        _run(["javac", *options, "-d", scratch, *sources], folder)
    return {path.relative_to(scratch).as_posix(): path.read_bytes() for path in _files(scratch)}


def _newest(changelog: Path) -> str:
    entry = re.search(r"^## (\S+)$", changelog.read_text("utf-8"), re.MULTILINE)
    if entry is None:
        raise BuildError(f"{changelog.name} names no release; run `acpgen release`")
    return entry[1]


def _built(build: Callable[[Path], None], out: Path, pattern: str) -> list[Path]:
    """Build in a scratch folder, and move what fits a pattern out of it."""
    with tempfile.TemporaryDirectory() as scratch:
        build(Path(scratch))
        made = sorted(Path(scratch).glob(pattern))
        if not made:
            raise BuildError(f"nothing was built that is called {pattern}")
        return [Path(shutil.move(path, out / path.name)) for path in made]


def _copy(folder: Path, copy: Path) -> Path:
    ignored = shutil.ignore_patterns("node_modules", "dist", "target", "__pycache__")
    return Path(shutil.copytree(folder, copy, ignore=ignored))


def _files(folder: Path) -> Iterable[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _write_zip(path: Path, files: Mapping[str, bytes]) -> None:
    """Write an archive that is the same for the same files, whenever it is made."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)


def _run(command: Sequence[str | Path], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise BuildError(f"{command[0]} is missing; install it, or name other folders") from error
    if done.returncode:
        raise BuildError(f"{command[0]} failed:\n{(done.stdout + done.stderr).rstrip()}")
