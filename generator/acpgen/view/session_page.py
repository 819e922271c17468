"""The text of the page that shows a session."""

from __future__ import annotations

import base64
import gzip
import html
from pathlib import Path

from acpgen import resources
from acpgen.findings import printable
from acpgen.view.session_view import SessionView

__all__ = ["UnbuiltPageError", "page"]

_TITLE, _SESSION = "@TITLE@", "@SESSION@"


class UnbuiltPageError(Exception):
    """The page that a session is put into is not the built one."""


def page(session: SessionView, template: Path = resources.VIEW_PAGE) -> str:
    """Return an HTML page that shows a session, and loads nothing from elsewhere.

    The session is gzip in base64, so no text of it can end the element that holds it.

    Raises:
        OSError: the built page can't be read.
        UnbuiltPageError: it has no place for a session.
    """
    text = template.read_text("utf-8")
    if text.count(_TITLE) != 1 or text.count(_SESSION) != 1:
        raise UnbuiltPageError(f"{template} has no place for a session")
    packed = gzip.compress("\n".join(session.texts()).encode("utf-8"), mtime=0)
    before, _, after = text.partition(_SESSION)
    title = html.escape(printable(session.title))
    before = before.replace(_TITLE, f"{title} · acpgen view")
    return f"{before}{base64.b64encode(packed).decode('ascii')}{after}"
