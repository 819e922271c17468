"""A language that is Python under another name, so that the tests can run what it generates."""

from __future__ import annotations

from dataclasses import replace

from acpgen.targets.languages.python import DIALECT as PYTHON

DIALECT = replace(PYTHON, title="Toy#", path="v{version}/toy.py")
