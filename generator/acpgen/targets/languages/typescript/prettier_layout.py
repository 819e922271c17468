"""Expressions of TypeScript, broken into lines as Prettier breaks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 80


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of a function by its name."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands between one operator, `&&` or `||`; each is an expression itself."""

    operator: str
    operands: tuple[Expression, ...]


Expression = str | FunctionCall | Chain


def chain(operator: str, operands: Sequence[Expression]) -> Expression:
    """Join operands by an operator; one alone stays as it is, and none is not allowed."""
    flat: list[Expression] = []
    for each in operands:
        nested = isinstance(each, Chain) and each.operator == operator
        flat += each.operands if nested and isinstance(each, Chain) else [each]
    return flat[0] if len(flat) == 1 else Chain(operator, tuple(flat))


def returned(expression: Expression, indent: int) -> str:
    """Return the statement that returns an expression, without a final line end."""
    pad = " " * indent
    line = f"{pad}return {inline(expression)};"
    if len(line) <= WIDTH:
        return line
    if isinstance(expression, Chain):
        inner = f"{pad}  {inline(expression)}"
        if len(inner) > WIDTH:
            inner = _broken(expression, indent + 2, 0)
        return f"{pad}return (\n{inner}\n{pad});"
    return f"{pad}return {_operand(expression, indent, len('return '), len(';'))};"


def inline(expression: Expression) -> str:
    """Return an expression on one line."""
    match expression:
        case str():
            return expression
        case FunctionCall(function=function, arguments=arguments):
            return f"{function}({', '.join(arguments)})"
        case Chain(operator=operator, operands=operands):
            return f" {operator} ".join(
                f"({inline(each)})" if isinstance(each, Chain) else inline(each)
                for each in operands
            )


def _broken(expression: Chain, indent: int, after: int) -> str:
    """The operands of a chain, each on lines of its own, the last one before `after` columns."""
    pad = " " * indent
    *most, last = expression.operands
    end = f" {expression.operator}"
    lines = [f"{pad}{_operand(each, indent, 0, len(end))}{end}" for each in most]
    return "\n".join([*lines, f"{pad}{_operand(last, indent, 0, after)}"])


def _operand(expression: Expression, indent: int, before: int, after: int) -> str:
    """An operand that begins `before` columns after an indentation and is followed by `after`."""
    text = inline(expression)
    if isinstance(expression, Chain):
        text = f"({text})"
    if indent + before + len(text) + after <= WIDTH or isinstance(expression, str):
        return text
    if isinstance(expression, FunctionCall):
        inner = "".join(f"{' ' * (indent + 2)}{each},\n" for each in expression.arguments)
        return f"{expression.function}(\n{inner}{' ' * indent})"
    return f"({_broken(expression, indent + 2, after + 1).lstrip()})"


def intersection(parts: Sequence[str]) -> str:
    """Return a type that is all of its parts at once, laid out as the whole of an alias."""
    flat = " & ".join(parts)
    names = [part for part in parts if not part.startswith(("{", "("))]
    if len(names) < 2 or ("\n" not in flat and len(flat) <= WIDTH // 2):
        return flat
    indented = [part.replace("\n", "\n  ") for part in parts]
    return f"{indented[0]} &\n  {' & '.join(indented[1:])}"


def alternatives(parts: Sequence[str], indent: int, before: int, end: str = ";") -> str:
    """Return a union type after `before` columns: on the same line, or below it."""
    flat = " | ".join(parts)
    if before + 1 + len(flat) + len(end) <= WIDTH or "\n" in flat:
        return f" {flat}{end}"
    pad = " " * (indent + 2)
    if len(parts) == 1 or len(pad) + len(flat) + len(end) <= WIDTH:
        return f"\n{pad}{flat}{end}"
    return "".join(f"\n{pad}| {each}" for each in parts) + end


def guarded(name: str, parameter: str, result: str) -> str:
    """Return the head of a function with one parameter, up to its opening brace."""
    line = f"function {name}({parameter}: unknown): {result} {{"
    if len(f"export {line}") <= WIDTH:
        return line
    return f"function {name}(\n  {parameter}: unknown,\n): {result} {{"
