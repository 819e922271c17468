"""All that acpgen generates, and acpgen itself, judge a text by a pattern alike, as Node does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import jsonschema_rs
import pytest

from acpgen.judge.single import validate
from acpgen.lint import lint
from acpgen.load import load
from acpgen.model import Protocol, Stability
from acpgen.targets.bundles import bundle
from acpgen.targets.checkers import compile_checkers, compile_decoders
from model_packages import build
from node_patterns import at, node
from pattern_samples import TEXTS

NAMES = [f"Text{letter}" for letter in "ABCDEFGHIJKLMNOPQR"]
PATTERNS = (
    *(r"^\d+$", r"^\D$", r"^\w+$", r"^\W$", r"^\s$", r"^\S+$", "^.$", "^(?<word>[a-z]+)$"),
    *(r"\bfoo", r"^\u{1F600}+$", "[]", "^[^]$", "a$", "^(?!a)", "(?<=x)f", "^a{2,}b$", ".*b"),
    r"^[^\d\s]+$",
)
Door = Callable[[str, str], bool]
"""True if a text is accepted as the type of a name."""


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    texts = dict(zip(NAMES, PATTERNS, strict=True))
    params = {
        "x-method": "text/put",
        "x-side": "agent",
        "type": "object",
        "properties": {
            **{name: {"$ref": f"#/$defs/{name}"} for name in texts},
            **{f"inline{name}": {"type": "string", "pattern": p} for name, p in texts.items()},
        },
    }
    named = {name: {"type": "string", "pattern": p} for name, p in texts.items()}
    folder = tmp_path_factory.mktemp("doors") / "v9"
    folder.mkdir()
    schema = {"$defs": {"PutNotification": params, **named}}
    (folder / "text.json").write_text(json.dumps(schema), "utf-8")
    return load(folder)


def message(member: str, text: str) -> bytes:
    call = {"jsonrpc": "2.0", "method": "text/put", "params": {member: text}}
    return json.dumps(call).encode()


def judge(protocol: Protocol, _: Path) -> Door:
    return lambda name, text: bool(validate(message(name, text), protocol=protocol))


def checkers(protocol: Protocol, _: Path) -> Door:
    types = compile_checkers(protocol).types
    return lambda name, text: bool(types["PutNotification"]({name: text}))


def decoders(protocol: Protocol, _: Path) -> Door:
    decoding = compile_decoders(protocol, compile_checkers(protocol))
    return lambda name, text: bool(decoding.accepts_bytes(message(name, text)))


def models(protocol: Protocol, folder: Path) -> Door:
    package = build(protocol, folder)

    def accepts(name: str, text: str) -> bool:
        try:
            package.PutNotification.from_wire(json.dumps({name: text}).encode())
        except ValueError:
            return False
        return True

    return accepts


def bundled(protocol: Protocol) -> dict[str, object]:
    definitions = bundle(protocol, Stability.STABLE)["$defs"]
    return {"$ref": "#/$defs/PutNotification", "$defs": definitions}


def bundle_in_rust(protocol: Protocol, _: Path) -> Door:
    validator = jsonschema_rs.validator_for(bundled(protocol))
    return lambda name, text: validator.is_valid({name: text})


def bundle_in_python(protocol: Protocol, _: Path) -> Door:
    validator = jsonschema.Draft202012Validator(bundled(protocol))
    return lambda name, text: validator.is_valid({name: text})


def members() -> Iterator[tuple[str, str]]:
    """The members of the params with their patterns: by the name of a type, and inline."""
    for name, pattern in zip(NAMES, PATTERNS, strict=True):
        yield name, pattern
        yield f"inline{name}", pattern


@pytest.mark.parametrize(
    "door", [judge, checkers, decoders, models, bundle_in_rust, bundle_in_python]
)
def test_a_text_is_judged_as_in_node(
    protocol: Protocol, tmp_path: Path, door: Callable[[Protocol, Path], Door]
) -> None:
    accepts, verdicts = door(protocol, tmp_path), node(list(PATTERNS))
    python = door is bundle_in_python
    disputed = [
        (pattern, text)
        for member, pattern in members()
        for text in TEXTS
        # To Python's jsonschema, `$` is also before a last line feed.
        if not (python and text.endswith("\n"))
        if accepts(member, text) is not at(verdicts, pattern, text)
    ]
    assert disputed == []


def test_examples_are_judged_as_in_node(tmp_path: Path) -> None:
    pattern = r"^\s$"
    text = {"type": "string", "pattern": pattern, "examples": [*TEXTS]}
    (tmp_path / "schema.json").write_text(json.dumps({"$defs": {"Text": text}}), "utf-8")
    findings = lint(load(tmp_path / "schema.json"))
    refused = {f.pointer for f in findings if f.rule == "invalid-example"}
    verdicts = node([pattern])[pattern]
    assert refused == {
        f"/$defs/Text/examples/{index}"
        for index, accepted in enumerate(verdicts or ())
        if not accepted
    }
