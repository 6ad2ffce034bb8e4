package graph

import (
	"errors"
	"fmt"
	"math"

	"github.com/taso-go/taso/internal/lex"
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

// lineReader reads a statement, token by token.
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
	err := r.read()
	if err == nil && r.tok.Kind != lex.EOF {
		err = r.found("%q after the end of the statement")
	}
	if r.err = err; r.bad != nil {
		r.err = r.bad
	}
	return &r.statement
}

func (r *lineReader) next() { r.tok = r.words.Next() }

// found is an error about the rest of the line.
func (r *lineReader) found(format string, args ...any) error {
	return r.errorf(r.tok.Col, format, append([]any{r.words.Src[r.tok.At:]}, args...)...)
}

// missing says that something else was wanted here.
func (r *lineReader) missing(what string) error {
	if r.tok.Kind == lex.EOF {
		return r.errorf(r.tok.Col, "the line ends where %s is wanted", what)
	}
	return r.found("%q where %s is wanted", what)
}

// take reads punctuation, if it is next.
func (r *lineReader) take(punct string) bool {
	ok := r.tok.Is(punct)
	if ok {
		r.next()
	}
	return ok
}

func (r *lineReader) want(punct string) error {
	if !r.take(punct) {
		return r.missing(fmt.Sprintf("%q", punct))
	}
	return nil
}

// ident reads an identifier.
func (r *lineReader) ident(what string) (string, error) {
	s := r.tok.Text
	if r.tok.Kind != lex.Name {
		if r.tok.Kind == lex.EOF {
			return "", r.missing(what)
		}
		return "", r.found("%q is not %s", what)
	}
	r.next()
	return s, nil
}

// nodeName reads a node's name.
func (r *lineReader) nodeName() (string, error) {
	if r.tok.Kind != lex.String {
		return r.ident("a name")
	}
	s := r.tok.Text
	if s == "" {
		return "", r.fail(r.tok.Col, errors.New("the name is empty"))
	}
	r.next()
	return s, nil
}

func (r *lineReader) int() (int64, error) {
	sign, col := int64(1), r.tok
	if r.take("-") {
		sign = -1
	}
	if r.tok.Kind != lex.Int {
		r.tok = col
		return 0, r.missing("a number")
	}
	n := sign * r.tok.Num
	r.next()
	return n, nil
}

// list reads items, separated by commas, up to punctuation that closes the list.
func (r *lineReader) list(closing string, item func() error) error {
	for {
		if err := item(); err != nil {
			return err
		}
		if r.take(closing) {
			return nil
		}
		if err := r.want(","); err != nil {
			return err
		}
	}
}

// ints reads numbers up to what closes the list.
func (r *lineReader) ints(closing string) ([]int64, error) {
	out := []int64{}
	if r.take(closing) {
		return out, nil
	}
	err := r.list(closing, func() error {
		n, err := r.int()
		out = append(out, n)
		return err
	})
	return out, err
}

// read reads the statement.
func (r *lineReader) read() (err error) {
	if r.tok.IsName("return") {
		r.next()
		r.isReturn = true
		return r.references("")
	}
	if r.name, err = r.nodeName(); err != nil {
		return err
	}
	r.defines = r.tok.Is(":") || r.tok.Is("=")
	if r.take(":") {
		if r.weight = r.tok.IsName("weight"); r.weight {
			r.next()
		}
		col := r.tok.Col
		id, err := r.ident("an element type")
		if err != nil {
			return err
		}
		if r.dtype, err = ParseDType(id); err != nil {
			return r.fail(col, err)
		}
		if r.take("[") {
			ns, err := r.ints("]")
			for _, n := range ns {
				r.sizes = append(r.sizes, int(n))
			}
			return err
		}
		if r.weight {
			return r.errorf(r.tok.Col, "weight %s without a shape", quoteName(r.name))
		}
		r.typed = true
	}
	if err := r.want("="); err != nil {
		return err
	}
	return r.application()
}

// application reads "operator[attributes](operands)".
func (r *lineReader) application() error {
	r.opCol = r.tok.Col
	name, err := r.ident("an operator")
	if err != nil {
		return err
	}
	if name == OpaqueName {
		return r.errorf(r.opCol, "node %s is opaque: what it computes is not in the text", quoteName(r.name))
	}
	op, ok := Lookup(name)
	if !ok {
		return r.errorf(r.opCol, "operator %s is not known", name)
	}
	r.op = op
	named := map[string]Value{}
	if r.take("[") {
		if err := r.list("]", func() error { return r.attribute(named) }); err != nil {
			return err
		}
	}
	if r.attrs, err = op.Attr(named); err != nil {
		return r.fail(r.opCol, err)
	}
	if err := r.want("("); err != nil || r.take(")") {
		return err
	}
	return r.references(")")
}

// attribute reads "name=value".
func (r *lineReader) attribute(named map[string]Value) error {
	col := r.tok.Col
	name, err := r.ident("an attribute")
	if err != nil {
		return err
	}
	i := r.op.ParamIndex(name)
	if i < 0 {
		return r.errorf(col, "operator %s has no attribute %s", r.op.Name, name)
	}
	if _, twice := named[name]; twice {
		return r.errorf(col, "attribute %s is given twice", name)
	}
	if err := r.want("="); err != nil {
		return err
	}
	col = r.tok.Col
	v, err := r.value(r.op.Params[i].Sort)
	if err != nil {
		return err
	}
	if err := checkConcrete(r.op.Params[i], v); err != nil {
		return r.errorf(col, "operator %s: attribute %s: %w", r.op.Name, name, err)
	}
	named[name] = v
	return nil
}

// value reads an integer, a name, a tuple of integers or a shape, or, for a
// parameter of that sort, a real number.
func (r *lineReader) value(sort string) (Value, error) {
	if sort == SortNumber {
		text := r.words.Src[r.tok.At:]
		n := NumberPrefix(text)
		if n == 0 {
			return Value{}, r.missing("a number")
		}
		x, err := ParseNumber(text[:n])
		if err != nil {
			return Value{}, r.fail(r.tok.Col, err)
		}
		r.words.Seek(r.tok, n)
		r.next()
		return NumberValue(x), nil
	}
	switch {
	case r.take("("):
		ns, err := r.ints(")")
		return TupleValue(ns...), err
	case r.take("["):
		ns, err := r.ints("]")
		s := make(Shape, len(ns))
		for i, n := range ns {
			s[i] = Axis(Int(n))
		}
		return ShapeValue(s), err
	case r.tok.Kind == lex.Int || r.tok.Is("-"):
		n, err := r.int()
		return IntValue(n), err
	}
	s, err := r.ident("a value")
	return NameValue(s), err
}

// references reads a list of tensors, at least one, to what closes it or, if that is
// "", to the end of the line.
func (r *lineReader) references(closing string) error {
	for {
		a := reference{out: -1, col: r.tok.Col}
		var err error
		if a.name, err = r.nodeName(); err != nil {
			return err
		}
		if r.take(".") {
			if a.out, err = r.int(); err != nil {
				return err
			}
			if a.out < 0 {
				return r.errorf(a.col, "%s has no output %d", quoteName(a.name), a.out)
			}
		}
		r.args = append(r.args, a)
		if !r.take(",") {
			break
		}
	}
	if closing == "" {
		return nil
	}
	return r.want(closing)
}
