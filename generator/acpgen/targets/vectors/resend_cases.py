"""Messages without a response: every method, and every part that the decision depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acp_wire.keys import SEPARATORS
from acpgen.emit.casing import snake
from acpgen.model import JsonValue, Kind, Protocol, RetryClass
from acpgen.targets.retry import Row
from acpgen.targets.retry.decision import MAX_CARRIED
from acpgen.targets.vectors.key_vectors import KEY, NO_STRINGS, good_keys, of_length

_EXTENSION = "_example/ping"
_UNKNOWN = "nonsense"


@dataclass(frozen=True, slots=True)
class Case:
    """One message. `kind` and `version` are None where the caller does not state them."""

    name: str
    method: str
    params: JsonValue = None
    kind: Kind | None = None
    version: int | None = None


def methods(protocol: Protocol) -> Iterator[Case]:
    """Every method as its first example shows it in its kind, and without params or kind."""
    for method in protocol.methods:
        examples = protocol.types[method.params].examples
        params = examples[0] if examples else {}
        yield Case(f"{method.name} as a {method.kind}", method.name, params, method.kind)
    for name in sorted({method.name for method in protocol.methods}):
        yield Case(f"{name} without params", name)


def names(rows: tuple[Row, ...]) -> Iterator[Case]:
    """Methods in a kind that they don't have, and names that the table doesn't hold."""
    known = {(row.name, row.kind) for row in rows}
    for row in rows:
        other = Kind.REQUEST if row.kind is Kind.NOTIFICATION else Kind.NOTIFICATION
        if (row.name, other) not in known:
            yield Case(f"{row.name} as a {other}", row.name, {}, other)
    unlisted = {"extension": _EXTENSION, "unknown": _UNKNOWN, "empty": "", "one underscore": "_"}
    if rows:
        unlisted |= {"in capitals": rows[-1].name.upper(), "with a blank": f"{rows[-1].name} "}
    for what, name in unlisted.items():
        yield Case(f"name {what}", name, {})
        for kind in Kind:
            yield Case(f"name {what}, a {kind}", name, {}, kind)


def versions(rows: tuple[Row, ...], version: int) -> Iterator[Case]:
    """Methods of every class on connections of this version of the protocol and of others."""
    tried = [each for each in (version - 1, version, version + 1) if each > 0]
    examples = {row.retry_class: row for row in rows}
    for other in tried:
        for row in examples.values():
            yield Case(f"{row.name} on version {other}", row.name, {}, version=other)
        for row, key in _keyed(rows):
            yield Case(f"{row.name}, keyed, on version {other}", row.name, {key: KEY}, None, other)
        yield Case(f"name unknown on version {other}", _UNKNOWN, {}, version=other)


def keys(rows: tuple[Row, ...], least: int, most: int | None) -> Iterator[Case]:
    """Keys at every boundary, and values that are not keys."""
    for row, key in _keyed(rows):
        for what, params in _params(key, least, most).items():
            yield Case(f"{row.name}: {what}", row.name, params)


def carried(rows: tuple[Row, ...]) -> Iterator[Case]:
    """Messages inside others: all methods, keys, values that are not messages, and nesting."""
    for row in rows:
        if row.retry_class is not RetryClass.CARRIED or row.kind is not Kind.REQUEST:
            continue
        if row.carries is not None:
            yield Case(f"{row.name}: names another", row.name, _call(_UNKNOWN, {}))
            for inner, key in _keyed(rows):
                yield Case(f"{row.name}: keyed as {inner.name}", row.name, {key: KEY})
            continue
        for what, params in {**_inside(rows), **_nests(row.name, rows)}.items():
            yield Case(f"{row.name}: {what}", row.name, params)
        for name in _names(rows):
            for kind in Kind:
                what = f"{row.name}: a {kind} with {name}"
                yield Case(what, row.name, _call(name, {}), kind)


def _names(rows: Iterable[Row]) -> list[str]:
    return sorted({row.name for row in rows})


def _keyed(rows: Iterable[Row]) -> Iterator[tuple[Row, str]]:
    for row in rows:
        if row.retry_class is RetryClass.KEYED and row.key is not None:
            yield row, row.key


def _params(key: str, least: int, most: int | None) -> dict[str, JsonValue]:
    values = {**good_keys(least, most), **NO_STRINGS}
    if least > 0:
        values[f"{least - 1} code points"] = "k" * (least - 1)
    if most is not None:
        values |= of_length(most + 1)
    words = snake(key)
    misspelled = (
        key.lower(),
        key.upper(),
        *(words.replace("_", separator) for separator in SEPARATORS),
        f" {key}_",
    )
    alike = {"a Kelvin sign": key.replace("K", "\u212a"), "a comma": words.replace("_", ",")}
    return {
        "no params": None,
        "key omitted": {},
        **{f"key {what}": {key: value} for what, value in values.items()},
        **{f"key called {name}": {name: KEY} for name in misspelled if name != key},
        **{f"key with {what}": {name: KEY} for what, name in alike.items() if name != key},
        "key and a misspelled one": {key.upper(): KEY, key: KEY},
        "key null and a misspelled one": {key.upper(): KEY, key: None},
        "key malformed and a misspelled one": {key.upper(): KEY, key: 7},
        "key in _meta": {"_meta": {key: KEY}},
    }


def _inside(rows: tuple[Row, ...]) -> dict[str, JsonValue]:
    """The params of a message that carries others, by what they are."""
    found: dict[str, JsonValue] = {"nothing": None, "no method": {"params": {}}}
    for name in (*_names(rows), _EXTENSION, _UNKNOWN):
        found[f"with {name}"] = _call(name, {})
    for what, value in {"null": None, **NO_STRINGS}.items():
        found[f"method is {what}"] = {"method": value, "params": {}}
    found["method is empty"] = _call("", {})
    for row, key in _keyed(rows):
        found |= {
            f"{row.name}, keyed": _call(row.name, {key: KEY}),
            f"{row.name}, key malformed": _call(row.name, {key: ""}),
            f"{row.name}, key misspelled": _call(row.name, {key.upper(): KEY}),
            f"{row.name}, key outside": {**_call(row.name, {}), key: KEY},
            f"{row.name}, no params": {"method": row.name},
            f"{row.name}, params null": _call(row.name, None),
            f"{row.name}, params a string": _call(row.name, KEY),
            f"{row.name}, params an array": _call(row.name, [{key: KEY}]),
        }
    return found


def _nests(outer: str, rows: tuple[Row, ...]) -> dict[str, JsonValue]:
    """The params of a message that carries messages that carry others."""
    found: dict[str, JsonValue] = {"params inside an array": _call(outer, [])}
    for row, key in _keyed(rows):
        found[f"{row.name}, keyed, twice inside"] = _nested(outer, 1, _call(row.name, {key: KEY}))
    for row in rows:
        if row.retry_class is RetryClass.IDEMPOTENT:
            found["params of no interest an array"] = _call(row.name, [])
            for depth in (2, MAX_CARRIED, MAX_CARRIED + 1):
                found[f"{depth} deep"] = _nested(outer, depth - 1, _call(row.name, {}))
            break
    return found


def _call(method: str, params: JsonValue) -> dict[str, JsonValue]:
    return {"method": method, "params": params}


def _nested(outer: str, times: int, call: dict[str, JsonValue]) -> dict[str, JsonValue]:
    for _ in range(times):
        call = _call(outer, call)
    return call
