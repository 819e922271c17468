"""Generated regions in pages that people write.

`markers` finds the regions of a page, `regions` says what each of them holds, `injection` puts the
one into the other.
"""

from __future__ import annotations

from acpgen.inject.injection import ContentError, Page, inject
from acpgen.inject.links import Elsewhere, base_for
from acpgen.inject.markers import Fault, Marked, PageError
from acpgen.inject.regions import Region, contexts, house, regions, shaping

__all__ = [
    "ContentError",
    "Elsewhere",
    "Fault",
    "Marked",
    "Page",
    "PageError",
    "Region",
    "base_for",
    "contexts",
    "house",
    "inject",
    "regions",
    "shaping",
]
