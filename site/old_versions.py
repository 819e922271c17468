"""The pages of released versions of the schema, and what differs from the current one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from acpgen import resources
from acpgen.emit.markdown import Inline, code, link, table
from acpgen.emit.templates import Templates
from acpgen.load import load
from acpgen.model import Protocol
from acpgen.targets.pages import pages as generated_pages

FOLDER = "versions"
RELEASED = Path(__file__).resolve().parent.parent / "schema/released"
_NAME = re.compile(r"acp-v\d+-(.+)\.schema\.json")
_TITLE = re.compile(r"^# .+\n\n", re.MULTILINE)
_HEADING = re.compile(r"^(#+) ", re.MULTILINE)


def add_versions(pages: Path, current: Protocol) -> None:
    """Write the pages of each release, and the page that compares them with the current schema.

    Raises:
        OSError: a file can't be read or written.
        ValueError: a release is not a schema that pages can be made from.
    """
    rows = [_row(Inline("current"), "index.md", "files/acp-v2.schema.json", current)]
    parts = []
    for file in released():
        name = _version(file)
        protocol = load(file)
        _write(pages / FOLDER / name, protocol, name)
        shutil.copyfile(file, pages / "files" / file.name)
        start = f"{FOLDER}/{name}/index.md"
        rows.append(_row(Inline(name), start, f"files/{file.name}", protocol))
        parts.append(f"## From {name} to the current schema\n\n{differences(file)}")
    head = ("Version", "Methods", "Types", "Schema")
    side_by_side = table([Inline(cell) for cell in head], rows)
    text = (
        "# Versions\n\nEach version has pages of its own, and every page leads to the same one of "
        f"the other versions.\n\n{side_by_side}\n\n"
    )
    log = _HEADING.sub(r"#\1 ", RELEASED.joinpath("CHANGELOG.md").read_text("utf-8"))
    entries = log[log.find("### ") :].strip()
    parts.append(f"## Changelog\n\n{entries}")
    (pages / "versions.md").write_text(text + "\n\n".join(parts) + "\n", "utf-8")


def version_menu(page: str, pages: Path) -> str:
    """The same page in each version, or the start of a version that lacks it, as HTML.

    Empty for a page that belongs to no version.
    """
    if page.startswith("source/") or page == "versions.md":
        return ""
    versions = {"current": "", **{n: f"{FOLDER}/{n}/" for n in map(_version, released())}}
    own = next(
        (n for n, folder in versions.items() if folder and page.startswith(folder)), "current"
    )
    inside = page.removeprefix(versions[own])
    up = "../" * page.count("/")
    items = []
    for name, folder in versions.items():
        there = inside if (pages / folder / inside).is_file() else "index.md"
        target = f"{up}{folder}{there}".removesuffix(".md") + ".html"
        here = ' aria-current="page"' if name == own else ""
        items.append(f'<li><a href="{target}"{here}>{name}</a></li>')
    items.append(f'<li><a href="{up}versions.html">All versions and differences</a></li>')
    return (
        f'<details class="added versions"><summary>Version: {own}</summary>'
        f"<ul>{''.join(items)}</ul></details>"
    )


def released() -> list[Path]:
    """The released schemas, the newest first."""
    files = [file for file in RELEASED.iterdir() if _NAME.fullmatch(file.name)]
    return sorted(files, key=lambda file: [*map(int, _version(file).split("."))], reverse=True)


def differences(file: Path) -> str:
    """What `acpgen diff` says of the current schema, with headings below those of the page."""
    options = ["--format", "markdown", "--all", "--fail-on", "none"]
    command = [sys.executable, "-m", "acpgen", "diff", str(file), str(resources.SCHEMA), *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")  # noqa: S603 - our own arguments
    text = done.stdout.partition("\n")[2].strip()
    return _HEADING.sub(r"#\1 ", text) or "Nothing."


def _version(file: Path) -> str:
    name = _NAME.fullmatch(file.name)
    return name[1] if name else file.stem


def _write(folder: Path, protocol: Protocol, name: str) -> None:
    for path, text in generated_pages(protocol, Templates(resources.TEMPLATES)).items():
        page = folder / path.removeprefix("docs/")
        page.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (path.count("/") + 1)
        note = f"> This page is of release {name}. See the [current version]({up}index.md).\n\n"
        title = _TITLE.search(text)
        end = title.end() if title else 0
        page.write_text(f"{text[:end]}{note}{text[end:]}", "utf-8")


def _row(name: Inline, page: str, schema: str, protocol: Protocol) -> list[Inline]:
    return [
        link(name, page),
        Inline(str(len({method.name for method in protocol.methods}))),
        Inline(str(len(protocol.types))),
        link(code(Path(schema).name), schema),
    ]
