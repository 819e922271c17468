"""A package of a language's generated files, as a registry takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.emit.header import HEADER
from acpgen.emit.templates import Templates
from acpgen.model import Protocol


@dataclass(frozen=True, slots=True)
class RegistryPackage:
    """How a language's files become a package. `{version}` is that of the protocol.

    Fields:
        registry: where such packages are published.
        name: the name of the package there.
        publish: the command that publishes it once it is built; `{release}` is
            the release of the schema, which is also the version of the package.
        pre_release: what the command takes besides for a pre-release.
        templates: the templates of the metadata in the language's folder, by file name.
        folder: where the metadata is, below the language's output folder.
    """

    registry: str
    name: str
    publish: str
    templates: Mapping[str, str]
    folder: str = ""
    pre_release: str = ""


def package_files(
    language: str, package: RegistryPackage, protocol: Protocol, templates: Templates
) -> dict[str, str]:
    """Return the metadata of a package, its licence and its changelog, by path.

    Raises:
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    version = protocol.version or 0
    folder = f"{language}/{package.folder.format(version=version)}".rstrip("/")
    context: dict[str, object] = {
        "header": HEADER,
        "version": version,
        "release": protocol.release.version,
        "name": package.name.format(version=version),
    }
    files = {
        name.format(version=version): templates.render(
            f"languages/{language}/{template}.jinja", **context
        )
        for name, template in package.templates.items()
    }
    files |= papers(protocol, templates)
    return {f"{folder}/{name}": text for name, text in files.items()}


def papers(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the licence and the changelog, which are the same in every package, by file name.

    Raises:
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    log = protocol.release.changelog
    return {
        "LICENSE": f"{HEADER}\n\n{templates.fixed('distribution/fixed/LICENSE')}",
        "CHANGELOG.md": templates.render(
            "distribution/changelog.md.jinja", header=HEADER, changelog=log
        ),
    }
