"""Agents that take two different keys for one, or can't keep every key."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote_plus

from acp_retry import Call
from variation import Variation, fails, hashed


def collated(key: str) -> str:
    """A key as a collation compares it that knows neither accents, case nor blanks at the end."""
    parts = unicodedata.normalize("NFKD", key.rstrip(" ").casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))


def as_number(key: str) -> str:
    """A key that may be a number."""
    try:
        return repr(float(key))
    except ValueError:
        return key


def as_uuid(key: str) -> str:
    """A key that may be a UUID."""
    try:
        return str(uuid.UUID(key))
    except ValueError:
        return key


def cut(key: str, size: int, encoding: str) -> str:
    """The first bytes of a key."""
    return key.encode(encoding, "surrogatepass")[:size].decode(encoding, "replace")


CONFUSIONS: Final[dict[str, Callable[[str], str]]] = {
    "case": str.lower,
    "case folding": str.casefold,
    "upper case": str.upper,
    "composed": lambda key: unicodedata.normalize("NFC", key),
    "decomposed": lambda key: unicodedata.normalize("NFD", key),
    "compatible": lambda key: unicodedata.normalize("NFKC", key),
    "collation": collated,
    "blanks at the end": lambda key: key.rstrip(" "),
    "blanks before": lambda key: key.lstrip(" "),
    "a line's end": lambda key: key.rstrip("\r\n"),
    "tabs at the end": lambda key: key.rstrip("\t"),
    "blanks within": lambda key: re.sub(" +", " ", key),
    "all white space": lambda key: re.sub(r"\s", " ", key),
    "what has no width": lambda key: key.replace("\u200b", ""),
    "a byte order mark": lambda key: key.removeprefix("\ufeff"),
    "a variation selector": lambda key: key.replace("\ufe0f", ""),
    "end at NUL": lambda key: key.partition("\0")[0],
    "no NUL": lambda key: key.replace("\0", ""),
    "32 characters": lambda key: key[:32],
    "64 characters": lambda key: key[:64],
    "254 characters": lambda key: key[:254],
    "the last 254 characters": lambda key: key[-254:],
    "both ends": lambda key: key[:100] + key[-100:],
    "255 bytes of UTF-8": lambda key: cut(key, 255, "utf-8"),
    "255 units of UTF-16": lambda key: cut(key, 510, "utf-16-le"),
    "509 units of UTF-16": lambda key: cut(key, 1018, "utf-16-le"),
    "ASCII": lambda key: key.encode("ascii", "replace").decode(),
    "Latin-1": lambda key: key.encode("latin-1", "replace").decode("latin-1"),
    "a byte of each character": lambda key: "".join(chr(ord(one) & 0xFF) for one in key),
    "two bytes of each character": lambda key: "".join(chr(ord(one) & 0xFFFF) for one in key),
    "one for all beyond the first plane": lambda key: re.sub("[\U00010000-\U0010ffff]", "?", key),
    "numbers": as_number,
    "numbers without zeros": lambda key: key.lstrip("0"),
    "UUIDs": as_uuid,
    "URL encoding": unquote_plus,
    "HTML encoding": lambda key: key.replace("&amp;", "&"),
    "JSON escapes": lambda key: re.sub(r"\\u(....)", lambda code: chr(int(code[1], 16)), key),
    "paths": lambda key: re.sub(r"/(\./)*/*", "/", key).removeprefix("./").rstrip("/"),
    "backslashes": lambda key: key.replace("\\", "/"),
    "file names": lambda key: key.rstrip(". "),
    "doubled quotes": lambda key: key.replace("''", "'"),
    "quotes": lambda key: key.replace('"', "'"),
    "separators": lambda key: re.sub(r"[^\w\s]", "_", key),
    "base64 padding": lambda key: key.rstrip("="),
}
"""Ways to take two keys for one."""


class Confusing(Variation):
    """Takes two keys for one."""

    way: str

    def key(self, key: str, call: Call) -> str | None:
        del call
        return hashed(CONFUSIONS[self.way](key))


@fails("keys-are-case-sensitive")
class FoldsCase(Confusing):
    way = "case"


@fails("keys-are-case-sensitive")
class Normalises(Confusing):
    way = "composed"


@fails("keys-are-case-sensitive")
class CutsKeys(Confusing):
    way = "64 characters"


@fails("keys-are-case-sensitive")
class PadsKeys(Confusing):
    way = "blanks at the end"


@fails("keys-are-case-sensitive")
class EndsKeysAtNul(Confusing):
    way = "end at NUL"


@fails("keys-are-case-sensitive")
class CollatesKeys(Confusing):
    way = "collation"


@fails("keys-are-case-sensitive")
class ReadsNumbers(Confusing):
    way = "numbers"


@fails("keys-are-case-sensitive")
class TakesKeysForPatterns(Variation):
    """Looks a key up with LIKE."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.seen: list[str] = []

    def key(self, key: str, call: Call) -> str | None:
        del call
        pattern = re.escape(key).replace("%", ".*").replace("_", ".")
        found = (each for each in self.seen if re.fullmatch(pattern, each, re.DOTALL))
        first = next(found, key)
        self.seen.append(first)
        return first


@fails("insert-once")
class KeepsKeysAsMembers(Variation):
    """Of an object that has a prototype: the key of that name is never kept."""

    def key(self, key: str, call: Call) -> str | None:
        return hashed(key, call.id) if key == "__proto__" else key


@fails("known-after-restart")
class StoresKeysAsLines(Variation):
    """Knows every key until it is killed, and then none that has a line's end in it."""

    def key(self, key: str, call: Call) -> str | None:
        del call
        return hashed(self.process, key) if "\n" in key else key
