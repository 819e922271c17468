"""Schemas that no test changes, loaded once per process for all tests that read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from acpgen import resources
from acpgen.load import load
from acpgen.model import Protocol

__all__ = ["released_schema", "whole_schema"]


@cache
def whole_schema() -> Protocol:
    return load(resources.SCHEMA)


@cache
def released_schema(file: Path) -> Protocol:
    """A release of upstream."""
    return load(file)
