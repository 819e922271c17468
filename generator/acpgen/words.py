"""Pluralisation for messages."""

from __future__ import annotations


def counted(number: int, noun: str, *, zero: str = "0") -> str:
    """A number of things, `1 message` or `2 messages`. `zero` is how no things are written."""
    return f"{number or zero} {noun}{'' if number == 1 else 's'}"
