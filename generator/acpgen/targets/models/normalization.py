"""The types of a protocol as classes, unions and aliases: the only shapes that Python knows.

A schema may put a union inside an object inside a union. Python classes can't, so such types are
multiplied out here. A class is named by the path of variants that leads to it, and every name comes
from the model, so none moves when its siblings do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from acpgen.model import (
    ANY,
    META,
    ClosedEnum,
    EnumValue,
    Location,
    Map,
    Object,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.patterns import literal
from acpgen.rulebook import Fault
from acpgen.targets.models.any_names import misapplied
from acpgen.targets.models.common_bases import with_common_bases
from acpgen.targets.models.conjunction import conjunction
from acpgen.targets.models.nameless_parts import nameless
from acpgen.targets.models.python_shapes import Alias, Branch, Normal, Record, Shape, UnionShape
from acpgen.types.structure import references, walk


@dataclass(frozen=True, slots=True)
class Normalization:
    """The shapes of all types of a protocol, and its types that have no shape.

    Where there are faults, the shapes are good for names only.
    """

    shapes: Normal
    faults: tuple[Fault[Location], ...]


def normalize(protocol: Protocol) -> Normalization:
    """Give every type of a protocol a shape for Python: unions inside unions become classes."""
    plain = multiply_out(protocol)
    return Normalization(with_common_bases(plain.shapes), plain.faults)


def multiply_out(protocol: Protocol) -> Normalization:
    """Give every type of a protocol a shape, in an order that doesn't depend on the protocol's."""
    normalizer = _Normalizer(protocol, absorbed(protocol))
    normalizer.refuse_shared_bodies()
    for name in sorted(protocol.types.keys() - normalizer.absorbed):
        normalizer.shape(name)
    shapes = dict(sorted(normalizer.shapes.items(), key=lambda item: (item[1][0], item[0])))
    return Normalization(shapes, tuple(normalizer.faults.values()))


def absorbed(protocol: Protocol) -> frozenset[TypeName]:
    """The types that are only the body of a variant of the same name, without its tag.

    The class of such a variant takes the place of the type.
    """
    return frozenset(variant.name for variant in _absorbing(protocol))


def _absorbing(protocol: Protocol) -> Iterator[Variant]:
    for definition in protocol.types.values():
        for part in walk(definition.body):
            if isinstance(part, Union):
                for variant in part.variants:
                    if variant.value is not None and variant.body == Ref(variant.name):
                        yield variant


@dataclass(frozen=True, slots=True)
class _Shared:
    """What every branch of a union gets from its surrounding type: members, `tag` among them."""

    members: tuple[Property, ...] = ()
    tag: str | None = None
    bases: tuple[TypeName, ...] = ()
    excludes: tuple[TypeName, ...] = ()
    open: bool = False

    def __bool__(self) -> bool:
        return bool(self.members or self.bases or self.excludes or self.open)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a shape comes from: the module it goes to, and what an error names."""

    domain: str
    location: Location


@dataclass(slots=True)
class _Normalizer:
    protocol: Protocol
    absorbed: frozenset[TypeName]
    shapes: dict[TypeName, tuple[str, Shape]] = field(default_factory=dict)
    faults: dict[Location, Fault[Location]] = field(default_factory=dict)

    def refuse(self, location: Location, message: str) -> None:
        """Note a place that Python has no shape for. The caller goes on with the nearest one."""
        self.faults.setdefault(location, Fault(location, message))

    def refuse_shared_bodies(self) -> None:
        """Refuse variants that absorb a type which is used elsewhere, too."""
        definitions = self.protocol.types.values()
        users = Counter(name for each in definitions for name in references(each.body))
        for variant in _absorbing(self.protocol):
            if users[variant.name] > 1:
                message = f"is called {variant.name}, like a type that is used elsewhere"
                self.refuse(variant.location, message)

    def shape(self, name: TypeName) -> Shape:
        """The shape of a type, made when it is first asked for."""
        if name not in self.shapes:
            definition = self.protocol.types[name]
            place = _Place(definition.domain, definition.location)
            shape = self._shape(name, definition.body, definition.docs, _Shared(), place)
            self.shapes[name] = place.domain, shape
        return self.shapes[name][1]

    def _derive(
        self, name: TypeName, body: Type, docs: str, shared: _Shared, place: _Place
    ) -> None:
        """Give a shape to a name that is not a type of the protocol."""
        taken = name in self.shapes or name in self.protocol.types.keys() - self.absorbed
        if taken:
            self.refuse(place.location, f"would be called {name}, like another type")
            return
        self.shapes[name] = place.domain, self._shape(name, body, docs, shared, place)

    def _shape(
        self, name: TypeName, body: Type, docs: str, shared: _Shared, place: _Place
    ) -> Shape:
        match body:
            case Ref(name=target) if shared:
                return self._extended(name, target, docs, shared, place)
            case Object():
                return self._object(name, body, docs, shared, place)
            case Map(values=values) if shared:
                return self._object(name, Object((), additional=values), docs, shared, place)
            case Union():
                return self._choice(name, body, docs, shared, place)
            case _:
                if shared:
                    message = "is not an object, so it has no tag or members"
                    self.refuse(place.location, message)
                self._require_named_parts(body, place.location)
                return Alias(name, docs, body)

    def _object(
        self, name: TypeName, body: Object, docs: str, shared: _Shared, place: _Place
    ) -> Shape:
        """A record; or, where a union is part of it, that union with more members."""
        extended = (self._base(base.name, place) for base in body.bases)
        bases = [base for base in extended if base is not None]
        records = [base for base in bases if isinstance(self.shape(base), Record)]
        around = replace(
            shared,
            members=conjunction(shared.members, body.properties, self.refuse),
            bases=(*records, *shared.bases),
            open=shared.open or body.additional is not None,
        )
        choices = [base for base in bases if base not in records]
        own = None
        if body.additional is not None and body.additional != ANY:
            self._require_named_parts(Map(body.additional), place.location)
            own = {shared.tag or "", *(member.name for member in body.properties)}
        self._require_one_meaning(own, around, place.location)
        if own is not None and (choices or body.unions):
            message = "has a type for members of any name beside a union; give it to the variants"
            self.refuse(place.location, message)
        match choices, body.unions:
            case [], ():
                self._require_extensible(records, around.members)
                return self._record(name, body.additional, docs, around)
            case [], (union,):
                return self._choice(name, union, docs, around, place)
            case [choice], ():
                return self._extended(name, choice, docs, around, place)
            case _:
                self.refuse(place.location, "combines two unions; give one of them a name")
                return self._record(name, body.additional, docs, around)

    def _base(self, name: TypeName, place: _Place) -> TypeName | None:
        """The name of the class or union behind the name of a base."""
        match self.shape(name):
            case Alias(type=Ref(name=further)):
                return self._base(further, place)
            case Alias():
                self.refuse(place.location, f"extends {name}, which is not an object")
                return None
            case Record() | UnionShape():
                return name

    def _require_extensible(self, bases: Iterable[TypeName], members: Iterable[Property]) -> None:
        """Refuse new members where a base has a type for members of any name."""
        for base in bases:
            named = {member.name for member in self._members(base)}
            for member in members:
                if self._additional(base) and member.name not in named:
                    message = f"is new to {base}, which has a type for members of any name"
                    self.refuse(member.location, message)

    def _require_one_meaning(
        self, own: Collection[str] | None, around: _Shared, place: Location
    ) -> None:
        """Refuse types for members of any name that in JSON Schema count for others, too."""
        members = [member.name for member in around.members]
        bases = {base: [p.name for p in self._members(base)] for base in around.bases}
        typed = [base for base in bases if self._additional(base)]
        for message in misapplied(own, members, bases, typed):
            self.refuse(place, message)

    def _additional(self, name: TypeName) -> bool:
        """True if a record, or one that it extends, has a type for members of any name."""
        shape = self.shape(name)
        if not isinstance(shape, Record):
            return False
        own = shape.additional not in {None, ANY}
        return own or any(map(self._additional, shape.bases))

    def _choice(
        self, name: TypeName, union: Union, docs: str, shared: _Shared, place: _Place
    ) -> UnionShape:
        branches = []
        for variant in union.variants:
            body, about = self._body(variant, union)
            around = replace(
                shared,
                members=conjunction(_tag(variant, union), shared.members, self.refuse),
                tag=None if variant.value is None else union.tag,
                excludes=(*shared.excludes, *self._rivals(variant, union)),
                open=shared.open or variant.fallback,
            )
            if around or not isinstance(body, Ref):
                here = replace(place, location=variant.location)
                self._derive(variant.name, body, about, around, here)
                body = Ref(variant.name)
            branches.append(Branch(variant.name, body, variant.value))
        members = _with_tag(shared.members, union)
        return UnionShape(name, docs, tuple(branches), union.tag, members)

    def _body(self, variant: Variant, union: Union) -> tuple[Type, str]:
        """The body and the description of the shape that a variant becomes."""
        if variant.fallback:
            return self._guarded(variant, union), variant.docs
        if variant.name in self.absorbed:
            definition = self.protocol.types[variant.name]
            return definition.body, variant.docs or definition.docs
        return variant.body, variant.docs

    def _rivals(self, variant: Variant, union: Union) -> tuple[TypeName, ...]:
        """The records that must not take what a variant of an untagged `oneOf` takes."""
        if union.tag is not None or not union.exclusive or len(union.variants) == 1:
            return ()
        rivals = []
        for other in union.variants:
            body = other.body
            if not isinstance(body, Ref) or not isinstance(self.shape(body.name), Record):
                message = "is in a oneOf without a tag, so it must be a named object"
                self.refuse(other.location, message)
            elif other is not variant:
                rivals.append(body.name)
        return tuple(rivals)

    def _extended(
        self, name: TypeName, target: TypeName, docs: str, shared: _Shared, place: _Place
    ) -> Shape:
        """A shape of its own that is the target with more members."""
        match self.shape(target):
            case Record():
                inherited = {p.name: p.type for p in self._members(target)}
                for member in shared.members:
                    if member.type != inherited.get(member.name, member.type):
                        self.refuse(member.location, f"is a member of {target} too")
                self._require_extensible((target,), shared.members)
                extended = replace(shared, bases=(target, *shared.bases))
                return self._record(name, None, docs, extended)
            case UnionShape() as choice:
                branches = (
                    self._extended_branch(name, choice, branch, shared, place)
                    for branch in choice.branches
                )
                return UnionShape(
                    name, docs, tuple(branches), choice.tag, shared.members, extends=target
                )
            case Alias(type=Ref(name=further)):
                return self._extended(name, further, docs, shared, place)
            case Alias():
                self.refuse(place.location, f"gives members to {target}, which has none")
                return Alias(name, docs, Ref(target))

    def _extended_branch(
        self, name: TypeName, choice: UnionShape, branch: Branch, shared: _Shared, place: _Place
    ) -> Branch:
        extended = TypeName(name + branch.name.removeprefix(choice.name))
        # The generator wants to see the tag in the class itself, inherited or not.
        tag = (p for p in self._members(branch.type.name) if p.name == choice.tag)
        members = (*shared.members, *tag) if branch.value is not None else shared.members
        docs = self.shape(branch.type.name).docs
        self._derive(extended, branch.type, docs, replace(shared, members=members), place)
        return Branch(extended, Ref(extended), branch.value)

    def _members(self, name: TypeName) -> Iterable[Property]:
        """The members of a record, its own first; none for any other shape."""
        shape = self.shape(name)
        if isinstance(shape, Record):
            yield from shape.members
            for base in shape.bases:
                yield from self._members(base)

    def _record(
        self, name: TypeName, additional: Type | None, docs: str, shared: _Shared
    ) -> Record:
        for member in shared.members:
            self._require_named_parts(member.type, member.location)
        return Record(
            name,
            docs,
            bases=shared.bases,
            # Required members first, as they are written; `_meta` last.
            members=tuple(sorted(shared.members, key=lambda p: (p.name == META, not p.required))),
            additional=additional,
            excludes=shared.excludes,
            open=shared.open,
        )

    def _guarded(self, variant: Variant, union: Union) -> Type:
        """The body of a fallback, with a tag that takes none of the known values."""
        body = variant.body
        members = {p.name: p for p in body.properties} if isinstance(body, Object) else {}
        tag = members.get(union.tag or "")
        if (
            tag is None
            or not isinstance(body, Object)
            or not tag.required
            or tag.type != Scalar(ScalarType.STRING)
        ):
            message = "is a fallback, so its tag must be a required string"
            self.refuse(variant.location, message)
            return body
        known = "|".join(literal(value) for value in union.known)
        unknown = Scalar(ScalarType.STRING, pattern=f"^(?!(?:{known})$)")
        members[tag.name] = replace(tag, type=unknown)
        return replace(body, properties=tuple(members.values()))

    def _require_named_parts(self, type_: Type, location: Location) -> None:
        for place, message in nameless(type_, location):
            self.refuse(place, message)


def _tag(variant: Variant, union: Union) -> tuple[Property, ...]:
    """The member that selects a variant."""
    if variant.value is None or union.tag is None:
        return ()
    constant = ClosedEnum(ScalarType.STRING, (EnumValue(variant.value, "", variant.location),))
    return (Property(union.tag, constant, required=True, docs="", location=variant.location),)


def _with_tag(members: tuple[Property, ...], union: Union) -> tuple[Property, ...]:
    """The members around a union, with its tag if that is a string in all variants."""
    required = all(variant.fallback or variant.value is not None for variant in union.variants)
    if union.tag is None or not required or any(p.name == union.tag for p in members):
        return members
    place = union.variants[0].location
    tag = Property(union.tag, Scalar(ScalarType.STRING), required=True, docs="", location=place)
    return (*members, tag)
