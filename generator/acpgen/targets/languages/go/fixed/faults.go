package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Severity is how much a fault matters.
type Severity string

// A receiver refuses an error, repairs what is recovered, and passes over a warning.
const (
	SeverityError     Severity = "error"
	SeverityRecovered Severity = "recovered"
	SeverityWarning   Severity = "warning"
)

// Finding is one thing wrong with one place. It holds nothing of the value, which may be a key.
type Finding struct {
	// Rule is the rule that is broken, as `acpgen explain` knows it.
	Rule string
	// Severity is how much it matters.
	Severity Severity
	// Pointer is the place as a JSON Pointer (RFC 6901) from the value down.
	Pointer string
	// Message is what is wrong, such as "is missing".
	Message string
}

// Fault is the error about a value that is not of its type. It holds nothing of the value.
type Fault struct {
	// Rule is the rule that is broken, as `acpgen explain` knows it.
	Rule string
	// Pointer is the place as a JSON Pointer (RFC 6901) from the value down.
	Pointer string
	// Reason is what is wrong, such as "is missing".
	Reason string
}

// Error says where the fault is and what is wrong.
func (f *Fault) Error() string {
	if f.Pointer == "" {
		return "the value " + f.Reason
	}
	return f.Pointer + " " + f.Reason
}

const (
	required  = 1
	onError   = 2
	onNull    = 4
	skipItems = 8
)

// plan is a type as readers walk it.
type plan struct {
	form     byte // of the first letter of its kind in the plans; "r" for a named type
	name     string
	scalar   string
	inner    *plan
	limits   [4]*float64 // minLength, maxLength, minimum, maximum; of an array minItems, maxItems
	pattern  *regexp.Regexp
	stated   string // the pattern as the schema has it
	values   []any
	members  []planMember
	parts    []*plan
	tag      *string
	single   bool
	variants []planVariant
}

type planMember struct {
	name  string
	plan  *plan
	flags int
}

type planVariant struct {
	value    *string
	fallback bool
	body     *plan
}

var (
	planned  map[string]*plan
	planOnce sync.Once
)

// planOf returns the plan of a named type.
func planOf(name string) *plan {
	planOnce.Do(func() {
		planned = make(map[string]*plan, len(plans))
		for _, each := range plans {
			var text any
			if err := json.Unmarshal([]byte(each.plan), &text); err != nil {
				panic(err)
			}
			planned[each.name] = planFrom(text)
		}
	})
	return planned[name]
}

// matcher compiles a pattern of the schema.
func matcher(pattern string) *regexp.Regexp {
	for _, each := range spellings {
		if each.pattern == pattern {
			return regexp.MustCompile(each.spelling)
		}
	}
	return regexp.MustCompile(pattern)
}

func planFrom(value any) *plan {
	switch text := value.(type) {
	case nil:
		return nil
	case string:
		if strings.HasPrefix(text, "@") {
			return &plan{form: 'r', name: text[1:]}
		}
		return &plan{form: 's', scalar: text}
	}
	parts := value.([]any)
	p := &plan{form: parts[0].(string)[0]}
	switch p.form {
	case 's':
		p.scalar = parts[1].(string)
		p.limits = limitsFrom(parts[2:6])
		if pattern, ok := parts[6].(string); ok {
			p.pattern, p.stated = matcher(pattern), pattern
		}
	case 'a':
		p.inner = planFrom(parts[1])
		p.limits = limitsFrom(parts[2:])
	case 'm', 'n':
		p.inner = planFrom(parts[1])
	case 'e':
		p.values = parts[1].([]any)
	case 'o':
		for _, each := range parts[1].([]any) {
			m := each.([]any)
			p.members = append(p.members, planMember{
				m[0].(string), planFrom(m[1]), int(m[2].(float64)),
			})
		}
		for _, each := range parts[2].([]any) {
			p.parts = append(p.parts, planFrom(each))
		}
		p.inner = planFrom(parts[3])
	case 'u':
		if tag, ok := parts[1].(string); ok {
			p.tag = &tag
		}
		p.single = parts[2].(bool)
		for _, each := range parts[3].([]any) {
			v := each.([]any)
			variant := planVariant{fallback: v[1].(bool), body: planFrom(v[2])}
			if value, ok := v[0].(string); ok {
				variant.value = &value
			}
			p.variants = append(p.variants, variant)
		}
	}
	return p
}

func limitsFrom(values []any) (limits [4]*float64) {
	for i, each := range values {
		if limit, ok := each.(float64); ok {
			limits[i] = &limit
		}
	}
	return limits
}

// resolved follows the names of types.
func (p *plan) resolved() *plan {
	for p.form == 'r' {
		p = planOf(p.name)
	}
	return p
}

// fits tells whether a value is of a type, as a strict receiver sees it.
func (p *plan) fits(n *node) bool {
	p = p.resolved()
	switch p.form {
	case 's':
		return p.isScalar(n) && p.isWithin(n)
	case 'e':
		return p.isListed(n)
	case 'n':
		return n.kind == isNull || p.inner.fits(n)
	case 'a':
		if n.kind != isArray || !p.isLong(len(n.items)) {
			return false
		}
		for _, item := range n.items {
			if !p.inner.fits(item) {
				return false
			}
		}
		return true
	case 'm':
		return n.kind == isObject && p.fitsRest(n)
	case 'o':
		return p.fitsObject(n)
	default:
		return p.fitsUnion(n)
	}
}

func (p *plan) fitsRest(n *node) bool {
	for _, each := range n.members {
		if !p.lists(each.name) && !p.inner.fits(each.value) {
			return false
		}
	}
	return true
}

// lists tells whether an object's type names a member.
func (p *plan) lists(name string) bool {
	for _, each := range p.members {
		if each.name == name {
			return true
		}
	}
	return false
}

func (p *plan) fitsObject(n *node) bool {
	if n.kind != isObject {
		return false
	}
	index := indexOf(n)
	for _, each := range p.members {
		given := index.get(each.name)
		if given == nil && each.flags&required != 0 || given != nil && !each.plan.fits(given) {
			return false
		}
	}
	for _, part := range p.parts {
		if !part.fits(n) {
			return false
		}
	}
	return p.inner == nil || p.fitsRest(n)
}

func (p *plan) fitsUnion(n *node) bool {
	fitting := 0
	for _, variant := range p.tried(n) {
		if variant.body.fits(n) {
			if !p.single {
				return true
			}
			fitting++
		}
	}
	return fitting == 1
}

// named returns the tag of an object if it is a text, and whether a variant lists it.
func (p *plan) named(n *node) (name string, given, known bool) {
	if p.tag == nil || n.kind != isObject {
		return "", false, false
	}
	tag := n.get(*p.tag)
	if tag == nil || tag.kind != isString {
		return "", false, false
	}
	for _, variant := range p.variants {
		if variant.value != nil && *variant.value == tag.text {
			return tag.text, true, true
		}
	}
	return tag.text, true, false
}

// tried returns the variants that a value may be.
func (p *plan) tried(n *node) []planVariant {
	name, _, known := p.named(n)
	var tried []planVariant
	for i, variant := range p.variants {
		switch {
		case variant.value == nil && !(variant.fallback && known):
			tried = append(tried, p.variants[i])
		case variant.value != nil && known && *variant.value == name:
			tried = append(tried, p.variants[i])
		}
	}
	return tried
}

func (p *plan) isScalar(n *node) bool {
	switch p.scalar {
	case "any":
		return true
	case "string":
		return n.kind == isString
	case "integer":
		return n.kind == isInteger
	case "number":
		return n.kind == isInteger || n.kind == isNumber
	case "boolean":
		return n.kind == isBoolean
	default:
		return n.kind == isNull
	}
}

func (p *plan) isWithin(n *node) bool {
	switch n.kind {
	case isString:
		if p.limits[0] == nil && p.limits[1] == nil && p.pattern == nil {
			return true
		}
		length := float64(utf8.RuneCountInString(n.text))
		return isBetween(length, p.limits[0], p.limits[1]) &&
			(p.pattern == nil || p.pattern.MatchString(n.text))
	case isInteger, isNumber:
		number, err := strconv.ParseFloat(string(n.raw), 64)
		if n.kind == isInteger && p.scalar == "integer" {
			if _, err := strconv.ParseInt(string(n.raw), 10, 64); err != nil {
				return false
			}
		}
		return p.scalar == "any" || err == nil && isBetween(number, p.limits[2], p.limits[3])
	}
	return true
}

func isBetween(number float64, least, most *float64) bool {
	return (least == nil || *least <= number) && (most == nil || number <= *most)
}

func (p *plan) isLong(items int) bool {
	return isBetween(float64(items), p.limits[0], p.limits[1])
}

func (p *plan) isListed(n *node) bool {
	for _, each := range p.values {
		switch value := each.(type) {
		case string:
			if n.kind == isString && n.text == value {
				return true
			}
		case float64:
			number, err := strconv.ParseFloat(string(n.raw), 64)
			if n.kind == isInteger && err == nil && number == value {
				return true
			}
		}
	}
	return false
}

// index finds the members of an object by name.
type index struct {
	n    *node
	many map[string]*node
}

func indexOf(n *node) index {
	if len(n.members) < many {
		return index{n: n}
	}
	names := make(map[string]*node, len(n.members))
	for _, each := range n.members {
		names[each.name] = each.value
	}
	return index{n, names}
}

func (i index) get(name string) *node {
	if i.many != nil {
		return i.many[name]
	}
	return i.n.get(name)
}

// fault is a finding whose place is not written yet: the path from the inside out.
type fault struct {
	rule     string
	severity Severity
	path     []string
	message  string
}

func failed(rule, message string, path ...string) fault {
	return fault{rule, SeverityError, path, message}
}

func below(token string, faults []fault) []fault {
	for i := range faults {
		path := make([]string, 0, len(faults[i].path)+1)
		faults[i].path = append(append(path, faults[i].path...), token)
	}
	return faults
}

func (f fault) pointer() string {
	var b strings.Builder
	for i := len(f.path) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(f.path[i]))
	}
	return b.String()
}

func (f fault) finding() Finding {
	return Finding{f.rule, f.severity, f.pointer(), f.message}
}

const mostFindings = 1000

// kept returns the first faults of each severity.
func kept(faults []fault) []fault {
	if len(faults) <= mostFindings {
		return faults
	}
	counts := map[Severity]int{}
	var first []fault
	for _, each := range faults {
		if counts[each.severity]++; counts[each.severity] <= mostFindings {
			first = append(first, each)
		}
	}
	return first
}

// judge returns the faults of a value of a type, as `acpgen validate` finds them.
func (p *plan) judge(n *node, tag string) []fault {
	declared := p
	for p.form == 'r' || p.form == 'n' {
		if p.form == 'r' {
			p, tag = planOf(p.name), ""
		} else if n.kind == isNull {
			return nil
		} else {
			p = p.inner
		}
	}
	if p.form == 'u' {
		return p.judgeUnion(n, declared)
	}
	if !p.taken()[n.kind] {
		return []fault{declared.mistyped(n)}
	}
	switch p.form {
	case 'o':
		return p.judgeObject(n, tag)
	case 'm':
		return p.judgeRest(n, tag)
	case 'a':
		return p.judgeArray(n)
	case 'e':
		return p.judgeListed(n)
	default:
		return p.judgeScalar(n)
	}
}

func (p *plan) judgeScalar(n *node) (faults []fault) {
	switch n.kind {
	case isString:
		length := utf8.RuneCountInString(n.text)
		has := "has " + counted(length, "character") + ", must have "
		if limit := p.limits[0]; limit != nil && float64(length) < *limit {
			faults = append(faults, failed("min-length", has+"at least "+counted(int(*limit), "character")))
		}
		if limit := p.limits[1]; limit != nil && float64(length) > *limit {
			faults = append(faults, failed("max-length", has+"at most "+counted(int(*limit), "character")))
		} else if p.pattern != nil && !p.pattern.MatchString(n.text) {
			faults = append(faults, failed("pattern", "does not match "+p.stated))
		}
	case isInteger, isNumber:
		number, err := strconv.ParseFloat(string(n.raw), 64)
		if limit := p.limits[2]; limit != nil && number < *limit {
			faults = append(faults, failed("minimum", fmt.Sprintf("must be at least %v", *limit)))
		}
		if limit := p.limits[3]; limit != nil && number > *limit {
			faults = append(faults, failed("maximum", fmt.Sprintf("must be at most %v", *limit)))
		}
		if len(faults) == 0 && p.scalar != "any" && (err != nil || !p.isWithin(n)) {
			faults = append(faults, failed("maximum", "must fit into 64 bits"))
		}
	}
	return faults
}

func counted(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(count) + " " + noun + "s"
}

func (p *plan) judgeArray(n *node) (faults []fault) {
	has := "has " + counted(len(n.items), "item") + ", must have "
	if limit := p.limits[0]; limit != nil && float64(len(n.items)) < *limit {
		faults = append(faults, failed("min-items", has+"at least "+counted(int(*limit), "item")))
	}
	if limit := p.limits[1]; limit != nil && float64(len(n.items)) > *limit {
		faults = append(faults, failed("max-items", has+"at most "+counted(int(*limit), "item")))
	}
	for i, item := range n.items {
		if len(faults) > 4*mostFindings {
			break
		}
		faults = append(faults, below(strconv.Itoa(i), p.inner.judge(item, ""))...)
	}
	return kept(faults)
}

func (p *plan) judgeRest(n *node, tag string) (faults []fault) {
	for _, each := range n.members {
		if (tag == "" || each.name != tag) && !p.lists(each.name) {
			faults = append(faults, below(each.name, p.inner.judge(each.value, ""))...)
		}
	}
	return kept(faults)
}

func (p *plan) judgeObject(n *node, tag string) (faults []fault) {
	index := indexOf(n)
	for _, each := range p.members {
		given := index.get(each.name)
		if given == nil {
			if each.flags&required != 0 {
				faults = append(faults, failed("required", "is missing", each.name))
			}
			continue
		}
		inner := each.plan.judge(given, "")
		for i := range inner {
			inner[i].tolerate(each.flags, given)
		}
		faults = append(faults, below(each.name, inner)...)
	}
	for _, part := range p.parts {
		faults = append(faults, part.judge(n, "")...)
	}
	if p.inner != nil {
		faults = append(faults, p.judgeRest(n, tag)...)
	}
	return kept(firstOfEachPlace(faults))
}

// tolerate makes a fault recovered if receivers fall back on a default.
func (f *fault) tolerate(flags int, given *node) {
	skipped := flags&skipItems != 0 && len(f.path) > 0
	null := flags&onNull != 0 && given.kind == isNull
	if f.severity == SeverityError && (skipped || null || flags&onError != 0) {
		f.severity = SeverityRecovered
	}
}

func firstOfEachPlace(faults []fault) []fault {
	if len(faults) < 2 {
		return faults
	}
	seen := make(map[string]bool, len(faults))
	var first []fault
	for _, each := range faults {
		if place := each.pointer(); !seen[place] {
			seen[place] = true
			first = append(first, each)
		}
	}
	return first
}

func (p *plan) judgeListed(n *node) []fault {
	if p.isListed(n) {
		return nil
	}
	var known []string
	for _, each := range p.values {
		text, _ := marshal(each)
		known = append(known, string(text))
	}
	if len(known) == 1 {
		return []fault{failed("const", "must be "+known[0])}
	}
	return []fault{failed("enum", "must be one of "+strings.Join(known, ", "))}
}

type reading struct {
	variant planVariant
	faults  []fault
}

func (r reading) fits() bool {
	for _, each := range r.faults {
		if each.severity != SeverityWarning {
			return false
		}
	}
	return true
}

func (p *plan) judgeUnion(n *node, declared *plan) []fault {
	name, given, known := p.named(n)
	var tried, fitting []reading
	for _, variant := range p.tried(n) {
		tag := ""
		if variant.value != nil {
			tag = *p.tag
		}
		each := reading{variant, variant.body.judge(n, tag)}
		tried = append(tried, each)
		if each.fits() {
			fitting = append(fitting, each)
		}
	}
	if len(fitting) == 1 || len(fitting) > 1 && !p.single {
		chosen := fitting[0]
		var odd []fault
		if chosen.variant.fallback && given && !strings.HasPrefix(name, "_") {
			message := "is not a value of the protocol; receivers ignore the object"
			odd = append(odd, fault{"unknown-tag", SeverityWarning, []string{*p.tag}, message})
		}
		return append(odd, chosen.faults...)
	}
	if len(fitting) > 1 {
		message := fmt.Sprintf("fits %d alternatives, and only one may fit", len(fitting))
		return []fault{failed("one-of", message)}
	}
	if !declared.taken()[n.kind] {
		return []fault{declared.mistyped(n)}
	}
	if known {
		var selected []reading
		for _, each := range tried {
			if each.variant.value != nil {
				selected = append(selected, each)
			}
		}
		tried = selected
	} else if p.tag != nil && n.kind == isObject && n.get(*p.tag) == nil {
		tried = p.withoutTag(n, tried)
	}
	if len(tried) == 0 {
		return p.untagged(n)
	}
	return nearest(tried, n)
}

// withoutTag returns how an object without a tag can be read: as a variant with a tag, too, if
// others have none.
func (p *plan) withoutTag(n *node, tried []reading) []reading {
	open := false
	for _, each := range tried {
		open = open || !each.variant.fallback
	}
	if !open {
		return tried
	}
	for _, variant := range p.variants {
		if variant.value != nil {
			faults := append([]fault{}, variant.body.judge(n, *p.tag)...)
			faults = append(faults, failed("required", "is missing", *p.tag))
			tried = append(tried, reading{variant, faults})
		}
	}
	return tried
}

func (p *plan) untagged(n *node) []fault {
	given := n.get(*p.tag)
	if given == nil {
		return []fault{failed("required", "is missing", *p.tag)}
	}
	text := &plan{form: 's', scalar: "string"}
	if given.kind != isString {
		return below(*p.tag, []fault{text.mistyped(given)})
	}
	listed := &plan{form: 'e'}
	for _, variant := range p.variants {
		if variant.value != nil {
			listed.values = append(listed.values, *variant.value)
		}
	}
	return below(*p.tag, listed.judgeListed(given))
}

// nearest returns the faults of the variant that a value was most likely meant to be.
func nearest(readings []reading, n *node) []fault {
	if len(readings) == 1 {
		return readings[0].faults
	}
	members := make([]map[string]*plan, len(readings))
	for i, each := range readings {
		members[i] = map[string]*plan{}
		each.variant.body.collect(members[i])
	}
	given := givenMembers(n)
	best, least := 0, [8]int{}
	for i, each := range readings {
		rank := rankOf(each.faults, given, members, i)
		if i == 0 || isLess(rank, least) {
			best, least = i, rank
		}
	}
	return readings[best].faults
}

func isLess(left, right [8]int) bool {
	for i := range left {
		if left[i] != right[i] {
			return left[i] < right[i]
		}
	}
	return false
}

func rankOf(faults []fault, given map[string]*node, members []map[string]*plan, at int) (rank [8]int) {
	shallowest := -1
	for _, each := range faults {
		if each.severity != SeverityError {
			continue
		}
		rank[0] = 1
		if len(each.path) == 0 && each.rule == "type" {
			rank[1] = 1
		}
		if len(each.path) == 1 && (each.rule == "const" || each.rule == "enum") {
			rank[3] = 1
		}
		if shallowest < 0 || len(each.path) < shallowest {
			shallowest = len(each.path)
		}
		if each.rule == "required" {
			rank[6]++
		}
	}
	for name, value := range given {
		own, ok := members[at][name]
		if !ok {
			continue
		}
		if own.form == 'e' && len(own.values) == 1 && own.isListed(value) {
			rank[2]--
		}
		shared := false
		for i, others := range members {
			_, has := others[name]
			shared = shared || has && i != at
		}
		if !shared {
			rank[4]--
		}
	}
	if shallowest > 0 {
		rank[5] = -shallowest
	}
	rank[7] = len(faults)
	return rank
}

const lookedAt = 8

func givenMembers(n *node) map[string]*node {
	given := map[string]*node{}
	objects := []*node{n}
	if n.kind == isArray {
		objects = n.items
		if len(objects) > lookedAt {
			objects = objects[:lookedAt]
		}
	}
	for _, each := range objects {
		for _, m := range each.members {
			given[m.name] = m.value
		}
	}
	return given
}

// collect notes the members that a value of a type, or an item of an array, may have.
func (p *plan) collect(members map[string]*plan) {
	switch p = p.resolved(); p.form {
	case 'n', 'a':
		p.inner.collect(members)
	case 'o':
		for _, each := range p.members {
			members[each.name] = each.plan
		}
		for _, part := range p.parts {
			part.collect(members)
		}
	case 'u':
		for _, variant := range p.variants {
			variant.body.collect(members)
		}
	}
}

var kindNames = []struct {
	kind kind
	name string
}{
	{isString, "a string"},
	{isInteger, "an integer"},
	{isNumber, "a number"},
	{isBoolean, "a boolean"},
	{isArray, "an array"},
	{isObject, "an object"},
	{isNull, "null"},
}

// taken returns the kinds of JSON values that a type may accept.
func (p *plan) taken() (kinds [7]bool) {
	switch p = p.resolved(); p.form {
	case 's':
		for _, each := range kindNames {
			kinds[each.kind] = p.isScalar(&node{kind: each.kind})
		}
	case 'e':
		_, isText := p.values[0].(string)
		kinds[isString], kinds[isInteger] = isText, !isText
	case 'a':
		kinds[isArray] = true
	case 'n':
		kinds = p.inner.taken()
		kinds[isNull] = true
	case 'u':
		for _, variant := range p.variants {
			if variant.value != nil {
				kinds[isObject] = true
				continue
			}
			for i, takes := range variant.body.taken() {
				kinds[i] = kinds[i] || takes
			}
		}
	default:
		kinds[isObject] = true
	}
	return kinds
}

func (p *plan) mistyped(n *node) fault {
	kinds := p.taken()
	kinds[isInteger] = kinds[isInteger] && !kinds[isNumber]
	var names []string
	actual := ""
	for _, each := range kindNames {
		if kinds[each.kind] {
			names = append(names, each.name)
		}
		if each.kind == n.kind {
			actual = each.name
		}
	}
	if n.kind == isNumber {
		actual += " with a fraction or an exponent"
	}
	expected := names[len(names)-1]
	if most := names[:len(names)-1]; len(most) > 0 {
		expected = strings.Join(most, ", ") + " or " + expected
	}
	return failed("type", "must be "+expected+", not "+actual)
}

// repair returns the value as a tolerant receiver has it; nil if it refuses the value.
func (p *plan) repair(n *node, skip bool) *node {
	p = p.resolved()
	if p.fits(n) {
		return n
	}
	switch p.form {
	case 'n':
		return p.inner.repair(n, skip)
	case 'a':
		return p.repairArray(n, skip)
	case 'm':
		if n.kind == isObject {
			return p.repairRest(n)
		}
	case 'o':
		if n.kind == isObject {
			return p.repairObject(n)
		}
	case 'u':
		return p.repairUnion(n)
	}
	return nil
}

func (p *plan) repairArray(n *node, skip bool) *node {
	if n.kind != isArray {
		return nil
	}
	items := []*node{}
	for _, item := range n.items {
		repaired := p.inner.repair(item, false)
		if repaired != nil {
			items = append(items, repaired)
		} else if !skip {
			return nil
		}
	}
	if !p.isLong(len(items)) {
		return nil
	}
	return &node{kind: isArray, items: items}
}

func (p *plan) repairRest(n *node) *node {
	out := &node{kind: isObject}
	for _, each := range n.members {
		if !p.lists(each.name) {
			if each.value = p.inner.repair(each.value, false); each.value == nil {
				return nil
			}
		}
		out.members = append(out.members, each)
	}
	return out
}

func (p *plan) repairObject(n *node) *node {
	out := &node{kind: isObject}
	for _, each := range n.members {
		value, dropped := each.value, false
		for _, m := range p.members {
			if m.name == each.name {
				value, dropped = m.repair(each.value)
				break
			}
		}
		if dropped {
			continue
		}
		if value == nil {
			return nil
		}
		out.members = append(out.members, member{each.name, value})
	}
	for _, m := range p.members {
		if m.flags&required != 0 && n.get(m.name) == nil {
			return nil
		}
	}
	if p.inner != nil {
		if out = p.repairRest(out); out == nil {
			return nil
		}
	}
	for _, part := range p.parts {
		if out = part.repair(out, false); out == nil {
			return nil
		}
	}
	return out
}

// repair returns the value of a member or its default, or that it is dropped.
func (m planMember) repair(n *node) (value *node, dropped bool) {
	isNulled := m.flags&onNull != 0 && n.kind == isNull
	if !isNulled {
		value = m.plan.repair(n, m.flags&skipItems != 0)
		if value != nil || m.flags&onError == 0 {
			return value, false
		}
	}
	if m.flags&required == 0 {
		return nil, true
	}
	return m.plan.empty(), false
}

// empty returns the default of a required member that is malformed; nil if there is none.
func (p *plan) empty() *node {
	switch p = p.resolved(); {
	case p.form == 'a':
		return &node{kind: isArray, items: []*node{}}
	case p.form == 'n':
		return &node{kind: isNull}
	case p.form == 'm', p.form == 'o' && len(p.members)+len(p.parts) == 0:
		return &node{kind: isObject}
	}
	return nil
}

func (p *plan) repairUnion(n *node) *node {
	var read, bare []*node
	for _, variant := range p.tried(n) {
		repaired := variant.body.repair(n, false)
		switch {
		case repaired == nil:
		case variant.value == nil && !variant.fallback:
			bare = append(bare, repaired)
		default:
			read = append(read, repaired)
		}
	}
	if read = append(read, bare...); len(read) == 0 || p.single && len(read) > 1 {
		return nil
	}
	return read[0]
}

// choose returns the place of the variant that a value of a union is.
func (p *plan) choose(n *node) int {
	name, _, known := p.named(n)
	candidate := -1
	for i, variant := range p.variants {
		isTried := variant.value == nil && !(variant.fallback && known)
		if isTried || variant.value != nil && known && *variant.value == name {
			if candidate >= 0 && p.variants[candidate].body.fits(n) {
				return candidate
			}
			candidate = i
		}
	}
	return candidate
}
