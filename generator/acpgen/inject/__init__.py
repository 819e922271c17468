"""Generated regions in hand-written pages.

`markers` finds the regions of a page, `regions` defines the content of each, and `injection` fills
them.
"""

from __future__ import annotations

from acpgen.inject.injection import ContentError, Page, inject
from acpgen.inject.links import Elsewhere, base_for
from acpgen.inject.markers import Marked, PageError, PageFault
from acpgen.inject.regions import Region, contexts, house, regions, shaping

__all__ = [
    "ContentError",
    "Elsewhere",
    "Marked",
    "Page",
    "PageError",
    "PageFault",
    "Region",
    "base_for",
    "contexts",
    "house",
    "inject",
    "regions",
    "shaping",
]
