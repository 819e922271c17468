"""The functions that read and write the structs of Go."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence


def codec(
    name: str,
    reads: Sequence[str],
    writes: Sequence[str],
    marks: Sequence[str],
    named: Collection[str],
) -> Iterator[str]:
    """Yield the methods of a struct and its decoder.

    Args:
        name: the struct.
        reads: the statements that set its fields from the object `o`.
        writes: the statements that put its members into the writer `w`.
        marks: the unions that it is a variant of.
        named: the types of the protocol.
    """
    lines = "".join(f"\t{line}\n" for line in reads)
    yield (
        f"func (x *{name}) from(o *object, whole bool) {{\n{lines}"
        "\tif whole {\n\t\tx.Extra = o.rest()\n\t}\n}"
    )
    lines = "".join(f"\t{line}\n" for line in writes)
    yield f"func (x {name}) to(w *writer) {{\n{lines}}}"
    yield f"func decode{name}(n *node) (x {name}) {{\n\tx.from(open(n), true)\n\treturn x\n}}"
    yield from outside(name, marks, named)


def outside(name: str, marks: Sequence[str], named: Collection[str]) -> Iterator[str]:
    """Yield the methods of a struct for encoding/json, and its marks."""
    yield (
        f"// MarshalJSON writes the object with all of its members.\n"
        f"func (x {name}) MarshalJSON() ([]byte, error) {{\n"
        "\tw := newWriter()\n\tx.to(w)\n\treturn w.done()\n}"
    )
    yield _unmarshal(name, marks, named)
    for mark in marks:
        yield f"func ({name}) is{mark}() {{}}"


def _unmarshal(name: str, marks: Sequence[str], named: Collection[str]) -> str:
    """How encoding/json reads a struct: a variant through its union, where that has a name."""
    head = f"func (x *{name}) UnmarshalJSON(data []byte) error"
    doc = "// UnmarshalJSON reads as Parse does."
    if name in named:
        return f"{doc}\n{head} {{\n\treturn unmarshal(data, x)\n}}"
    unions = [mark for mark in marks if mark in named]
    if unions:
        return f"{doc}\n{head} {{\n\treturn unmarshalVariant[{unions[0]}](data, x)\n}}"
    return (
        "// UnmarshalJSON fails: only the object around it can be read.\n"
        f"func (x *{name}) UnmarshalJSON([]byte) error {{\n\treturn errInside\n}}"
    )
