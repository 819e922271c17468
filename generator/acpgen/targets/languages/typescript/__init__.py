"""TypeScript, laid out as Prettier does it in the official SDK."""

from __future__ import annotations

from acpgen.targets.languages.dialect import Dialect, Sentence, Slot
from acpgen.targets.languages.registry_package import RegistryPackage
from acpgen.targets.languages.spelling import (
    MARKS,
    block_comment,
    camel,
    escaped,
    pascal,
    same,
    utf16,
)

_TEMPLATE = {**MARKS, '"': '"', "`": "\\`", "$": "\\$"}


def string(value: str) -> str:
    """A string literal in double quotes."""
    return f'"{escaped(value, MARKS, utf16)}"'


def _sentence(parts: Sentence) -> str:
    written = (
        f"${{{part.name}}}" if isinstance(part, Slot) else escaped(part, _TEMPLATE, utf16)
        for part in parts
    )
    return f"`{''.join(written)}`"


DIALECT = Dialect(
    title="TypeScript",
    path="v{version}/schema/retry.gen.ts",
    text_type="string",
    optional_type="string | null",
    texts_type="readonly string[]",
    string=string,
    texts=lambda literals: f"[{', '.join(literals)}]",
    optional=lambda literal: literal or "null",
    type_name=same,
    member=lambda _, name: pascal(name),
    qualified=lambda type_, name: f"{type_}.{pascal(name)}",
    field=camel,
    sentence=_sentence,
    comment=block_comment(80),
    full="full_typescript",
    package=RegistryPackage(
        registry="npm",
        name="acp-v{version}",
        publish="npm publish build/packages/acp-v{version}-{release}.tgz",
        pre_release="--tag next",
        templates={
            "package.json": "package.json",
            "tsconfig.json": "tsconfig.json",
            "README.md": "readme.md",
        },
    ),
)
