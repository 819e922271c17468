"""How to install packages that a command needs and acpgen does not require."""

from __future__ import annotations

import shlex
from importlib import metadata


def installation(extra: str) -> str:
    """The command that installs the packages of one of acpgen's extras.

    It names these packages rather than the extra, since acpgen is not on an index.
    """
    try:
        declared = metadata.requires("acpgen") or []
    except metadata.PackageNotFoundError:
        declared = []
    markers = (f"extra == '{extra}'", f'extra == "{extra}"')
    rows = (requirement.partition(";") for requirement in declared)
    packages = [name.strip() for name, _, marker in rows if marker.strip() in markers]
    return shlex.join(["pip", "install", *(packages or [f"PATH_OF_THE_CLONE[{extra}]"])])
