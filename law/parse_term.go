package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/lex"
)

// single reads a term that must have one output.
func (p *parser) single() (*Term, *Error) {
	at := p.tok.pos
	ts, err := p.term()
	if err != nil {
		return nil, err
	}
	if len(ts) != 1 {
		if len(ts) == 0 { // a fault of meaning is already noted
			return &Term{Var: "?"}, nil
		}
		p.errorf(at, "a term of %d outputs where one is wanted; choose one with .0, .1, ...", len(ts))
	}
	return ts[0], nil
}

// term reads a term as the list of its outputs; the list is empty if the term
// has a fault of meaning.
func (p *parser) term() ([]*Term, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	outs, err := p.primary()
	if err != nil {
		return nil, err
	}
	for p.is(".") {
		p.next()
		if p.tok.Kind != lex.Int {
			return nil, p.fault(p.tok.pos, "found %s, want the number of an output", p.tok)
		}
		if n := p.tok.Num; len(outs) > 0 {
			if n >= int64(len(outs)) {
				p.errorf(p.tok.pos, "no output %d: the term has %d", n, len(outs))
				n = 0
			}
			outs = outs[n : n+1]
		}
		p.next()
	}
	return outs, nil
}

func (p *parser) primary() ([]*Term, *Error) {
	if p.texts != nil && p.tok.Kind == lex.Int {
		k := p.tok.Num
		if k >= int64(len(p.nodes)) {
			return nil, p.fault(p.tok.pos, "node %d: there are %d before it", k, len(p.nodes))
		}
		p.next()
		return []*Term{p.nodes[k]}, nil
	}
	if p.is("(") {
		p.next()
		var outs []*Term
		for {
			t, err := p.single()
			if err != nil {
				return nil, err
			}
			outs = append(outs, t)
			if !p.is(",") {
				break
			}
			p.next()
		}
		return outs, p.want(")", "outputs")
	}
	name, pos, err := p.ident("term")
	if err != nil {
		return nil, err
	}
	if !p.is("(") && !p.is("[") {
		b := p.given[name]
		switch {
		case b == nil && isUpper(name):
			p.errorf(pos, "tensor %s is not given", name)
			return nil, nil
		case b == nil || b.Sort != "":
			p.errorf(pos, "%s is not a tensor", name)
			return nil, nil
		}
		return []*Term{V(name)}, nil
	}
	return p.application(name, pos)
}

func (p *parser) application(name string, pos Pos) ([]*Term, *Error) {
	m := p.macros[name]
	fn := p.given[name]
	var op *graph.Op
	if m == nil && fn == nil {
		var ok bool
		if op, ok = p.ops[name]; !ok {
			op, ok = graph.Lookup(name)
		}
		if !ok {
			p.errorf(pos, "unknown operator %s", name)
		}
	}
	named := map[string]graph.Value{}
	if p.is("[") {
		if m != nil || fn != nil {
			return nil, p.fault(p.tok.pos, "%s takes no attributes", name)
		}
		if err := p.attrs(name, op, named); err != nil {
			return nil, err
		}
	}
	if err := p.want("(", name); err != nil {
		return nil, err
	}
	var args []*Term
	bad := false
	for first := true; !p.is(")"); first = false {
		if !first {
			if err := p.want(",", "arguments of "+name); err != nil {
				return nil, err
			}
		}
		t, err := p.single()
		if err != nil {
			return nil, err
		}
		bad = bad || t.Var == "?"
		args = append(args, t)
	}
	p.next()
	arity := 1
	switch {
	case m != nil:
		arity = len(m.params)
	case op != nil:
		arity = op.In
	case fn == nil:
		return nil, nil
	case !IsFuncSort(fn.Sort):
		p.errorf(pos, "%s is not an operator or a function", name)
		return nil, nil
	}
	if len(args) != arity {
		p.errorf(pos, "%s has %d arguments, want %d", name, len(args), arity)
		return nil, nil
	}
	if bad {
		return nil, nil
	}
	switch {
	case m != nil:
		return p.expand(pos, m, args)
	case op == nil:
		return p.sized(pos, Call(name, args[0]))
	}
	attrs, e := op.Attr(named)
	if e != nil {
		p.errorf(pos, "%v", e)
		return nil, nil
	}
	t := Apply(op, attrs, args...)
	if op.Out == 1 {
		return p.sized(pos, t)
	}
	outs := make([]*Term, op.Out)
	for i := range outs {
		outs[i] = t.Output(i)
	}
	return p.sized(pos, outs...)
}

// readNodes reads the nodes of an entry, each over those before it.
func (p *parser) readNodes() *Error {
	p.nodes = make([]*Term, 0, len(p.texts))
	for i, src := range p.texts {
		q, err := newParser(fmt.Sprint("node ", i), src)
		if err != nil {
			return p.fault(p.tok.pos, "node %d: %v", i, err)
		}
		q.given, q.texts, q.nodes, q.size = p.given, p.texts, p.nodes, p.size
		t, err := part(q, (*parser).single)
		if err != nil {
			return p.fault(p.tok.pos, "%v", err)
		}
		p.size[t] = 1
		p.nodes = append(p.nodes, t)
	}
	return nil
}

// treeSizes counts the operators and variables of terms written out as trees; of
// a node of an entry, its number.
type treeSizes map[*Term]int

// of is the size of t, at most one more than maxTermSize.
func (s treeSizes) of(t *Term) int {
	t.WalkNew(func(u *Term) bool { return s[u] > 0 }, func(u *Term) {
		n := 1
		for _, a := range u.Args {
			n = min(n+s[a], maxTermSize+1)
		}
		s[u] = n
	})
	return s[t]
}

// sized refuses what is too large to be written out.
func (p *parser) sized(pos Pos, ts ...*Term) ([]*Term, *Error) {
	for _, t := range ts {
		if p.size.of(t) > maxTermSize {
			return nil, p.fault(pos, "term of more than %d operators", maxTermSize)
		}
	}
	return ts, nil
}

// expand puts arguments in the place of a macro's parameters.
func (p *parser) expand(pos Pos, m *macro, args []*Term) ([]*Term, *Error) {
	sub := make(map[string]*Term, len(args))
	for i, name := range m.params {
		sub[name] = args[i]
	}
	outs := make([]*Term, len(m.body))
	for i, t := range m.body {
		outs[i] = t.Subst(sub, nil, nil)
	}
	return p.sized(pos, outs...)
}

// attrs reads "[name=value, ...]" into named.
func (p *parser) attrs(name string, op *graph.Op, named map[string]graph.Value) *Error {
	for first := true; first || p.is(","); first = false {
		p.next()
		attr, pos, err := p.ident("attributes of " + name)
		if err != nil {
			return err
		}
		if err := p.want("=", name+": "+attr); err != nil {
			return err
		}
		sort := ""
		if op != nil {
			if i := op.ParamIndex(attr); i >= 0 {
				sort = op.Params[i].Sort
			} else {
				p.errorf(pos, "operator %s has no attribute %s", name, attr)
			}
		}
		if _, twice := named[attr]; twice {
			p.errorf(pos, "%s: attribute %s is given twice", name, attr)
		}
		v, err := p.value(sort)
		if err != nil {
			return err
		}
		if op != nil && op.ParamIndex(attr) >= 0 {
			named[attr] = v
		}
	}
	return p.want("]", "attributes of "+name)
}

// value reads an attribute value of a sort; sort "" reads any and checks
// nothing.
func (p *parser) value(sort string) (graph.Value, *Error) {
	if err := p.enter(); err != nil {
		return graph.Value{}, err
	}
	defer p.leave()
	at := p.tok
	var v graph.Value
	b := p.given[at.Text]
	switch {
	case p.is("("):
		xs, err := p.tuple()
		if err != nil {
			return v, err
		}
		v = graph.TupleValue(xs...)
	case p.is("["):
		s, err := p.shape()
		if err != nil {
			return v, err
		}
		v = graph.ShapeValue(s)
	case at.Kind == lex.Name && b != nil && b.Sort != "":
		p.next()
		v = graph.VarValue(at.Text, b.Sort)
	case sort == graph.SortNumber:
		x, err := p.number()
		if err != nil {
			return v, err
		}
		v = graph.NumberValue(x)
	case at.Kind == lex.Name && !isDimSort(sort) && sort != "":
		name, _, err := p.ident("value")
		if err != nil {
			return v, err
		}
		v = graph.NameValue(name)
	default:
		d, err := p.dim()
		if err != nil {
			return v, err
		}
		v = graph.DimValue(d)
	}
	if sort != "" {
		if why := misfit(v, sort); why != "" {
			p.errorf(at.pos, "%s", why)
		}
	}
	return v, nil
}

// number reads a real number. Elsewhere numbers are whole, so the text of this
// one is read again from its first character.
func (p *parser) number() (float64, *Error) {
	at := p.tok.pos
	src := p.words.Src[p.tok.At:]
	n := graph.NumberPrefix(src)
	x, err := graph.ParseNumber(src[:n])
	if n == 0 {
		return 0, p.fault(at, "found %s, want a number", p.tok)
	}
	if err != nil {
		return 0, p.fault(at, "%v", err)
	}
	p.words.Seek(p.tok.Token, n)
	p.ahead = nil
	p.next()
	return x, nil
}

func (p *parser) tuple() ([]int64, *Error) {
	p.next()
	var xs []int64
	for {
		if p.tok.Kind != lex.Int {
			return nil, p.fault(p.tok.pos, "tuple: found %s, want a number", p.tok)
		}
		if len(xs) >= maxDimTerms {
			return nil, p.fault(p.tok.pos, "tuple of more than %d numbers", maxDimTerms)
		}
		xs = append(xs, p.tok.Num)
		p.next()
		if !p.is(",") {
			return xs, p.want(")", "tuple")
		}
		p.next()
	}
}

// shape reads "[P.., a+b, 3]".
func (p *parser) shape() (graph.Shape, *Error) {
	if err := p.want("[", "shape"); err != nil {
		return nil, err
	}
	s := graph.Shape{}
	for first := true; !p.is("]"); first = false {
		if !first {
			if err := p.want(",", "shape"); err != nil {
				return nil, err
			}
		}
		if p.tok.Kind == lex.Name {
			if t := p.peek(); t.Kind == lex.Punct && t.Text == ".." {
				name, pos, err := p.ident("axis run")
				if err != nil {
					return nil, err
				}
				p.next()
				if !isUpper(name) {
					p.errorf(pos, "axis run %s: its name begins with a capital letter", name)
				}
				s = append(s, graph.Run(name))
				continue
			}
		}
		d, err := p.dim()
		if err != nil {
			return nil, err
		}
		s = append(s, graph.Axis(d))
	}
	p.next()
	return s, nil
}

// dim reads a sum of products.
func (p *parser) dim() (graph.Dim, *Error) {
	if err := p.enter(); err != nil {
		return graph.Dim{}, err
	}
	defer p.leave()
	start := p.tok.pos
	sum := graph.Int(0)
	sign := int64(1)
	if p.is("-") {
		sign = -1
		p.next()
	}
	for n := 0; ; n++ {
		if n == maxDimTerms {
			return sum, p.fault(start, "size of more than %d summands", maxDimTerms)
		}
		m, err := p.product()
		if err != nil {
			return sum, err
		}
		sum = sum.Add(m.Scale(sign))
		switch {
		case p.is("+"):
			sign = 1
		case p.is("-"):
			sign = -1
		case sum.TooLarge():
			return sum, p.fault(start, "size: %v", graph.ErrTooLarge)
		default:
			return sum, nil
		}
		p.next()
	}
}

func (p *parser) product() (graph.Dim, *Error) {
	start := p.tok.pos
	coef := int64(1)
	m := graph.Int(1)
	for n := 0; ; n++ {
		if n == maxDimFactor {
			return m, p.fault(start, "product of more than %d factors", maxDimFactor)
		}
		if p.tok.Kind == lex.Int {
			if k := p.tok.Num; k != 0 && coef > maxInt/k {
				return m, p.fault(start, "product is more than %d", int64(maxInt))
			}
			coef *= p.tok.Num
			p.next()
		} else {
			d, err := p.factor()
			if err != nil {
				return m, err
			}
			m = m.Mul(d)
		}
		if !p.is("*") {
			return m.Scale(coef), nil
		}
		p.next()
	}
}

// factor reads a size variable, the length of a run, or a size function.
func (p *parser) factor() (graph.Dim, *Error) {
	if p.is("#") {
		p.next()
		name, pos, err := p.ident("number of axes")
		if err != nil {
			return graph.Dim{}, err
		}
		if !isUpper(name) {
			p.errorf(pos, "#%s: the name of an axis run begins with a capital letter", name)
		}
		return graph.RunLen(name), nil
	}
	name, pos, err := p.ident("size")
	if err != nil {
		return graph.Dim{}, err
	}
	if p.is("(") {
		return p.sizeFunc(name, pos)
	}
	switch b := p.given[name]; {
	case b != nil && b.Sort != "":
		p.errorf(pos, "%s is a %s, not a size", name, b.Sort)
	case b != nil || isUpper(name):
		p.errorf(pos, "%s is not a size: the name of a size begins with a small letter", name)
	}
	return graph.Var(name), nil
}

// sizeFuncs are the sorts of the arguments of size functions.
var sizeFuncs = map[string][]string{
	"window":  {"int", "int", graph.SortStride, graph.SortPadding, "int"},
	"strided": {"int", graph.SortStride, "int"},
}

// sizeFunc reads the arguments of window(h, k, stride, pad, axis) and
// strided(h, stride, axis).
func (p *parser) sizeFunc(name string, pos Pos) (graph.Dim, *Error) {
	sorts, ok := sizeFuncs[name]
	if !ok {
		return graph.Dim{}, p.fault(pos, "unknown size function %s", name)
	}
	p.next()
	args := make([]graph.Value, len(sorts))
	before := len(*p.errs)
	for i, sort := range sorts {
		if i > 0 {
			if err := p.want(",", name); err != nil {
				return graph.Dim{}, err
			}
		}
		at := p.tok.pos
		v, err := p.value(sort)
		if err != nil {
			return graph.Dim{}, err
		}
		if i == len(sorts)-1 && v != graph.IntValue(0) && v != graph.IntValue(1) {
			return graph.Dim{}, p.fault(at, "%s: axis %s, want 0 or 1", name, v)
		}
		args[i] = v
	}
	if err := p.want(")", name); err != nil {
		return graph.Dim{}, err
	}
	if len(*p.errs) > before { // arguments of the wrong sort make no size
		return graph.Int(1), nil
	}
	return graph.Func(name, args...).Subst(&graph.Binding{}), nil
}
