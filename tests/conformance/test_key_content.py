"""A key that holds something of its prompt, or an address, is seen; a random one never is."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

import pytest

from acp_conformance.client_plans import CLIENT_PLANS
from acp_conformance.key_content import LEAST_DIGITS, LEAST_LETTERS, found_in
from proofs import a_few

TEXT: Final = "Sort the list of names by length."
CONTENT: Final = '[{"type":"text","text":"Sort the list of names by length."}]'
SESSION: Final = "session-1"
ID: Final = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"
RAW: Final = TEXT.encode()
PART: Final = "a key holds a part of the prompt"
MADE: Final = "a key is made from the prompt"
ADDRESS: Final = "a key holds what looks like an e-mail address"
PATH: Final = "a key holds what looks like a path"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


HOLDS: Final[dict[str, tuple[str, str]]] = {
    "the text": (f"{ID} {TEXT}", PART),
    "most of the text": (f"{ID} {TEXT[:30]}", PART),
    "the end of the text": (f"{ID}/{TEXT[-11:]}", PART),
    "capitals": (f"{ID} {TEXT.upper()}", PART),
    "a slug": (f"sort-the-list-{ID}", PART),
    "no spaces": (f"{ID}{TEXT.title().replace(' ', '')}", PART),
    "percent signs": (f"{ID}?{quote(TEXT)}", PART),
    "wide letters": ("".join(chr(ord(c) + 0xFEE0) for c in "Sortthelist"), PART),
    "base64": (base64.b64encode(RAW).decode(), PART),
    "base64url after an ID": (f"{ID}-{encoded(RAW)}", PART),
    "base64 of a part": (f"{ID}:{encoded(RAW[5:18])}", PART),
    "base64 of JSON": (encoded(json.dumps({"id": ID, "text": TEXT}).encode()), PART),
    "base32": (base64.b32encode(RAW).decode(), PART),
    "hex": (RAW.hex(), PART),
    "hex with colons": (RAW.hex(":"), PART),
    "hex as a UUID": (str(uuid.UUID(bytes=RAW[:16])), PART),
    "MD5": (hashlib.md5(RAW, usedforsecurity=False).hexdigest(), MADE),
    "SHA-1 in capitals": (hashlib.sha1(RAW, usedforsecurity=False).hexdigest().upper(), MADE),
    "SHA-256": (sha256(TEXT), MADE),
    "SHA3-384": (hashlib.sha3_384(RAW).hexdigest(), MADE),
    "half of SHA-256": (sha256(TEXT)[:32], MADE),
    "a quarter of SHA-256 after an ID": (f"{ID}-{sha256(TEXT)[:16]}", MADE),
    "SHA-512": (hashlib.sha512(RAW).hexdigest(), MADE),
    "BLAKE2b": (hashlib.blake2b(RAW).hexdigest(), MADE),
    "a short BLAKE2b": (hashlib.blake2b(RAW, digest_size=16).hexdigest(), MADE),
    "SHA-256 in base64": (base64.b64encode(hashlib.sha256(RAW).digest()).decode(), MADE),
    "half of SHA-256 in base64url": (encoded(hashlib.sha256(RAW).digest()[:16]), MADE),
    "a prefix and SHA-256 in base64url": (f"k{encoded(hashlib.sha256(RAW).digest())}", MADE),
    "session and text": (sha256(f"{SESSION}:{TEXT}"), MADE),
    "text and session": (sha256(TEXT + SESSION), MADE),
    "the prompt": (sha256(CONTENT), MADE),
    "session and prompt": (sha256(f"{SESSION}\n{CONTENT}"), MADE),
    "a hash that looks random": (str(uuid.UUID(sha256(TEXT)[:32], version=4)), MADE),
    "UUIDv5": (str(uuid.uuid5(uuid.NAMESPACE_URL, TEXT)), MADE),
    "UUIDv3 of both": (str(uuid.uuid3(uuid.NAMESPACE_OID, f"{SESSION}/{TEXT}")), MADE),
    "an address": (f"alice@example.com {ID}", ADDRESS),
    "an address after an ID": (f"{ID}-alice.b+acp@mail.example.org", ADDRESS),
    "an address as a folder": (f"acp/alice@example.com/{ID}", ADDRESS),
    "an address with a capital": (f"{ID} Alice@example.com", ADDRESS),
    "a home folder": (f"/home/alice/{ID}", PATH),
    "a home folder on macOS": (f"{ID}:/Users/alice", PATH),
    "a home folder on Windows": (f"C:\\Users\\alice {ID}", PATH),
    "the URL of a file": (f"file:///srv/x#{ID}", PATH),
}
HOLDS_NOTHING: Final = {
    "a UUID": ID,
    "a name of the client": f"acp-client-1.2.3:{ID}",
    "as in e-mail": f"<{ID}@acp.example.com>",
    "an e-mail's without hyphens": f"{uuid.UUID(ID).hex}@example.com",
    "the session": f"{SESSION}/{ID}",
    "a word of the text": f"list-{ID}",
    "a hash of a random value": sha256(ID),
    "a hash of the text and a random value": sha256(f"{ID}{TEXT}"),
    "a URL": f"https://example.com/keys/{ID}",
    "one letter": "k",
    "the longest": "\U0001f511" * 255,
    "half a character": "\ud800",
    "nothing but signs": "=-_/+" * 20,
    "nothing but words": "ab." * 85,
}
ALPHABETS: Final = {
    "hex": "0123456789abcdef",
    "Crockford": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "lower-case letters": string.ascii_lowercase,
    "base62": string.ascii_letters + string.digits,
    "base64": string.ascii_letters + string.digits + "+/",
    "base64url": string.ascii_letters + string.digits + "-_",
    "URL": string.ascii_letters + string.digits + "-._~!$&'()*+,;=:@/?",
    "ASCII": string.digits + string.ascii_letters + string.punctuation,
}


def found(key: str, text: str = TEXT) -> str | None:
    return found_in(key, SESSION, text, CONTENT)


@pytest.mark.parametrize("name", HOLDS)
def test_what_a_key_holds_is_seen(name: str) -> None:
    key, what = HOLDS[name]
    assert found(key) == what


@pytest.mark.parametrize("name", HOLDS_NOTHING)
def test_a_key_that_holds_nothing_is_fine(name: str) -> None:
    assert found(HOLDS_NOTHING[name]) is None


@pytest.mark.parametrize("name", ALPHABETS)
@pytest.mark.parametrize("length", a_few((22, 36, 255), {36}, "reads thousands of keys"))
def test_a_random_key_holds_nothing(name: str, length: int) -> None:
    chance = random.Random(0)
    keys = ("".join(chance.choices(ALPHABETS[name], k=length)) for _ in range(300))
    assert {found(key) for key in keys} == {None}


def test_random_uuids_hold_nothing() -> None:
    chance = random.Random(0)
    keys = (str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(3000))
    assert {found(key) for key in keys} == {None}


def test_a_hit_by_chance_is_rarer_than_one_in_a_million_runs() -> None:
    keys = sum(len(plan.texts) for plan in CLIENT_PLANS)
    parts = max(len(text) for plan in CLIENT_PLANS for text in plan.texts)
    assert keys * parts * len(ID) / 26**LEAST_LETTERS < 1e-6
    hashes, readings = 50_000, 16
    assert keys * hashes * readings * 255 / 16**LEAST_DIGITS < 1e-6


def test_a_short_text_is_not_looked_for() -> None:
    assert found(ID, text="0b6f3c1") is None
    assert found(ID, text="0b6f3c1e") == PART


@pytest.mark.parametrize("make", [str.upper, str.lower, str.title])
def test_the_longest_part_that_is_not_seen_is_a_letter_shorter(make: Callable[[str], str]) -> None:
    part = TEXT.replace(" ", "")[: LEAST_LETTERS - 1]
    assert found(f"{ID}-{make(part)}") is None


def test_half_a_character_can_be_in_a_prompt() -> None:
    assert found_in(ID, SESSION, "\ud800", '["\ud800"]') is None
