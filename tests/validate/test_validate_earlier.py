"""Messages of earlier versions of the protocol: the verdict says where their methods are from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.judge import validate
from acpgen.judge.earlier import METHODS_OF_V1
from acpgen.load import load
from acpgen.model import Protocol


def said(name: str, protocol: Protocol) -> list[str]:
    message = {"jsonrpc": "2.0", "id": 1, "method": name, "params": {}}
    return [fault.message for fault in validate(json.dumps(message), protocol=protocol).findings]


def test_the_methods_are_those_of_v1_that_are_gone(upstream_schemas: Path) -> None:
    names = {
        method.name
        for file in sorted((upstream_schemas / "v1").glob("*.json"))
        for method in load(file).methods
    }
    assert names - {method.name for method in load(resources.SCHEMA).methods} == METHODS_OF_V1


@pytest.mark.parametrize("name", sorted(METHODS_OF_V1))
def test_a_method_of_v1_is_called_that(name: str, protocol: Protocol) -> None:
    assert said(name, protocol) == [
        "is not a method of the protocol; it is a method of ACP v1, and the schema is of version 2"
    ]


def test_a_method_of_no_version_is_not(protocol: Protocol) -> None:
    assert said("session/lose", protocol) == ["is not a method of the protocol"]


def test_a_schema_of_v1_would_have_it(protocol: Protocol) -> None:
    assert said("session/load", replace(protocol, version=1)) == ["is not a method of the protocol"]
    assert said("session/load", replace(protocol, version=None)) == [
        "is not a method of the protocol; it is a method of ACP v1"
    ]
