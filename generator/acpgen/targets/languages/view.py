"""The variables of every language's template: rows, enumerations and rulings."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from string import Formatter
from typing import get_type_hints

from acp_wire.keys import SEPARATORS
from acpgen.emit.header import HEADER
from acpgen.model import Protocol
from acpgen.targets.languages.dialect import Dialect, Sentence, Slot
from acpgen.targets.retry.decision import MAX_CARRIED, RULINGS
from acpgen.targets.retry.derivation import NAMESPACE
from acpgen.targets.retry.meanings import ENUMERATIONS, FIELDS, Enumeration
from acpgen.targets.retry.retry_rows import Row, key_limits, rows
from acpgen.types.fingerprint import digest
from acpgen.types.views import methods_only

_UUID = 36
"""The length of a UUID as text."""

_TYPES = get_type_hints(Row)


def view(protocol: Protocol, dialect: Dialect) -> dict[str, object]:
    """The context of a template.

    Its names:
        header: the line that every generated file starts with.
        version: that of the protocol.
        table: the digest of the methods as a literal, by which the modules of a package know each
            other.
        comment: documentation from paragraphs in Markdown and an indentation in blanks.
        enumerations: each with `name`, `docs` that complete "X is ...", and `members`, which have
            `name`, `value` (a literal) and `docs`.
        fields: the members of a row in their order, each with `name`, `type` and `docs`.
        rows: the table; each a mapping from a member's name to an expression.
        rulings: each with `name` and `reason` (the member as declared and as an expression),
            `answer` and `why`, both expressions; `why` uses the variables method, kind, key, note.
        separators: a literal of the characters that are left out where names are compared.
        key_min, key_max: how long a key is, in code points; key_max is None without a limit.
        generates: whether a UUID is a key, so that random keys can be made.
        max_carried: how many messages deep is looked.
        namespace: that of the derived message IDs, a UUID as text.

    Raises:
        MissingClassError: there are methods, but no method has a class.
    """
    least, most = key_limits(protocol)
    return {
        "header": HEADER,
        "version": protocol.version or 0,
        "table": dialect.string(digest(methods_only(protocol))),
        "comment": dialect.comment,
        "enumerations": [_enumeration(each, dialect) for each in ENUMERATIONS],
        "fields": _fields(dialect),
        "rows": [_row(row, dialect) for row in rows(protocol)],
        "rulings": [
            {
                "name": dialect.member("Reason", ruling.reason.name),
                "reason": dialect.qualified("Reason", ruling.reason.name),
                "answer": dialect.qualified("Answer", ruling.answer.name),
                "why": dialect.sentence(_sentence(ruling.why)),
            }
            for ruling in RULINGS
        ],
        "separators": dialect.string(SEPARATORS),
        "key_min": least,
        "key_max": most,
        "generates": least <= _UUID and (most is None or most >= _UUID),
        "max_carried": MAX_CARRIED,
        "namespace": str(NAMESPACE),
    }


def _enumeration(enumeration: Enumeration, dialect: Dialect) -> dict[str, object]:
    type_ = enumeration.type.__name__
    return {
        "name": dialect.type_name(type_),
        "docs": enumeration.docs,
        "members": [
            {
                "name": dialect.member(type_, member.name),
                "value": dialect.string(member.value),
                "docs": docs,
            }
            for member, docs in enumeration.members.items()
        ],
    }


def _fields(dialect: Dialect) -> list[dict[str, str]]:
    return [
        {"name": dialect.field(name), "type": _type(_TYPES[name], dialect), "docs": docs}
        for name, docs in FIELDS.items()
    ]


def _type(hint: object, dialect: Dialect) -> str:
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return dialect.type_name(hint.__name__)
    if hint is str:
        return dialect.text_type
    return dialect.texts_type if hint == tuple[str, ...] else dialect.optional_type


def _row(row: Row, dialect: Dialect) -> dict[str, str]:
    values = asdict(row)
    written = {
        dialect.field(name): _expression(values[name], _TYPES[name], dialect) for name in FIELDS
    }
    return {name: expression for name, expression in written.items() if expression is not None}


def _expression(value: object, hint: object, dialect: Dialect) -> str | None:
    if isinstance(value, tuple):
        return dialect.texts([dialect.string(text) for text in value])
    if isinstance(value, StrEnum):
        return dialect.qualified(type(value).__name__, value.name)
    literal = None if value is None else dialect.string(str(value))
    return literal if hint is str else dialect.optional(literal)


def _sentence(why: str) -> Sentence:
    """The text of a ruling with its fields as slots. The depth is a constant."""
    parts: list[str | Slot] = []
    for text, field, _, _ in Formatter().parse(why):
        parts.append(text)
        if field == "depth":
            parts.append(str(MAX_CARRIED))
        elif field is not None:
            parts.append(Slot(field))
    return [part for part in parts if part]
