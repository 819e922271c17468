"""Regular expressions of the schema, which are ECMA-262's, for Python's `re`."""

from __future__ import annotations

import re
from functools import cache

_DOLLAR = re.compile(r"(\\.|\[(?:\\.|[^\]\\])*\])|\$", re.DOTALL)


def python_pattern(pattern: str) -> str:
    """A pattern that with `re.ASCII` matches what the given one does by ECMA-262.

    There `$` is the very end of the text, and digits and word characters are those of ASCII.
    """
    return _DOLLAR.sub(lambda match: match[1] or r"\Z", pattern)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, ready to search with.

    Raises:
        re.error: it is no regular expression to Python.
    """
    return re.compile(python_pattern(pattern), re.ASCII)
