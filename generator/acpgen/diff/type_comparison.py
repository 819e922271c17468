"""Compare the types of two protocols, pair by pair.

Every function that compares yields the differences at its place, and edges to the named types that
both sides refer to there. Each such pair is compared once, however often it is referred to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acpgen.diff import listed_values, object_members, scalar_limits, union_variants
from acpgen.diff.effect import Effect
from acpgen.diff.inclusion import BOTH, Inclusion
from acpgen.diff.rule import ChangeRule
from acpgen.diff.rules.members import null_allowed, null_refused, patch_added, patch_removed
from acpgen.diff.rules.names import (
    docs_changed,
    type_inlined,
    type_named,
    type_renamed,
    type_switched,
)
from acpgen.diff.rules.values import type_narrowed, type_replaced, type_widened
from acpgen.diff.schema_difference import Edge, Found, SchemaDifference, found
from acpgen.diff.schema_place import BaseStep, Pair, SchemaPlace
from acpgen.model import (
    Array,
    ClosedEnum,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Protocol,
    Ref,
    Scalar,
    Type,
    TypeDef,
    Union,
)
from acpgen.types.objects import as_object, resolve, takes_null, without_null
from acpgen.types.wording import as_json, same, spelled

_WHOLE = "as a whole"
_KINDS: Mapping[frozenset[Effect], ChangeRule] = {
    frozenset({Effect.NARROWS}): type_narrowed,
    frozenset({Effect.WIDENS}): type_widened,
    BOTH: type_replaced,
}


class TypeComparison:
    """Compares the types of two protocols, and remembers the pairs of named types."""

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self.old = old
        self.new = new
        self.values = Inclusion(old, new)
        self._has_patches = all(
            any(type_.patch for type_ in protocol.types.values()) for protocol in (old, new)
        )
        self._done: dict[Pair, tuple[Found, ...]] = {}

    def pair(self, pair: Pair) -> tuple[Found, ...]:
        """Return what differs between two named types, without the types that they refer to."""
        if pair not in self._done:
            self._done[pair] = tuple(self._definitions(pair))
        return self._done[pair]

    def types(self, old: Type, new: Type, at: SchemaPlace) -> Iterator[Found]:
        """Yield what differs between two types at one place."""
        if isinstance(old, Ref) and isinstance(new, Ref):
            yield from self._references(old, new, at)
        else:
            yield from self._settled(old, new, at, [*self._parts(old, new, at)])

    def _parts(self, old: Type, new: Type, at: SchemaPlace) -> Iterator[Found]:
        if isinstance(old, Nullable) or isinstance(new, Nullable):
            yield from self._nullables(old, new, at)
        elif isinstance(old, Ref) or isinstance(new, Ref):
            yield from self._named_or_not(old, new, at)
        else:
            yield from self._bodies(old, new, at)

    def _settled(
        self, old: Type, new: Type, at: SchemaPlace, parts: list[Found]
    ) -> Iterator[Found]:
        """What differs in the parts of two types, held to the values that the types take.

        What makes no difference to any value of the whole is masked. What no part shows is one
        more difference.
        """
        effects = self.values.effects(old, new)
        if effects is None:
            yield from parts
            return
        shown = frozenset[Effect]().union(*(self._shown(part, at.masked) for part in parts))
        for part in parts:
            yield part.masking(shown - effects)
        if missing := effects - shown - at.masked:
            words = spelled(old), spelled(new)
            kind = _KINDS[missing]
            types = (old, new)
            yield found(kind, at, types, old=words[0], new=words[1], shapes=types, mark=_WHOLE)

    def _shown(
        self, step: Found, masked: frozenset[Effect], overridden: frozenset[str] = frozenset()
    ) -> frozenset[Effect]:
        """The effects that a difference shows, or what an edge leads to, but for a mask around."""
        overridden = step.place.inherited(overridden)
        masks = step.place.masked - masked
        if isinstance(step, SchemaDifference):
            shown = step.rule.effect.moves if step.matters(overridden) else frozenset[Effect]()
        elif step.place.steps and isinstance(step.place.steps[-1], BaseStep):
            inner = (self._shown(part, frozenset(), overridden) for part in self.pair(step.pair))
            shown = frozenset[Effect]().union(*inner)
        else:
            shown = self.verdict(Ref(step.pair[0]), Ref(step.pair[1]))
        return shown - masks

    def verdict(self, old: Type, new: Type) -> frozenset[Effect]:
        """Return NARROWS if the new type refuses a value of the old one, WIDENS for the reverse.

        The set is empty when both take the same values. If in doubt, they don't.
        """
        effects = self.values.effects(old, new)
        return BOTH if effects is None else effects

    def docs(self, old: str, new: str, at: SchemaPlace, name: str = "") -> Iterator[Found]:
        """Yield a text that changed, with its `name` if the place has several."""
        if old != new:
            yield found(docs_changed, at, name=name, old=old, new=new)

    def _definitions(self, pair: Pair) -> Iterator[Found]:
        old, new = self.old.types[pair[0]], self.new.types[pair[1]]
        once = "" if old.name == new.name else old.name
        at = SchemaPlace(new.name, old.location, new.location, inside=frozenset({pair}), once=once)
        if old.name != new.name:
            yield found(type_renamed, at, old=old.name, new=new.name)
        if old.patch != new.patch and self._has_patches:
            yield found(patch_added if new.patch else patch_removed, at)
        yield from self._prose(old, new, at)
        yield from self.types(old.body, new.body, at)

    def _bodies(self, old: Type, new: Type, at: SchemaPlace) -> Iterator[Found]:
        match old, new:
            case Scalar() as before, Scalar() as after:
                yield from scalar_limits.scalars(before, after, at)
            case Array() as before, Array() as after:
                yield from scalar_limits.limits(before, after, at)
                yield from self.types(before.items, after.items, at.item())
            case Map() as before, Map() as after:
                yield from self.types(before.values, after.values, at.entry())
            case (Object() | Map()) as before, (Object() | Map()) as after:
                yield from object_members.objects(self, before, after, at)
            case Union() as before, Union() as after:
                yield from union_variants.unions(self, before, after, at)
            case (Scalar() | OpenEnum() | ClosedEnum()) as before, (
                Scalar() | OpenEnum() | ClosedEnum()
            ) as after:
                yield from listed_values.enums(self, before, after, at)
            case (_, Union()) | (Union(), _):
                yield union_variants.regrouped(self, old, new, at)
            case _:
                yield scalar_limits.replacement(old, new, at)

    def _prose(self, old: TypeDef, new: TypeDef, at: SchemaPlace) -> Iterator[Found]:
        yield from self.docs(old.docs, new.docs, at)
        yield from self.docs(old.title or "", new.title or "", at, "title")
        before, after = list(old.examples), list(new.examples)
        if not same(before, after):
            examples = (as_json(before), as_json(after))
            yield found(docs_changed, at, name="examples", old=examples[0], new=examples[1])

    def _nullables(self, old: Type, new: Type, at: SchemaPlace) -> Iterator[Found]:
        was, now = takes_null(self.old, old), takes_null(self.new, new)
        if was and not now:
            yield found(null_refused, at.null(), (old, new))
        if now and not was:
            yield found(null_allowed, at.null(), (old, new))
        bodies = without_null(self.old, old), without_null(self.new, new)
        if isinstance(old, Ref) != isinstance(new, Ref) and not any(
            isinstance(part, Ref) for part in bodies
        ):
            yield _named(old, new, at)
        inside = takes_null(self.old, bodies[0]) or takes_null(self.new, bodies[1])
        if was and now and inside:
            yield from self._renamed(*bodies, at)
            # One of them is a union that has null among its variants, so both are made one.
            bodies = (
                union_variants.with_null(self.old, old),
                union_variants.with_null(self.new, new),
            )
        yield from self.types(*bodies, at)

    def _renamed(self, old: Type, new: Type, at: SchemaPlace) -> Iterator[Found]:
        """The change of a name, if both types have one; the types behind are compared elsewhere."""
        if not (isinstance(old, Ref) and isinstance(new, Ref)) or old.name == new.name:
            return
        if old.name in self.new.types or new.name in self.old.types:
            yield found(type_switched, at, old=old.name, new=new.name)
        else:
            before, after = self.old.types[old.name], self.new.types[new.name]
            named = SchemaPlace(new.name, before.location, after.location, once=old.name)
            yield found(type_renamed, named, old=old.name, new=new.name)

    def _references(self, old: Ref, new: Ref, at: SchemaPlace) -> Iterator[Found]:
        pair = (old.name, new.name)
        renamed = old.name not in self.new.types and new.name not in self.old.types
        if old.name == new.name or renamed:
            if old.name in self.old.types and new.name in self.new.types:
                yield Edge(at, pair)
            return
        yield found(type_switched, at, old=old.name, new=new.name)
        if pair not in at.inside:
            bodies = resolve(self.old, old), resolve(self.new, new)
            yield from self.types(*bodies, at.within(pair))

    def _named_or_not(self, old: Type, new: Type, at: SchemaPlace) -> Iterator[Found]:
        bodies = resolve(self.old, old), resolve(self.new, new)
        objects = [isinstance(part, Object | Map) for part in bodies]
        if all(objects) and (isinstance(old, Object) or isinstance(new, Object)):
            bodies = as_object(old), as_object(new)
        else:
            yield _named(old, new, at)
        yield from self.types(*bodies, at)


def _named(old: Type, new: Type, at: SchemaPlace) -> Found:
    """A type that has a name in one of the two only."""
    kind = type_inlined if isinstance(old, Ref) else type_named
    return found(kind, at, old=spelled(old), new=spelled(new))
