"""Links from hand-written pages to the generated ones."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from acpgen.emit.markdown import Inline, link
from acpgen.targets.pages.site import Links

_FOLDER = "docs/"
_PAGE = ".md"
_INDEX = "index"


@dataclass(frozen=True, slots=True)
class Elsewhere(Links):
    """The links of a page outside the site.

    `base` is the address of the site. It ends in a slash, or is empty for the page's own folder;
    without it, labels are plain text. `suffix` is that of the site's pages; it is empty for servers
    that drop it and serve the index as the folder.
    """

    base: str | None = None
    suffix: str = _PAGE

    def to(self, target: str, label: Inline) -> Inline:
        """A link to a page of the site, or to a place on it."""
        if self.base is None:
            return label
        path, mark, anchor = target.removeprefix(_FOLDER).partition("#")
        folder, slash, name = path.removesuffix(_PAGE).rpartition("/")
        page = f"{name}{self.suffix}" if self.suffix or name != _INDEX else ""
        return link(label, f"{self.base}{folder}{slash}{page}{mark}{anchor}")


def place_from(page: Path, site: str) -> str:
    """The place of a site as seen from a page. The site is a URL, an absolute path or a folder."""
    if "://" in site or site.startswith("/"):
        return site
    return os.path.relpath(Path(site).resolve(), page.resolve().parent).replace(os.sep, "/")
