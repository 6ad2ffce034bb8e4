package graph

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParseText reads a graph in its text form, as written by [Graph.String]. file
// is the name used in errors. The first error is returned, as a *TextError;
// package graph/op must be imported for operators to be known.
func ParseText(file, text string) (*Graph, error) {
	r := &textReader{file: file, defs: map[string]int{}, nodes: map[string]NodeID{}}
	r.lines = strings.Split(text, "\n")
	r.definitions()
	var outputs []Tensor
	for r.line = range r.lines {
		r.rest()
		switch {
		case r.atEnd():
		case outputs != nil:
			return nil, r.errf("text after the return")
		case r.word("return"):
			var err error
			if outputs, err = r.tensors(""); err != nil {
				return nil, err
			}
			if err := r.end(); err != nil {
				return nil, err
			}
		default:
			if err := r.node(); err != nil {
				return nil, err
			}
		}
	}
	if outputs == nil {
		return nil, r.errf("the graph ends without a return")
	}
	g, err := r.b.Finish(outputs...)
	if err != nil {
		return nil, r.err(err)
	}
	return g, nil
}

type textReader struct {
	file  string
	lines []string
	line  int            // from 0
	at    int            // bytes read of the line
	mark  int            // where the token of an error starts
	defs  map[string]int // the line that defines a name
	nodes map[string]NodeID
	b     Builder
}

// definitions notes which line defines which name, so that a use before it
// can be told from a use of nothing.
func (r *textReader) definitions() {
	for r.line = range r.lines {
		r.rest()
		name, err := r.name()
		if err != nil {
			continue
		}
		r.space()
		if r.at < len(r.s()) && (r.s()[r.at] == ':' || r.s()[r.at] == '=') {
			if _, twice := r.defs[name]; !twice {
				r.defs[name] = r.line
			}
		}
	}
	r.line = 0
}

func (r *textReader) s() string { return r.lines[r.line] }

// rest starts a line.
func (r *textReader) rest() { r.at, r.mark = 0, 0; r.space() }

func (r *textReader) space() {
	for r.at < len(r.s()) && strings.IndexByte(" \t\r", r.s()[r.at]) >= 0 {
		r.at++
	}
	r.mark = r.at
}

func (r *textReader) atEnd() bool { return r.at == len(r.s()) || r.s()[r.at] == '#' }

func (r *textReader) end() error {
	r.space()
	if !r.atEnd() {
		return r.errf("%q after the end of the statement", r.s()[r.at:])
	}
	return nil
}

func (r *textReader) err(err error) error {
	return &TextError{File: r.file, Line: r.line + 1, Col: r.mark + 1, Err: err}
}

func (r *textReader) errf(format string, args ...any) error {
	return r.err(fmt.Errorf(format, args...))
}

// take reads a given character, if it is next.
func (r *textReader) take(c byte) bool {
	r.space()
	if r.at < len(r.s()) && r.s()[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *textReader) want(c byte) error {
	if !r.take(c) {
		if r.atEnd() {
			return r.errf("the line ends where %q is wanted", string(c))
		}
		return r.errf("%q where %q is wanted", r.s()[r.at:], string(c))
	}
	return nil
}

// word reads a given word, if it is next.
func (r *textReader) word(w string) bool {
	r.space()
	if !strings.HasPrefix(r.s()[r.at:], w) || r.at+len(w) < len(r.s()) && isIdentByte(r.s()[r.at+len(w)]) {
		return false
	}
	r.at += len(w)
	return true
}

// ident reads an identifier.
func (r *textReader) ident(what string) (string, error) {
	r.space()
	end := r.at
	for end < len(r.s()) && isIdentByte(r.s()[end]) {
		end++
	}
	id := r.s()[r.at:end]
	if !isIdent(id) {
		if r.atEnd() {
			return "", r.errf("the line ends where %s is wanted", what)
		}
		return "", r.errf("%q is not %s", r.s()[r.at:], what)
	}
	r.at = end
	return id, nil
}

// name reads a node's name.
func (r *textReader) name() (string, error) {
	r.space()
	if r.at < len(r.s()) && r.s()[r.at] == '"' {
		q, err := strconv.QuotedPrefix(r.s()[r.at:])
		if err != nil {
			return "", r.errf("quotes do not close, or hold an escape that is not known")
		}
		r.at += len(q)
		s, err := strconv.Unquote(q)
		if err == nil && s == "" {
			err = errors.New("the name is empty")
		}
		if err != nil {
			return "", r.err(err)
		}
		return s, nil
	}
	return r.ident("a name")
}

func (r *textReader) int() (int64, error) {
	r.space()
	end := r.at
	if end < len(r.s()) && r.s()[end] == '-' {
		end++
	}
	for end < len(r.s()) && r.s()[end] >= '0' && r.s()[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(r.s()[r.at:end], 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, r.errf("number %s is too large", r.s()[r.at:end])
	case err != nil && r.atEnd():
		return 0, r.errf("the line ends where a number is wanted")
	case err != nil:
		return 0, r.errf("%q where a number is wanted", r.s()[r.at:])
	}
	r.at = end
	return n, nil
}

// ints reads numbers up to a closing character.
func (r *textReader) ints(closing byte) ([]int64, error) {
	out := []int64{}
	if r.take(closing) {
		return out, nil
	}
	for {
		n, err := r.int()
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		if r.take(closing) {
			return out, nil
		}
		if err := r.want(','); err != nil {
			return nil, err
		}
	}
}

// node reads a line that adds an input or an operator.
func (r *textReader) node() error {
	start := r.at
	name, err := r.name()
	if err != nil {
		return err
	}
	if first := r.defs[name]; first != r.line {
		r.mark = start
		return r.errf("%s is defined on line %d already", quoteName(name), first+1)
	}
	t, typed := Float32, false
	if r.take(':') {
		weight := r.word("weight")
		id, err := r.ident("an element type")
		if err != nil {
			return err
		}
		if t, err = ParseDType(id); err != nil {
			return r.err(err)
		}
		if r.take('[') {
			return r.input(name, t, start, weight)
		}
		if weight {
			return r.errf("weight %s without a shape", quoteName(name))
		}
		typed = true
	}
	if err := r.want('='); err != nil {
		return err
	}
	opName, err := r.ident("an operator")
	if err != nil {
		return err
	}
	opAt := r.mark
	if opName == OpaqueName {
		return r.errf("node %s is opaque: what it computes is not in the text", quoteName(name))
	}
	op, ok := Lookup(opName)
	if !ok {
		return r.errf("operator %s is not known", opName)
	}
	attrs, err := r.attrs(op)
	if err != nil {
		return err
	}
	if err := r.want('('); err != nil {
		return err
	}
	in := []Tensor{}
	if !r.take(')') {
		if in, err = r.tensors(name); err != nil {
			return err
		}
		if err := r.want(')'); err != nil {
			return err
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	r.mark = opAt
	if typed && len(in) > 0 && op.DTypes == nil && r.b.g.DType(in[0]) != t {
		return r.errf("node %s has element type %s, but %s is %s", quoteName(name), t, r.b.g.tensorName(in[0]), r.b.g.DType(in[0]))
	}
	id, err := r.b.add(name, op, attrs, in, t)
	if err != nil {
		return r.err(err)
	}
	r.nodes[name] = id
	return nil
}

func (r *textReader) input(name string, t DType, start int, weight bool) error {
	ns, err := r.ints(']')
	if err != nil {
		return err
	}
	if err := r.end(); err != nil {
		return err
	}
	r.mark = start
	sizes := make([]int, len(ns))
	for i, n := range ns {
		sizes[i] = int(n)
	}
	add := r.b.AddInput
	if weight {
		add = r.b.AddWeight
	}
	x, err := add(name, t, sizes...)
	if err != nil {
		return r.err(err)
	}
	r.nodes[name] = x.Node
	return nil
}

// attrs reads "[name=value, ...]" or nothing.
func (r *textReader) attrs(op *Op) (Attrs, error) {
	at := r.mark
	named := map[string]Value{}
	if r.take('[') {
		for {
			p, err := r.ident("an attribute")
			if err != nil {
				return nil, err
			}
			i := op.ParamIndex(p)
			if i < 0 {
				return nil, r.errf("operator %s has no attribute %s", op.Name, p)
			}
			if _, twice := named[p]; twice {
				return nil, r.errf("attribute %s is given twice", p)
			}
			if err := r.want('='); err != nil {
				return nil, err
			}
			r.space()
			valueAt := r.at
			v, err := r.value(op.Params[i].Sort)
			if err != nil {
				return nil, err
			}
			if err := checkConcrete(op.Params[i], v); err != nil {
				r.mark = valueAt
				return nil, r.errf("operator %s: attribute %s: %w", op.Name, p, err)
			}
			named[p] = v
			if r.take(']') {
				break
			}
			if err := r.want(','); err != nil {
				return nil, err
			}
		}
	}
	a, err := op.Attr(named)
	if err != nil {
		r.mark = at
		return nil, r.err(err)
	}
	return a, nil
}

// value reads an integer, a name, a tuple of integers or a shape, or, for a
// parameter of that sort, a real number.
func (r *textReader) value(sort string) (Value, error) {
	if r.space(); sort == SortNumber {
		n := NumberPrefix(r.s()[r.at:])
		if n == 0 {
			return Value{}, r.errf("%q where a number is wanted", r.s()[r.at:])
		}
		x, err := ParseNumber(r.s()[r.at : r.at+n])
		if err != nil {
			return Value{}, r.err(err)
		}
		r.at += n
		return NumberValue(x), nil
	}
	switch {
	case r.take('('):
		ns, err := r.ints(')')
		return TupleValue(ns...), err
	case r.take('['):
		ns, err := r.ints(']')
		s := make(Shape, len(ns))
		for i, n := range ns {
			s[i] = Axis(Int(n))
		}
		return ShapeValue(s), err
	case r.at < len(r.s()) && (r.s()[r.at] == '-' || r.s()[r.at] >= '0' && r.s()[r.at] <= '9'):
		n, err := r.int()
		return IntValue(n), err
	}
	s, err := r.ident("a value")
	return NameValue(s), err
}

// tensors reads a list of tensors, at least one, for the node of a name.
func (r *textReader) tensors(user string) ([]Tensor, error) {
	var out []Tensor
	for {
		r.space()
		start := r.at
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		id, ok := r.nodes[name]
		if !ok {
			r.mark = start
			return nil, r.undefined(name, user)
		}
		t := id.Out(0)
		n := r.b.g.NumOut(id)
		if r.at < len(r.s()) && r.s()[r.at] == '.' {
			r.at++
			i, err := r.int()
			if err != nil {
				return nil, err
			}
			if i < 0 || i >= int64(n) {
				r.mark = start
				return nil, r.errf("%s has no output %d", quoteName(name), i)
			}
			t = id.Out(int(i))
		} else if n > 1 {
			r.mark = start
			return nil, r.errf("%s has %d outputs: write %s.0", quoteName(name), n, quoteName(name))
		}
		out = append(out, t)
		if !r.take(',') {
			return out, nil
		}
	}
}

// undefined explains a name that no line above defines.
func (r *textReader) undefined(name, user string) error {
	line, later := r.defs[name]
	if !later {
		return r.errf("%s is not defined", quoteName(name))
	}
	if path := r.cycle(name, user); path != nil {
		return r.errf("cycle: %s", strings.Join(path, " -> "))
	}
	return r.errf("%s is used before its definition on line %d", quoteName(name), line+1)
}

// cycle follows the operands of name, by text alone, back to user: the names
// on the way, user first and last, or nil.
func (r *textReader) cycle(name, user string) []string {
	if user == "" {
		return nil
	}
	from := map[string]string{name: ""} // who uses it
	queue := []string{name}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n == user {
			path := []string{quoteName(user)}
			for m := from[n]; m != ""; m = from[m] {
				path = append(path, quoteName(m))
			}
			path = append(path, quoteName(user))
			for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
				path[i], path[j] = path[j], path[i]
			}
			return path
		}
		for _, m := range r.operandNames(n) {
			if _, seen := from[m]; !seen {
				from[m] = n
				queue = append(queue, m)
			}
		}
	}
	return nil
}

// operandNames lists the names between the parentheses that end the line that
// defines a node, as far as they can be read.
func (r *textReader) operandNames(name string) []string {
	line, ok := r.defs[name]
	if !ok {
		return nil
	}
	probe := &textReader{lines: r.lines, line: line}
	probe.rest()
	if _, err := probe.name(); err != nil || !strings.Contains(probe.s()[probe.at:], "=") {
		return nil
	}
	// The operands follow the last "(": attributes stand before it.
	open := strings.LastIndexByte(probe.s(), '(')
	if open < probe.at {
		return nil
	}
	probe.at = open + 1
	var out []string
	for {
		n, err := probe.name()
		if err != nil {
			return out
		}
		out = append(out, n)
		for probe.at < len(probe.s()) && strings.IndexByte(".0123456789", probe.s()[probe.at]) >= 0 {
			probe.at++
		}
		if !probe.take(',') {
			return out
		}
	}
}
