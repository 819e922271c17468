"""Every id that linting a schema can print, with its documentation."""

from __future__ import annotations

from acpgen.lint.accepted import STALE
from acpgen.lint.rules import RULES
from acpgen.lint.steps import STEPS
from acpgen.topic import Topic

TOPICS: dict[str, Topic] = {topic.id: topic for topic in (*STEPS, *RULES, STALE)}
"""By id: first what stops the loader, then the rules."""
