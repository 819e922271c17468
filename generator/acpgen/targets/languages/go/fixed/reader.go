package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"sync"
)

// Extra holds the members that have no field, as they came.
type Extra = map[string]json.RawMessage

// Nothing is the type of null.
type Nothing struct{}

// MarshalJSON writes null.
func (Nothing) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// UnmarshalJSON reads null.
func (*Nothing) UnmarshalJSON(data []byte) error {
	if string(data) != "null" {
		return &Fault{Rule: "type", Reason: "must be null"}
	}
	return nil
}

func decodeNothing(*node) Nothing { return Nothing{} }

// Opt is a member that may be left out. The zero value is left out.
type Opt[T any] struct {
	// Set tells that the member is there.
	Set bool
	// Null tells that the member is null.
	Null bool
	// Value is the value of a member that is there and not null.
	Value T
}

// Some returns a member that is there.
func Some[T any](value T) Opt[T] { return Opt[T]{Set: true, Value: value} }

// Null returns a member that is null.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// Get returns the value of a member, and whether it has one.
func (o Opt[T]) Get() (T, bool) { return o.Value, o.Set && !o.Null }

func (o Opt[T]) write(w *writer, name string) {
	switch {
	case o.Set && o.Null:
		w.null(name)
	case o.Set:
		w.put(name, o.Value)
	}
}

// Parse reads a value that is of a type, as a strict receiver sees it. Data that is not JSON, or not
// of the type, is a *Fault.
func Parse[T any](data []byte) (T, error) { return read[T](data, false) }

// Read reads as Parse does, and gives malformed members their defaults where the schema lets
// receivers do so.
func Read[T any](data []byte) (T, error) { return read[T](data, true) }

func read[T any](data []byte, tolerant bool) (value T, err error) {
	name, ok := namesByType()[reflect.TypeOf(&value).Elem()]
	if !ok {
		return value, fmt.Errorf("%T is not a type of the protocol", value)
	}
	x, err := readAny(name, data, tolerant)
	if err != nil {
		return value, err
	}
	return x.(T), nil
}

// ParseNamed reads as Parse does, by the name of the type.
func ParseNamed(name string, data []byte) (any, error) { return readAny(name, data, false) }

// ReadNamed reads as Read does, by the name of the type.
func ReadNamed(name string, data []byte) (any, error) { return readAny(name, data, true) }

// ReadParams reads the params of a method as Read does. They are of the type that Methods names.
func ReadParams(method string, kind Kind, params []byte) (any, error) {
	m := Find(method, kind)
	if m == nil {
		return nil, errNoMethod
	}
	return readAny(m.Params, params, true)
}

// ReadResult reads the result of a request as Read does. It is of the type that Methods names.
func ReadResult(method string, result []byte) (any, error) {
	m := Find(method, KindRequest)
	if m == nil {
		return nil, errNoMethod
	}
	return readAny(m.Result, result, true)
}

// Faults returns everything that is wrong with a value of a named type, at most 1,000 of each
// severity. The error is about data that is not JSON, or a name that is not a type.
func Faults(name string, data []byte) ([]Finding, error) {
	if planOf(name) == nil {
		return nil, fmt.Errorf("%q is not a type of the protocol", name)
	}
	n, err := parse(data)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, each := range planOf(name).judge(n, "") {
		findings = append(findings, each.finding())
	}
	return findings, nil
}

var (
	errNoMethod  = errors.New("the protocol has no such method of this kind")
	errNoVariant = errors.New("a union has no variant")
	errInside    = errors.New("only the object around it can be read")
)

func readAny(name string, data []byte, tolerant bool) (any, error) {
	p := planOf(name)
	if p == nil {
		return nil, fmt.Errorf("%q is not a type of the protocol", name)
	}
	n, err := parse(data)
	if err != nil {
		return nil, err
	}
	if !p.fits(n) {
		faults := p.judge(n, "")
		if fault := firstFault(faults, tolerant); fault != nil {
			return nil, fault
		}
		if n = p.repair(n, false); n == nil {
			return nil, firstFault(faults, false)
		}
	}
	return decoders()[name].decode(n), nil
}

// firstFault returns the first error; of a strict reader also the first fault that is recovered.
func firstFault(faults []fault, tolerant bool) error {
	for _, each := range faults {
		isRecovered := each.severity == SeverityRecovered
		if each.severity == SeverityError || isRecovered && !tolerant {
			return &Fault{each.rule, each.pointer(), each.message}
		}
	}
	return nil
}

type decoder struct {
	name   string
	type_  reflect.Type
	decode func(*node) any
}

// decoderOf returns how a type is decoded, by its name.
func decoderOf[T any](name string, decode func(*node) T) decoder {
	var value T
	return decoder{
		name,
		reflect.TypeOf(&value).Elem(),
		func(n *node) any { return decode(n) },
	}
}

var (
	registered   map[string]decoder
	typed        map[reflect.Type]string
	registerOnce sync.Once
)

func register() {
	registered, typed = map[string]decoder{}, map[reflect.Type]string{}
	for _, each := range allDecoders() {
		registered[each.name] = each
		if _, ok := typed[each.type_]; !ok {
			typed[each.type_] = each.name
		}
	}
}

func decoders() map[string]decoder {
	registerOnce.Do(register)
	return registered
}

func namesByType() map[reflect.Type]string {
	registerOnce.Do(register)
	return typed
}

// unmarshal reads strictly into a value, for encoding/json.
func unmarshal[T any](data []byte, value *T) error {
	x, err := Parse[T](data)
	if err == nil {
		*value = x
	}
	return err
}

// unmarshalVariant reads a union strictly into one of its variants.
func unmarshalVariant[U, V any](data []byte, value *V) error {
	x, err := Parse[U](data)
	if err != nil {
		return err
	}
	v, ok := any(x).(V)
	if !ok {
		return fmt.Errorf("the value is a %T", x)
	}
	*value = v
	return nil
}

// object is a JSON object that is being decoded: each member is taken once.
type object struct {
	n     *node
	taken []bool
	many  map[string]int
}

func open(n *node) *object {
	o := &object{n: n, taken: make([]bool, len(n.members))}
	if len(n.members) >= many {
		o.many = make(map[string]int, len(n.members))
		for i, each := range n.members {
			o.many[each.name] = i
		}
	}
	return o
}

// take returns a member, nil if there is none, and keeps it out of the rest.
func (o *object) take(name string) *node {
	if o.many != nil {
		i, ok := o.many[name]
		if !ok {
			return nil
		}
		o.taken[i] = true
		return o.n.members[i].value
	}
	for i := range o.n.members {
		if o.n.members[i].name == name {
			o.taken[i] = true
			return o.n.members[i].value
		}
	}
	return nil
}

// rest returns the members that were not taken.
func (o *object) rest() (rest Extra) {
	for i, each := range o.n.members {
		if !o.taken[i] {
			if rest == nil {
				rest = Extra{}
			}
			rest[each.name] = anything(each.value)
		}
	}
	return rest
}

func anything(n *node) json.RawMessage { return append(json.RawMessage(nil), n.raw...) }

func text[T ~string](n *node) T { return T(n.text) }

func boolean[T ~bool](n *node) T { return T(n.truth) }

func integer[T ~int64](n *node) T {
	value, _ := strconv.ParseInt(string(n.raw), 10, 64)
	return T(value)
}

func number[T ~float64](n *node) T {
	value, _ := strconv.ParseFloat(string(n.raw), 64)
	return T(value)
}

func listOf[T any](n *node, decode func(*node) T) []T {
	items := make([]T, len(n.items))
	for i, item := range n.items {
		items[i] = decode(item)
	}
	return items
}

func mapOf[T any](n *node, decode func(*node) T) map[string]T {
	values := make(map[string]T, len(n.members))
	for _, each := range n.members {
		values[each.name] = decode(each.value)
	}
	return values
}

func pointerTo[T any](n *node, decode func(*node) T) *T {
	if n.kind == isNull {
		return nil
	}
	value := decode(n)
	return &value
}

func optional[T any](n *node, decode func(*node) T) (o Opt[T]) {
	if n != nil {
		o.Set, o.Value = true, decode(n)
	}
	return o
}

func nullable[T any](n *node, decode func(*node) T) (o Opt[T]) {
	if n != nil && n.kind == isNull {
		return Null[T]()
	}
	return optional(n, decode)
}

func sortedNames(extra Extra) []string {
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
