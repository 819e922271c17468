"""What a release publishes, and in which order. Nothing is published here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

from acpgen import resources
from acpgen.diff.version import Version
from acpgen.model import Protocol
from acpgen.targets import languages

_WHEELS = ("generated/python", "runtime/acp-wire", "runtime/acp-retry", "runtime/acp-conformance")
_UPLOAD = "twine upload build/wheels/{}-*.whl"


def publication(protocol: Protocol, version: Version, *, own: bool) -> list[str]:
    """Return the steps that publish a release, in their order.

    The tag comes first: it is what the packages are made from. A wheel comes after those that it
    requires, so that it can be installed from the moment when it is there.

    Args:
        protocol: the schema.
        version: the release that was written.
        own: whether it is acpgen's own schema, with the packages that have the same version.

    Raises:
        OSError: a pyproject.toml of this repository can't be read.
    """
    steps = (_preparation(version, own=own), _wheels(protocol, own=own), _others(protocol, version))
    return [*chain.from_iterable(steps)]


def _preparation(version: Version, *, own: bool) -> Iterator[str]:
    if own:
        others = (f"{folder}/pyproject.toml" for folder in _WHEELS if folder.startswith("runtime/"))
        yield (
            f"set the version {version} in pyproject.toml, {', '.join(others)} and "
            "generator/acpgen/__init__.py; where they require a sibling, that of the sibling, too"
        )
    yield "acpgen generate, and commit: the packages get this version and the changelog"
    yield f"git tag v{version}, and push it: the schema and everything that is made from it"
    yield "make packages" if own else "build the packages of generated/ as `make packages` does"


def _wheels(protocol: Protocol, *, own: bool) -> Iterator[str]:
    package = f"acp-v{protocol.version or 0}"
    names = _ordered() if own else (package,)
    for name in names:
        yield f"PyPI, {name}: {_UPLOAD.format(name.replace('-', '_'))}"


def _ordered() -> Iterator[str]:
    """The wheels of this repository, each after those that it requires."""
    projects = [_project(resources.ROOT / folder) for folder in (".", *_WHEELS)]
    return iter(TopologicalSorter(dict(projects)).static_order())


def _project(folder: Path) -> tuple[str, list[str]]:
    """The name of a wheel, and those of its siblings that it requires."""
    document = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    hooks = document["tool"]["hatch"].get("metadata", {}).get("hooks", {})
    return document["project"]["name"], sorted(hooks.get("custom", {}).get("siblings", {}))


def _others(protocol: Protocol, version: Version) -> Iterator[str]:
    """The packages of the other languages, which need no other package."""
    for name in languages.others():
        package = languages.dialect(name).package
        if package is not None:
            number = protocol.version or 0
            called = package.name.format(version=number)
            command = package.publish.format(version=number, release=version)
            tagged = f" {package.pre_release}" if version.pre and package.pre_release else ""
            yield f"{package.registry}, {called}: {command}{tagged}"
