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

from acpgen.emit.markdown import Inline, anchors, code, join, link, prose, table
from acpgen.model import RetryClass, Side
from acpgen.startup.method_list import DIRECTIONS
from acpgen.targets.retry.classes import CLASSES

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
        lay_out(root)
    except (LayoutError, OSError) as error:
        sys.stderr.write(f"site/build.py: {error}\n")
        return 2
    return run_zensical(root)


def run_zensical(root: Path) -> int:
    """Have Zensical build what is laid out in a folder; return its exit status."""
    program = str(Path(sys.executable).with_name("zensical"))
    settings = str(root / "zensical.toml")
    command = [program, "build", "--strict", "--clean", "--config-file", settings]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own arguments


def lay_out(root: Path) -> None:
    """Put everything that Zensical reads into a folder.

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
    methods = json.loads((GENERATED / "json/methods.json").read_text("utf-8"))["methods"]
    (pages / "index.md").write_text(front_page(index, methods), "utf-8")
    settings = (HERE / "zensical.toml").read_text("utf-8")
    navigation = f"[project]\nnav = {_toml(contents(index))}\n"
    settings = settings.replace("[project]\n", navigation, 1)
    (root / "zensical.toml").write_text(settings, "utf-8")


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


def front_page(index: str, methods: Sequence[Mapping[str, str]]) -> str:
    """The index, with one table of all methods ahead of its other sections.

    Raises:
        LayoutError: the index has no section of methods.
    """
    intro, *sections = re.split(r"^(?=## )", index, flags=re.MULTILINE)
    others = [section for section in sections if not section.startswith(f"## {METHODS}\n")]
    if len(others) + 1 != len(sections):
        raise LayoutError(f"generated/docs/index.md has no section called {METHODS}")
    # A method and a domain of types can have one name, and the methods come first.
    pages = {name.strip("`"): path for name, path in reversed(_PAGE.findall(index))}
    return f"---\nhide: [navigation, toc]\n---\n{intro}{_methods(pages, methods)}{''.join(others)}"


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


def _methods(pages: Mapping[str, str], methods: Sequence[Mapping[str, str]]) -> str:
    """The table of all methods, in the element that `assets/filter.js` looks for."""
    head = ("Method", "May it be sent again?", "What a copy does", "Direction", "Kind")
    rows = [_row(pages[method["method"]], method) for method in methods]
    return f"""\
## {METHODS}

<div class="filterable" markdown="1" data-facets="{FACETS}">

{table([Inline(name) for name in head], rows)}

</div>

"""


def _row(page: str, method: Mapping[str, str]) -> list[Inline]:
    retry = CLASSES[RetryClass(method["retryClass"])]
    unstable = Inline("*unstable*" if method["stability"] == "unstable" else "")
    retry_class = link(Inline(retry.title), f"retry-classes.md#{anchors([retry.title])[0]}")
    return [
        join([link(code(method["method"]), page), unstable]),
        join([retry_class, retry.short]),
        prose(method["resend"]),
        Inline(DIRECTIONS[Side(method["side"])]),
        Inline(method["kind"]),
    ]


if __name__ == "__main__":
    sys.exit(main())
