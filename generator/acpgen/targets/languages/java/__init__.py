"""Java 17, indented with tabs as in the official SDK."""

from __future__ import annotations

import re

from acpgen.targets.languages.dialect import Dialect, Sentence, Slot
from acpgen.targets.languages.registry_package import RegistryPackage
from acpgen.targets.languages.spelling import MARKS, block_comment, camel, escaped, same, utf16

_comment = block_comment(120, "\t")


def string(value: str) -> str:
    """A string literal."""
    return f'"{escaped(value, MARKS, _unseen)}"'


def _unseen(character: str) -> str:
    r"""An escape. `\uXXXX` is read before anything else, so a line's end can't be one."""
    return f"\\{ord(character):03o}" if character < "\u0100" else utf16(character)


def _sentence(parts: Sentence) -> str:
    return " + ".join(part.name if isinstance(part, Slot) else string(part) for part in parts)


def _javadoc(text: str, indent: int = 0) -> str:
    parts = re.split("(`[^`]*`)", text)
    written = (
        f"{{@code {part[1:-1]}}}" if part.startswith("`") else re.sub("[&<>]", _entity, part)
        for part in parts
    )
    return _comment(re.sub(r"\n\s*\n(?!@)", "\n\n<p>", "".join(written)), indent)


def _entity(found: re.Match[str]) -> str:
    return {"&": "&amp;", "<": "&lt;", ">": "&gt;"}[found[0]]


DIALECT = Dialect(
    title="Java",
    path="com/agentclientprotocol/sdk/spec/v{version}/AcpRetry.java",
    text_type="String",
    optional_type="String",
    texts_type="List<String>",
    string=string,
    texts=lambda literals: f"List.of({', '.join(literals)})",
    optional=lambda literal: literal or "null",
    type_name=same,
    member=lambda _, name: name,
    qualified=lambda type_, name: f"{type_}.{name}",
    field=camel,
    sentence=_sentence,
    comment=_javadoc,
    codec="jackson/com/agentclientprotocol/sdk/spec/v{version}/AcpRetryModule.java",
    package=RegistryPackage(
        registry="Maven Central",
        name="acp-v{version}",
        publish="mvn deploy:deploy-file -DrepositoryId=central -Durl=URL with acp-v{version}-"
        "{release}.jar, its sources and its pom of build/packages/maven",
        templates={"pom.xml": "pom.xml", "README.md": "readme.md"},
    ),
)
