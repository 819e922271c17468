"""The schema of this package, loaded once per process for all tests that read it."""

from __future__ import annotations

from functools import cache

from acpgen import resources
from acpgen.load import load
from acpgen.model import Protocol

__all__ = ["whole_schema"]


@cache
def whole_schema() -> Protocol:
    return load(resources.SCHEMA)
