"""One function for every type of a protocol, as Python source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acpgen.emit.casing import snake
from acpgen.emit.python import literal
from acpgen.model import Map, Object, Property, Protocol, Ref, Type, TypeName, Union, Variant
from acpgen.targets.checkers.conditions import (
    TRUE,
    Condition,
    Conditions,
    all_of,
    any_of,
    fill,
    in_order,
)
from acpgen.targets.checkers.names import Names
from acpgen.types.structure import walk

_VALUE = "value"
_IS_OBJECT = Condition(f"type({_VALUE}) is dict")


TAKEN = ("is_anything",)
"""The names of functions that the module imports."""


def function_names(protocol: Protocol) -> dict[TypeName, str]:
    """The name of each type's function."""
    claimed = Names(TAKEN)
    return {name: claimed.claim(f"is_{snake(name)}") for name in sorted(protocol.types)}


class Functions:
    """Writes the functions of one protocol's types.

    `names` are the functions of the named types, `text` the source of all functions, `tables` the
    source of the constants that they need, which refer to the functions in turn.
    """

    def __init__(self, protocol: Protocol) -> None:
        self.names = function_names(protocol)
        self._claimed = Names([*TAKEN, *self.names.values()])
        self._conditions = Conditions(protocol, self.names, self._define)
        self._functions: list[str] = []
        self._tables: list[str] = []
        tags = _tags(protocol)
        for name, function in self.names.items():
            self._write(function, protocol.types[name].body, beside=tags.get(name))

    @property
    def text(self) -> str:
        """The functions, two blank lines apart."""
        return "\n\n\n".join(self._functions)

    @property
    def tables(self) -> str:
        """The constants that the functions use, to be written after them."""
        patterns = [
            f"{constant} = re.compile({literal(pattern)})"
            for pattern, constant in self._conditions.patterns.items()
        ]
        return "\n".join([*patterns, *self._tables])

    def _condition(self, type_: Type, name: str) -> Condition:
        """The condition that a type accepts the value of a function."""
        return fill(self._conditions.of(type_, name), _VALUE)

    def _define(self, name: str, type_: Object | Union) -> str:
        function = self._claimed.claim(f"_{name.lstrip('_')}")
        self._write(function, type_)
        return function

    def _write(
        self, name: str, type_: Type, *, tag: str | None = None, beside: str | None = None
    ) -> None:
        """Write one function. `tag` is one of the members, `beside` a tag that may be."""
        match type_:
            case Object():
                body = self._object(name, type_, tag, beside)
            case Map() if tag is not None:
                body = [_IS_OBJECT, *self._additional(type_.values, [tag], name)]
            case Union():
                self._functions.append(self._union(name, type_))
                return
            case _:
                body = [self._condition(type_, name)]
        self._functions.append(_returning(name, body))

    def _object(
        self, name: str, object_: Object, tag: str | None, beside: str | None
    ) -> list[Condition]:
        required = [p for p in object_.properties if p.required]
        parts = [_IS_OBJECT]
        for member in required:
            key = literal(member.name)
            condition = self._conditions.of(member.type, f"{name}_{snake(member.name)}")
            if self._conditions.takes_null(member.type):
                parts.append(Condition(f"{key} in {_VALUE}"))
            parts.append(fill(condition, f"{_VALUE}.get({key})"))
        optional = [
            condition
            for member in object_.properties
            if not member.required
            for condition in [self._optional(name, member)]
            if condition != TRUE
        ]
        if optional:
            least = f"{len(required) + (tag is not None)}"
            if beside is not None and all(member.name != beside for member in object_.properties):
                least += f" + ({literal(beside)} in {_VALUE})"
            parts.append(_unless(f"len({_VALUE}) == {least}", optional))
        parts += [self._condition(base, name) for base in object_.bases]
        parts += [
            self._condition(union, f"{name}_by_{snake(union.tag or 'shape')}")
            for union in object_.unions
        ]
        if object_.additional is not None:
            known = [*([tag] if tag else []), *(p.name for p in object_.properties)]
            parts += self._additional(object_.additional, known, name)
        return parts

    def _optional(self, owner: str, member: Property) -> Condition:
        """The condition that a member is missing or right."""
        key = literal(member.name)
        condition = self._conditions.of(member.type, f"{owner}_{snake(member.name)}")
        if condition == TRUE or self._conditions.takes_null(member.type):
            return fill(condition, f"{_VALUE}.get({key})")
        return any_of([Condition(f"{key} not in {_VALUE}"), fill(condition, f"{_VALUE}[{key}]")])

    def _additional(self, type_: Type, known: Sequence[str], owner: str) -> list[Condition]:
        """The condition on the members that are not known."""
        condition = self._conditions.of(type_, f"{owner}_value")
        if condition == TRUE:
            return []
        names = "".join(f"{literal(name)}, " for name in known).rstrip()
        test = any_of([Condition(f"name in ({names})"), fill(condition, "item")])
        members = f"for name, item in {_VALUE}.items()"
        if test.graded:
            return [Condition(f"combined(*({test.text} {members}))", graded=True)]
        return [Condition(f"all({test.text[1:-1]} {members})")]

    def _union(self, name: str, union: Union) -> str:
        """The text of a function that looks at the tag first, where there is one."""
        untagged = [
            (v.fallback, self._condition(v.body, f"is_{snake(v.name)}"))
            for v in union.variants
            if v.value is None
        ]
        always = [condition for fallback, condition in untagged if not fallback]
        otherwise = _choose((c for _, c in untagged), exclusive=union.exclusive)
        if not union.known:
            return _returning(name, [otherwise])
        if any(fallback for fallback, _ in untagged):
            otherwise = all_of([otherwise, Condition("unknown(tag)", graded=True)])
        table = self._table(name, union)
        checked = Condition(f"check({_VALUE})", graded=True)
        known = _choose([checked, *always], exclusive=union.exclusive)
        return "\n".join(
            (
                f"def {name}({_VALUE}: object) -> int:",
                f"    tag = {_VALUE}.get({literal(union.tag)}) if type({_VALUE}) is dict else None",
                f"    check = {table}.get(tag) if type(tag) is str else None",
                "    if check is not None:",
                f"        return {known.text}",
                f"    return {otherwise.text}",
            )
        )

    def _table(self, name: str, union: Union) -> str:
        """The name of a new table from tag value to the function of its variant."""
        table = self._claimed.claim(f"_{name.lstrip('_').removeprefix('is_').upper()}")
        rows = []
        for value in dict.fromkeys(union.known):
            checks = [self._tagged(v, union) for v in union.variants if v.value == value]
            check = checks[0]
            if len(checks) > 1:
                check = self._claimed.claim(f"{table.lower()}_{snake(value)}")
                each = [Condition(f"{c}({_VALUE})", graded=True) for c in checks]
                both = _choose(each, exclusive=union.exclusive)
                self._functions.append(_returning(check, [both]))
            rows.append(f"    {literal(value)}: {check},")
        self._tables.append("\n".join((f"{table}: Mapping[str, Check] = {{", *rows, "}")))
        return table

    def _tagged(self, variant: Variant, union: Union) -> str:
        """The function for the body of a variant that its tag selects."""
        if isinstance(variant.body, Ref):
            return self.names[variant.body.name]
        name = self._claimed.claim(f"_is_{snake(variant.name)}")
        self._write(name, variant.body, tag=union.tag)
        return name


def _tags(protocol: Protocol) -> dict[TypeName, str]:
    """The tag that selects a type and is not one of its members, where there is only one."""
    tags: dict[TypeName, set[str]] = {}
    for type_ in protocol.types.values():
        for part in walk(type_.body):
            if isinstance(part, Union) and part.tag is not None:
                for variant in part.variants:
                    if variant.value is not None and isinstance(variant.body, Ref):
                        tags.setdefault(variant.body.name, set()).add(part.tag)
    return {name: used.pop() for name, used in tags.items() if len(used) == 1}


def _choose(conditions: Iterable[Condition], *, exclusive: bool) -> Condition:
    """The condition that one of some holds or, if they exclude each other, one only."""
    parts = list(conditions)
    if not parts:
        return Condition("False")
    if len(parts) == 1:
        return parts[0]
    if not exclusive:
        return any_of(parts)
    if any(part.graded for part in parts):
        return Condition(f"only({', '.join(part.text for part in parts)})", graded=True)
    return Condition(f"{' + '.join(f'bool({part.text})' for part in parts)} == 1")


def _unless(enough: str, conditions: Iterable[Condition]) -> Condition:
    """The condition that one holds or all of some others do, over several lines."""
    parts = in_order(conditions)
    lines = "\n                and ".join(part.text for part in parts)
    if len(parts) > 1:
        lines = f"(\n                {lines}\n            )"
    text = f"(\n            {enough}\n            or {lines}\n        )"
    return Condition(text, any(part.graded for part in parts))


def _returning(name: str, conditions: Iterable[Condition]) -> str:
    parts = in_order(conditions) or [TRUE]
    head = f"def {name}({_VALUE}: object) -> int:"
    if len(parts) < 2:
        return f"{head}\n    return {parts[0].text}"
    lines = "\n        and ".join(part.text for part in parts)
    return f"{head}\n    return (\n        {lines}\n    )"
