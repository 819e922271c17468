"""Generated models packages, imported under names of their own beside the committed `acp_v2`."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import ModuleType

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.model import Object, Property, Protocol, Type, TypeName
from acpgen.targets.models import models

_VERSIONS = count(9000)


def build(protocol: Protocol, folder: Path) -> ModuleType:
    """Generate the models of a protocol into a folder and import them."""
    apart = replace(protocol, version=next(_VERSIONS))
    write(models(apart, Templates(resources.TEMPLATES)), folder)
    sys.path.insert(0, str(folder / "python"))
    try:
        return importlib.import_module(f"acp_v{apart.version}.models")
    finally:
        sys.path.remove(str(folder / "python"))


def write(tree: dict[str, str], folder: Path) -> None:
    """Write generated text as files."""
    for path, text in tree.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def only(protocol: Protocol, *domains: str) -> Protocol:
    """The part of a protocol that some domains make up; they must need no others."""
    types = {name: type_ for name, type_ in protocol.types.items() if type_.domain in domains}
    methods = tuple(method for method in protocol.methods if method.params in types)
    return replace(protocol, types=types, methods=methods)


def with_type(protocol: Protocol, name: str, body: Type) -> Protocol:
    """The protocol with another body for one type."""
    key = TypeName(name)
    return replace(protocol, types={**protocol.types, key: replace(protocol.types[key], body=body)})


def member(protocol: Protocol, type_name: str, name: str) -> Property:
    """One member of an object type."""
    body = protocol.types[TypeName(type_name)].body
    assert isinstance(body, Object)
    return next(p for p in body.properties if p.name == name)


def with_member(protocol: Protocol, type_name: str, changed: Property) -> Protocol:
    """The protocol with one member of an object type changed."""
    body = protocol.types[TypeName(type_name)].body
    assert isinstance(body, Object)
    members = tuple(changed if p.name == changed.name else p for p in body.properties)
    return with_type(protocol, type_name, replace(body, properties=members))
