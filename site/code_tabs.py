"""The code of a method in each language, as tabs that need no script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from acpgen.emit.templates import Templates
from acpgen.model import Method, Protocol
from acpgen.targets.languages.snippets import snippets
from acpgen.targets.pages.site import slug_of

_FENCE = re.compile(r"(`{3,})(\w+)\n(.*)\n\1", re.DOTALL)
_FIRST = "TypeScript"
"""The language whose tab is open."""


def code_tabs(method: Method, protocol: Protocol, templates: Templates) -> str:
    """The tabs of a method in one kind, as HTML.

    Raises:
        TemplateError: the template of a snippet is broken.
    """
    group = f"code-{slug_of(method.name)}-{method.kind}"
    parts = "".join(_tabs(group, method, protocol, templates))
    return f'<fieldset class="added code-tabs"><legend>In code</legend>{parts}</fieldset>'


def _tabs(group: str, method: Method, protocol: Protocol, templates: Templates) -> Iterator[str]:
    found = {each.title: each.block for each in snippets(method, protocol, templates)}
    opened = _FIRST if _FIRST in found else next(iter(found), "")
    for title, block in found.items():
        own = f"{group}-{title.lower()}"
        checked = " checked" if title == opened else ""
        yield f'<input type="radio" name="{group}" id="{own}" value="{title}"{checked}>'
        yield f'<label for="{own}">{escape(title)}</label><div>{highlighted(block)}</div>'


def highlighted(block: str) -> str:
    """A fenced block of code as HTML, coloured as Zensical does it."""
    fence = _FENCE.fullmatch(block)
    if fence is None:
        return f"<pre><code>{escape(block)}</code></pre>"
    _, language, code = fence.groups()
    inner: str = highlight(code, get_lexer_by_name(language), HtmlFormatter(nowrap=True))
    shown = inner.rstrip("\n")
    return f'<div class="language-{language} highlight"><pre><code>{shown}</code></pre></div>'
