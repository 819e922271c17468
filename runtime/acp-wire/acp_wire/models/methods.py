"""The table of a protocol's methods: the types of their params and results.

Needs the standard library only, until a caller asks for a type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

__all__ = ["Kind", "MethodTable", "RetrySignature", "Side", "Signature", "UnknownMethodError"]

Kind = Literal["request", "notification"]
"""The kind of a method. A request is answered."""

Side = Literal["agent", "client", "protocol", "proxy"]
"""The side that handles a method; `protocol` is both Client and Agent."""


class UnknownMethodError(LookupError):
    """The protocol has no method of that name and kind."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A method in one kind. `params` and `result` are names in the package of its models.

    Each package of models has a class of its own that extends this one; the types are looked up
    there.
    """

    name: str
    kind: Kind
    side: Side
    params: str
    result: str | None

    @property
    def params_type(self) -> Any:
        """The model of the params, or the alias where they are a union of models."""
        return getattr(import_module(self._models()), self.params)

    @property
    def result_type(self) -> Any:
        """The model or alias of the result; None for a notification."""
        return None if self.result is None else getattr(import_module(self._models()), self.result)

    def _models(self) -> str:
        return type(self).__module__.rpartition(".")[0]


_Method = TypeVar("_Method")
_Class = TypeVar("_Class")


class RetrySignature(Signature, Generic[_Method, _Class]):
    """A signature with the row of the method in the retry table, the module `retry` of the package.

    `_digest` is the digest of the methods that the models were generated from.
    """

    __slots__ = ()
    _digest: ClassVar[str]

    @property
    def retry(self) -> _Method:
        """The row of the method in the retry table.

        Raises:
            LookupError: there is no such module, or it comes from another schema.
        """
        models = self._models()
        package = models.rpartition(".")[0]
        try:
            table: Any = import_module(f"{package}.retry")
        except ImportError:
            raise LookupError(
                f"{package}.retry is missing; run `acpgen generate --target retry`"
            ) from None
        row: _Method | None = table.find(self.name, self.kind)
        if row is None or getattr(table, "SCHEMA", None) != self._digest:
            raise LookupError(
                f"{package}.retry is made of another schema than {models}; "
                "run `acpgen generate` for both targets, `models` and `retry`, with one schema"
            )
        return row

    @property
    def retry_class(self) -> _Class:
        """What sending a message of this method again does."""
        row: Any = self.retry
        class_: _Class = row.retry_class
        return class_


_S = TypeVar("_S", bound=Signature)


class MethodTable(Generic[_S]):
    """Finds signatures by method, and methods by type."""

    def __init__(
        self, signatures: Mapping[tuple[str, Kind], _S], owners: Mapping[str, tuple[str, Kind]]
    ) -> None:
        """Make a table of `signatures`.

        Args:
            signatures: every method of the protocol, by name and kind.
            owners: the method and kind of each type of params or result, by the type's name.
        """
        self._signatures = signatures
        self._owners = owners

    def signature(self, method: str, kind: str | None = None) -> _S:
        """The signature of a method; without a kind, of the request where it is both.

        Raises:
            UnknownMethodError: the protocol has no such method. Extension methods are not listed.
        """
        for each in get_args(Kind):
            found = self._signatures.get((method, each))
            if found is not None and kind in (None, each):
                return found
        raise UnknownMethodError(self._unknown(method, kind))

    def method_of(self, type_: object) -> _S | None:
        """The method that a type is the params or result of, or a variant of them. None for others.

        Takes a model's class, an alias, or a model.
        """
        classes = type_.__mro__ if isinstance(type_, type) else (type_, *type(type_).__mro__)
        for each in classes:
            owner = self._owners.get(getattr(each, "__name__", ""))
            if owner is not None:
                return self._signatures[owner]
        return None

    def result_type(self, method: str) -> Any:
        """The type of a method's result.

        Raises:
            UnknownMethodError: the protocol has no such request.
        """
        type_ = self.signature(method, "request").result_type
        if type_ is None:
            raise UnknownMethodError(f"{method!r} has no result in this protocol")
        return type_

    def _unknown(self, method: str, kind: str | None) -> str:
        """The message for a method that isn't listed."""
        if method.startswith("_"):
            return f"{method!r} is an extension, and extensions have no types here"
        kinds = [found.kind for (name, _), found in self._signatures.items() if name == method]
        if kinds:
            return f"{method!r} is not a {kind} of this protocol; it is a {' and a '.join(kinds)}"
        from difflib import get_close_matches

        close = get_close_matches(method, [name for name, _ in self._signatures], 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"{method!r} is not a method of this protocol{hint}"
