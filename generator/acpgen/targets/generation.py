"""From a schema to a generated folder: what is fresh, what differs, what gets written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acpgen.emit import manifest
from acpgen.emit.manifest import Manifest
from acpgen.emit.templates import Templates
from acpgen.emit.tree import Change, Difference, compare, owned, write
from acpgen.load import load
from acpgen.targets import Target, Tree

Announce = Callable[[Target], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What to generate from which schema and templates into which folder.

    `full` distrusts the manifest and generates everything anew.
    """

    schema: Path
    out: Path
    targets: Sequence[Target]
    templates: Path
    full: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a folder differs from the generated tree.

    `fresh` are the targets that the digests vouched for; `tree` holds the whole text of every file
    that has to be written.
    """

    differences: tuple[Difference, ...]
    fresh: tuple[Target, ...]
    tree: Tree


def generate(order: Order, announce: Announce = lambda _: None) -> Outcome:
    """Work out how a folder differs from what the schema says should be there. Writes nothing.

    `announce` is called with each target before it is generated.

    Raises:
        SchemaError: the schema can't be loaded.
        MissingClassError: a target needs retry classes that the schema lacks.
        OSError: the schema or the templates can't be read.
    """
    inputs = manifest.inputs(order.schema, order.templates)
    recorded = manifest.read(order.out)
    known = recorded.outputs if recorded is not None and recorded.inputs == inputs else {}
    fresh = () if order.full else tuple(_fresh(order, known))
    stale = [target for target in order.targets if target not in fresh]
    trees = dict(_trees(order, stale, announce)) if stale else {}
    outputs = {
        **known,
        **{target.name: manifest.outputs(tree) for target, tree in trees.items()},
    }
    tree = {path: text for tree in trees.values() for path, text in tree.items()}
    tree[manifest.NAME] = Manifest(inputs, outputs).text()
    differences = compare(order.out, tree, lambda path: any(t.claims(path) for t in stale))
    differences = sorted(
        [*differences, *_abandoned(order, recorded, stale, tree, differences)], key=lambda d: d.path
    )
    changed = {difference.path for difference in differences}
    return Outcome(tuple(differences), fresh, {p: t for p, t in tree.items() if p in changed})


def apply(order: Order, outcome: Outcome) -> None:
    """Bring the folder to what the outcome says should be there.

    Raises:
        ForeignFileError: a file that acpgen did not write is in the way.
        OSError: the folder can't be written.
    """
    if outcome.differences:
        surplus = (d.path for d in outcome.differences if d.change is Change.SURPLUS)
        write(order.out, outcome.tree, frozenset(surplus))


def _abandoned(
    order: Order,
    recorded: Manifest | None,
    stale: Iterable[Target],
    tree: Tree,
    differences: Iterable[Difference],
) -> Iterable[Difference]:
    """Files without a header that an earlier run recorded and that follow from nothing any more."""
    known = {difference.path for difference in differences} | tree.keys()
    outputs = recorded.outputs if recorded is not None else {}
    for target in stale:
        for path in manifest.unchanged(order.out, outputs.get(target.name, {})):
            if target.claims(path) and path not in known:
                yield Difference(path, Change.SURPLUS)


def _fresh(order: Order, known: Mapping[str, Mapping[str, str]]) -> Iterable[Target]:
    """The targets whose files stand as they were recorded, with nothing of acpgen's beside them."""
    present = tuple(owned(order.out))
    for target in order.targets:
        recorded = known.get(target.name)
        if recorded is None or not manifest.holds(order.out, recorded):
            continue
        if all(path in recorded for path in present if target.claims(path)):
            yield target


def _trees(
    order: Order, targets: Iterable[Target], announce: Announce
) -> Iterable[tuple[Target, Tree]]:
    protocol = load(order.schema)
    templates = Templates(order.templates)
    for target in targets:
        announce(target)
        yield target, target.generate(protocol, templates)
