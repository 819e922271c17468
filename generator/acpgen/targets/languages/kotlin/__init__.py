"""Kotlin, for every platform that it compiles to."""

from __future__ import annotations

from acpgen.targets.languages.dialect import Dialect, Sentence, Slot
from acpgen.targets.languages.registry_package import RegistryPackage
from acpgen.targets.languages.spelling import MARKS, block_comment, camel, escaped, same, utf16

_MARKS = {**MARKS, "$": "\\$"}


def string(value: str) -> str:
    """A string literal without string templates."""
    return f'"{escaped(value, _MARKS, utf16)}"'


def _sentence(parts: Sentence) -> str:
    written = ""
    for part in reversed(parts):
        if isinstance(part, Slot):
            plain = not (written[:1].isalnum() or written[:1] == "_")
            written = (f"${part.name}" if plain else f"${{{part.name}}}") + written
        else:
            written = escaped(part, _MARKS, utf16) + written
    return f'"{written}"'


DIALECT = Dialect(
    title="Kotlin",
    path="com/agentclientprotocol/model/v{version}/retry/Retry.kt",
    text_type="String",
    optional_type="String?",
    texts_type="List<String>",
    string=string,
    texts=lambda literals: f"listOf({', '.join(literals)})" if literals else "emptyList()",
    optional=lambda literal: literal or "null",
    type_name=same,
    member=lambda _, name: name,
    qualified=lambda type_, name: f"{type_}.{name}",
    field=camel,
    sentence=_sentence,
    comment=block_comment(120),
    codec="kotlinx/com/agentclientprotocol/model/v{version}/retry/IdempotencyKeySerializer.kt",
    package=RegistryPackage(
        registry="Maven Central",
        name="acp-v{version}-kotlin",
        publish="mvn deploy:deploy-file -DrepositoryId=central -Durl=URL with "
        "acp-v{version}-kotlin-{release}.jar, its sources and its pom of build/packages/maven",
        templates={"pom.xml": "pom.xml", "README.md": "readme.md"},
    ),
)
