"""Reading pages the way a site does, independently of the code that writes them."""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

READER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
Tree = Mapping[str, str]
Rewrite = Callable[[str, str], str]


@dataclass(frozen=True)
class Page:
    """What a reader makes of one page. A heading is its level and its text."""

    headings: list[tuple[int, str]]
    anchors: set[str]
    links: list[str]
    tables: list[list[list[str]]]
    code: list[tuple[str, str]]
    kinds: list[str]


@cache
def read(text: str) -> Page:
    """Read one page; the page is shared, so leave it as it is."""
    tokens = READER.parse(text)
    headings = [
        (int(token.tag[1:]), _shown(tokens[i + 1]))
        for i, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    return Page(
        headings=headings,
        anchors=_anchors([name for _, name in headings]),
        links=[
            str(child.attrs["href"])
            for token in tokens
            for child in token.children or ()
            if child.type == "link_open"
        ],
        tables=_tables(tokens),
        code=[(token.info, token.content) for token in tokens if token.type == "fence"],
        kinds=[t.type for token in tokens for t in (token, *(token.children or ()))],
    )


def _shown(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


def _anchors(headings: list[str]) -> set[str]:
    """GitHub's rule: lower case, no punctuation, blanks to hyphens, a number on repetition."""
    found: list[str] = []
    for heading in headings:
        kept = "".join(c for c in heading.lower() if c.isalnum() or c in "-_ ")
        anchor = base = kept.replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        found.append(anchor)
    return set(found)


def _tables(tokens: list[Token]) -> list[list[list[str]]]:
    tables: list[list[list[str]]] = []
    inside = False
    for token in tokens:
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type in {"th_open", "td_open"}:
            inside = True
        elif token.type == "inline" and inside:
            tables[-1][-1].append(_shown(token))
            inside = False
    return tables


def broken_links(tree: Tree) -> list[str]:
    """Every relative link that leads to no page, or to no heading of its page."""
    read_pages = {path: read(text) for path, text in tree.items()}
    broken = []
    for path, page in read_pages.items():
        for target in page.links:
            if re.match(r"https://", target):
                continue
            file, _, anchor = target.partition("#")
            goal = (
                posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            )
            there = read_pages.get(goal)
            if there is None or (anchor and anchor not in there.anchors):
                broken.append(f"{path}: {target}")
    return broken


def rewritten(value: Any, rewrite: Rewrite) -> Any:
    """A part of the model with each string replaced by what `rewrite(field, text)` returns."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: rewrite(field.name, old)
            if isinstance(old := getattr(value, field.name), str) and type(old) is str
            else rewritten(old, rewrite)
            for field in dataclasses.fields(value)
        }
        return dataclasses.replace(value, **changed)
    if isinstance(value, tuple):
        return tuple(rewritten(item, rewrite) for item in value)
    if isinstance(value, Mapping):
        return {key: rewritten(item, rewrite) for key, item in value.items()}
    return value


class Reader:
    """The functions of this module, for tests to ask for."""

    read = staticmethod(read)
    broken_links = staticmethod(broken_links)


HOSTILE = """ends. " ' \\ | `|` ``a ` {b}`` ` <b onclick="x()">c</b> <br> <!-- d -->
{e} {/* f */} } ]]> */ [g](javascript:h) ![i](j) [k]: <l> *m* __n__ ~~o~~ \"\"\" ```
&amp; &#123; $p$ https://q.example/_r_

# s

- t
1. u
> v
---
===
| w | x |
| - | - |

    y

import z from "z"

export const z = {}

<Aa bb={cc}> { "unbalanced" !"""

HOSTILE_VALUE = "| `` ` {a} <b>"
"""What an enumeration or a tag could contain."""


def spoil(field: str, text: str) -> str:
    if field in {"docs", "other_docs", "resend", "title", "when"}:
        return f"{text} {HOSTILE}"
    return f"{text} {HOSTILE_VALUE}" if field == "value" else text
