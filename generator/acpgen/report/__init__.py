"""Reports: what a command found and counted, as people and programs read it.

A `Report` is fed one message at a time and hands what is found to a renderer; `renderer` makes the
one for a format. Nothing here ever holds a message, and only JUnit holds findings. Modules are
imported when they are needed, so that judging one message doesn't wait for the rest.
"""

from __future__ import annotations

from acpgen.report.findings_report import Report
from acpgen.report.forms import renderer, set_up
from acpgen.report.tally import Tally

__all__ = ["Report", "Tally", "renderer", "set_up"]
