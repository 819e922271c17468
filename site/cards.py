"""Tables that a narrow screen shows as cards, and names that may break between their words.

The cells of a wide table get the names of their columns, and the roles that a browser drops when a
table is laid out otherwise. `site.css` does the rest, so no script is needed.
"""

from __future__ import annotations

import re
from html import escape, unescape

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[hd])(?=[ >])(.*?)</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NAME = re.compile(r"(?<=<code>)\w{31,}(?=</code>)")
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ROLES = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row"}
_FEWEST = 3
"""How many columns a table has at least to become cards."""


def carded(html: str) -> str:
    """A page whose tables are ready to be shown as cards."""
    return _TABLE.sub(lambda table: _NAME.sub(_breaking, _table(table[0])), html)


def _breaking(name: re.Match[str]) -> str:
    return _WORDS.sub("<wbr>", name[0])


def _table(table: str) -> str:
    head, _, body = table.partition("</thead>")
    labels = [_label(_text(cell[0])) for cell in _CELL.finditer(head)]
    if len(labels) < _FEWEST:
        return table
    rows = [[*_CELL.finditer(row)] for row in _ROW.findall(body)]
    # If code is in the first column, its cells are the names of the rows: headings, not facts.
    named = any("<code>" in row[0][0] for row in rows if row)
    head = _CELL.sub(r'<\1 role="columnheader"\2</\1>', head)
    body = _ROW.sub(lambda row: _row(row[0], labels, named=named), body)
    table = f"{head}</thead>{body}".replace("<table>", '<table role="table" data-cards="">', 1)
    for tag, role in _ROLES.items():
        table = table.replace(f"<{tag}>", f'<{tag} role="{role}">')
    return table


def _row(row: str, labels: list[str], *, named: bool) -> str:
    column = iter(labels)
    skipped = iter([named])

    def cell(found: re.Match[str]) -> str:
        name = next(column, "")
        plain = next(skipped, False) or not name
        label = "" if plain else f' data-label="{escape(name)}"'
        return f'<td role="cell"{label}{found[2]}</td>'

    return _CELL.sub(cell, row)


def _label(name: str) -> str:
    return f"{name} " if name.endswith("?") else f"{name}: "


def _text(cell: str) -> str:
    return unescape(_TAG.sub("", cell)).strip()
