"""The module with the table of types, by which acpgen explains what checkers refuse."""

from __future__ import annotations

from pprint import pformat

from acpgen.emit.header import HEADER
from acpgen.model import Protocol
from acpgen.targets.checkers.slots import TemplateRenderer
from acpgen.types.type_table import type_table

_WIDTH = 96


def table_module(protocol: Protocol, templates: TemplateRenderer) -> str:
    """The source of the module. It has constants only, so that Python reads it in one step."""
    table = type_table(protocol)
    types = "".join(
        f"    {name!r}: {pformat(row, width=_WIDTH)},\n"
        for name, row in sorted(table.types.items())
    )
    methods = "".join(f"    {row!r},\n" for row in table.methods)
    return templates.render(
        "checkers/type_table.py.jinja",
        header=HEADER,
        version=table.version,
        methods=methods.rstrip(),
        types=types.rstrip(),
    )
