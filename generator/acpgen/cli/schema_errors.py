"""What a command prints about a schema that it can't use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acpgen.cli.report import fail, note, unreadable
from acpgen.findings import printable, text
from acpgen.load import SchemaError


@contextmanager
def failing_without_schema(schema: Path, use: str) -> Iterator[None]:
    """Exit with the reasons where a schema can't be loaded; `use` completes "is not a schema".

    Raises:
        CommandFailure: the block raised a SchemaError or an OSError.
    """
    try:
        yield
    except SchemaError as error:
        note(text(error.findings).rstrip("\n"))
        note_inner_schema(schema)
        fail(f"{schema}: is not a schema {use}")
    except OSError as error:
        fail(unreadable(error, schema))


def note_inner_schema(schema: Path) -> None:
    """Note which folder may have been meant, where one that can't be used holds a schema."""
    inner = [p for p in sorted(schema.glob("v[0-9]*")) if next(p.glob("*.json"), None)]
    if inner:
        note(f"acpgen: {printable(str(schema))}: holds {printable(str(inner[-1]))}; name that one?")
