"""Keys that contain a part of their prompt, or private data. Each is judged by itself.

The patterns are so long that a random key contains one by chance in fewer than one of a million
runs of the kit: eight letters in a row, out of 26 or more, or sixteen hexadecimal digits of a hash.
Addresses are looked for only in keys without many other punctuation marks.
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
import uuid
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import Final
from urllib.parse import unquote_plus

__all__ = ["LEAST_DIGITS", "LEAST_LETTERS", "found_in"]

LEAST_LETTERS: Final = 8
"""How many letters and digits of the text in a row are not a coincidence."""

LEAST_DIGITS: Final = 16
"""How many hexadecimal digits of a hash are not a coincidence."""

_HASHES: Final = (
    *("md5", "sha1", "sha224", "sha256", "sha384", "sha512"),
    *("sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"),
)
_LENGTHS: Final = (16, 20, 32)
"""The lengths in bytes of truncated BLAKE2b hashes."""

_BETWEEN: Final = ("", " ", ":", "-", "_", "/", "|", ".", ",", "\n", "\0")
"""What may separate a session and its prompt when both are hashed together."""

_SPACES: Final = (
    uuid.NAMESPACE_URL,
    uuid.NAMESPACE_DNS,
    uuid.NAMESPACE_OID,
    uuid.NAMESPACE_X500,
    uuid.UUID(int=0),
)
_VERSIONS: Final = "3458"
"""The versions of UUIDs that a hash may be written as."""

_RANDOM: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-z]{20,}", re.I)
_PLAIN: Final = re.compile(r"[\w.+@:/ <>-]*")
"""Keys with other characters are random in all of ASCII, where an address may appear by chance."""

_WORD: Final = "[A-Z]?[a-z0-9]+"
_ADDRESS: Final = re.compile(
    rf"(?<![A-Za-z0-9])({_WORD}(?:[._+-]{_WORD})*)@(?:[a-z0-9-]{{3,}}\.)+[a-z]{{2,}}(?![A-Za-z0-9])"
)
_PATH: Final = re.compile(r"/home/|/Users/|\\Users\\|/root/|file://")


def found_in(key: str, session: str, text: str, *contents: str) -> str | None:
    """Describe what a key contains that it should not, without its value. None if there is nothing.

    Args:
        key: the key.
        session: the ID of the session that the key was sent to.
        text: the text of the prompt.
        contents: the prompt as JSON, in all forms in which a client may have written it.
    """
    if _address(key):
        return "a key holds what looks like an e-mail address"
    if _PATH.search(key):
        return "a key holds what looks like a path"
    decoded = [*_decoded(key)]
    readings = [key, unquote_plus(key), *(each.decode("utf-8", "ignore") for each in decoded)]
    parts = _windows(_letters(text), LEAST_LETTERS)
    if any(parts & _windows(_letters(each), LEAST_LETTERS) for each in readings):
        return "a key holds a part of the prompt"
    written = [_letters(key), *(each.hex() for each in decoded)]
    hashes = _hashes(session, text, *contents)
    if any(hashes & _windows(each, LEAST_DIGITS) for each in written):
        return "a key is made from the prompt"
    return None


def _address(key: str) -> bool:
    """True if a key contains an e-mail address. A random name is not an address."""
    names = _ADDRESS.findall(key) if _PLAIN.fullmatch(key) else []
    return any(re.search("[A-Za-z][a-z]{2}", _RANDOM.sub("", name)) for name in names)


def _letters(text: str) -> str:
    """The letters and digits of a text, case-folded."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def _windows(text: str, length: int) -> set[str]:
    return {text[start : start + length] for start in range(len(text) - length + 1)}


def _decoded(key: str) -> Iterator[bytes]:
    """Yield what parts of a key may encode in base64, base32 or hex, at any alignment."""
    for part in re.findall(r"[A-Za-z0-9+/_-]{11,}", key):
        yield from _phases(part.translate(_STANDARD), 4, base64.b64decode)
    for part in re.findall(r"[A-Z2-7]{13,}", key.upper()):
        yield from _phases(part, 8, base64.b32decode)
    for part in re.findall(r"[0-9a-f]{16,}", _letters(key)):
        yield from _phases(part, 2, bytes.fromhex)


_STANDARD: Final = str.maketrans("-_", "+/")


def _phases(part: str, size: int, decode: Callable[[str], bytes]) -> Iterator[bytes]:
    """Decode whole groups of `size` characters, from each possible start."""
    filled = part + {4: "A", 8: "A", 2: "0"}[size] * (size - 1)
    for start in range(size):
        yield decode(filled[start : start + (len(filled) - start) // size * size])


@lru_cache(maxsize=16)
def _hashes(session: str, text: str, *contents: str) -> frozenset[str]:
    """Digits of the hashes of a prompt: the first, the last, and those from the ninth on."""
    summary = {text, text.strip(), text.lower(), *contents} - {""}
    pairs = [*product({session}, summary), *product(summary, {session})]
    sources = summary | {between.join(pair) for pair in pairs for between in _BETWEEN}
    return frozenset(
        digits
        for source in sources
        for digest in _digests(source.encode("utf-8", "surrogatepass"))
        for digits in (digest[:LEAST_DIGITS], digest[8:24], digest[-LEAST_DIGITS:])
    )


def _digests(source: bytes) -> Iterator[str]:
    """Yield the hashes of a source in hex, and the UUIDs that are made of them."""
    made = [hashlib.new(name, source, usedforsecurity=False).digest() for name in _HASHES]
    made += [hashlib.blake2b(source, digest_size=length).digest() for length in _LENGTHS]
    for space in _SPACES:
        made += [
            hashlib.new(name, space.bytes + source, usedforsecurity=False).digest()
            for name in ("md5", "sha1")
        ]
    for digest in made:
        digits = digest.hex()
        yield digits
        variant = f"{int(digits[16], 16) & 3 | 8:x}"
        yield from (f"{digits[:12]}{v}{digits[13:16]}{variant}{digits[17:32]}" for v in _VERSIONS)
