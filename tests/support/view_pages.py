"""Pages that `acpgen view` writes, and the session in them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner, Result

from acpgen.cli.view import view

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(view)


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def written(transcript: str, folder: Path, *options: str) -> Path:
    """Write the page of a transcript."""
    source, page = folder / "session.ndjson", folder / "session.html"
    source.write_text(transcript, "utf-8")
    result = run(source, "-o", page, *options)
    assert result.exit_code == 0, result.output
    return page


def session_in(page: Path) -> tuple[dict[str, Any], list[str]]:
    """The columns of a page, and the texts of its messages."""
    found = re.search(r'id="session">([^<]*)<', page.read_text("utf-8"))
    assert found is not None
    contents, *texts = gzip.decompress(base64.b64decode(found[1])).decode("utf-8").split("\n")
    return json.loads(contents), texts
