"""The Python package around what other targets generate: its build, README and licence."""

from __future__ import annotations

from pathlib import Path

from acpgen import __version__
from acpgen.emit.header import HEADER
from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.languages.registry_package import papers

_HOOK = Path(__file__).with_name("hatch_build.py")


def distribution(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The files that make a package of the modules in `python/`, which pip can install."""
    context = {
        "header": HEADER,
        "version": protocol.version or 0,
        "release": protocol.release.version,
        "own_version": __version__,
    }
    return {
        **{f"python/{name}": text for name, text in papers(protocol, templates).items()},
        "python/pyproject.toml": templates.render("distribution/pyproject.toml.jinja", **context),
        "python/README.md": templates.render("distribution/readme.md.jinja", **context),
        "python/hatch_build.py": f"# {HEADER}\n{_HOOK.read_text('utf-8')}",
    }
