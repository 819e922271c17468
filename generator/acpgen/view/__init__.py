"""A recorded session as one page that shows it: `acpgen view`.

`SessionView` takes the lines of a transcript with their findings, and `page` returns the text of an
HTML file, which `is_page` recognizes. The page itself is built from the sources in `view/`, see
`resources.VIEW_PAGE`.
"""

from __future__ import annotations

from acpgen.view.session_page import UnbuiltPageError, page
from acpgen.view.session_view import SessionView, ShownFinding

__all__ = ["SessionView", "ShownFinding", "UnbuiltPageError", "page"]
