package define

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/lex"
)

// Error is a fault of a text, at a place in it.
type Error struct {
	File      string
	Line, Col int
	Msg       string
}

// Error is file:line:column: message.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg) }

// Limits of what is read.
const (
	maxText     = 1 << 20
	maxName     = 64
	maxInt      = 1 << 20
	maxOperands = 8
	maxRank     = 8
	maxDepth    = 100
	maxNodes    = 1000 // of an entry, powers written out
	maxSummands = 16   // of an index or a size
	maxRanges   = 8
)

// Parse reads a text of definitions; file names it in errors. The error is that of the first
// definition that is wrong, an [*Error]. Operators that are defined by the same text are not known
// in it: an entry is written with built-in functions.
func Parse(file, text string) ([]*Definition, error) {
	if len(text) > maxText {
		return nil, &Error{file, 1, 1, fmt.Sprintf("text of %d bytes, at most %d are read", len(text), maxText)}
	}
	r := NewReader(file, text, lex.Token{Line: 1, Col: 1})
	var out []*Definition
	for {
		if r.tok.Kind == lex.EOF && r.err == nil {
			return out, nil
		}
		at := r.tok
		d, _, err := r.Definition()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o *Definition) bool { return o.Name == d.Name }) {
			return nil, &Error{file, at.Line, at.Col, "operator " + d.Name + " is defined twice"}
		}
		out = append(out, d)
	}
}

// Reader reads definitions out of a text that may hold other things too.
type Reader struct {
	file  string
	words lex.Lexer
	tok   lex.Token
	err   *Error
	depth int
	nodes int

	d     *Definition
	sizes []string // size variables
	names []string // indices and bound variables
}

// NewReader returns a reader that begins at a token of the text.
func NewReader(file, text string, at lex.Token) *Reader {
	r := &Reader{file: file}
	r.words = lex.Lexer{Src: text, MaxInt: maxInt, MaxName: maxName, Slash: true,
		Fault: func(line, col int, format string, args ...any) {
			if r.err == nil {
				r.err = &Error{file, line, col, fmt.Sprintf(format, args...)}
			}
		}}
	r.words.Seek(at, 0)
	r.next()
	r.tok.Doc = append(r.tok.Doc, at.Doc...)
	return r
}

func (r *Reader) next() { r.tok = r.words.Next() }

// Definition reads a definition and returns it with the token behind it.
func (r *Reader) Definition() (d *Definition, behind lex.Token, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		default:
			if e != errLarge {
				panic(e)
			}
			err = &Error{r.file, r.d.Line, 1, fmt.Sprintf("operator %s: %v", r.d.Name, errLarge)}
		}
		if r.err != nil {
			err = r.err
		}
		if err != nil {
			d = nil
		}
	}()
	r.d, r.sizes, r.names, r.depth, r.nodes = &Definition{Line: r.tok.Line, Doc: strings.Join(r.tok.Doc, "\n")}, nil, nil, 0, 0
	r.definition()
	if err := r.d.check(); err != nil {
		return nil, r.tok, &Error{r.file, r.d.Line, 1, fmt.Sprintf("operator %s: %v", r.d.Name, err)}
	}
	return r.d, r.tok, nil
}

func (r *Reader) fail(t lex.Token, format string, args ...any) {
	panic(&Error{r.file, t.Line, t.Col, fmt.Sprintf(format, args...)})
}

func (r *Reader) take(s string) bool {
	ok := r.tok.Is(s)
	if ok {
		r.next()
	}
	return ok
}

func (r *Reader) takeName(s string) bool {
	ok := r.tok.IsName(s)
	if ok {
		r.next()
	}
	return ok
}

func (r *Reader) want(s string) {
	if !r.take(s) && !r.takeName(s) {
		r.fail(r.tok, "found %s, want %q", r.tok, s)
	}
}

// reserved are words of this language and of that of laws, which name nothing.
var reserved = map[string]bool{"op": true, "at": true, "in": true, "of": true, "sum": true, "max": true, "min": true, "where": true,
	"and": true, "axiom": true, "lemma": true, "rule": true, "refute": true, "section": true, "given": true, "let": true,
	"then": true, "cite": true, "none": true, "same": true, "valid": true}

func (r *Reader) name(what string) (string, lex.Token) {
	t := r.tok
	switch {
	case t.Kind != lex.Name:
		r.fail(t, "found %s, want the name of %s", t, what)
	case reserved[t.Text]:
		r.fail(t, "%s is a word of the language, want the name of %s", t.Text, what)
	}
	r.next()
	return t.Text, t
}

// fresh takes a name that stands for nothing else in the definition.
func (r *Reader) fresh(what string) string {
	name, t := r.name(what)
	if r.operand(name) >= 0 || slices.Contains(r.sizes, name) || slices.Contains(r.names, name) {
		r.fail(t, "%s %s: the name stands for something else already", what, name)
	}
	return name
}

func (r *Reader) operand(name string) int {
	return slices.IndexFunc(r.d.operands, func(o operand) bool { return o.name == name })
}

func isUpper(s string) bool { return s[0] >= 'A' && s[0] <= 'Z' }

func (r *Reader) definition() {
	d := r.d
	if !r.takeName("op") {
		r.fail(r.tok, `found %s, want "op"`, r.tok)
	}
	name, t := r.name("an operator")
	if isUpper(name) || len(name) < 3 || strings.HasPrefix(name, "_") || strings.HasPrefix(name, graph.EachPrefix) {
		// Shorter names are those of variables of laws.
		r.fail(t, "operator %s: a name has at least 3 characters and begins with a small letter, and not with %s", name, graph.EachPrefix)
	}
	d.Name = name
	r.want("(")
	for more := true; more; more = r.take(",") {
		t := r.tok
		o := operand{name: r.fresh("an operand")}
		if len(d.operands) == maxOperands {
			r.fail(t, "more than %d operands", maxOperands)
		}
		colon := r.tok
		if r.take(":") {
			if !isUpper(o.name) {
				r.fail(t, "operand %s: the name of a tensor begins with a capital letter", o.name)
			}
			o.shape = r.shape(true)
		} else if isUpper(o.name) {
			r.fail(r.tok, "operand %s: found %s, want \":\" and its shape; the name of an element begins with a small letter", o.name, r.tok)
		}
		if has := colon.Is(":"); len(d.operands) == 0 {
			d.shaped = has
		} else if d.shaped != has {
			r.fail(t, "operand %s: all operands have shapes, or none", o.name)
		}
		d.operands = append(d.operands, o)
	}
	r.want(")")
	if d.shaped {
		r.want(":")
		d.out = r.shape(false)
		if r.takeName("at") {
			for more := true; more; more = r.take(",") {
				name := r.fresh("an index")
				r.names, d.at = append(r.names, name), append(d.at, name)
			}
		}
		if len(d.at) != len(d.out) {
			r.fail(r.tok, "%d indices behind \"at\", want %d, one for each axis of the result", len(d.at), len(d.out))
		}
	}
	r.want("=")
	d.body = r.entry()
}

// shape reads a shape. The sizes of operands bring size variables; those of the result must be
// known.
func (r *Reader) shape(brings bool) []linear {
	r.want("[")
	out := []linear{}
	if r.take("]") {
		return out
	}
	for more := true; more; more = r.take(",") {
		t := r.tok
		if len(out) == maxRank {
			r.fail(t, "more than %d axes", maxRank)
		}
		s := r.linear(func(name string, t lex.Token) {
			switch {
			case slices.Contains(r.sizes, name):
			case !brings:
				r.fail(t, "size %s is that of no operand", name)
			case isUpper(name) || r.operand(name) >= 0:
				r.fail(t, "size %s: a size begins with a small letter, and is no operand; an operator has a fixed number of axes, such as [n, m]", name)
			default:
				r.sizes = append(r.sizes, name)
			}
		})
		negative := slices.ContainsFunc(s.t, func(f factor) bool { return f.k < 0 })
		if negative || s.c < 0 || s.c == 0 && len(s.t) == 0 {
			r.fail(t, "size %s: sizes are at least 1, and sums without differences", s)
		}
		out = append(out, s)
	}
	r.want("]")
	return out
}

// linear reads a sum of numbers, names and products of a number and a name.
func (r *Reader) linear(known func(name string, t lex.Token)) linear {
	sum, sign := linear{}, int64(1)
	if r.take("-") {
		sign = -1
	}
	for n := 1; ; n++ {
		if n > maxSummands {
			r.fail(r.tok, "more than %d summands", maxSummands)
		}
		k, names := int64(1), []string(nil)
		for more := true; more; more = r.take("*") {
			t := r.tok
			switch {
			case t.Kind == lex.Int:
				if k *= t.Num; k > maxInt {
					r.fail(t, "the number is more than %d", maxInt)
				}
				r.next()
			default:
				name, t := r.name("an index or a size, or a number")
				known(name, t)
				if names = append(names, name); len(names) > 1 {
					r.fail(t, "a product of %s and %s: indices and sizes are sums of names times numbers", names[0], name)
				}
			}
		}
		if len(names) == 0 {
			sum.c += sign * k
		} else {
			sum = sum.plus(variable(names[0]), sign*k)
		}
		switch {
		case r.take("+"):
			sign = 1
		case r.take("-"):
			sign = -1
		default:
			return sum
		}
	}
}

// at reads an index.
func (r *Reader) at() linear {
	return r.linear(func(name string, t lex.Token) {
		if !slices.Contains(r.names, name) && !slices.Contains(r.sizes, name) {
			r.fail(t, "%s is no index, bound variable or size", name)
		}
	})
}

func (r *Reader) node(k kind, args ...*node) *node {
	if r.nodes++; r.nodes > maxNodes {
		r.fail(r.tok, "the entry has more than %d parts", maxNodes)
	}
	return &node{kind: k, args: args}
}

func (r *Reader) enter() {
	if r.depth++; r.depth > maxDepth {
		r.fail(r.tok, "nested more than %d deep", maxDepth)
	}
}

func (r *Reader) entry() *node {
	r.enter()
	defer func() { r.depth-- }()
	e := r.product()
	for {
		switch {
		case r.take("+"):
			e = r.node(isAdd, e, r.product())
		case r.take("-"):
			e = r.node(isSub, e, r.product())
		default:
			return e
		}
	}
}

func (r *Reader) product() *node {
	e := r.unary()
	for {
		switch {
		case r.take("*"):
			e = r.node(isMul, e, r.unary())
		case r.take("/"):
			t := r.tok
			over := r.unary()
			if over.kind == isNumber && over.n == 0 {
				r.fail(t, "division by 0")
			}
			e = r.node(isDiv, e, over)
		default:
			return e
		}
	}
}

func (r *Reader) unary() *node {
	r.enter()
	defer func() { r.depth-- }()
	if r.take("-") {
		return r.node(isNeg, r.unary())
	}
	before := r.nodes
	e := r.primary()
	if !r.take("^") {
		return e
	}
	t := r.tok
	if t.Kind != lex.Int || t.Num < 1 || t.Num > 16 {
		r.fail(t, "found %s, want a power from 1 to 16", t)
	}
	r.next()
	if r.nodes += (r.nodes - before) * int(t.Num-1); r.nodes > maxNodes {
		r.fail(t, "the entry has more than %d parts", maxNodes)
	}
	p := r.node(isPower, e)
	p.n = t.Num
	return p
}

func (r *Reader) primary() *node {
	t := r.tok
	switch {
	case t.Kind == lex.Int:
		r.next()
		e := r.node(isNumber)
		e.n = t.Num
		return e
	case r.take("("):
		e := r.entry()
		r.want(")")
		return e
	case t.Kind != lex.Name:
		r.fail(t, "found %s, want an entry", t)
	}
	switch t.Text {
	case "sum":
		r.next()
		return r.over(isSum)
	case "max", "min":
		r.next()
		pair, range_ := isLarger, isMost
		if t.Text == "min" {
			pair, range_ = isSmaller, isLeast
		}
		if !r.take("(") {
			return r.over(range_)
		}
		a := r.entry()
		r.want(",")
		b := r.entry()
		r.want(")")
		return r.node(pair, a, b)
	case "where":
		r.next()
		return r.choice()
	}
	name, _ := r.name("an entry")
	switch {
	case r.tok.Is("("):
		return r.call(name, t)
	case r.operand(name) >= 0:
		return r.read(name, t)
	case slices.Contains(r.names, name), slices.Contains(r.sizes, name):
		e := r.node(isIndex)
		e.lo = variable(name)
		return e
	}
	r.fail(t, "%s is no operand, index, bound variable or size", name)
	return nil
}

func (r *Reader) read(name string, t lex.Token) *node {
	in := r.operand(name)
	if !r.d.shaped {
		e := r.node(isElement)
		e.in = in
		return e
	}
	e := r.node(isRead)
	e.in = in
	r.want("[")
	for more := !r.tok.Is("]"); more; more = r.take(",") {
		e.index = append(e.index, r.at())
	}
	r.want("]")
	if want := len(r.d.operands[in].shape); len(e.index) != want {
		r.fail(t, "%s has %d indices, want %d", name, len(e.index), want)
	}
	return e
}

func (r *Reader) call(name string, t lex.Token) *node {
	op, ok := graph.Lookup(name)
	switch {
	case !ok || op.Definition != nil:
		r.fail(t, "%s is no built-in function of one element", name)
	case !op.IsFunction() || len(op.Params) > 0:
		r.fail(t, "operator %s is no function of one element without parameters", name)
	}
	r.want("(")
	e := r.node(isCall, r.entry())
	r.want(")")
	e.name = name
	return e
}

// over reads a sum or a maximum from its variable on.
func (r *Reader) over(k kind) *node {
	e := r.node(k)
	if len(r.names)-len(r.d.at) == maxRanges {
		r.fail(r.tok, "more than %d sums within sums", maxRanges)
	}
	e.name = r.fresh("a bound variable")
	r.want("in")
	e.lo = r.at()
	r.want("..")
	e.hi = r.at()
	r.want("of")
	r.names = append(r.names, e.name)
	e.args = []*node{r.product()}
	r.names = r.names[:len(r.names)-1]
	return e
}

var relations = []string{"<", "<=", ">", ">=", "=="}

func (r *Reader) choice() *node {
	e := r.node(isWhere)
	r.want("(")
	for more := true; more; more = r.takeName("and") {
		if len(e.conds) == maxRanges {
			r.fail(r.tok, "more than %d conditions", maxRanges)
		}
		c := condition{a: r.at(), rel: r.tok.Text}
		if r.tok.Kind != lex.Punct || !slices.Contains(relations, c.rel) {
			r.fail(r.tok, "found %s, want one of %s", r.tok, strings.Join(relations, " "))
		}
		r.next()
		c.b = r.at()
		e.conds = append(e.conds, c)
	}
	r.want(",")
	yes := r.entry()
	r.want(",")
	no := r.entry()
	r.want(")")
	e.args = []*node{yes, no}
	return e
}

var (
	errMany  = errors.New("too many conditions to decide whether all elements that are read exist")
	errLarge = errors.New("numbers are too large")
)
