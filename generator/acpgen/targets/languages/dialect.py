"""How a language writes what a table holds: its literals, names, comments and paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from acpgen.targets.languages.registry_package import RegistryPackage


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a sentence that gets the value of a variable when a program runs."""

    name: str


Sentence = Sequence[str | Slot]
"""Text with slots in between."""


class Comment(Protocol):
    """Writes Markdown paragraphs as a comment for the next declaration, indented by spaces."""

    def __call__(self, text: str, indent: int = 0) -> str:
        """Return the comment without a final line end."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """One language.

    Fields:
        title: the usual name of the language.
        path: the generated file below the language's folder, with `{version}` of the protocol.
        text_type: the type of a text.
        optional_type: the type of a text that may be missing.
        texts_type: the type of a list of texts.
        string: any text as a literal.
        texts: a list of texts, from their literals. None leaves the member of the row out.
        optional: a text that may be missing, from its literal or None where it is missing. None
            leaves the member of the row out.
        type_name: the name of an enumeration, from that in the model.
        member: the name of an enumeration's member where it is declared, from its type and NAME.
        qualified: the same member as an expression.
        field: the name of a row's member, from snake_case.
        sentence: an expression that puts a sentence together.
        comment: documentation of what follows.
        codec: the file beside the table that reads and writes keys with the language's usual JSON
            library, named like `path`; None where the table needs no library for it.
        full: the module of the language's folder that makes the files beside the table, with a
            function of the same name, and `type_faults`, which says what keeps a protocol from
            having them; None for a language without types of everything.
        package: how the files become a package; None for a language without a registry.
    """

    title: str
    path: str
    text_type: str
    optional_type: str
    texts_type: str
    string: Callable[[str], str]
    texts: Callable[[Sequence[str]], str | None]
    optional: Callable[[str | None], str | None]
    type_name: Callable[[str], str]
    member: Callable[[str, str], str]
    qualified: Callable[[str, str], str]
    field: Callable[[str], str]
    sentence: Callable[[Sentence], str]
    comment: Comment
    full: str | None = None
    codec: str | None = None
    package: RegistryPackage | None = None
