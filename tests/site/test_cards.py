"""Tables as the site makes them ready for narrow screens."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest

from site_visits import SITE

HEAD = "<table>\n<thead>\n<tr>\n<th>Member</th>\n<th>Type</th>\n<th>Again?</th>\n</tr>\n</thead>\n"


@pytest.fixture(scope="module")
def cards() -> Any:
    spec = importlib.util.spec_from_file_location("site_cards", SITE / "cards.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(*cells: str) -> str:
    return "<tr>\n" + "".join(f"<td>{cell}</td>\n" for cell in cells) + "</tr>\n"


def labels(html: str) -> list[str]:
    return re.findall(r'data-label="([^"]*)"', html)


def test_cells_get_the_names_of_their_columns(cards: Any) -> None:
    made = cards.carded(f"{HEAD}<tbody>\n{row('a', 'b', 'c')}</tbody>\n</table>")
    assert labels(made) == ["Member: ", "Type: ", "Again? "]
    roles = re.findall(r'<(\w+) role="(\w+)"', made)
    assert roles[:3] == [("table", "table"), ("thead", "rowgroup"), ("tr", "row")]
    assert roles.count(("th", "columnheader")) == roles.count(("td", "cell")) == 3


def test_a_first_column_of_names_has_no_label(cards: Any) -> None:
    rows = row("<code>id</code>", "b", "c") + row("other", "b", "c")
    made = cards.carded(f"{HEAD}<tbody>\n{rows}</tbody>\n</table>")
    assert labels(made) == ["Type: ", "Again? "] * 2


@pytest.mark.parametrize(
    "table",
    [
        "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody></tbody></table>",
        '<table class="odd"><thead></thead></table>',
    ],
)
def test_a_narrow_table_stays_as_it_is(table: str, cards: Any) -> None:
    assert cards.carded(table) == table


def test_a_long_name_may_break_between_its_words(cards: Any) -> None:
    long, short = "CreateElicitationRequestFormSession", "SessionUpdate"
    cells = (f"<code>{long}</code>", f"<code>{short}</code>", "c")
    made = cards.carded(f"{HEAD}<tbody>\n{row(*cells)}</tbody>\n</table>")
    assert "Create<wbr>Elicitation<wbr>Request<wbr>Form<wbr>Session" in made
    assert f"<code>{short}</code>" in made
