"""From a schema to a generated folder: what is fresh, what differs, what gets written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acpgen.emit import manifest
from acpgen.emit.manifest import Manifest
from acpgen.emit.templates import Templates
from acpgen.emit.tree import Change, Difference, compare, owned, require_folder, write
from acpgen.findings import Finding, Severity
from acpgen.load import SchemaError, load
from acpgen.model import Protocol
from acpgen.targets import Target, Tree

Admit = Callable[[Protocol], None]
"""Raises a SchemaError for a protocol that nothing may be generated from."""
Announce = Callable[[Target], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What to generate from which schema and templates into which folder.

    `full` distrusts the manifest and generates everything anew. `accepted` is the file of the
    findings that the schema may have.
    """

    schema: Path
    out: Path
    targets: Sequence[Target]
    templates: Path
    full: bool = False
    accepted: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a folder differs from the generated tree.

    `fresh` are the targets that the digests vouched for; `tree` holds the whole text of every file
    that has to be written. `renewed` are the inputs that the manifest has other digests of although
    all that it records still follows.
    """

    differences: tuple[Difference, ...]
    fresh: tuple[Target, ...]
    tree: Tree
    renewed: tuple[str, ...] = ()

    @property
    def drift(self) -> tuple[Difference, ...]:
        """The differences in what was generated: all but a manifest that only has to be renewed."""
        return tuple(d for d in self.differences if not self._only_renews(d))

    def _only_renews(self, difference: Difference) -> bool:
        is_manifest = difference.path == manifest.NAME and difference.change is Change.CHANGED
        return is_manifest and bool(self.renewed)


def generate(
    order: Order, announce: Announce = lambda _: None, admit: Admit = lambda _: None
) -> Outcome:
    """Work out how a folder differs from what the schema says should be there. Writes nothing.

    `announce` is called with each target before it is generated, `admit` with the protocol before
    the first of them. A schema whose digest is recorded was admitted when it was generated from.

    Raises:
        SchemaError: the schema can't be loaded, is not admitted, or has no version.
        MissingClassError: a target needs retry classes, and no method has one.
        TemplateError: a template is missing or broken.
        FolderError: the folder to write into is none.
        OSError: the schema or the templates can't be read.
    """
    require_folder(order.out)
    inputs = manifest.inputs(order.schema, order.templates, order.accepted)
    recorded = manifest.read(order.out)
    known = recorded.outputs if recorded is not None and recorded.inputs == inputs else {}
    fresh = () if order.full else tuple(_fresh(order, known))
    stale = [target for target in order.targets if target not in fresh]
    trees = dict(_trees(order, stale, announce, admit)) if stale else {}
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
    return Outcome(
        tuple(differences),
        fresh,
        {p: t for p, t in tree.items() if p in changed},
        tuple(_renewed(order, recorded, Manifest(inputs, outputs))),
    )


def apply(order: Order, outcome: Outcome) -> None:
    """Bring the folder to what the outcome says should be there.

    Raises:
        ForeignFileError: a file that acpgen did not write is in the way.
        FolderError: the folder can't be replaced.
        OSError: the folder can't be written.
    """
    if outcome.differences:
        surplus = (d.path for d in outcome.differences if d.change is Change.SURPLUS)
        write(order.out, outcome.tree, frozenset(surplus))


def _renewed(order: Order, recorded: Manifest | None, made: Manifest) -> Iterable[str]:
    """The inputs that were others when the same outputs of the ordered targets were recorded."""
    names = [target.name for target in order.targets]
    if recorded is None or any(recorded.outputs.get(n) != made.outputs[n] for n in names):
        return ()
    inputs = {**recorded.inputs, **made.inputs}
    return (name for name in inputs if recorded.inputs.get(name) != made.inputs.get(name))


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
    order: Order, targets: Iterable[Target], announce: Announce, admit: Admit
) -> Iterable[tuple[Target, Tree]]:
    protocol = load(order.schema)
    _require_version(protocol)
    admit(protocol)
    templates = Templates(order.templates)
    for target in targets:
        announce(target)
        yield target, target.generate(protocol, templates)


def _require_version(protocol: Protocol) -> None:
    """Refuse a protocol without a version: packages and files are named after it."""
    if protocol.version is None:
        raise SchemaError(
            [
                Finding(
                    "protocol-version",
                    Severity.ERROR,
                    protocol.source,
                    "",
                    "no version of the protocol is told, and generated packages are named after "
                    'it; write "x-protocol-version": N into the schema, or call its folder vN',
                )
            ]
        )
