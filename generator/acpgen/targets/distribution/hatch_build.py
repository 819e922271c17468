"""The dependencies of a package on the others of its repository, which no index has.

Who builds the package decides how they are written; `docs/packages.md` says more:

- pip and uv install from a clone, so each is named with its folder: `acp-wire @ file:///...`.
- An editable install has the folders of the others on its path, so none is named.
- `hatchling build` builds for distribution, so each is named with its versions: `acp-wire>=0.1.0`.
  So is one whose folder isn't there.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hatchling.metadata.plugin.interface import MetadataHookInterface

_CLONES_OF_PIP = ("pip-req-build-", "pip-install-")
"""How the names of the folders begin that pip clones into, and removes when it is done."""


class Dependencies(MetadataHookInterface):
    """Joins what the project's table declares: `dependencies`, and its `siblings` by name."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the project's dependencies."""
        call = _backend_call()
        dependencies = list(self.config.get("dependencies", []))
        if "editable" not in call:
            for name, sibling in self.config.get("siblings", {}).items():
                folder = Path(self.root, sibling["path"]).resolve()
                in_clone = "wheel" in call and (folder / "pyproject.toml").is_file()
                in_clone = in_clone and not Path(self.root, "PKG-INFO").exists()
                place = f" @ {_location(folder)}" if in_clone else sibling["version"]
                dependencies.append(f"{name}{place}")
        metadata["dependencies"] = dependencies


def _backend_call() -> str:
    """The PEP 517 hook that is running, which hatchling doesn't pass on; empty without one."""
    frame = sys._getframe()  # noqa: SLF001 - the documented way to the callers of a function
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == "hatchling.build":
            return frame.f_code.co_name
    return ""


def _location(folder: Path) -> str:
    """The URL of a sibling: its folder, or its repository if the clone won't last.

    pip keeps the wheel of a commit for later installs, and removes the clone it was built from.
    """
    if not any(parent.name.startswith(_CLONES_OF_PIP) for parent in folder.parents):
        return folder.as_uri()
    commit = _git(folder, "rev-parse", "HEAD")
    url = urlsplit(_git(folder, "config", "--get", "remote.origin.url"))
    if url.scheme in ("", "file") or url.password or (url.username and url.scheme != "ssh"):
        # pip before 24.1 reads no git+file:// in metadata, and credentials don't belong there. pip
        # doesn't keep the wheel of a tag, which can move, nor of a commit that a tag is named like.
        _git(folder, "tag", "--force", commit, commit)
        return folder.as_uri()
    inside = _git(folder, "rev-parse", "--show-prefix").rstrip("/")
    return f"git+{url.geturl()}@{commit}#subdirectory={inside}"


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603 - our own arguments
