from __future__ import annotations

from pathlib import Path

import pytest

from acpgen.load import load
from acpgen.model import Protocol
from whole_schema import whole_schema

INVENTED = Path(__file__).parent / "invented" / "v1"


@pytest.fixture(scope="session")
def protocol() -> Protocol:
    """The schema in this repository, unstable parts and all."""
    return whole_schema()


@pytest.fixture(scope="session")
def invented() -> Protocol:
    """A small protocol with what ACP has no example of."""
    return load(INVENTED)
