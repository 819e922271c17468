"""What the site adds to the generated pages: descriptions, members inside, examples, sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path

from code_tabs import code_tabs, highlighted
from markdown_it import MarkdownIt

from acpgen import resources
from acpgen.emit.markdown import fence
from acpgen.emit.templates import Templates
from acpgen.inject import Elsewhere
from acpgen.load.schema_text import lines_of
from acpgen.model import Kind, Location, Method, Protocol, TypeName
from acpgen.targets.pages.examples import Example, examples
from acpgen.targets.pages.param_fields import FieldChoice, FieldTree, ParamField
from acpgen.targets.pages.site import plan, slug_of

LONGEST = 155
"""How many characters of a description a search engine shows."""

SOURCES = "source"
"""The folder of the pages that show the schema's files."""

PLACEHOLDER = '<div class="added" id="later-{}"></div>'
"""Where the HTML of a key is put when the page is built."""

_DEEPEST = 3
"""How many levels of members can be expanded. Deeper ones are on the pages of types."""

_READER = MarkdownIt("commonmark")
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[`*]|\\(?=\W)")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PARAMS = re.compile(r"^(#{2,3}) Params\n(.*?)(?=^#{2,3} )", re.MULTILINE | re.DOTALL)


def described(page: str, text: str) -> str:
    """A page with front matter that has a description of its own, in plain words."""
    body = re.sub(r"^\[//\].*\n", "", text)
    title, *blocks = re.split(r"\n{2,}", body.strip())
    words = next((plain(block) for block in blocks if block[0] not in "#>|-`<"), "")
    if page.startswith("types/"):
        words = f"The types {', '.join(_HEADING.findall(text))}."
    title = plain(title.removeprefix("# "))
    whole = f"{title}: {words}" if words else title
    front = f"description: {json.dumps(_cut(whole), ensure_ascii=False)}\n"
    return f"---\n{front}{text[4:]}" if text.startswith("---\n") else f"---\n{front}---\n{text}"


def plain(markdown: str) -> str:
    """Markdown of one block as plain text."""
    return " ".join(_MARKUP.sub(r"\1", markdown).split())


def _cut(words: str) -> str:
    if len(words) <= LONGEST:
        return words
    return f"{words[:LONGEST].rpartition(' ')[0].rstrip(',;:.')} …"


def source_page(name: str, text: str) -> str:
    """A page that shows a file of the schema. Its lines can be linked to."""
    block = fence("json", text).replace("json\n", f'{{.json linenums="1" title="{name}"}}\n', 1)
    return f"# Source: {name}\n\n{block}\n"


def source_link(location: Location, root: str, label: str = "Source") -> str:
    """A link to the line of the schema that defines something, as HTML."""
    file = Path(location.file)
    line = _lines(file)[location.pointer]
    address = f"{root}{SOURCES}/{file.stem}.html#__codelineno-0-{line}"
    return f'<a href="{address}">{label}: {file.name}, line {line}</a>'


@cache
def _lines(file: Path) -> Mapping[str, int]:
    return {str(pointer): line for pointer, line in lines_of(file.read_text("utf-8")).items()}


def types_page(text: str, protocol: Protocol) -> str:
    """A page of types, with a link from each to its source."""

    def linked(heading: re.Match[str]) -> str:
        type_ = protocol.types.get(TypeName(heading[1]))
        if type_ is None:
            return heading[0]
        return f'{heading[0]}\n\n<p class="added">{source_link(type_.location, "../")}</p>'

    return _HEADING.sub(linked, text)


def method_page(text: str, methods: list[Method], protocol: Protocol, later: dict[str, str]) -> str:
    """A page of a method: params beside code and an example, members inside them, the source.

    Markdown would tear nested elements apart, so they are put into `later`, and a placeholder into
    the page.
    """
    site = plan(protocol)
    order = iter([m for kind in Kind for m in methods if m.kind is kind])

    def paired(part: re.Match[str]) -> str:
        method = next(order)
        links = Elsewhere(site, "page", "../", ".html")
        key = f"{slug_of(method.name)}.{method.kind}"
        later[key] = "".join(_members(method, FieldTree(protocol, links)))
        code = code_tabs(method, protocol, Templates(resources.TEMPLATES))
        later[f"{key}.code"] = f'<div class="added">{code}{_example(method, protocol)}</div>'
        inside = PLACEHOLDER.format(key)
        params = protocol.types[method.params]
        inside += f'\n\n<p class="added">{source_link(params.location, "../")}</p>'
        return (
            f'{part[1]} Params\n\n<div class="pair" markdown="1">\n<div markdown="1">\n'
            f"{part[2]}\n{inside}\n\n</div>\n{PLACEHOLDER.format(f'{key}.code')}\n</div>\n\n"
        )

    name = slug_of(methods[0].name)
    also = f'<p class="added"><a href="{name}.md">This page as Markdown</a></p>'
    return f"{_PARAMS.sub(paired, text)}\n{also}\n"


def _example(method: Method, protocol: Protocol) -> str:
    """The first message of a method and its answers, as HTML."""
    shown: dict[str, Example] = {}
    for found in examples(method, protocol):
        shown.setdefault(found.caption.split()[0], found)
    blocks = [
        f"<figcaption>{_inline(found.caption)}</figcaption>{highlighted(found.block)}"
        for found in shown.values()
    ]
    return f'<figure class="added">{"".join(blocks)}</figure>' if blocks else ""


def _members(method: Method, tree: FieldTree) -> Iterator[str]:
    type_ = tree.protocol.types[method.params].body
    choices = tree.choices(type_)
    for field in tree.fields(type_):
        if field.fields or field.choices:
            yield f'<details class="added"><summary>Inside <code>{escape(field.name)}</code>'
            yield f" ({escape(field.words)})</summary>{_inside(field, _DEEPEST)}</details>\n"
    if choices:
        yield '<details class="added"><summary>Inside each variant</summary>'
        yield f"{''.join(_choice(choice, _DEEPEST) for choice in choices)}</details>\n"


def _inside(field: ParamField, deep: int) -> str:
    if deep == 0:
        return f"<p>See {_inline(field.type)}.</p>"
    listed = "".join(_field(each, deep) for each in field.fields)
    return (f"<ul>{listed}</ul>" if listed else "") + "".join(
        _choice(choice, deep) for choice in field.choices
    )


def _choice(choice: FieldChoice, deep: int) -> str:
    tag = f"<code>{escape(choice.tag)}</code> " if choice.tag else ""
    listed = "".join(_field(each, deep) for each in choice.fields)
    body = f"<p>{_inline(choice.docs)}</p>" + (f"<ul>{listed}</ul>" if listed else "")
    return f"<details><summary>{tag}<code>{escape(choice.name)}</code></summary>{body}</details>"


def _field(field: ParamField, deep: int) -> str:
    words = "required" if field.required else "optional"
    head = f"<code>{escape(field.name)}</code> {_inline(field.type)}, {words}. "
    inner = ""
    if field.fields or field.choices:
        below = _inside(field, deep - 1)
        inner = f"<details><summary>Its members</summary>{below}</details>"
    return f"<li>{head}{_inline(field.docs)}{inner}</li>"


def _inline(markdown: str) -> str:
    html: str = _READER.renderInline(markdown)
    return html
