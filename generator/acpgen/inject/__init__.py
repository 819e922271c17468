"""Generated regions in hand-written pages.

`markers` finds the regions of a page, `regions` defines the content of each, and `injection` fills
them.
"""

from __future__ import annotations

from acpgen.inject.injection import ContentError, Page, inject
from acpgen.inject.link_options import LinkOptions
from acpgen.inject.links import Elsewhere, place_from
from acpgen.inject.markers import Marked, PageError, PageFault
from acpgen.inject.region import Region
from acpgen.inject.regions import contexts, house, regions, shaping

__all__ = [
    "ContentError",
    "Elsewhere",
    "LinkOptions",
    "Marked",
    "Page",
    "PageError",
    "PageFault",
    "Region",
    "contexts",
    "house",
    "inject",
    "place_from",
    "regions",
    "shaping",
]
