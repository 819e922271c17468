"""Sets of Unicode code points, as sorted ranges that neither overlap nor touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Charset = tuple[tuple[int, int], ...]
"""The first and the last code point of each range."""

LAST = 0x10FFFF


def charset(ranges: Iterable[tuple[int, int]]) -> Charset:
    """The union of ranges, which may overlap and come in any order."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(chars: Charset) -> Charset:
    """All code points that are not in a set."""
    return tuple(_gaps(chars))


def has(chars: Charset, point: int) -> bool:
    """True if a code point is in a set."""
    return any(low <= point <= high for low, high in chars)


def partition(sets: Sequence[Charset]) -> Iterator[int]:
    """One code point for each group of code points that are in the same ones of some sets."""
    edges = {0} | {edge for chars in sets for low, high in chars for edge in (low, high + 1)}
    seen: set[tuple[bool, ...]] = set()
    for point in sorted(edge for edge in edges if edge <= LAST):
        membership = tuple(has(chars, point) for chars in sets)
        if membership not in seen:
            seen.add(membership)
            yield point


def _gaps(chars: Charset) -> Iterator[tuple[int, int]]:
    start = 0
    for low, high in chars:
        if start < low:
            yield start, low - 1
        start = high + 1
    if start <= LAST:
        yield start, LAST


ALL: Charset = ((0, LAST),)
NONE: Charset = ()
DIGITS: Charset = ((0x30, 0x39),)
WORD = charset([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
LINE_ENDS = charset([(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
SPACES = charset(
    [
        *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
        *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
        (0xFEFF, 0xFEFF),
    ]
)
"""WhiteSpace and LineTerminator of ECMA-262."""

SURROGATES: Charset = ((0xD800, 0xDFFF),)
