"""Regions in list items and elements: what is around them stays, and they hold what they should."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.inject import Elsewhere, Page, inject, regions
from acpgen.targets.pages.site import plan
from proofs import a_few, amount, scaled
from whole_schema import whole_schema

Compiler = Callable[..., Mapping[str, str]]
READER = MarkdownIt("commonmark").enable("table")
OWN = """| a | b |
| - | - |
| c | `d` |

- a
  - b

    ```js
    if (a) {

        b()
    }
    ```

1. c
   d

```text
  e

{/* f */}
```"""
"""What a template of one's own might give."""

PARTS = {"method", "params", "example", "errors", "type"}
SOME_PARTS = [
    "method:session/prompt",
    "params:mcp/message",
    "example:session/prompt",
    "errors:session/prompt",
    "type:ContentBlock",
]

MARKDOWN = {
    "list item": "1. a\n\n   BEGIN\n\n   END\n\n2. b\n",
    "wide list item": "10. a\n\n    BEGIN\n\n    END\n11. b\n",
    "nested list item": "- a\n  - b\n    1. c\n\n       BEGIN\n\n       END\n\n       d\n  - e\n",
    "list item with tabs": "-\ta\n\n\tBEGIN\n\n\tEND\n\n-\tb\n",
    "deeper than the list item": "- a\n\n     BEGIN\n\n     END\n\n  b\n",
    "element": "<details>\n<summary>a</summary>\n  BEGIN\n\n  END\n</details>\n",
    "admonition": ":::note[a]\n\n  BEGIN\n\n  END\n\n:::\n",
    "alert": "> [!NOTE]\n> a\n\n BEGIN\n\n END\n",
}
MDX = {
    "steps": "<Steps>\n  <Step>\n  BEGIN\n\n  END\n  </Step>\n</Steps>\n",
    "steps, far": '<Steps>\n  <Step title="a">\n      BEGIN\n\n      END\n  </Step>\n</Steps>\n',
    "tabs": "<Tabs>\n\t<Tab>\n\t\tBEGIN\n\n\t\tEND\n\t</Tab>\n</Tabs>\n",
    "no blank line": "<Tabs>\n  <Tab>\n    a\n    BEGIN\n    END\n    b\n  </Tab>\n</Tabs>\n",
    "element in a list item": "1. a\n\n   <Note>\n     BEGIN\n\n     END\n   </Note>\n\n2. b\n",
    "list item in an element": "<Note>\n  - a\n\n    BEGIN\n\n    END\n\n  - b\n</Note>\n",
    "list item": "1. a\n\n   BEGIN\n\n   END\n\n2. b\n",
    "admonition": "<Tab>\n    :::note\n\n    BEGIN\n\n    END\n\n    :::\n</Tab>\n",
    "not indented": "<Steps>\n  <Step>\nBEGIN\n\nEND\n  </Step>\n</Steps>\n",
    "end less indented": "<Steps>\n  <Step>\n    BEGIN\n\n  END\n  </Step>\n</Steps>\n",
    "other line ends": "<Steps>\r\n  <Step>\r\n  BEGIN\r\n\r\n  END\r\n  </Step>\r\n</Steps>\r\n",
}


MKDOCS = {
    "admonition": "!!! note\n\n    BEGIN\n\n    END\n\nafter\n",
    "text above": "!!! note\n    a\n\n    BEGIN\n    END\n\nafter\n",
    "details": '??? note "A"\n\n    BEGIN\n\n    END\n\nafter\n',
    "tab": '=== "A"\n\n    BEGIN\n\n    END\n\n=== "B"\n\n    b\n',
    "admonition in a tab": '=== "A"\n\n    !!! note\n\n        BEGIN\n\n        END\n\n    a\n',
}


@cache
def texts() -> dict[str, str]:
    """Every region but most of those of single methods and types, and one more."""
    protocol = whole_schema()
    links = Elsewhere(plan(protocol), "page.md", "site/")
    known = regions(protocol, Templates(resources.TEMPLATES))
    shown = [name for name in known if name.partition(":")[0] not in PARTS]
    return {"own": OWN, **{name: known[name].render(links) for name in (*shown, *SOME_PARTS)}}


def page(frame: str, *, mdx: bool) -> str:
    """All regions, each in a frame."""
    return page_with(texts(), frame, mdx=mdx)


def page_with(names: Iterable[str], frame: str, *, mdx: bool) -> str:
    marker = "{{/* acpgen:{} {} */}}" if mdx else "<!-- acpgen:{} {} -->"
    return "\n".join(
        frame.replace("BEGIN", marker.format("begin", name)).replace(
            "END", marker.format("end", name)
        )
        for name in names
    )


def as_mkdocs(text: str) -> str:
    """The HTML that MkDocs and Zensical make of a text, without white space."""
    extensions = ["admonition", "pymdownx.details", "pymdownx.superfences", "pymdownx.tabbed"]
    html: str = import_module("markdown").markdown(
        text, extensions=[*extensions, "tables", "sane_lists"]
    )
    return "".join(html.split())


def filled(before: str, *, mdx: bool) -> str:
    def fill(text: str) -> Page:
        return inject(text, texts(), lambda region: texts()[region.name], mdx=mdx)

    after = fill(before).after
    again = fill(after)
    assert (again.after, again.stale) == (after, ())
    return after


def shown(tokens: list[Token]) -> list[tuple[str, str, str]]:
    return [(token.type, token.info, token.content) for token in tokens]


def split(text: str) -> tuple[list[Token], dict[str, list[Token]]]:
    """What a reader finds outside the regions, and in each."""
    outside: list[Token] = []
    inside: dict[str, list[Token]] = {}
    into = outside
    for token in READER.parse(text):
        ends = token.type == "html_block" and "acpgen:end" in token.content
        if ends:
            into = outside
        into.append(token)
        if token.type == "html_block" and "acpgen:begin" in token.content and not ends:
            into = inside.setdefault(token.content.split()[-2], [])
    return outside, inside


@pytest.mark.parametrize("end", a_few(("\n", "\r\n"), {"\n"}, "reads every region once more"))
@pytest.mark.parametrize(
    "frame", a_few(MARKDOWN, [*MARKDOWN][::2], "reads every region in each frame")
)
def test_in_markdown_all_stands_where_its_markers_do(frame: str, end: str) -> None:
    before = page(MARKDOWN[frame], mdx=False).replace("\n", end)
    outside, inside = split(filled(before, mdx=False))
    assert shown(outside) == shown(split(before)[0])
    assert [*inside] == [*texts()]
    for name, text in texts().items():
        assert shown(inside[name]) == shown(READER.parse(text)), name


@pytest.mark.prove("compiles many pages with Node.js")
def test_in_mdx_a_page_that_compiles_still_does(compiled: Compiler) -> None:
    before = {name: page(frame, mdx=True) for name, frame in MDX.items()}
    assert compiled(before, elements=True) == {}
    after = {name: filled(text, mdx=True) for name, text in before.items()}
    assert compiled(after, elements=True) == {}


@scaled("renders every region in every container")
@pytest.mark.parametrize("frame", MKDOCS)
def test_in_mkdocs_each_region_is_inside_its_container(frame: str) -> None:
    step = amount(6, 1)
    for name, text in [*texts().items()][::step]:
        before = page_with([name], MKDOCS[frame], mdx=False)
        shown_page = as_mkdocs(filled(before, mdx=False))
        inside, _, after = shown_page.partition(f"<!--acpgen:end{name}-->")
        assert as_mkdocs(text) in inside, name
        assert after.startswith(("</div>", "</details>")), name


def test_a_region_that_leaves_its_container_is_seen() -> None:
    text = "!!! note\n\n    <!-- a -->\n\n| A |\n| - |\n\n    <!-- b -->\n"
    assert "<!--b--></div>" not in as_mkdocs(text)


def test_the_compiler_finds_what_leaves_its_place(compiled: Compiler) -> None:
    begin, end = "{/* acpgen:begin one */}", "{/* acpgen:end one */}"
    bad = {
        "element": f"<Steps>\n  <Step>\n  {begin}\n\n- a\n\n  {end}\n  </Step>\n</Steps>\n",
        "list item": f"1. a\n\n   {begin}\n\nb\n\n   {end}\n",
    }
    found = compiled(bad, elements=True)
    assert "Expected the closing tag `</Step>`" in found["element"]
    assert found["list item"].endswith("one is torn")
