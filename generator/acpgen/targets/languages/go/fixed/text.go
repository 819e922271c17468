package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep arrays and objects may nest.
const maxDepth = 127

type kind uint8

const (
	isNull kind = iota
	isBoolean
	isInteger
	isNumber
	isString
	isArray
	isObject
)

// node is a JSON value. Its raw text is kept, so that what is unknown comes back as it was.
type node struct {
	kind    kind
	truth   bool
	text    string // of a string
	raw     []byte
	items   []*node
	members []member
}

type member struct {
	name  string
	value *node
}

// get returns a member of an object; nil if there is none.
func (n *node) get(name string) *node {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

// many is from how many members on an index is worth its price.
const many = 24

// parser reads one JSON text (RFC 8259) strictly: in UTF-8, without lone surrogates.
type parser struct {
	data  []byte
	at    int
	depth int
}

func parse(data []byte) (*node, error) {
	if !utf8.Valid(data) {
		return nil, notJSON("is not UTF-8")
	}
	p := parser{data: data}
	n, err := p.value()
	if err == nil {
		p.blank()
		if p.at < len(data) {
			err = notJSON("goes on after the end of the value")
		}
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

func notJSON(reason string) error {
	return &Fault{Rule: "not-json", Reason: reason}
}

func (p *parser) blank() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	return 0
}

func (p *parser) unexpected() error {
	if p.at >= len(p.data) {
		return notJSON("ends too early")
	}
	return notJSON(fmt.Sprintf("has an unexpected character at byte %d", p.at))
}

func (p *parser) value() (*node, error) {
	p.blank()
	start := p.at
	n := &node{}
	var err error
	switch c := p.peek(); {
	case c == '{':
		err = p.object(n)
	case c == '[':
		err = p.array(n)
	case c == '"':
		n.kind = isString
		n.text, err = p.string()
	case c == '-' || '0' <= c && c <= '9':
		err = p.number(n)
	default:
		err = p.word(n)
	}
	if err != nil {
		return nil, err
	}
	n.raw = p.data[start:p.at]
	return n, nil
}

func (p *parser) word(n *node) error {
	rest := p.data[p.at:]
	for _, each := range []struct {
		text string
		node node
	}{
		{"null", node{kind: isNull}},
		{"true", node{kind: isBoolean, truth: true}},
		{"false", node{kind: isBoolean}},
	} {
		if len(rest) >= len(each.text) && string(rest[:len(each.text)]) == each.text {
			*n = each.node
			p.at += len(each.text)
			return nil
		}
	}
	return p.unexpected()
}

func (p *parser) digits() bool {
	start := p.at
	for '0' <= p.peek() && p.peek() <= '9' {
		p.at++
	}
	return p.at > start
}

func (p *parser) number(n *node) error {
	n.kind = isInteger
	if p.peek() == '-' {
		p.at++
	}
	zero := p.peek() == '0'
	start := p.at
	if !p.digits() || zero && p.at > start+1 {
		return p.unexpected()
	}
	if p.peek() == '.' {
		n.kind = isNumber
		p.at++
		if !p.digits() {
			return p.unexpected()
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		n.kind = isNumber
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return p.unexpected()
		}
	}
	return nil
}

func (p *parser) enter() error {
	p.at++
	if p.depth++; p.depth > maxDepth {
		return notJSON(fmt.Sprintf("nests deeper than %d levels", maxDepth))
	}
	return nil
}

func (p *parser) array(n *node) error {
	n.kind = isArray
	if err := p.enter(); err != nil {
		return err
	}
	for p.blank(); p.peek() != ']'; p.blank() {
		if len(n.items) > 0 {
			if p.peek() != ',' {
				return p.unexpected()
			}
			p.at++
		}
		item, err := p.value()
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	p.at++
	p.depth--
	return nil
}

func (p *parser) object(n *node) error {
	n.kind = isObject
	if err := p.enter(); err != nil {
		return err
	}
	for p.blank(); p.peek() != '}'; p.blank() {
		if len(n.members) > 0 {
			if p.peek() != ',' {
				return p.unexpected()
			}
			p.at++
			p.blank()
		}
		if p.peek() != '"' {
			return p.unexpected()
		}
		name, err := p.string()
		if err != nil {
			return err
		}
		if p.blank(); p.peek() != ':' {
			return p.unexpected()
		}
		p.at++
		value, err := p.value()
		if err != nil {
			return err
		}
		n.members = append(n.members, member{name, value})
	}
	p.at++
	p.depth--
	n.members = lastOfEachName(n.members)
	return nil
}

// lastOfEachName drops a member whose name comes again later.
func lastOfEachName(members []member) []member {
	if len(members) < many {
		for i := len(members) - 1; i > 0; i-- {
			for j := 0; j < i; j++ {
				if members[j].name == members[i].name {
					return withoutRepeats(members)
				}
			}
		}
		return members
	}
	return withoutRepeats(members)
}

func withoutRepeats(members []member) []member {
	last := make(map[string]int, len(members))
	for i, each := range members {
		last[each.name] = i
	}
	kept := members[:0:0]
	for i, each := range members {
		if last[each.name] == i {
			kept = append(kept, each)
		}
	}
	return kept
}

func (p *parser) string() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == '"':
			text := string(p.data[start:p.at])
			p.at++
			return text, nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", p.unexpected()
		}
		p.at++
	}
	return "", p.unexpected()
}

var escapes = map[byte]byte{
	'"':  '"',
	'/':  '/',
	'\\': '\\',
	'b':  '\b',
	'f':  '\f',
	'n':  '\n',
	'r':  '\r',
	't':  '\t',
}

func (p *parser) escaped(start int) (string, error) {
	var b strings.Builder
	b.Write(p.data[start:p.at])
	for p.at < len(p.data) {
		c := p.data[p.at]
		p.at++
		switch {
		case c == '"':
			return b.String(), nil
		case c < ' ':
			p.at--
			return "", p.unexpected()
		case c != '\\':
			b.WriteByte(c)
		case p.peek() == 'u':
			r, err := p.point()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		default:
			plain, ok := escapes[p.peek()]
			if !ok {
				return "", p.unexpected()
			}
			p.at++
			b.WriteByte(plain)
		}
	}
	return "", p.unexpected()
}

// point reads the code point after a backslash; two escapes if it is a surrogate pair.
func (p *parser) point() (rune, error) {
	high, err := p.unit()
	if err != nil || high < 0xd800 || high > 0xdfff {
		return high, err
	}
	if high < 0xdc00 && p.peek() == '\\' {
		p.at++
		if p.peek() == 'u' {
			low, err := p.unit()
			if err != nil {
				return 0, err
			}
			if 0xdc00 <= low && low <= 0xdfff {
				return (high-0xd800)<<10 + low - 0xdc00 + 0x10000, nil
			}
		}
	}
	return 0, notJSON("has half of a surrogate pair")
}

func (p *parser) unit() (rune, error) {
	p.at++
	if p.at+4 > len(p.data) {
		p.at = len(p.data)
		return 0, p.unexpected()
	}
	unit, err := strconv.ParseUint(string(p.data[p.at:p.at+4]), 16, 16)
	if err != nil {
		return 0, p.unexpected()
	}
	p.at += 4
	return rune(unit), nil
}

// writer puts the members of an object together, each name once.
type writer struct {
	b     []byte
	names map[string]bool
	err   error
}

func newWriter() *writer {
	return &writer{b: []byte{'{'}, names: map[string]bool{}}
}

// put writes a member unless one of that name is there.
func (w *writer) put(name string, value any) {
	if w.err != nil || w.names[name] {
		return
	}
	text, err := written(value)
	if err != nil {
		w.err = fmt.Errorf("%s: %w", name, err)
		return
	}
	w.add(name, text)
}

// null writes a member that is null.
func (w *writer) null(name string) {
	if w.err == nil && !w.names[name] {
		w.add(name, []byte("null"))
	}
}

// written returns the value of a member. Lists and maps without items are never null.
func written(value any) ([]byte, error) {
	if _, ok := value.(json.RawMessage); ok {
		return marshal(value)
	}
	switch x := reflect.ValueOf(value); x.Kind() {
	case reflect.Invalid:
		return nil, errNoVariant
	case reflect.Map:
		if x.Len() == 0 {
			return []byte("{}"), nil
		}
	case reflect.Slice:
		if x.Len() == 0 {
			return []byte("[]"), nil
		}
		for i := 0; x.Type().Elem().Kind() == reflect.Interface && i < x.Len(); i++ {
			if x.Index(i).IsNil() {
				return nil, errNoVariant
			}
		}
	}
	return marshal(value)
}

func (w *writer) add(name string, text []byte) {
	if len(w.names) > 0 {
		w.b = append(w.b, ',')
	}
	w.names[name] = true
	quoted, _ := marshal(name)
	w.b = append(append(append(w.b, quoted...), ':'), text...)
}

// part writes the members of another object.
func (w *writer) part(value any) {
	switch x := value.(type) {
	case interface{ to(*writer) }:
		x.to(w)
	case nil:
		if w.err == nil {
			w.err = errNoVariant
		}
	default:
		if w.err == nil {
			w.err = fmt.Errorf("%T is not an object", value)
		}
	}
}

func (w *writer) rest(extra Extra) {
	for _, name := range sortedNames(extra) {
		w.put(name, extra[name])
	}
}

func (w *writer) done() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	return append(w.b, '}'), nil
}

// marshal writes JSON without the escapes that HTML needs.
func marshal(value any) ([]byte, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
