"""Messages without their secrets, for recordings that people attach to an issue.

What is replaced, wherever it is in a message:

- Idempotency keys: the members that `acp_wire.keys` finds, and a longer key in any other text. What
  is left is a keyed hash, the same for the same key.
- Custom data: all values in `_meta`. The names are left, and the type of each value.
- Variables and headers: the values in `env`, `headers` and other spellings. The names are left.
- Credentials: all texts in members named as in `CREDENTIALS`, such as `token` or `apiKey`.
- Arguments: in `args`, the values of options with such a name, such as `--api-key`.
- Addresses: in a `url` or `uri`, the user, the query and the fragment.

A replaced text stays a text, a number a number, so that a message is as valid as before. Not
replaced is what people and models write: prompts, answers, the content of files, the output of
tools. Two texts of the same secret are equal afterwards only if they are keys.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from acp_wire.keys import looks_like_key, skeleton
from acp_wire.reader import Decoded, JsonValue
from acp_wire.redaction import LONG_KEY

__all__ = ["CREDENTIALS", "REDACTED", "Redactor"]

REDACTED: Final = "[redacted]"
"""What replaces a secret that is not a key."""

CREDENTIALS: Final = frozenset(
    map(
        skeleton,
        (
            "access_key",
            "access_token",
            "api_key",
            "api_token",
            "auth_token",
            "authorization",
            "bearer_token",
            "client_secret",
            "cookie",
            "credential",
            "credentials",
            "id_token",
            "pass",
            "passphrase",
            "passwd",
            "password",
            "private_key",
            "proxy_authorization",
            "refresh_token",
            "secret",
            "secret_key",
            "session_token",
            "set_cookie",
            "token",
            "x_api_key",
        ),
    )
)
"""The skeletons (see `acp_wire.keys`) of the names of members and options that hold a secret."""

_CUSTOM: Final = skeleton("_meta")
_SETTINGS: Final = frozenset(
    map(skeleton, ("env", "environment", "env_vars", "headers", "http_headers"))
)
_ARGUMENTS: Final = frozenset(map(skeleton, ("args", "arguments", "argv")))
_ADDRESSES: Final = frozenset(map(skeleton, ("url", "uri", "base_url")))
_WORDS: Final = frozenset(
    {
        "id",
        "jsonrpc",
        "kind",
        "method",
        "outcome",
        "role",
        "sessionId",
        "sessionUpdate",
        "state",
        "status",
        "stopReason",
        "type",
    }
)
"""Members whose text is a word of the protocol, or joins messages."""

_SCHEMA_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object")

_LONGEST: Final = 255
"""The most characters of a valid key."""
_REMEMBERED: Final = 512
"""How many keys are looked for in other texts."""
_ADDRESS: Final = re.compile(r"(?P<user>(?<=://)[^/?#@\s]*@)|(?P<rest>[?#].*)", re.DOTALL)
_OPTION: Final = re.compile(
    r"(?P<option>--?(?P<name>[A-Za-z][\w.-]*))(?:=(?P<value>.*))?", re.DOTALL
)


class Redactor:
    """Replaces the secrets in the messages of one recording.

    Args:
        secret: random bytes. With the same ones, a key gets the same hash.
        show_keys: whether keys are kept.
    """

    def __init__(self, secret: bytes, *, show_keys: bool = False) -> None:
        self._secret = secret
        self._show_keys = show_keys
        self._known: dict[str, str] = {}

    def redacted(self, decoded: Decoded) -> str:
        """Return the JSON text of a message without its secrets.

        It is the very text if there are none. A member that an object names twice stays twice.
        """
        hidden = {id(object_): members for object_, members in decoded.repeats}
        if not self._show_keys:
            for key in _keys(decoded):
                self._remember(key)
        text = decoded.text
        escapes = "\\" in text
        present = {key: hash_ for key, hash_ in self._known.items() if escapes or key in text}
        walk = _Walk(None if self._show_keys else self.hash, present, hidden)
        value = walk.value(decoded.value, "")
        if not walk.changed:
            return text
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def hash(self, key: str) -> str:
        """Return what replaces a key. One that is too long stays so, and an empty one is empty."""
        if not key:
            return ""
        digest = hmac.digest(self._secret, key.encode("utf-8", "surrogatepass"), "sha256")
        text = f"key-{digest.hex()[:32]}"
        return text if len(key) <= _LONGEST else text.ljust(len(key), "-")

    def _remember(self, key: str) -> None:
        """Know a longer key, also in the texts to come; forget the oldest of too many."""
        if len(key) < LONG_KEY:
            return
        hash_ = self._known.pop(key, None) or self.hash(key)
        if len(self._known) >= _REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[key] = hash_


class _Members(dict[str, JsonValue]):
    """An object in which a member may be there more than once, also when it is written."""

    def __init__(self, members: list[tuple[str, JsonValue]]) -> None:
        super().__init__(members)
        self._members = members

    def items(self) -> list[tuple[str, JsonValue]]:  # type: ignore[override] # what json calls
        return self._members


class _Walk:
    """Replaces the secrets in one value; `changed` is whether there were any.

    Args:
        hash_key: what replaces a key; None if keys are kept.
        present: the keys that may be in any text, and what replaces them.
        hidden: the members of objects that name one twice, by the id of the object.
    """

    def __init__(
        self,
        hash_key: Callable[[str], str] | None,
        present: Mapping[str, str],
        hidden: Mapping[int, list[tuple[str, JsonValue]]],
    ) -> None:
        self.changed = False
        self._hash_key = hash_key
        self._present = present
        self._hidden = hidden

    def value(self, value: JsonValue, name: str) -> JsonValue:
        """A value of the member with this name, or in its array."""
        if isinstance(value, dict):
            return self._each(value, self._member)
        if isinstance(value, list):
            if skeleton(name) in _ARGUMENTS:
                return self._arguments(value)
            return [self.value(item, name) for item in value]
        return self._text(value, name) if isinstance(value, str) else value

    def _each(
        self, object_: dict[str, JsonValue], replace: Callable[[str, JsonValue], JsonValue]
    ) -> JsonValue:
        """An object with other values. Its names stay, but for the keys in them."""
        members = self._hidden.get(id(object_)) or list(object_.items())
        return _Members([(self._without_keys(name), replace(name, v)) for name, v in members])

    def _member(self, name: str, value: JsonValue) -> JsonValue:
        bones = skeleton(name)
        if looks_like_key(name):
            return self._key(value)
        if bones == _CUSTOM:
            return self._emptied(value, numbers=True)
        if not _is_schema(value):
            if bones in CREDENTIALS:
                return self._emptied(value)
            if bones in _SETTINGS:
                return self._settings(value)
        return self.value(value, name)

    def _key(self, value: JsonValue) -> JsonValue:
        if self._hash_key is None:
            return value
        if isinstance(value, str):
            self.changed = True
            return self._hash_key(value)
        return self._emptied(value)

    def _text(self, text: str, name: str) -> str:
        if name in _WORDS:
            return text
        if skeleton(name) in _ADDRESSES:
            shorter = _ADDRESS.sub(_shortened, text)
            self.changed |= shorter != text
            text = shorter
        return self._without_keys(text)

    def _without_keys(self, text: str) -> str:
        for key, hash_ in self._present.items():
            if key in text:
                text = text.replace(key, hash_)
                self.changed = True
        return text

    def _settings(self, value: JsonValue) -> JsonValue:
        """Variables or headers: objects that have a name and a value, or one object."""
        if not isinstance(value, list):
            return self._emptied(value)
        return [
            self._each(item, self._setting) if isinstance(item, dict) else self._emptied(item)
            for item in value
        ]

    def _setting(self, name: str, value: JsonValue) -> JsonValue:
        return self.value(value, name) if name == "name" else self._emptied(value)

    def _arguments(self, items: list[JsonValue]) -> JsonValue:
        """Arguments without the values of options that are named like a credential."""
        found: list[JsonValue] = []
        follows = False
        for item in items:
            option = _OPTION.fullmatch(item) if isinstance(item, str) else None
            secret = option is not None and skeleton(option["name"]) in CREDENTIALS
            if option is not None and secret and option["value"] is not None:
                self.changed = True
                found.append(f"{option['option']}={REDACTED}")
            else:
                found.append(self._emptied(item) if follows else self.value(item, ""))
            follows = option is not None and secret and option["value"] is None
        return found

    def _emptied(self, value: JsonValue, *, numbers: bool = False) -> JsonValue:
        """A value in which every text, and if asked every number, is replaced."""
        if isinstance(value, dict):
            return self._each(
                value,
                lambda name, member: (
                    self._key(member)
                    if looks_like_key(name)
                    else self._emptied(member, numbers=numbers)
                ),
            )
        if isinstance(value, list):
            return [self._emptied(item, numbers=numbers) for item in value]
        if value == "" or value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            self.changed = True
            return REDACTED
        self.changed |= numbers
        return 0 if numbers else value


def _keys(decoded: Decoded) -> Iterator[str]:
    """The texts in members that look like a key."""
    return (
        member
        for name, member in decoded.members()
        if isinstance(member, str) and looks_like_key(name)
    )


def _is_schema(value: JsonValue) -> bool:
    """True if a value describes the field of a form, and so is not what people fill in."""
    return isinstance(value, dict) and value.get("type") in _SCHEMA_TYPES


def _shortened(match: re.Match[str]) -> str:
    if match["user"]:
        return "redacted@"
    return f"{match['rest'][0]}redacted" if len(match["rest"]) > 1 else match["rest"]
