"""The messages about a schema file that JSON Schema finds invalid, for the author of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches

from jsonschema_rs import ValidationError, ValidationErrorKind

from acpgen.load.schema_text import RawSchema
from acpgen.patterns import PatternError, parse

MASK = "\0"
"""The placeholder that the validator writes for a value, which may be long."""

Path = tuple[str | int, ...]

_LONGEST = 60
_ELSEWHERE = {
    "definition": "in a definition",
    "property": "in a member of an object",
    "branch": "in an alternative of anyOf or oneOf",
    "root": "beside $defs",
}
_INSTEAD = {
    "nullable": 'write "type": ["string", "null"], or anyOf with {"type": "null"}',
    "deprecated": "write so in `description`",
    "definitions": "write $defs",
    "example": "write `examples`, a list, in the definition",
    "exclusiveMinimum": "write `minimum`, which is included",
    "exclusiveMaximum": "write `maximum`, which is included",
    "additionalItems": "write `items`",
    "prefixItems": "write `items`; all elements are of one type",
    "if": "make it a union with anyOf",
    "patternProperties": "write `additionalProperties`",
}
_FORBIDDEN = {
    "x-retry-class": "only a type called ...Request or ...Notification has a retry class",
    "x-errors": "only a type called ...Request has errors",
    "x-undoes": "only a type called ...Request can undo another one",
    "not": "acpgen derives the guard of a fallback; remove `not`",
}
_MORE = {"x-retry-class": "; `acpgen explain missing-retry-class` has more"}
_ARTICLES = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "null": "null",
}
_REFERENCE = re.compile(r"([a-z0-9_]+\.json)?#/\$defs/[A-Z][A-Za-z0-9]*")
_JSON_TYPES = tuple(_ARTICLES)


def complaints(error: ValidationError, dialect: RawSchema) -> Iterator[tuple[Path, str]]:
    """Yield each fault's path in a file, and a message with what to write.

    `dialect` is the schema of the dialect, which has the words that a file may use.
    """
    path, value = tuple(error.instance_path), error.instance
    match error.kind:
        case (
            ValidationErrorKind.UnevaluatedProperties(unexpected=words)
            | ValidationErrorKind.AdditionalProperties(unexpected=words)
        ):
            for word in words:
                yield (*path, word), f"{_cut(word)} {_misplaced(word, path, dialect)}"
        case ValidationErrorKind.AnyOf(context=branches) if isinstance(value, dict):
            for inner in branches[-1]:
                yield from complaints(inner, dialect)
        case ValidationErrorKind.PropertyNames():
            yield from _names(path, value)
        case _:
            yield path, _message(error, str(path[-1]) if path else "", _cut(value))


def _message(error: ValidationError, name: str, shown: str) -> str:
    """The message about the value of a name, which is shown in its JSON form."""
    match error.kind:
        case ValidationErrorKind.AnyOf():
            return _no_choice(name, error.instance, shown)
        case ValidationErrorKind.Pattern() | ValidationErrorKind.Format():
            return _misspelt(name, str(error.instance), shown)
        case ValidationErrorKind.FalseSchema():
            return _FORBIDDEN.get(name, "is not allowed here; remove it")
        case ValidationErrorKind.Not():
            return "has both anyOf and oneOf; keep one"
        case ValidationErrorKind.Enum(options=options):
            return f"{shown} is not one of {', '.join(map(_text, options))}"
        case ValidationErrorKind.Required(property=missing):
            return f"needs {missing}{_MORE.get(missing, '')}"
        case ValidationErrorKind.Type(types=types):
            return f"must be {_either(types)}, and is {_type_of(error.instance)}: {shown}"
        case ValidationErrorKind.Constant(expected_value=expected):
            return f"must be {_text(expected)}, and is {shown}"
        case _:
            return error.message.replace(MASK, shown)


def _misplaced(word: str, path: Path, dialect: RawSchema) -> str:
    """The message about a keyword that is not allowed at a place, with what to write."""
    words = _words(dialect)
    if word in _INSTEAD:
        return f"is not a keyword of the dialect; {_INSTEAD[word]}"
    homes = [where for place, where in _ELSEWHERE.items() if word in words[place]]
    if homes:
        return f"is not allowed here; it belongs {' or '.join(homes)}"
    here = words.get(_place(path), words["definition"])
    near = _near(word, here)
    hint = f"did you mean {near}?" if near else "remove it, or write it in the description"
    return f"is not a keyword of the dialect; {hint}"


def _words(dialect: RawSchema) -> Mapping[str, Collection[str]]:
    """The keywords that each kind of place allows."""
    parts = dialect["$defs"]
    common = parts["keywords"]["properties"].keys()
    known = {
        name: common | parts[name]["properties"].keys() for name in _ELSEWHERE if name in parts
    }
    return {**known, "root": dialect["properties"].keys()}


def _place(path: Path) -> str:
    match path:
        case ():
            return "root"
        case (*_, "properties", _):
            return "property"
        case (*_, "anyOf" | "oneOf", _):
            return "branch"
        case _:
            return "definition"


def _near(word: str, known: Collection[str]) -> str | None:
    """The known word that a misspelt one looks like, whatever its case."""
    by_case = {name.lower(): name for name in sorted(known)}
    near = get_close_matches(word.lower(), by_case, n=1)
    return by_case[near[0]] if near else None


def _no_choice(name: str, value: object, shown: str) -> str:
    """The complaint about a keyword whose value may be of several kinds."""
    if name == "additionalProperties":
        return f"{shown} is neither true nor a schema; objects are open, so leave it out"
    if isinstance(value, list):
        unknown = [stated for stated in value if stated not in _JSON_TYPES]
        if not unknown:
            return (
                f'{shown} is not a list of types that is allowed here: one type and "null" are; '
                "for more write anyOf"
            )
        value, shown = unknown[0], _cut(unknown[0])
    near = _near(str(value), _JSON_TYPES)
    hint = f"did you mean {near}?" if near else f"write one of {', '.join(_JSON_TYPES)}"
    return f"{shown} is not a type; {hint}"


def _misspelt(name: str, value: str, shown: str) -> str:
    match name:
        case "$ref":
            return f"{shown} is not a reference that is allowed here; {_reference(value)}"
        case "x-docs":
            return f"{shown} is not a slug; write small letters, digits and hyphens"
        case _:
            return f"{shown} is not a regular expression (ECMA-262){_fault_of(value)}"


def _fault_of(pattern: str) -> str:
    """The fault in the syntax of a pattern."""
    try:
        parse(pattern)
    except PatternError as error:
        return f": {error}"
    return ""


def _reference(reference: str) -> str:
    """The right spelling of a misspelt reference."""
    file, _, inner = reference.rpartition("#")
    name = (inner or reference).rpartition("/")[2]
    home = file.rpartition("/")[2]
    wanted = f"{home}#/$defs/{name}"
    if _REFERENCE.fullmatch(wanted) and wanted != reference:
        return f"write {_text(wanted)}"
    return 'write "file.json#/$defs/Name", or "#/$defs/Name" in the same file'


def _names(path: Path, definitions: object) -> Iterator[tuple[Path, str]]:
    names = definitions if isinstance(definitions, dict) else {}
    for name in names:
        if not re.fullmatch("[A-Z][A-Za-z0-9]*", name):
            words = re.findall("[A-Za-z0-9]+", name)
            wanted = "".join(f"{word[:1].upper()}{word[1:]}" for word in words)
            hint = f"write {wanted}" if wanted[:1].isalpha() else "write a capital letter first"
            rest = "a type is called by letters and digits, with a capital first"
            yield (
                (*path, name),
                f"{_cut(name)} is not the name of a type; {_cut_plain(hint)}: {rest}",
            )


def _either(types: Sequence[str]) -> str:
    return " or ".join(_ARTICLES[name] for name in types)


def _type_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _cut(value: object) -> str:
    """A value as JSON, cut to a length that leaves room for what is wrong with it."""
    return _cut_plain(_text(value))


def _cut_plain(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
