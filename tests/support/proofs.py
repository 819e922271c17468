"""What `make test` leaves to `make prove`, and how much a test tries in each.

`make test` runs a smaller version of each long proof. `make prove` runs `pytest -m prove`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

__all__ = ["VARIABLE", "a_few", "amount", "proving", "scaled"]

T = TypeVar("T")
Test = TypeVar("Test", bound=Callable[..., object])

VARIABLE = "ACPGEN_PROVE"
"""What tests/conftest.py sets in a run of `pytest -m prove`."""


def proving() -> bool:
    """True if this run is `make prove`."""
    return VARIABLE in os.environ


def amount(few: T, many: T) -> T:
    """Return `many` in `make prove`, `few` elsewhere."""
    return many if proving() else few


def scaled(reason: str) -> Callable[[Test], Test]:
    """Mark a test that runs in both, and tries more in `make prove`: see `amount`."""

    def mark(test: Test) -> Test:
        marked: Test = pytest.mark.scaled(pytest.mark.prove(reason)(test))
        return marked

    return mark


def a_few(
    values: Iterable[T], kept: Collection[T], reason: str, *, bulk: bool = False
) -> list[ParameterSet]:
    """Return parameters of which `make test` runs those in `kept` only.

    Args:
        values: all parameters.
        kept: the smaller version; each has to be one of `values`.
        reason: why the others are left to `make prove`.
        bulk: true if they take longer than `.ci/run` may, which then plays the first of them only.

    Raises:
        ValueError: `kept` has a value that isn't one of `values`.
    """
    every = list(values)
    if unknown := [each for each in kept if each not in every]:
        raise ValueError(f"not among the parameters: {unknown}")
    proof = pytest.mark.prove(reason)
    rest = (proof, pytest.mark.bulk) if bulk else (proof,)
    first = next((each for each in every if each not in kept), None)
    return [
        pytest.param(each, marks=() if each in kept else (proof,) if each == first else rest)
        for each in every
    ]
