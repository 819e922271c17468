"""The pages of the schema, and of one with hostile prose."""

from __future__ import annotations

import pytest

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.pages import pages
from page_reader import Reader, Tree, rewritten, spoil
from whole_schema import whole_schema


@pytest.fixture(scope="session")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="session")
def protocol() -> Protocol:
    return whole_schema()


@pytest.fixture(scope="session")
def templates() -> Templates:
    return Templates(resources.TEMPLATES)


@pytest.fixture(scope="session")
def tree(protocol: Protocol, templates: Templates) -> Tree:
    return pages(protocol, templates)


@pytest.fixture(scope="session")
def hostile_tree(protocol: Protocol, templates: Templates) -> Tree:
    """The pages of a protocol with something hostile after each description, title and value."""
    return pages(rewritten(protocol, spoil), templates)
