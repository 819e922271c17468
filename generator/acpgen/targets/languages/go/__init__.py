"""Go, laid out as gofmt does it."""

from __future__ import annotations

from acpgen.targets.languages.dialect import Dialect, Sentence, Slot
from acpgen.targets.languages.registry_package import RegistryPackage
from acpgen.targets.languages.spelling import (
    MARKS,
    escaped,
    line_comment,
    pascal,
    without_surrogates,
)

_SHORT = {"RetryClass": "Class"}
"""The package is called retry already, so names don't repeat it."""


def string(value: str) -> str:
    """An interpreted string literal."""
    return f'"{escaped(without_surrogates(value), MARKS, _unseen)}"'


def _unseen(character: str) -> str:
    return f"\\U{ord(character):08x}"


def _constant(type_: str, name: str) -> str:
    return f"{_type_name(type_)}{pascal(name)}"


def _type_name(name: str) -> str:
    return _SHORT.get(name, name)


def _sentence(parts: Sentence) -> str:
    return " + ".join(part.name if isinstance(part, Slot) else string(part) for part in parts)


DIALECT = Dialect(
    title="Go",
    path="v{version}/retry/retry_gen.go",
    text_type="string",
    optional_type="string",
    texts_type="[]string",
    string=string,
    texts=lambda literals: f"[]string{{{', '.join(literals)}}}" if literals else None,
    optional=lambda literal: literal,
    type_name=_type_name,
    member=_constant,
    qualified=_constant,
    field=lambda name: _type_name(pascal(name)),
    sentence=_sentence,
    comment=line_comment("//", 100),
    full="full_go",
    package=RegistryPackage(
        registry="the Go module proxy",
        name="agentclientprotocol.com/go/acpv{version}",
        publish="git tag generated/go/v{version}/v{release}, and push the tag",
        templates={"go.mod": "module.mod", "README.md": "readme.md"},
        folder="v{version}",
    ),
)
