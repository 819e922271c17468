"""Builds the site from the generated pages: `make docs`, or `python site/build.py [FOLDER]`.

Zensical wants its configuration, its pages and what it writes in one folder. All of it is laid out
there anew each time (FOLDER, by default `build`); the site is then in its folder `site`. Exit
status: 0 when it is built, 1 when Zensical finds a fault such as a dead link, 2 when something is
missing.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import search_index
from additions import SOURCES, described, method_page, source_page, types_page
from artifacts import copied_files, finish, front_links, language_links
from old_versions import add_versions

from acpgen import resources
from acpgen.emit.markdown import Inline, anchors, code, first_sentence, join, link, prose, table
from acpgen.load import load
from acpgen.load.listing import schema_files
from acpgen.model import Kind, Method, MethodName, Protocol, RetryClass, Stability
from acpgen.startup.method_list import DIRECTIONS
from acpgen.targets.pages.site import plan
from acpgen.targets.retry.classes import CLASSES, UNSTATED

HERE = Path(__file__).resolve().parent
GENERATED = HERE.parent / "generated"
PACKAGES = {
    "iframe-worker.js": "iframe-worker/shim/index.js",
    "mermaid.js": "@mermaid-js/tiny/dist/mermaid.tiny.js",
}
"""The scripts of npm packages that pages load, by the names that they get."""

METHODS = "Methods"
"""The section of the index that the front page shows as one table, ahead of the others."""

FACETS = "May it be sent again?; Direction; Kind"
"""The columns of that table that can be narrowed to one value."""

ABOUT = (
    "The Agent Client Protocol (ACP) connects the programs that people work in, the Clients, such "
    "as code editors, with AI coding Agents. Both exchange JSON-RPC 2.0 messages: the Client opens "
    "sessions and sends prompts; the Agent reports its progress, and asks for permission or input."
)
"""What the protocol is, for those who come to the front page first."""

_HEADING = re.compile(r"(##+) (.+)")
_PAGE = re.compile(r"\[([^\]]+)\]\(([^)#]+\.md)\)")

Entry = Mapping[str, "str | list[Entry]"]
"""A page, or a part with entries of its own, by its name in the navigation."""


class LayoutError(ValueError):
    """The generated pages are not what the site is made for."""


def main() -> int:
    """Build the site below the folder that the command line names; return Zensical's status."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "build").resolve()
    try:
        later = lay_out(root)
    except (LayoutError, OSError) as error:
        sys.stderr.write(f"site/build.py: {error}\n")
        return 2
    status = run_zensical(root)
    if status == 0:
        search_index.rewrite(root / "site")
        finish(root / "pages", root / "site", later)
    return status


def run_zensical(root: Path) -> int:
    """Have Zensical build what is laid out in a folder; return its exit status."""
    program = str(Path(sys.executable).with_name("zensical"))
    settings = str(root / "zensical.toml")
    command = [program, "build", "--strict", "--clean", "--config-file", settings]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own arguments


def lay_out(root: Path) -> dict[str, str]:
    """Put everything that Zensical reads into a folder.

    Return the HTML that is put into the built pages, by the key of its placeholder.

    Raises:
        LayoutError: a page is in no navigation, the index lacks the section of the methods, what
            npm installs is missing, or the folder holds the sources.
        OSError: a file can't be read or written.
    """
    if root in HERE.parents:
        raise LayoutError(f"{root}: holds the sources of the site; name a folder of its own")
    pages = root / "pages"
    for folder in (pages, root / "overrides", root / "site"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(GENERATED / "docs", pages)
    shutil.copytree(HERE / "overrides", root / "overrides")
    shutil.copytree(HERE / "assets", pages / "assets")
    for name, path in PACKAGES.items():
        source, target = HERE / "node_modules" / path, pages / "assets/vendor" / name
        if not source.is_file():
            raise LayoutError(f"{source}: is missing; run `npm ci` in site")
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)
    index = (pages / "index.md").read_text("utf-8")
    found = {page.relative_to(pages).as_posix() for page in pages.rglob("*.md")}
    if lost := found - {"index.md", *(path for _, path in _PAGE.findall(index))}:
        raise LayoutError(f"generated/docs/index.md links to no {', '.join(sorted(lost))}")
    protocol = load(resources.SCHEMA)
    later = dict[str, str]()
    copied_files(GENERATED, pages)
    for page in sorted(found - {"index.md"}):
        text = enriched(page, (pages / page).read_text("utf-8"), protocol, later)
        (pages / page).write_text(described(page, text), "utf-8")
    links = front_links(GENERATED), language_links(GENERATED)
    front = front_page(index, protocol.methods, *links)
    (pages / "index.md").write_text(described("index.md", front), "utf-8")
    (pages / SOURCES).mkdir()
    for file in schema_files(resources.SCHEMA):
        text = source_page(file.name, file.read_text("utf-8"))
        (pages / SOURCES / f"{file.stem}.md").write_text(text, "utf-8")
    add_versions(pages, protocol)
    settings = (HERE / "zensical.toml").read_text("utf-8")
    navigation = f"[project]\nnav = {_toml([*contents(index), {'Versions': 'versions.md'}])}\n"
    settings = settings.replace("[project]\n", navigation, 1)
    (root / "zensical.toml").write_text(settings, "utf-8")
    return later


def contents(index: str) -> list[Entry]:
    """The navigation: the headings of the index, and below each the pages first met there.

    A heading whose only page has the same name is that page.
    """
    seen: set[str] = set()
    pages: dict[str, dict[str, list[Entry]]] = {}
    section = group = ""
    for line in index.splitlines():
        if heading := _HEADING.match(line):
            section, group = (section, heading[2]) if len(heading[1]) > 2 else (heading[2], "")
        for name, path in _PAGE.findall(line):
            if path not in seen:
                seen.add(path)
                entries = pages.setdefault(section, {}).setdefault(group, [])
                entries.append({name.strip("`"): path})
    return [{"Overview": "index.md"}, *(_part(name, groups) for name, groups in pages.items())]


def enriched(page: str, text: str, protocol: Protocol, later: dict[str, str]) -> str:
    """A generated page with what the site adds to those of methods and of types."""
    if page.startswith("types/"):
        return types_page(text, protocol)
    name = next(
        (name for name, path in plan(protocol).methods.items() if path == f"docs/{page}"), None
    )
    if name is None:
        return text
    return method_page(text, _kinds(protocol, name), protocol, later)


def _kinds(protocol: Protocol, name: MethodName) -> list[Method]:
    found = (protocol.method(name, kind) for kind in Kind)
    return [method for method in found if method is not None]


def front_page(index: str, methods: Sequence[Method], links: str = "", below: str = "") -> str:
    """The index: what the protocol is, `links`, a table of all methods, `below`, other sections.

    Raises:
        LayoutError: the index has no section of methods.
    """
    intro, *sections = re.split(r"^(?=## )", index, flags=re.MULTILINE)
    others = [section for section in sections if not section.startswith(f"## {METHODS}\n")]
    if len(others) + 1 != len(sections):
        raise LayoutError(f"generated/docs/index.md has no section called {METHODS}")
    # A method and a domain of types can have one name, and the methods come first.
    pages = {name.strip("`"): path for name, path in reversed(_PAGE.findall(index))}
    title, _, rest = intro.partition("\n\n")[2].partition("\n\n")
    start = f"{title}\n\n{ABOUT}\n\n{rest}{links}"
    shown = f"{start}{_methods(pages, methods)}{below}{''.join(others)}"
    return f"---\nhide: [navigation, toc]\n---\n{shown}"


def _part(name: str, groups: Mapping[str, list[Entry]]) -> Entry:
    entries = [
        entry for group, own in groups.items() for entry in ([{group: own}] if group else own)
    ]
    return entries[0] if [list(entry) for entry in entries] == [[name]] else {name: entries}


def _toml(value: str | list[Entry] | Entry) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return "{" + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + "}"


def _methods(pages: Mapping[str, str], methods: Sequence[Method]) -> str:
    """The table of all methods, in the element that `assets/filter.js` looks for."""
    head = ("Method", "What it does", "May it be sent again?", "Direction", "Kind")
    rows = [_row(pages[method.name], method) for method in methods]
    return f"""\
## {METHODS}

<div class="filterable" markdown="1" data-facets="{FACETS}">

{table([Inline(name) for name in head], rows)}

</div>

"""


def _row(page: str, method: Method) -> list[Inline]:
    unstable = Inline("*unstable*" if method.stability is Stability.UNSTABLE else "")
    return [
        join([link(code(method.name), page), unstable]),
        prose(first_sentence(method.docs)),
        join(_class(method.retry)),
        Inline(DIRECTIONS[method.side]),
        Inline(method.kind.value),
    ]


def _class(retry: RetryClass | None) -> list[Inline]:
    if retry is None:
        return [UNSTATED]
    words = CLASSES[retry]
    target = f"retry-classes.md#{anchors([words.title])[0]}"
    return [link(Inline(words.title), target), words.short]


if __name__ == "__main__":
    sys.exit(main())
