"""The types of a protocol as declarations of Go, with how each is decoded and written.

An object is a struct, and keeps the members that have no field. A union is an interface with an
unexported method; each variant has a type of its own, which is called as in the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from acpgen.model import (
    KEY_TYPE,
    Array,
    ClosedEnum,
    Location,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeDef,
    TypeName,
    Union,
    Variant,
)
from acpgen.rulebook import Fault
from acpgen.targets.languages.go import string
from acpgen.targets.languages.go.go_codecs import codec, outside
from acpgen.targets.languages.go.go_expressions import (
    DECODERS,
    NOTHING,
    RAW,
    SCALARS,
    decoded,
    decoder,
    documented,
    exported,
    go_type,
)
from acpgen.targets.languages.reader_plans import absorbed_tags

_OWN_FIELDS = frozenset({"Extra", "MarshalJSON", "UnmarshalJSON"})
"""The names that every struct has besides those of its members."""


class GoDeclarations:
    """Declares the types of one protocol.

    After `all`, `declared` has every name that was declared, and `faults` what Go has no type for.
    """

    def __init__(self, protocol: Protocol) -> None:
        self.declared = Counter[str]()
        self.faults: list[Fault[Location]] = []
        self._protocol = protocol
        self._tags = absorbed_tags(protocol)
        self._place = Location(protocol.source)
        self._waiting: list[str] = []

    def all(self) -> Iterator[str]:
        """Yield the declarations of every type, by its name."""
        for name in sorted(self._protocol.types):
            type_ = self._protocol.types[name]
            self._place = type_.location
            yield from self._definition(type_)
            while self._waiting:
                yield self._waiting.pop(0)

    def _definition(self, type_: TypeDef) -> Iterator[str]:
        name, docs = type_.name, type_.docs
        path = f"planOf({string(name)})"
        match type_.body:
            case Object() as body if body != Object():
                yield from self._struct(name, docs, body, path, self._tags.get(name))
            case Union() as union:
                yield from self._union(name, docs, union, path)
            case OpenEnum() | ClosedEnum() as enum:
                yield from self._enum(name, docs, enum)
            case Scalar(type=ScalarType.STRING) if name == KEY_TYPE:
                return
            case body:
                yield self._named(name, docs, body)

    def _declare(self, name: str, docs: str, text: str) -> str:
        self.declared[name] += 1
        return f"{documented(docs)}{text}"

    def _named(self, name: str, docs: str, body: Type) -> str:
        """A type that is neither a struct nor an interface."""
        go = go_type(body, name)
        same = "= " if isinstance(body, Ref | Nullable) or go in {RAW, NOTHING} else ""
        value = decoded(body, name, "n")
        if not same:
            value = f"{name}({value})"
        function = f"func decode{name}(n *node) {name} {{\n\treturn {value}\n}}"
        return self._declare(name, docs, f"type {name} {same}{go}\n\n{function}")

    def _enum(self, name: str, docs: str, enum: OpenEnum | ClosedEnum) -> Iterator[str]:
        go = SCALARS[enum.type]
        decode = f"{DECODERS[enum.type]}[{name}](n)"
        yield self._declare(
            name,
            docs,
            f"type {name} {go}\n\nfunc decode{name}(n *node) {name} {{\n\treturn {decode}\n}}",
        )
        for value in enum.values:
            const = f"{name}{exported(value.title or str(value.value))}"
            literal = string(value.value) if isinstance(value.value, str) else str(value.value)
            doc = value.docs or f"{const} is a value of {name}."
            yield self._declare(const, doc, f"const {const} {name} = {literal}")

    def _inline(self, type_: Type, hint: str, path: str) -> None:
        """Declare the objects and unions inside a type that have no name."""
        match type_:
            case Array(items=inner) | Map(values=inner) | Nullable(of=inner):
                self._inline(inner, hint, f"{path}.inner")
            case Object() if type_ != Object():
                self._waiting += self._struct(hint, "", type_, path, None)
            case Union():
                self._waiting += self._union(hint, "", type_, path)
            case _:
                pass

    # Structs

    def _struct(
        self,
        name: str,
        docs: str,
        body: Object,
        path: str,
        tag: tuple[str, str] | None,
        marks: Sequence[str] = (),
    ) -> Iterator[str]:
        first = 1 if tag is not None and TypeName(name) in self._tags else 0
        fields: list[str] = [base.name for base in body.bases]
        reads = [f"x.{base.name}.from(o, false)" for base in body.bases]
        writes = [] if tag is None else [f"w.put({string(tag[0])}, {string(tag[1])})"]
        if tag is not None:
            reads.insert(0, f"o.take({string(tag[0])})")
        names = Counter[str](fields)
        documented_fields = [f"\t{each}\n" for each in fields]
        for number, member in enumerate(body.properties):
            if tag is not None and member.name == tag[0]:
                continue
            field = exported(member.name)
            field = f"{field}Member" if field in _OWN_FIELDS else field
            names[field] += 1
            at = f"{path}.members[{number + first}].plan"
            documented_fields.append(
                documented(member.docs, 1) + self._field(name, field, member, at)
            )
            reads.append(f"x.{field} = {self._read(name, field, member)}")
            writes.append(self._write(field, member))
        writes += [f"x.{base.name}.to(w)" for base in body.bases]
        for number, union in enumerate(body.unions):
            field = "Variant" if number == 0 else f"Variant{exported(union.tag or 'Other')}"
            names[field] += 1
            at = f"{path}.parts[{len(body.bases) + number}]"
            self._waiting += self._union(f"{name}{field}", "", union, at)
            documented_fields.append(
                f"\t// {field} is what {union.tag or 'its members'} selects.\n"
            )
            documented_fields.append(f"\t{field} {name}{field}\n")
            reads.append(f"x.{field} = from{name}{field}({at}, o, false)")
            writes.append(f"w.part(x.{field})")
        self._require_single(names, name)
        extra = "\t// Extra holds the members that have no field, as they came.\n\tExtra Extra\n"
        yield self._declare(
            name,
            docs or f"{name} is an object.",
            f"type {name} struct {{\n{''.join(documented_fields)}{extra}}}",
        )
        yield from codec(name, reads, [*writes, "w.rest(x.Extra)"], marks, self._protocol.types)

    def _field(self, owner: str, field: str, member: Property, path: str) -> str:
        hint = f"{owner}{field}"
        inner = _inner(member)
        nested = f"{path}.inner" if inner is not member.type else path
        self._inline(inner, hint, nested)
        go = go_type(inner, hint)
        return f"\t{field} {go if member.required else f'Opt[{go}]'}\n"

    def _read(self, owner: str, field: str, member: Property) -> str:
        hint, inner = f"{owner}{field}", _inner(member)
        at = f"o.take({string(member.name)})"
        if member.required:
            return decoded(inner, hint, at)
        null = inner is not member.type and go_type(inner, hint) != RAW
        function = "nullable" if null else "optional"
        return f"{function}({at}, {decoder(inner, hint)})"

    def _write(self, field: str, member: Property) -> str:
        name = string(member.name)
        return f"w.put({name}, x.{field})" if member.required else f"x.{field}.write(w, {name})"

    # Unions

    def _union(self, name: str, docs: str, union: Union, path: str) -> Iterator[str]:
        cases = []
        variants: list[str] = []
        for number, variant in enumerate(union.variants):
            at = f"{path}.variants[{number}].body"
            read, declared = self._variant(variant, union, name, at)
            variants += declared
            cases.append(f"\tcase {number}:\n{read}")
        doc = docs or f"{name} is a union."
        yield self._declare(name, doc, f"type {name} interface {{\n\tis{name}()\n}}")
        yield (
            f"func from{name}(p *plan, o *object, whole bool) {name} {{\n"
            f"\tswitch p.choose(o.n) {{\n{''.join(cases)}\t}}\n\treturn nil\n}}"
        )
        yield (
            f"func decode{name}(n *node) {name} {{\n\treturn from{name}({path}, open(n), true)\n}}"
        )
        yield from variants

    def _variant(
        self, variant: Variant, union: Union, mark: str, path: str
    ) -> tuple[str, list[str]]:
        """How a variant is decoded, and its declarations."""
        name = variant.name
        tag = None
        if variant.value is not None and union.tag is not None:
            tag = (union.tag, variant.value)
        whole = f"\t\tvar x {name}\n\t\tx.from(o, whole)\n\t\treturn x\n"
        match variant.body:
            case Ref(name=target) if target == name and name in self._tags:
                return whole, [f"func ({name}) is{mark}() {{}}"]
            case Ref(name=target) as ref if target == name and tag is None and self._is_own(ref):
                read = whole if self._is_struct(ref) else f"\t\treturn decode{name}(o.n)\n"
                return read, [f"func ({name}) is{mark}() {{}}"]
            case Ref() as ref if self._is_struct(ref):
                return whole, list(self._wrapper(variant, ref, tag, mark))
            case Ref() as ref if isinstance(self._protocol.resolve(ref), Union):
                return whole, list(self._wrapped_union(variant, ref, tag, mark))
            case Object() as body if body != Object() or tag is not None:
                return whole, list(self._struct(name, variant.docs, body, path, tag, [mark]))
            case Union():
                self._refuse(variant.location, f"the union {name} needs a name of its own in Go")
                return "", []
            case body:
                return f"\t\treturn decode{name}(o.n)\n", list(self._value(variant, body, mark))

    def _is_struct(self, ref: Ref) -> bool:
        body = self._protocol.types[ref.name].body
        return isinstance(body, Object) and body != Object()

    def _is_own(self, ref: Ref) -> bool:
        """True for a type that Go can give methods: not an interface, nor another one's name."""
        body = self._protocol.types[ref.name].body
        is_alias = isinstance(body, Ref | Nullable) or go_type(body, ref.name) in {RAW, NOTHING}
        return self._is_struct(ref) or not (isinstance(body, Union) or is_alias)

    def _wrapper(
        self, variant: Variant, ref: Ref, tag: tuple[str, str] | None, mark: str
    ) -> Iterator[str]:
        """A variant whose members are those of a struct, and its tag."""
        name, inner = variant.name, ref.name
        doc = variant.docs or f"{name} is a variant of a union."
        yield self._declare(name, doc, f"type {name} struct {{\n\t{inner}\n}}")
        take = "" if tag is None else f"\to.take({string(tag[0])})\n"
        put = "" if tag is None else f"\tw.put({string(tag[0])}, {string(tag[1])})\n"
        yield (
            f"func (x *{name}) from(o *object, whole bool) {{\n{take}\tx.{inner}.from(o, whole)\n}}"
        )
        yield f"func (x {name}) to(w *writer) {{\n{put}\tx.{inner}.to(w)\n}}"
        yield from outside(name, [mark], self._protocol.types)

    def _wrapped_union(
        self, variant: Variant, ref: Ref, tag: tuple[str, str] | None, mark: str
    ) -> Iterator[str]:
        """A variant that is itself one of several."""
        name, inner = variant.name, ref.name
        doc = variant.docs or f"{name} is a variant of a union."
        fields = (
            f"\t{inner} {inner}\n\t// Extra holds the members that have no field, as they came.\n"
        )
        yield self._declare(name, doc, f"type {name} struct {{\n{fields}\tExtra Extra\n}}")
        take = [] if tag is None else [f"o.take({string(tag[0])})"]
        put = [] if tag is None else [f"w.put({string(tag[0])}, {string(tag[1])})"]
        reads = [*take, f"x.{inner} = from{inner}(planOf({string(inner)}), o, false)"]
        writes = [*put, f"w.part(x.{inner})", "w.rest(x.Extra)"]
        yield from codec(name, reads, writes, [mark], self._protocol.types)

    def _value(self, variant: Variant, body: Type, mark: str) -> Iterator[str]:
        """A variant that is not an object."""
        name = variant.name
        self._inline(body, f"{name}Item", "nil")
        go = go_type(body, f"{name}Item")
        doc = variant.docs or f"{name} is a variant of a union."
        value = decoded(body, f"{name}Item", "n")
        if go in {NOTHING, RAW}:
            yield self._declare(
                name, doc, f"type {name} struct {{\n\t// Value is any JSON.\n\tValue {RAW}\n}}"
            )
            yield f"func decode{name}(n *node) {name} {{\n\treturn {name}{{anything(n)}}\n}}"
            yield (
                "// MarshalJSON writes the value.\n"
                f"func (x {name}) MarshalJSON() ([]byte, error) {{\n\treturn marshal(x.Value)\n}}"
            )
        else:
            yield self._declare(name, doc, f"type {name} {go}")
            yield f"func decode{name}(n *node) {name} {{\n\treturn {name}({value})\n}}"
        yield f"func ({name}) is{mark}() {{}}"

    # What Go has no type for

    def _require_single(self, fields: Counter[str], owner: str) -> None:
        for field, count in fields.items():
            if count > 1 or field in _OWN_FIELDS:
                message = f"{owner} would have the field {field} twice in Go; rename a member"
                self._refuse(self._place, message)

    def _refuse(self, place: Location, message: str) -> None:
        self.faults.append(Fault(place, message))


def _inner(member: Property) -> Type:
    """The type of a member, without the null that its field has a place for."""
    if not member.required and isinstance(member.type, Nullable):
        return member.type.of
    return member.type
