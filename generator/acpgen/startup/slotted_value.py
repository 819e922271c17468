"""Values that are compared by what they hold, as data classes are.

To import `dataclasses` takes nearly as long as Python takes to start, because it imports `inspect`.
A finding and what it is made from are such values, so explaining a message needs no data class.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class SlottedValue:
    """A value with the members in `__slots__`. Nothing changes them after it is made."""

    __slots__: tuple[str, ...] = ()

    def replaced(self, **changes: object) -> Self:
        """Return a copy with other values of some members."""
        copy = object.__new__(type(self))
        for name in self.__slots__:
            setattr(copy, name, changes[name] if name in changes else getattr(self, name))
        return copy

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SlottedValue) and (
            type(other) is type(self) and self._values() == other._values()
        )

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        members = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({members})"
