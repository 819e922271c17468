"""The docs of members, read from the source of generated modules when a JSON Schema needs them."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise

__all__ = ["member_docs"]


def member_docs(model: type) -> dict[str, str]:
    """The docs of a class's attributes, including inherited ones; empty without source code."""
    docs: dict[str, str] = {}
    for class_ in reversed(model.__mro__):
        docs |= _of_module(class_.__module__).get(class_.__qualname__, {})
    return docs


@cache
def _of_module(name: str) -> dict[str, dict[str, str]]:
    """The docs of attributes, by class and name: the strings below their declarations."""
    try:
        source = inspect.getsource(sys.modules[name])
    except (KeyError, OSError, TypeError):
        return {}
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return {node.name: _of_class(node) for node in classes}


def _of_class(node: ast.ClassDef) -> dict[str, str]:
    docs = {}
    for declaration, below in pairwise(node.body):
        match declaration, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docs[name] = inspect.cleandoc(text)
            case _:
                continue
    return docs
