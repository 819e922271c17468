"""Python, laid out as Ruff does it."""

from __future__ import annotations

from acpgen.emit.python import literal
from acpgen.targets.languages.dialect import Dialect, Sentence, Slot
from acpgen.targets.languages.spelling import docstring, same


def _sentence(parts: Sentence) -> str:
    """A literal to be filled in by `format`."""
    written = (
        f"{{{part.name}}}" if isinstance(part, Slot) else part.replace("{", "{{").replace("}", "}}")
        for part in parts
    )
    return literal("".join(written))


DIALECT = Dialect(
    title="Python",
    path="acp_v{version}/retry.py",
    text_type="str",
    optional_type="str | None",
    texts_type="tuple[str, ...]",
    string=literal,
    texts=lambda literals: f"({', '.join(literals)}{',' if len(literals) == 1 else ''})",
    optional=lambda text: text or "None",
    type_name=same,
    member=lambda _, name: name,
    qualified=lambda type_, name: f"{type_}.{name}",
    field=same,
    sentence=_sentence,
    comment=docstring(100),
)
