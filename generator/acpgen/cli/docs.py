"""`acpgen docs`: generated regions in pages that people write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import typer.main

from acpgen import resources
from acpgen.cli.crash import is_own
from acpgen.cli.extras import installation
from acpgen.cli.report import Exit, fail, note, relative, reporting_failure, show
from acpgen.cli.schema_errors import failing_without_schema
from acpgen.cli.schema_options import Schema, TemplateFolder
from acpgen.cli.stderr import note_other_schema
from acpgen.emit.tree import replace_files
from acpgen.findings import Finding, Format, printable
from acpgen.load import load
from acpgen.report.problem import Problem
from acpgen.startup.digests import content_of
from acpgen.words import counted

if TYPE_CHECKING:
    from acpgen.inject import ContentError, Marked, Page, Region
    from acpgen.targets.pages.site import Site

app = typer.Typer(
    name="docs", help="Keep generated regions in pages that people write.", no_args_is_help=True
)

_MDX = ".mdx"


class Ending(StrEnum):
    """How the generated pages end where links lead."""

    MD = "md"
    HTML = "html"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Way:
    """Where links lead: the pages of the site, its place, and the ending of its pages."""

    site: Site
    place: str | None
    ending: Ending | None


@app.command()
def inject(
    files: Annotated[
        list[Path], typer.Argument(help="Pages in Markdown or MDX.", metavar="FILE...")
    ],
    schema: Schema = resources.SCHEMA,
    templates: TemplateFolder = resources.TEMPLATES,
    links: Annotated[
        str | None,
        typer.Option(
            help="Where the generated pages are: a folder, a URL, or an absolute path of a site.",
            metavar="PLACE",
            show_default="as the marker has it, or no links",
        ),
    ] = None,
    ending: Annotated[
        Ending | None,
        typer.Option(
            help="The suffix of the pages there: md as acpgen writes them, html as on the site "
            "that `make docs` builds, none for a web server that drops it.",
            show_default="as the marker has it, or md",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Write nothing; report the regions that are not as generated."
        ),
    ] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="How findings are printed.")
    ] = Format.TEXT,
) -> None:
    """Fill the regions between `<!-- acpgen:begin NAME -->` and `<!-- acpgen:end NAME -->`.

    In MDX the markers are `{/* acpgen:begin NAME */}` and `{/* acpgen:end NAME */}`. Each is
    alone on its line, indented like the text around it in a list item, an element, or an
    admonition or a tab of MkDocs and Zensical; the text of the region is indented alike. Markers
    between fences are examples. --links and --ending are written into the first marker of each
    region, as `links=PLACE ending=html`, so later calls need not name them. Nothing else outside
    the regions changes. If a marker in any page is wrong, or a template would make one so, no file
    changes. Exit status: 0 when all regions are up to date, 1 when --check finds a difference, 2
    when something can't be read or written.
    """
    with reporting_failure("docs", format_, schema):
        site, known = _known(schema, templates)
        way = Way(site, links, ending)
        pages = {file: _page(file, way, known, templates) for file in dict.fromkeys(files)}
        if broken := [problem for _, problems in pages.values() for problem in problems]:
            fail(*broken)
    filled = {file: page for file, (page, _) in pages.items() if page is not None}
    if check:
        _check(filled, format_)
    else:
        for file, page in filled.items():
            if page.stale:
                _write(file, page.after)
        note(_summary(filled, "wrote"))


@app.command()
def regions(
    schema: Schema = resources.SCHEMA,
    templates: TemplateFolder = resources.TEMPLATES,
) -> None:
    """List the regions that a page can have, each with its name and content."""
    _, known = _known(schema, templates)
    width = max(map(len, known))
    for name, region in known.items():
        typer.echo(f"{printable(name):{width}}  {printable(region.summary)}")


def _known(schema: Path, folder: Path) -> tuple[Site, dict[str, Region]]:
    """The generated pages, and all regions by name."""
    if schema == resources.SCHEMA:
        note_other_schema()
    try:
        with failing_without_schema(schema, "that pages can be made from"):
            from acpgen.emit.templates import Templates
            from acpgen.inject import contexts, house, regions
            from acpgen.targets.pages.site import plan

            protocol = load(relative(schema))
            own = regions(protocol, Templates(relative(folder)))
            return plan(protocol), {**own, **house(protocol), **_commands(), **contexts(protocol)}
    except ValueError as error:
        fail(str(error))


def _commands() -> dict[str, Region]:
    """The region that lists the commands, as their help describes them."""
    from acpgen.inject import Region

    summary = "the commands of acpgen"
    return {"commands": Region(summary, lambda _: _command_table())}


def _command_table() -> str:
    from acpgen.cli.app import typer_app
    from acpgen.emit.markdown import Inline, code, first_sentence, prose, table

    rows = [
        (code(name), prose(first_sentence(help_)))
        for name, help_ in _walk("acpgen", typer.main.get_command(typer_app()))
    ]
    return table([Inline("Command"), Inline("What it does")], rows)


def _walk(name: str, command: object) -> Iterator[tuple[str, str]]:
    """Every command below one: its whole name, and its help."""
    # Typer brings its own copy of Click in some versions, so the class has no name to import.
    children: dict[str, object] = getattr(command, "commands", {})
    for child, found in sorted(children.items()):
        yield from _walk(f"{name} {child}", found)
    if not children:
        yield name, getattr(command, "help", "") or ""


def _page(
    file: Path, way: Way, known: dict[str, Region], templates: Path
) -> tuple[Page | None, list[Problem]]:
    """A page with its regions filled, or the problems with it."""
    from acpgen.inject import ContentError, Elsewhere, LinkOptions, PageError, inject, place_from

    place = None if way.place is None else place_from(file, way.place)
    given = LinkOptions(place, way.ending)

    def render(region: Marked) -> str:
        options = region.options
        return known[region.name].render(
            Elsewhere(way.site, file.as_posix(), options.base, options.suffix)
        )

    try:
        text = content_of(str(file)).decode("utf-8")
        is_mdx = file.suffix.lower() == _MDX
        return inject(text, known, render, mdx=is_mdx, options=given), []
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return None, [Problem(str(file), "is not UTF-8", line)]
    except OSError as error:
        message = f"{error.strerror or error}; inject needs an existing page"
        return None, [Problem(str(file), message, None)]
    except PageError as error:
        return None, [
            Problem(str(file), fault.message, fault.line or None) for fault in error.faults
        ]
    except ContentError as error:
        return None, [_spoilt(file, error, known, templates)]
    except ImportError as error:
        if is_own(error):
            raise
        fail(f"{error}; pages need more packages: {installation('generate')}")
    except ValueError as error:
        fail(str(error))


def _spoilt(file: Path, error: ContentError, known: dict[str, Region], folder: Path) -> Problem:
    """The problem of a page that a template would break."""
    from acpgen.inject import shaping

    region = error.region
    paths = shaping(known[region.name], relative(folder))
    text = " or ".join(map(str, paths)) or "its text"
    message = f"{region.name} would not be found again: {text} {error.why}; fix that first"
    return Problem(str(file), message, region.begin + 1)


def _check(pages: dict[Path, Page], format_: Format) -> None:
    if format_ is Format.TEXT:
        for file, page in pages.items():
            if page.stale:
                show("docs", _findings(file, page), format_)
                typer.echo(page.diff(str(file)), nl=False)
    else:
        show("docs", (f for file, page in pages.items() for f in _findings(file, page)), format_)
    note(_summary(pages, "would write"))
    if any(page.stale for page in pages.values()):
        raise typer.Exit(Exit.FINDINGS)


def _findings(file: Path, page: Page) -> Iterator[Finding]:
    from acpgen.inject.rules import stale_region

    for region in page.stale:
        yield Finding(
            stale_region.id,
            stale_region.severity,
            str(file),
            "",
            f"{region.name} is not as generated; run `acpgen docs inject`",
            region.begin + 1,
        )


def _summary(pages: dict[Path, Page], verb: str) -> str:
    """A summary: `2 regions in 1 page: wrote 1`."""
    stale = sum(len(page.stale) for page in pages.values())
    total = sum(len(page.regions) for page in pages.values())
    where = f"{counted(total, 'region')} in {counted(len(pages), 'page')}"
    hint = "" if total else "; write <!-- acpgen:begin NAME --> where one belongs"
    return f"{where}: {f'{verb} {stale}' if stale else 'up to date'}{hint}"


def _write(file: Path, text: str) -> None:
    """Replace the content of a page; of a symbolic link, the content of its target."""
    try:
        replace_files({file.resolve(): text})
    except OSError as error:
        fail(f"{file}: can't be written: {error.strerror or error}")
