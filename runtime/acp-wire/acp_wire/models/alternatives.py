"""The errors of a union: those of the variant that was meant, without the input."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, PydanticKnownError

__all__ = ["MARK", "details_of", "of_one_branch"]

MARK = "\0"
"""The start of a branch's label on a path; no member's name starts with it."""

_Path = tuple[int | str, ...]


def details_of(error: ValidationError) -> list[InitErrorDetails]:
    """The details of an error, by wire paths and without the input."""
    details: dict[str, InitErrorDetails] = {}
    for each in error.errors(include_input=False, include_url=False):
        detail = _detail(each, _unmarked(each["loc"]))
        details.setdefault(repr(detail), detail)
    return list(details.values())


def _detail(error: Any, loc: _Path) -> InitErrorDetails:
    kind, context = error["type"], error.get("ctx")
    try:
        PydanticKnownError(kind, context)
    except KeyError:
        kind = PydanticCustomError(kind, error["msg"])
    if context is None or isinstance(kind, PydanticCustomError):
        return InitErrorDetails(type=kind, loc=loc, input=None)
    return InitErrorDetails(type=kind, loc=loc, input=None, ctx=context)


def _unmarked(loc: _Path) -> _Path:
    return tuple(item for item in loc if not (isinstance(item, str) and item.startswith(MARK)))


def of_one_branch(error: ValidationError) -> ValidationError:
    """The errors of the branch that was meant, or one error for all that are equally likely."""
    branches: dict[object, list[Any]] = {}
    each: Any
    for each in error.errors(include_input=False, include_url=False):
        if each["type"] == "model_type":
            each.update(type="dict_type", msg="Input should be an object")
            each.pop("ctx", None)
        branches.setdefault(each["loc"][:1], []).append({**each, "loc": each["loc"][1:]})
    nearest = min(map(_distance, branches.values()))
    best = [errors for errors in branches.values() if _distance(errors) == nearest]
    if any(_faults(errors) != _faults(best[0]) for errors in best):
        return _summary(error.title, best)
    details = [_detail(each, each["loc"]) for each in best[0]]
    return ValidationError.from_exception_data(error.title, details, hide_input=True)


def _distance(errors: list[Any]) -> tuple[int, int, int]:
    """How unlikely it is that the branch with these errors was meant.

    An object without a branch's own members, or with items without them, was hardly meant for it;
    an object that fails deep inside was.
    """
    places = [_unmarked(each["loc"]) for each in errors]
    lacking = sum(
        each["type"] == "missing" and sum(isinstance(item, str) for item in place) == 1
        for each, place in zip(errors, places, strict=True)
    )
    return lacking, -max(map(len, places)), len(errors)


def _faults(errors: list[Any]) -> list[tuple[str, object]]:
    return [(each["type"], each["loc"]) for each in errors]


def _summary(title: str, branches: list[list[Any]]) -> ValidationError:
    """One error for branches that are equally likely."""
    errors = [each for branch in branches for each in branch]
    places = {_unmarked(each["loc"]) for each in errors}
    place = places.pop() if len(places) == 1 else ()
    reasons = dict.fromkeys(_reason(each, place) for each in errors)
    text: Any = f"No alternative fits: {'; '.join(reasons)}"
    detail = InitErrorDetails(
        type=PydanticCustomError("no_alternative", text), loc=place, input=None
    )
    return ValidationError.from_exception_data(title, [detail], hide_input=True)


def _reason(error: Any, place: _Path) -> str:
    """The message of an error, with its path below a place."""
    below = _unmarked(error["loc"])[len(place) :]
    return ": ".join(filter(None, (".".join(map(str, below)), error["msg"])))
