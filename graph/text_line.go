package graph

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/internal/lex"
	"github.com/taso-go/taso/internal/suggest"
)

// statement is a line of a graph's text: the definition of a node, or the return.
type statement struct {
	file string
	line int
	col  int // where it starts

	name     string
	defines  bool // the name is followed by ":" or "="
	isReturn bool
	dtype    DType
	typed    bool // the element type is written
	weight   bool
	sizes    []int // of an input
	op       *Op   // nil: an input
	opCol    int
	attrs    Attrs
	args     []reference
	err      error // why it cannot be read; the rest is as far as it can
}

// reference is a tensor by name; out is -1 if it is not written.
type reference struct {
	name string
	out  int64
	col  int
}

func (s *statement) fail(col int, err error) error {
	return &TextError{File: s.file, Line: s.line, Col: col, Err: err}
}

func (s *statement) errorf(col int, format string, args ...any) error {
	return s.fail(col, fmt.Errorf(format, args...))
}

// lineReader reads a statement, token by token. What is wrong with it is a panic,
// which whole ends.
type lineReader struct {
	statement
	words lex.Lexer
	tok   lex.Token
	bad   error // about the first that is no token
}

// readStatement reads a line, nil if it is empty.
func readStatement(file, text string, line int) *statement {
	r := &lineReader{statement: statement{file: file, line: line}}
	r.words = lex.Lexer{Src: text, MaxInt: math.MaxInt64, MaxName: math.MaxInt,
		Fault: func(_, col int, format string, args ...any) {
			if r.bad == nil {
				r.bad = r.errorf(col, format, args...)
			}
		}}
	r.next()
	if r.tok.Kind == lex.EOF && r.bad == nil {
		return nil
	}
	r.col = r.tok.Col
	if r.err = r.whole(); r.bad != nil {
		r.err = r.bad
	}
	return &r.statement
}

func (r *lineReader) whole() (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *TextError:
			err = e
		default:
			panic(e)
		}
	}()
	r.read()
	if r.tok.Kind != lex.EOF {
		r.found("%q after the end of the statement")
	}
	return nil
}

func (r *lineReader) next() { r.tok = r.words.Next() }

// reject fails at a column.
func (r *lineReader) reject(col int, format string, args ...any) {
	panic(r.errorf(col, format, args...))
}

// found fails about the rest of the line.
func (r *lineReader) found(format string, args ...any) {
	r.reject(r.tok.Col, format, append([]any{r.words.Src[r.tok.At:]}, args...)...)
}

// missing fails because something else is wanted here.
func (r *lineReader) missing(what string) {
	if r.tok.Kind == lex.EOF {
		r.reject(r.tok.Col, "the line ends where %s is wanted", what)
	}
	r.found("%q where %s is wanted", what)
}

// take reads punctuation, if it is next.
func (r *lineReader) take(punct string) bool {
	ok := r.tok.Is(punct)
	if ok {
		r.next()
	}
	return ok
}

func (r *lineReader) want(punct string) {
	if !r.take(punct) {
		r.missing(fmt.Sprintf("%q", punct))
	}
}

// ident reads an identifier.
func (r *lineReader) ident(what string) string {
	s := r.tok.Text
	switch r.tok.Kind {
	case lex.Name:
		r.next()
	case lex.EOF:
		r.missing(what)
	default:
		r.found("%q is not %s", what)
	}
	return s
}

// nodeName reads a node's name.
func (r *lineReader) nodeName() string {
	if r.tok.Kind != lex.String {
		return r.ident("a name")
	}
	s := r.tok.Text
	if s == "" {
		r.reject(r.tok.Col, "the name is empty")
	}
	r.next()
	return s
}

func (r *lineReader) int() int64 {
	sign, start := int64(1), r.tok
	if r.take("-") {
		sign = -1
	}
	if r.tok.Kind != lex.Int {
		r.tok = start
		r.missing("a number")
	}
	n := sign * r.tok.Num
	r.next()
	return n
}

// list reads items, separated by commas, up to punctuation that closes the list.
func (r *lineReader) list(closing string, item func()) {
	for item(); !r.take(closing); item() {
		r.want(",")
	}
}

// ints reads numbers up to what closes the list.
func (r *lineReader) ints(closing string) []int64 {
	out := []int64{}
	if !r.take(closing) {
		r.list(closing, func() { out = append(out, r.int()) })
	}
	return out
}

// read reads the statement.
func (r *lineReader) read() {
	if r.tok.IsName("return") {
		r.next()
		r.isReturn = true
		r.references()
		return
	}
	r.name = r.nodeName()
	r.defines = r.tok.Is(":") || r.tok.Is("=")
	if r.take(":") {
		if r.weight = r.tok.IsName("weight"); r.weight {
			r.next()
		}
		col := r.tok.Col
		var err error
		if r.dtype, err = ParseDType(r.ident("an element type")); err != nil {
			r.reject(col, "%w", err)
		}
		if r.take("[") {
			for _, n := range r.ints("]") {
				r.sizes = append(r.sizes, int(n))
			}
			return
		}
		if r.weight {
			r.reject(r.tok.Col, "weight %s without a shape", quoteName(r.name))
		}
		r.typed = true
	}
	r.want("=")
	r.application()
}

// application reads "operator[attributes](operands)".
func (r *lineReader) application() {
	r.opCol = r.tok.Col
	name := r.ident("an operator")
	if name == OpaqueName {
		r.reject(r.opCol, "node %s is opaque: what it computes is not in the text", quoteName(r.name))
	}
	op, ok := Lookup(name)
	if !ok {
		r.reject(r.opCol, "unknown operator %s%s", name, suggest.DidYouMean(name, OpNames()))
	}
	r.op = op
	named := map[string]Value{}
	if r.take("[") {
		r.list("]", func() { r.attribute(named) })
	}
	var err error
	if r.attrs, err = op.Attr(named); err != nil {
		r.reject(r.opCol, "%w", err)
	}
	r.want("(")
	if !r.take(")") {
		r.references()
		r.want(")")
	}
}

// attribute reads "name=value".
func (r *lineReader) attribute(named map[string]Value) {
	col := r.tok.Col
	name := r.ident("an attribute")
	i := r.op.ParamIndex(name)
	if i < 0 {
		r.reject(col, "operator %s has no attribute %s", r.op.Name, name)
	}
	if _, twice := named[name]; twice {
		r.reject(col, "attribute %s is given twice", name)
	}
	r.want("=")
	col = r.tok.Col
	v := r.value(r.op.Params[i].Sort)
	if err := checkConcrete(r.op.Params[i], v); err != nil {
		r.reject(col, "operator %s: attribute %s: %w", r.op.Name, name, err)
	}
	named[name] = v
}

// value reads an integer, a name, a tuple of integers or a shape, or, for a
// parameter of that sort, a real number.
func (r *lineReader) value(sort string) Value {
	switch {
	case sort == SortNumber:
		text := r.words.Src[r.tok.At:]
		n := NumberPrefix(text)
		if n == 0 {
			r.missing("a number")
		}
		x, err := ParseNumber(text[:n])
		if err != nil {
			r.reject(r.tok.Col, "%w", err)
		}
		r.words.Seek(r.tok, n)
		r.next()
		return NumberValue(x)
	case r.take("("):
		return TupleValue(r.ints(")")...)
	case r.take("["):
		s := Shape{}
		for _, n := range r.ints("]") {
			s = append(s, Axis(Int(n)))
		}
		return ShapeValue(s)
	case r.tok.Kind == lex.Int || r.tok.Is("-"):
		return IntValue(r.int())
	}
	return NameValue(r.ident("a value"))
}

// references reads a list of tensors, at least one.
func (r *lineReader) references() {
	for more := true; more; more = r.take(",") {
		a := reference{out: -1, col: r.tok.Col}
		a.name = r.nodeName()
		if r.take(".") {
			if a.out = r.int(); a.out < 0 {
				r.reject(a.col, "%s has no output %d", quoteName(a.name), a.out)
			}
		}
		r.args = append(r.args, a)
	}
}
