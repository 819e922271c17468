"""Readers whose errors name the variant of a union that was meant.

pydantic reports the errors of all variants, and its paths contain its own names for them. So
refused data is read again, by a reader that uses the tag where there is one, guesses the variant
that was meant where there is none, and marks the variants on its paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError, SchemaValidator, core_schema

from acp_wire.models import marks
from acp_wire.models.alternatives import MARK, of_one_branch
from acp_wire.models.members import constants_of
from acp_wire.models.readers import core_of, reader_of
from acp_wire.models.tolerance import recovering

__all__ = ["marked_reader"]

_Node = dict[str, Any]

_OTHER, _NONE, _WRONG = (f"{MARK}{label}" for label in ("(other)", "(none)", "(wrong)"))
"""The branches for other tags, for a tag that no branch has, and for an instance of no branch."""


@cache
def marked_reader(type_: Any, tolerant: bool) -> SchemaValidator:
    """The reader of a type, strict or tolerant, whose errors `details_of` understands."""
    core = core_of(type_)
    return reader_of(type_, _Marker(core).marked(recovering(core) if tolerant else core))


class _Marker:
    """Makes copies of a core in which the branches of unions are marked."""

    def __init__(self, core: Any) -> None:
        found = core["definitions"] if core["type"] == "definitions" else []
        self._definitions = {definition["ref"]: definition for definition in found}

    def marked(self, part: Any) -> Any:
        """A copy of a part of the core."""
        if isinstance(part, list | tuple):
            return type(part)(self.marked(item) for item in part)
        if not isinstance(part, dict):
            return part
        match part:
            case {"type": "tagged-union", "discriminator": [[str(tag)], *_], "choices": known}:
                return self._tagged(part, tag, known, [])
            case {"type": "union", "metadata": {marks.TAG: str(tag)}, "choices": [first, *others]}:
                values = dict.fromkeys(self._tags(first, tag), first)
                known = first["choices"] if first["type"] == "tagged-union" else values
                return self._tagged(part, tag, known, others)
            case {"type": "union"}:
                return self._untagged(part)
            case _:
                return {key: self.marked(value) for key, value in part.items()}

    def _tagged(self, union: _Node, tag: str, known: _Node, others: list[_Node]) -> _Node:
        choices = {f"{MARK}{value}": branch for value, branch in known.items()}
        if others:
            rest = {"type": "union", "mode": "left_to_right", "choices": others}
            choices[_OTHER] = others[0] if len(others) == 1 else rest
        classes = {label: tuple(self._classes(branch)) for label, branch in choices.items()}

        def branch(data: object) -> str:
            if isinstance(data, BaseModel):
                fitting = (label for label in classes if isinstance(data, classes[label]))
                return next(fitting, _WRONG)
            if not isinstance(data, dict):
                return _NONE
            value = data.get(tag)
            label = f"{MARK}{value}" if isinstance(value, str) and value in known else _OTHER
            return label if label in choices else _NONE

        literal = core_schema.typed_dict_field(core_schema.literal_schema(list(known)))
        marked = self.marked(choices)
        marked[_NONE] = core_schema.typed_dict_schema({tag: literal})
        marked[_WRONG] = _refusing(tuple(c for group in classes.values() for c in group))
        ref = union.get("ref")
        return {**core_schema.tagged_union_schema(marked, discriminator=branch, ref=ref)}

    def _untagged(self, union: _Node) -> _Node:
        branches = list(self._branches(union))
        # A listed string is a string: where any string will do, one error is enough.
        if {"str", "int"} & {branch["type"] for branch in branches}:
            branches = [branch for branch in branches if branch["type"] != "literal"]
        labelled = [(self.marked(b), f"{MARK}{index}") for index, b in enumerate(branches)]
        classes = tuple(c for branch in branches for c in self._classes(branch))

        def choose(value: Any, read: Any) -> Any:
            if classes and isinstance(value, BaseModel) and not isinstance(value, classes):
                raise _wrong_class(value, classes)
            try:
                return read(value)
            except ValidationError as error:
                refused = error
            raise of_one_branch(refused)

        marked: Any = {**union, "choices": labelled}
        ref = marked.pop("ref", None)
        return {**core_schema.no_info_wrap_validator_function(choose, marked, ref=ref)}

    def _resolved(self, branch: Any) -> Any:
        """The core schema behind references and checks."""
        while True:
            match branch:
                case {"type": "definition-ref", "schema_ref": ref}:
                    branch = self._definitions[ref]
                case {"schema": inner} if branch["type"] not in ("model", "model-fields"):
                    branch = inner
                case _:
                    return branch

    def _branches(self, union: _Node) -> Iterator[Any]:
        choices = union["choices"]
        for choice in choices.values() if isinstance(choices, dict) else choices:
            yield choice[0] if isinstance(choice, tuple) else choice

    def _classes(self, branch: Any) -> Iterator[type[BaseModel]]:
        """The models in a branch."""
        branch = self._resolved(branch)
        if branch["type"] == "model":
            yield branch["cls"]
        elif "choices" in branch:
            for each in self._branches(branch):
                yield from self._classes(each)

    def _tags(self, branch: Any, tag: str) -> Iterator[str]:
        """The values that the tag has in a branch."""
        for model in self._classes(branch):
            if tag in constants_of(model):
                yield constants_of(model)[tag]


def _refusing(classes: tuple[type[BaseModel], ...]) -> core_schema.CoreSchema:
    """A reader that refuses an instance of a class that is not one of these."""

    def refuse(value: object) -> object:
        raise _wrong_class(value, classes)

    return core_schema.no_info_plain_validator_function(refuse)


def _wrong_class(value: object, classes: tuple[type[BaseModel], ...]) -> PydanticCustomError:
    given = type(value)
    derived = [class_.__name__ for class_ in classes if issubclass(class_, given)]
    names = " or ".join(derived or [class_.__name__ for class_ in classes])
    text = "{given} is not a branch of this union; use {names}"
    return PydanticCustomError("wrong_class", text, {"given": given.__name__, "names": names})
