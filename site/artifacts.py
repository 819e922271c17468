"""The files beside the pages: schemas, tables, Markdown of each page, llms.txt, the sitemap."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from additions import PLACEHOLDER
from cards import carded
from old_versions import version_menu

from acpgen import resources
from acpgen.emit.markdown import Inline, code, join, link, table
from acpgen.load.last_release import last_release
from acpgen.targets import languages

FILES = "files"
"""The folder of the site with the generated files that people download."""

_METHODS = "json/methods.json"
_FILES = {
    "schema/acp-v2.schema.json": "the stable schema: JSON Schema of every message",
    "schema/acp-v2.unstable.schema.json": "the same with what is unstable",
    "openrpc.json": "an OpenRPC document of all methods",
    _METHODS: "the table of methods: sides, types, retry classes",
}
_PLACE = re.compile(re.escape(PLACEHOLDER).replace(r"\{\}", r"([^\"]+)"))
_START = '<a id="__skip" tabindex="-1"></a>'
"""What the article of a page begins with."""
_LINE = re.compile(r'<a (id="__codelineno-[^"]+")[^>]*></a>')
"""The place of a line of code, as an empty link, which assistive technology reads out."""
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_DESCRIPTION = re.compile(r'^description: (".*")$', re.MULTILINE)
_GENERATED = re.compile(r"\A---\n.*?^---\n", re.MULTILINE | re.DOTALL)


def copied_files(generated: Path, pages: Path) -> None:
    """Copy the files that the front page links to.

    Raises:
        OSError: one of them is missing.
    """
    (pages / FILES).mkdir()
    for name in _FILES:
        shutil.copyfile(generated / name, pages / FILES / Path(name).name)
    version = _protocol_version(generated)
    for name in languages.names():
        table_file = generated / _table_path(name, version)
        shutil.copyfile(table_file, pages / FILES / table_file.name)
        _archive(generated / name, pages / FILES / f"acp-v{version}-{name}.zip")


def _archive(folder: Path, target: Path) -> None:
    """Write an archive of a folder, the same for the same files."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            name = file.relative_to(folder.parent).as_posix()
            if "__pycache__" not in name:
                archive.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)


def _protocol_version(generated: Path) -> int:
    version: int = json.loads((generated / _METHODS).read_text("utf-8"))["protocolVersion"]
    return version


def _table_path(name: str, version: int) -> str:
    """Where the retry table of a language is, below the generated files."""
    if name == languages.PYTHON:
        return f"python/acp_v{version}/retry.py"
    return languages.table_path(name, version)


def front_links(generated: Path) -> str:
    """The version of the protocol, and the files, as a section of the front page."""
    version = _protocol_version(generated)
    release = last_release(resources.SCHEMA).version
    files = "".join(
        f"- {link(code(Path(name).name), f'{FILES}/{Path(name).name}')}: {what}\n"
        for name, what in _FILES.items()
    )
    return (
        f"## This version\n\nThis is version {version} of the protocol, with what changed since "
        f"release {release} of its schema. [Versions](versions.md) has all releases side by side "
        "and their differences, and the [changelog](versions.md#changelog).\n\n"
        f"{files}- the [packages of each language](#in-your-language)\n\n"
    )


def language_links(generated: Path) -> str:
    """What there is for each language, as a section of the front page."""
    version = _protocol_version(generated)
    rows = []
    for name in languages.names():
        spoken = languages.dialect(name)
        file = Path(_table_path(name, version)).name
        archive = f"acp-v{version}-{name}.zip"
        full = name == languages.PYTHON or spoken.full is not None
        has = "types, checks, readers and the table" if full else "the table and the key as JSON"
        rows.append(
            (
                Inline(spoken.title),
                link(code(file), f"{FILES}/{file}"),
                join([link(code(archive), f"{FILES}/{archive}"), Inline(f"({has})")]),
            )
        )
    head = ("Language", "What may be sent again, as one file", "The whole package")
    return f"## In your language\n\n{table([Inline(cell) for cell in head], rows)}\n\n"


def finish(pages: Path, site: Path, later: Mapping[str, str]) -> None:
    """Add to a built site what Zensical does not write, and remove an empty sitemap.

    `later` is HTML by the key of its placeholder.

    Raises:
        OSError: a file can't be read or written.
    """
    listed = []
    for page in sorted(pages.rglob("*.md")):
        name = page.relative_to(pages).as_posix()
        html = site / name.replace(".md", ".html")
        built = html.read_text("utf-8")
        built = _LINE.sub(r"<span \1></span>" if name.startswith("source/") else "", built)
        built = carded(built)
        built = built.replace(_START, _START + version_menu(name, pages), 1)
        if name.startswith(("versions/", "source/")):
            html.write_text(built, "utf-8")
            continue
        text = page.read_text("utf-8")
        (site / name).write_text(_markdown(name, text), "utf-8")
        alternate = f'<link rel="alternate" type="text/markdown" href="{page.name}">'
        shown = built.replace("</head>", f"{alternate}</head>", 1)
        shown = _PLACE.sub(lambda place: later[place[1]], shown)
        html.write_text(shown, "utf-8")
        listed.append(_entry(name, text))
    (site / "llms.txt").write_text("\n".join([*_HEAD, *listed, ""]), "utf-8")
    # Without the address of the site there is nothing that a sitemap can list.
    sitemap = site / "sitemap.xml"
    if sitemap.exists() and "<url>" not in sitemap.read_text("utf-8"):
        sitemap.unlink()


_HEAD = [
    "# Agent Client Protocol v2",
    "",
    "> Every method and type of ACP v2, and which message may be sent again.",
    "",
    "## Pages",
    "",
]


def _entry(name: str, text: str) -> str:
    """A line of llms.txt."""
    title, found = _TITLE.search(text), _DESCRIPTION.search(text)
    what = json.loads(found[1]) if found else ""
    return f"- [{title[1].replace('`', '') if title else name}]({name}): {what}"


def _markdown(name: str, text: str) -> str:
    """The Markdown of a page: as it was generated, where it was."""
    original = _ORIGINALS / name
    return original.read_text("utf-8") if original.is_file() else _GENERATED.sub("", text)


_ORIGINALS = Path(__file__).resolve().parent.parent / "generated/docs"
