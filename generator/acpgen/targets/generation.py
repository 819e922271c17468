"""Generate a folder from a schema: which targets are up to date, what differs, what to write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from acpgen.emit import manifest
from acpgen.emit.manifest import Manifest
from acpgen.emit.templates import Templates
from acpgen.emit.tree import (
    Difference,
    DriftKind,
    compare,
    has_drafts,
    locked,
    owned,
    require_folder,
    write,
)
from acpgen.findings import Finding, Severity
from acpgen.load import SchemaError, load
from acpgen.load.last_release import last_release
from acpgen.model import Protocol
from acpgen.startup import digests
from acpgen.targets import Target, Tree

CheckProtocol = Callable[[Protocol], None]
"""Raises a SchemaError for a protocol that nothing may be generated from."""
OnTarget = Callable[[Target], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: the schema, the templates, the targets and the output folder.

    `full` ignores the manifest and generates everything again. `accepted` is the file of accepted
    findings of the schema.
    """

    schema: Path
    out: Path
    targets: Sequence[Target]
    templates: Path
    full: bool = False
    accepted: Path | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a folder differs from the generated tree.

    Fields:
        differences: what to change in the folder.
        fresh: the targets that are up to date according to the manifest's digests.
        tree: the text of every file to write.
        removed: the files that were written the last time and are not now, each with the reason.
        renewed: the inputs whose digests changed although every recorded output stays the same.
        recorded: the manifest that the folder had when it was compared.
    """

    differences: tuple[Difference, ...]
    fresh: tuple[Target, ...]
    tree: Tree
    removed: Mapping[str, str] = field(default_factory=dict)
    renewed: tuple[str, ...] = ()
    recorded: Manifest | None = None

    @property
    def drift(self) -> tuple[Difference, ...]:
        """The differences in generated files. A manifest with only new input digests is not one."""
        return tuple(d for d in self.differences if not self._only_renews(d))

    def _only_renews(self, difference: Difference) -> bool:
        is_manifest = difference.path == manifest.NAME and difference.change is DriftKind.CHANGED
        return is_manifest and bool(self.renewed)


def generate(
    plan: Plan,
    on_target: OnTarget = lambda _: None,
    check_protocol: CheckProtocol = lambda _: None,
) -> Result:
    """Compare a folder with what the schema generates. Writes nothing.

    `on_target` is called with each target before it is generated, `check_protocol` with the
    protocol before the first target. It is not called for a schema whose digest is recorded: that
    schema was checked when the recorded files were generated.

    Raises:
        SchemaError: the schema can't be loaded, `check_protocol` refuses it, or it has no version.
        MissingClassError: a target needs retry classes, and no method has one.
        TemplateError: a template is missing or broken.
        FolderError: the output path is not a folder.
        OSError: the schema or the templates can't be read.
    """
    require_folder(plan.out)
    inputs = manifest.inputs(plan.schema, plan.templates, plan.accepted)
    recorded = manifest.read(plan.out)
    known = recorded.outputs if recorded is not None and recorded.inputs == inputs else {}
    fresh = () if plan.full else tuple(_fresh(plan, known))
    outdated = [target for target in plan.targets if target not in fresh]
    trees = dict(_trees(plan, outdated, on_target, check_protocol)) if outdated else {}
    outputs = {
        **known,
        **{target.name: manifest.outputs(tree) for target, tree in trees.items()},
    }
    tree = {path: text for tree in trees.values() for path, text in tree.items()}
    tree[manifest.NAME] = Manifest(inputs, outputs).text()
    differences = compare(plan.out, tree, lambda path: any(t.owns(path) for t in outdated))
    differences = sorted(
        [*differences, *_abandoned(plan, recorded, outdated, tree, differences)],
        key=lambda d: d.path,
    )
    changed = {difference.path for difference in differences}
    return Result(
        tuple(differences),
        fresh,
        {p: t for p, t in tree.items() if p in changed},
        _removed(plan, outdated, differences),
        tuple(_renewed(plan, recorded, Manifest(inputs, outputs))),
        recorded,
    )


def is_up_to_date(plan: Plan) -> bool:
    """True if the digests of a folder say that all of it is as generated, without generating.

    Raises:
        TemplateError: the folder of templates does not exist.
        OSError: the schema, the templates or the folder can't be read.
    """
    inputs = manifest.inputs(plan.schema, plan.templates, plan.accepted)
    recorded = manifest.read(plan.out)
    if recorded is None or recorded.inputs != inputs or has_drafts(plan.out):
        return False
    text = digests.content_of(str(plan.out / manifest.NAME))
    fresh = [*_fresh(plan, recorded.outputs)]
    return fresh == [*plan.targets] and text == recorded.text().encode()


def apply(plan: Plan, result: Result, check_protocol: CheckProtocol = lambda _: None) -> Result:
    """Write the folder as the result requires, and return what was written.

    If another run has written into the folder since, the result is worked out again, and
    `check_protocol` is called as `generate` does.

    Raises:
        SchemaError: the schema has changed since, and can't be loaded or is refused now.
        TemplateError: a template has changed since, and is missing or broken.
        ForeignFileError: a file that acpgen did not write is in the way.
        FolderError: the folder can't be replaced.
        OSError: the folder can't be written.
    """
    if result.differences or has_drafts(plan.out):
        require_folder(plan.out)
        with locked(plan.out):
            if manifest.read(plan.out) != result.recorded:
                result = generate(plan, check_protocol=check_protocol)
            surplus = (d.path for d in result.differences if d.change is DriftKind.SURPLUS)
            write(plan.out, result.tree, frozenset(surplus), last=manifest.NAME)
    return result


def _removed(
    plan: Plan, outdated: Sequence[Target], differences: Iterable[Difference]
) -> Mapping[str, str]:
    """The files that are there and not generated any more, each with the reason."""
    paths = [d.path for d in differences if d.change is DriftKind.SURPLUS]
    if not paths:
        return {}
    protocol = load(plan.schema)
    reasons = {p: r for target in outdated for p, r in target.left_out(protocol).items()}
    return {path: reasons.get(path, "nothing in the schema leads to it") for path in paths}


def _renewed(plan: Plan, recorded: Manifest | None, made: Manifest) -> Iterable[str]:
    """The inputs that changed since the manifest recorded the same outputs of these targets."""
    names = [target.name for target in plan.targets]
    if recorded is None or any(recorded.outputs.get(n) != made.outputs[n] for n in names):
        return ()
    inputs = {**recorded.inputs, **made.inputs}
    return (name for name in inputs if recorded.inputs.get(name) != made.inputs.get(name))


def _abandoned(
    plan: Plan,
    recorded: Manifest | None,
    outdated: Iterable[Target],
    tree: Tree,
    differences: Iterable[Difference],
) -> Iterable[Difference]:
    """Files without a header that an earlier run recorded and that nothing generates now."""
    known = {difference.path for difference in differences} | tree.keys()
    outputs = recorded.outputs if recorded is not None else {}
    for target in outdated:
        for path in manifest.unchanged(plan.out, outputs.get(target.name, {})):
            if target.owns(path) and path not in known:
                yield Difference(path, DriftKind.SURPLUS)


def _fresh(plan: Plan, known: Mapping[str, Mapping[str, str]]) -> Iterable[Target]:
    """The targets whose files are as recorded, with no other file of acpgen's in their paths."""
    present = tuple(owned(plan.out))
    for target in plan.targets:
        recorded = known.get(target.name)
        if recorded is None or not manifest.holds(plan.out, recorded):
            continue
        if all(path in recorded for path in present if target.owns(path)):
            yield target


def _trees(
    plan: Plan, targets: Iterable[Target], on_target: OnTarget, check_protocol: CheckProtocol
) -> Iterable[tuple[Target, Tree]]:
    protocol = replace(load(plan.schema), release=last_release(plan.schema))
    _require_version(protocol)
    check_protocol(protocol)
    templates = Templates(plan.templates)
    for target in targets:
        on_target(target)
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
                    "the schema has no protocol version, and generated packages are named after "
                    'it; write "x-protocol-version": N into the schema, or call its folder vN',
                )
            ]
        )
