package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/lex"
	"github.com/taso-go/taso/internal/suggest"
)

// single reads a term that must have one output.
func (p *parser) single() *Term {
	at := p.tok.pos
	ts := p.term()
	if len(ts) == 0 { // a fault of meaning is already noted
		return &Term{Var: "?"}
	}
	if len(ts) != 1 {
		p.errorf(at, "a term of %d outputs where one is wanted; choose one with .0, .1, ...", len(ts))
	}
	return ts[0]
}

// term reads a term as the list of its outputs; the list is empty if the term
// has a fault of meaning.
func (p *parser) term() []*Term {
	p.enter()
	defer p.leave()
	outs := p.primary()
	for p.take(".") {
		if p.tok.Kind != lex.Int {
			p.fail(p.tok.pos, "found %s, want the number of an output", p.tok)
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
	return outs
}

func (p *parser) primary() []*Term {
	if p.texts != nil && p.tok.Kind == lex.Int {
		k := p.tok.Num
		if k >= int64(len(p.nodes)) {
			p.fail(p.tok.pos, "node %d: there are %d before it", k, len(p.nodes))
		}
		p.next()
		return []*Term{p.nodes[k]}
	}
	if p.take("(") {
		outs := []*Term{p.single()}
		for p.take(",") {
			outs = append(outs, p.single())
		}
		p.want(")", "outputs")
		return outs
	}
	name, pos := p.ident("term")
	if p.is("(") || p.is("[") {
		return p.application(name, pos)
	}
	b := p.given[name]
	switch {
	case b == nil && isUpper(name):
		p.errorf(pos, "tensor %s is not given", name)
		return nil
	case b == nil || b.Sort != "":
		p.errorf(pos, "%s is not a tensor", name)
		return nil
	}
	return []*Term{V(name)}
}

func (p *parser) application(name string, pos Pos) []*Term {
	m := p.macros[name]
	fn := p.given[name]
	var op *graph.Op
	if m == nil && fn == nil {
		var ok bool
		if op, ok = p.ops[name]; !ok {
			op, ok = graph.Lookup(name)
		}
		if !ok {
			p.errorf(pos, "unknown operator %s%s", name, suggest.DidYouMean(name, graph.OpNames()))
		}
	}
	named := map[string]graph.Value{}
	if p.is("[") {
		if m != nil || fn != nil {
			p.fail(p.tok.pos, "%s takes no attributes", name)
		}
		p.attrs(name, op, named)
	}
	p.want("(", name)
	var args []*Term
	bad := false
	for !p.take(")") {
		if len(args) > 0 {
			p.want(",", "arguments of "+name)
		}
		t := p.single()
		bad = bad || t.Var == "?"
		args = append(args, t)
	}
	arity := 1
	switch {
	case m != nil:
		arity = len(m.params)
	case op != nil:
		arity = op.In
	case fn == nil:
		return nil
	case !IsFuncSort(fn.Sort):
		p.errorf(pos, "%s is not an operator or a function", name)
		return nil
	}
	if len(args) != arity {
		p.errorf(pos, "%s has %d arguments, want %d", name, len(args), arity)
		return nil
	}
	if bad {
		return nil
	}
	switch {
	case m != nil:
		return p.expand(pos, m, args)
	case op == nil:
		return p.sized(pos, Call(name, args[0]))
	}
	attrs, err := op.Attr(named)
	if err != nil {
		p.errorf(pos, "%v", err)
		return nil
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
func (p *parser) readNodes() {
	p.nodes = make([]*Term, 0, len(p.texts))
	for i, src := range p.texts {
		q, err := newParser(fmt.Sprint("node ", i), src)
		if err != nil {
			p.fail(p.tok.pos, "node %d: %v", i, err)
		}
		q.given, q.texts, q.nodes, q.size = p.given, p.texts, p.nodes, p.size
		t, err := part(q, (*parser).single)
		if err != nil {
			p.fail(p.tok.pos, "%v", err)
		}
		p.size[t] = 1
		p.nodes = append(p.nodes, t)
	}
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
func (p *parser) sized(pos Pos, ts ...*Term) []*Term {
	for _, t := range ts {
		if p.size.of(t) > maxTermSize {
			p.fail(pos, "term of more than %d operators", maxTermSize)
		}
	}
	return ts
}

// expand puts arguments in the place of a macro's parameters.
func (p *parser) expand(pos Pos, m *macro, args []*Term) []*Term {
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
func (p *parser) attrs(name string, op *graph.Op, named map[string]graph.Value) {
	p.next()
	for more := true; more; more = p.take(",") {
		attr, pos := p.ident("attributes of " + name)
		p.want("=", name+": "+attr)
		sort, known := "", false
		if op != nil {
			i := op.ParamIndex(attr)
			if known = i >= 0; known {
				sort = op.Params[i].Sort
			} else {
				p.errorf(pos, "operator %s has no attribute %s", name, attr)
			}
		}
		if _, twice := named[attr]; twice {
			p.errorf(pos, "%s: attribute %s is given twice", name, attr)
		}
		if v := p.value(sort); known {
			named[attr] = v
		}
	}
	p.want("]", "attributes of "+name)
}

// value reads an attribute value of a sort; sort "" reads any and checks
// nothing.
func (p *parser) value(sort string) (v graph.Value) {
	p.enter()
	defer p.leave()
	at := p.tok
	b := p.given[at.Text]
	switch {
	case at.Kind == lex.Name && (sort == graph.SortPerm || sort == "axis" && at.Text == "at") && p.peek().Is("("):
		v = p.perm()
	case p.is("("):
		v = graph.TupleValue(p.tuple()...)
	case p.is("["):
		v = graph.ShapeValue(p.shape())
	case at.Kind == lex.Name && b != nil && b.Sort != "":
		p.next()
		v = graph.VarValue(at.Text, b.Sort)
	case sort == graph.SortNumber:
		v = graph.NumberValue(p.number())
	case at.Kind == lex.Name && !isDimSort(sort) && sort != "":
		name, _ := p.ident("value")
		v = graph.NameValue(name)
	default:
		v = graph.DimValue(p.dim())
	}
	if sort != "" {
		if why := misfit(v, sort); why != "" {
			p.errorf(at.pos, "%s", why)
		}
	}
	return v
}

// perm reads a permutation variable, inverse(q), after(q, p), which takes i to q[p[i]], or
// at(q, i), which is q[i].
func (p *parser) perm() graph.Value {
	p.enter()
	defer p.leave()
	at := p.tok
	if !p.peek().Is("(") {
		name, pos := p.ident("permutation")
		if b := p.given[name]; b == nil || b.Sort != graph.SortPerm {
			p.errorf(pos, "%s is not a permutation variable", name)
		}
		return graph.VarValue(name, graph.SortPerm)
	}
	p.next()
	p.next()
	v := p.perm()
	switch ok := true; at.Text {
	case "inverse":
		if v, ok = graph.PermInverse(v); !ok {
			p.fail(at.pos, "inverse: this is no permutation")
		}
	case "after":
		for p.take(",") {
			if v, ok = graph.PermAfter(v, p.perm()); !ok || len(v.PermVars()) > maxDimTerms {
				p.fail(at.pos, "after: these are no permutations, or too many")
			}
		}
	case "at":
		p.want(",", at.Text)
		if v, ok = graph.PermAt(v, graph.DimValue(p.dim())); !ok {
			p.fail(at.pos, "at: no such axis")
		}
	default:
		p.fail(at.pos, "found %s, want inverse or after", at.Token)
	}
	p.want(")", at.Text)
	if v.Kind() == graph.KindPerm && len(v.PermVars()) == 0 {
		p.fail(at.pos, "%s: the permutation is the one that changes nothing", at.Text)
	}
	return v
}

// number reads a real number. Elsewhere numbers are whole, so the text of this
// one is read again from its first character.
func (p *parser) number() float64 {
	src := p.words.Src[p.tok.At:]
	n := graph.NumberPrefix(src)
	x, err := graph.ParseNumber(src[:n])
	if n == 0 {
		p.fail(p.tok.pos, "found %s, want a number", p.tok)
	}
	if err != nil {
		p.fail(p.tok.pos, "%v", err)
	}
	p.words.Seek(p.tok.Token, n)
	p.ahead = nil
	p.next()
	return x
}

func (p *parser) tuple() []int64 {
	var xs []int64
	p.next()
	if p.take(")") {
		return nil
	}
	for more := true; more; more = p.take(",") {
		if p.tok.Kind != lex.Int {
			p.fail(p.tok.pos, "tuple: found %s, want a number", p.tok)
		}
		if len(xs) >= maxDimTerms {
			p.fail(p.tok.pos, "tuple of more than %d numbers", maxDimTerms)
		}
		xs = append(xs, p.tok.Num)
		p.next()
	}
	p.want(")", "tuple")
	return xs
}

// shape reads "[P.., a+b, 3]".
func (p *parser) shape() graph.Shape {
	p.want("[", "shape")
	s := graph.Shape{}
	for !p.take("]") {
		if len(s) > 0 {
			p.want(",", "shape")
		}
		if p.tok.Kind != lex.Name || !p.peek().Is("..") {
			s = append(s, graph.Axis(p.dim()))
			continue
		}
		name, pos := p.ident("axis run")
		p.next()
		if !isUpper(name) {
			p.errorf(pos, "axis run %s: its name begins with a capital letter", name)
		}
		s = append(s, graph.AxisRun(name))
	}
	return s
}

// dim reads a sum of products.
func (p *parser) dim() graph.Dim {
	p.enter()
	defer p.leave()
	start := p.tok.pos
	sum := graph.Int(0)
	sign := int64(1)
	if p.take("-") {
		sign = -1
	}
	for range maxDimTerms {
		sum = sum.Add(p.product().Scale(sign))
		switch {
		case p.take("+"):
			sign = 1
		case p.take("-"):
			sign = -1
		case sum.TooLarge():
			p.fail(start, "size: %v", graph.ErrTooLarge)
		default:
			return sum
		}
	}
	p.fail(start, "size of more than %d summands", maxDimTerms)
	return sum
}

func (p *parser) product() graph.Dim {
	start := p.tok.pos
	coef := int64(1)
	m := graph.Int(1)
	for range maxDimFactor {
		if k := p.tok.Num; p.tok.Kind != lex.Int {
			m = m.Mul(p.factor())
		} else {
			if k != 0 && coef > maxInt/k {
				p.fail(start, "product is more than %d", int64(maxInt))
			}
			coef *= k
			p.next()
		}
		if !p.take("*") {
			return m.Scale(coef)
		}
	}
	p.fail(start, "product of more than %d factors", maxDimFactor)
	return m
}

// factor reads a size variable, the length of a run, or a size function.
func (p *parser) factor() graph.Dim {
	if p.take("#") {
		name, pos := p.ident("number of axes")
		if !isUpper(name) {
			p.errorf(pos, "#%s: the name of an axis run begins with a capital letter", name)
		}
		return graph.AxisRunLen(name)
	}
	name, pos := p.ident("size")
	if p.is("(") {
		return p.sizeFunc(name, pos)
	}
	switch b := p.given[name]; {
	case b != nil && b.Sort != "":
		p.errorf(pos, "%s is a %s, not a size", name, b.Sort)
	case b != nil || isUpper(name):
		p.errorf(pos, "%s is not a size: the name of a size begins with a small letter", name)
	}
	return graph.Var(name)
}

// sizeFuncs are the sorts of the arguments of size functions.
var sizeFuncs = map[string][]string{
	"window":  {"int", "int", graph.SortStride, graph.SortPadding, "int"},
	"strided": {"int", graph.SortStride, "int"},
	"step":    {graph.SortStride, "int"},
}

// sizeFunc reads the arguments of window(h, k, stride, pad, axis),
// strided(h, stride, axis) and step(dilation, axis).
func (p *parser) sizeFunc(name string, pos Pos) graph.Dim {
	sorts, ok := sizeFuncs[name]
	if !ok {
		p.fail(pos, "unknown size function %s", name)
	}
	p.next()
	args := make([]graph.Value, len(sorts))
	before := len(*p.errs)
	for i, sort := range sorts {
		if i > 0 {
			p.want(",", name)
		}
		at := p.tok.pos
		args[i] = p.value(sort)
		if i == len(sorts)-1 && args[i] != graph.IntValue(0) && args[i] != graph.IntValue(1) {
			p.fail(at, "%s: axis %s, want 0 or 1", name, args[i])
		}
	}
	p.want(")", name)
	if len(*p.errs) > before { // arguments of the wrong sort make no size
		return graph.Int(1)
	}
	return graph.Func(name, args...).Subst(&graph.Substitution{})
}
