"""Random keys pass in any form; counters and times do not."""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable
from typing import Final

import pytest

from acp_conformance.key_randomness import LEAST_BITS, LEAST_KEYS, flaw, random_bits

CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
START: Final = 1_790_000_000_000
"""A time in milliseconds."""

Scheme = Callable[[random.Random, int], str]


def when(number: int) -> int:
    """When a key was made: runs of a fast client are 30 milliseconds apart."""
    return START + 30 * number + number % 7


def version(bits: int, number: int) -> str:
    """A UUID of a version, from 128 bits."""
    bits = bits & ~(0xF << 76) & ~(0x3 << 62) | number << 76 | 0x2 << 62
    return str(uuid.UUID(int=bits))


def ulid(chance: random.Random, number: int) -> str:
    bits = when(number) << 80 | chance.getrandbits(80)
    return "".join(CROCKFORD[bits >> shift & 31] for shift in range(125, -1, -5))


def time_based(_: random.Random, number: int) -> str:
    ticks = when(number) * 10_000 + 0x01B21DD213814000
    low, middle, high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48
    return str(uuid.UUID(fields=(low, middle, high | 0x1000, 0x80, 0x2A, 0x3C22FB1B9A11)))


RANDOM: Final[dict[str, Scheme]] = {
    "UUIDv4": lambda chance, _: version(chance.getrandbits(128), 4),
    "UUIDv4 in capitals": lambda chance, _: version(chance.getrandbits(128), 4).upper(),
    "UUIDv7": lambda chance, n: version(when(n) << 80 | chance.getrandbits(80), 7),
    "UUIDv1": time_based,
    "ULID": ulid,
    "128 bits in base64url": lambda chance, _: base64.urlsafe_b64encode(chance.randbytes(16))[
        :22
    ].decode(),
    "128 bits in hex": lambda chance, _: chance.randbytes(16).hex(),
    "a number without leading zeros": lambda chance, _: str(chance.getrandbits(128)),
    "21 letters": lambda chance, _: "".join(chance.choices(string.ascii_letters, k=21)),
    "a prefix": lambda chance, _: f"my-client-1.2:{version(chance.getrandbits(128), 4)}",
    "a suffix": lambda chance, _: f"{version(chance.getrandbits(128), 4)}@my-client",
    "a time and chance": lambda chance, n: f"{when(n)}-{chance.randbytes(16).hex()}",
}
COUNTED: Final[dict[str, Scheme]] = {
    "a counter": lambda _, n: f"prompt-{n}",
    "a counter in front": lambda _, n: f"{n}-prompt",
    "a counter in hex": lambda _, n: f"{0xDEADBEEFCAFEBABE1234567890ABCDEF + n:x}",
    "a UUID that counts": lambda _, n: version(n, 4),
    "a UUID of the time that counts": lambda _, n: version(n, 1),
    "a counter after a long prefix": lambda _, n: f"{'0b6f3c1e8d2a4c57' * 4}-{n}",
    "milliseconds": lambda _, n: str(when(n)),
    "nanoseconds": lambda _, n: str(when(n) * 1_000_000 + n * 7_919),
    "nanoseconds in hex": lambda _, n: f"{when(n) * 1_000_000 + n * 7_919:x}",
    "a date": lambda _, n: f"2026-11-29T22:{n % 60:02}:{n * 7 % 60:02}.{n * 7919:06}Z",
    "a time and a process": lambda chance, n: f"{when(n) * 1_000_000}-{chance.randrange(1, 99999)}",
    "48 random bits": lambda chance, _: chance.randbytes(6).hex(),
}


def made(scheme: Scheme, count: int, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    return [scheme(chance, number) for number in range(count)]


@pytest.mark.parametrize("name", RANDOM)
@pytest.mark.parametrize("count", [LEAST_KEYS, 30])
def test_random_keys_pass(name: str, count: int) -> None:
    found = {flaw([made(RANDOM[name], count, seed)]) for seed in range(50)}
    assert found == {None}


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("count", [LEAST_KEYS, 30])
def test_counted_keys_have_one(name: str, count: int) -> None:
    found = flaw([made(COUNTED[name], count)])
    assert found is not None
    assert found.startswith(f"{count} keys differ from each other in ")


def test_a_description_does_not_contain_a_key() -> None:
    keys = made(COUNTED["a counter"], LEAST_KEYS)
    assert flaw([keys]) == f"8 keys differ from each other in 3 bits, not in {LEAST_BITS}"


def test_a_counter_with_a_prefix_for_each_folder_is_found() -> None:
    runs = [[f"{uuid.UUID(int=r << 90, version=4)}-{n}" for n in range(8)] for r in range(20)]
    assert str(flaw(runs)).startswith("8 keys differ")


def test_a_key_that_comes_back_is_not_random() -> None:
    first, second = made(RANDOM["UUIDv4"], 2)
    assert flaw([[first], [second]]) is None
    assert flaw([[first], [second, first]]) == "a key came back for another submission"


@pytest.mark.parametrize("make", [uuid.uuid3, uuid.uuid5])
def test_a_uuid_made_from_a_name_is_not_random(make: Callable[..., uuid.UUID]) -> None:
    assert flaw([[str(make(uuid.NAMESPACE_URL, "x"))]]) == "a key is a UUID made from a name"


def test_few_keys_tell_nothing() -> None:
    assert flaw([made(COUNTED["a counter"], LEAST_KEYS - 1)]) is None
    assert flaw([]) is None


def test_bits_are_those_of_chance() -> None:
    assert random_bits(made(RANDOM["128 bits in hex"], 200)) == pytest.approx(128, abs=1)
    assert random_bits(made(COUNTED["48 random bits"], 200)) == pytest.approx(48, abs=1)
    assert random_bits(["x"]) == random_bits([]) == 0.0
