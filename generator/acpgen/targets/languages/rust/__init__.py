"""Rust, laid out as rustfmt does it."""

from __future__ import annotations

import re

from acpgen.targets.languages.dialect import Dialect, Sentence, Slot
from acpgen.targets.languages.registry_package import RegistryPackage
from acpgen.targets.languages.spelling import (
    MARKS,
    escaped,
    line_comment,
    pascal,
    same,
    without_surrogates,
)

_LINE = 72


def string(value: str) -> str:
    """A string literal, continued on more lines if it is long."""
    return _literal(_escaped(value), 12)


def _escaped(value: str) -> str:
    return escaped(without_surrogates(value), MARKS, lambda c: f"\\u{{{ord(c):x}}}")


def _literal(text: str, indent: int) -> str:
    """Escaped text between quotes. No line starts with a space, because Rust would drop it."""
    lines = [""]
    for word in re.split(r"(?<= )(?=[^ ])", text):
        if lines[-1] and len(lines[-1]) + len(word) > _LINE:
            lines.append("")
        lines[-1] += word
    return '"' + f"\\\n{' ' * indent}".join(lines) + '"'


def _sentence(parts: Sentence) -> str:
    if not any(isinstance(part, Slot) for part in parts):
        return _call("String::from", "".join(map(_text, parts)), ",")
    written = (
        _text(part) if isinstance(part, Slot) else re.sub("[{}]", r"\g<0>\g<0>", _text(part))
        for part in parts
    )
    return _call("format!", "".join(written), "")


def _text(part: str | Slot) -> str:
    return f"{{{part.name}}}" if isinstance(part, Slot) else _escaped(part)


def _call(name: str, text: str, comma: str) -> str:
    """A call with a literal, on one line or with the literal on lines of its own."""
    literal = _literal(text, 16)
    if "\n" not in literal:
        return f"{name}({literal})"
    return f"{name}(\n{' ' * 16}{literal}{comma}\n{' ' * 12})"


DIALECT = Dialect(
    title="Rust",
    path="v{version}/retry.rs",
    text_type="&'static str",
    optional_type="Option<&'static str>",
    texts_type="&'static [&'static str]",
    string=string,
    texts=lambda literals: f"&[{', '.join(literals)}]",
    optional=lambda literal: "None" if literal is None else f"Some({literal})",
    type_name=same,
    member=lambda _, name: pascal(name),
    qualified=lambda type_, name: f"{type_}::{pascal(name)}",
    field=same,
    sentence=_sentence,
    comment=line_comment("///", 100),
    codec="v{version}/retry_serde.rs",
    package=RegistryPackage(
        registry="crates.io",
        name="acp-v{version}",
        publish="cargo publish --manifest-path generated/rust/Cargo.toml",
        templates={
            "Cargo.toml": "Cargo.toml",
            "README.md": "readme.md",
            "v{version}/lib.rs": "lib.rs",
        },
    ),
)
