"""How to install packages that a command needs and acpgen does not require."""

from __future__ import annotations

import json
import shlex
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname


def installation(extra: str) -> str:
    """The command that installs the packages of one of acpgen's extras.

    Where acpgen was installed from a clone, it installs acpgen from there with the extra. Elsewhere
    it names the packages rather than the extra, since acpgen is not on an index.
    """
    try:
        installed = metadata.distribution("acpgen")
    except metadata.PackageNotFoundError:
        return _of_clone("PATH_OF_THE_CLONE", extra)
    markers = (f"extra == '{extra}'", f'extra == "{extra}"')
    rows = (requirement.partition(";") for requirement in installed.requires or ())
    packages = [name.strip() for name, _, marker in rows if any(each in marker for each in markers)]
    if not packages:
        return _of_clone("PATH_OF_THE_CLONE", extra)
    folder, editable = _origin(installed.read_text("direct_url.json"))
    if folder is None:
        return shlex.join(["pip", "install", *packages])
    return _of_clone(folder, extra, editable=editable)


def _of_clone(folder: str, extra: str, *, editable: bool = False) -> str:
    option = ["--editable"] if editable else []
    return shlex.join(["pip", "install", *option, f"{folder}[{extra}]"])


def _origin(record: str | None) -> tuple[str | None, bool]:
    """The folder that a package was installed from, if it is still there, and whether editably.

    `record` is the text of its direct_url.json (PEP 610).
    """
    if record is None:
        return None, False
    origin = json.loads(record)
    url = urlsplit(origin["url"])
    folder = url2pathname(url.path)
    if url.scheme != "file" or "dir_info" not in origin or not Path(folder).is_dir():
        return None, False
    return folder, bool(origin["dir_info"].get("editable", False))
