"""Every language that has a subject has a loop over the vectors, which its own tests run."""

from __future__ import annotations

from language_loops import loops
from language_tools import LANGUAGES


def test_every_language_has_a_loop_over_the_vectors() -> None:
    assert loops().keys() == LANGUAGES.keys()
