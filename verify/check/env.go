package check

import (
	"fmt"
	"math"
	"math/big"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// env says what the variables of a law stand for: of the rule itself, each for
// itself; of a law that is used, what the instance says, in things of the rule.
// Terms, sizes and values are read under it, so that nothing is ever substituted
// and no name can be taken for another.
type env struct {
	t       *sizes
	tensors map[string]int // nodes
	sizes   map[string]size
	runs    map[string]shape
	attrs   map[string]value
	fns     map[string]function
	built   map[*law.Term]int // the nodes of terms read under it
}

func newEnv(t *sizes) *env {
	return &env{t: t, tensors: map[string]int{}, sizes: map[string]size{}, runs: map[string]shape{},
		attrs: map[string]value{}, fns: map[string]function{}, built: map[*law.Term]int{}}
}

// function is a function of one element: a variable of the rule, or an operator
// with its parameters.
type function struct {
	name  string // of a variable
	sort  string
	op    *graph.Op
	attrs []value
}

func (f function) String() string {
	if f.op == nil {
		return f.name
	}
	return fmt.Sprintf("%s%v", f.op.Name, f.attrs)
}

// isOf reports whether f is of a sort of functions.
func (f function) isOf(sort string) bool {
	if sort == law.SortPointwise1 {
		return true
	}
	return sort == law.SortZero1 && (f.op == nil && f.sort == sort || f.op != nil && zeroAtZero(f.op.Name, f.attrs))
}

func (e *env) size(d graph.Dim) (size, error) {
	terms, c := d.Terms()
	out := num(c)
	for _, m := range terms {
		part := num(m.Coef)
		for _, a := range m.Atoms {
			f, err := e.factor(a)
			if err != nil {
				return nil, err
			}
			part = e.t.mul(part, f)
		}
		out = out.plus(part)
	}
	return out, e.t.err
}

func (e *env) factor(a graph.Atom) (size, error) {
	switch a.Kind {
	case graph.AtomVar:
		if d, ok := e.sizes[a.Name]; ok {
			return d, nil
		}
		return nil, fmt.Errorf("%s is not a size or run of the rule", a.Name)
	case graph.AtomAxisRun:
		if s, ok := e.runs[a.Name]; ok {
			return e.t.rank(s), nil
		}
		return nil, fmt.Errorf("%s is not a size or run of the rule", a.Name)
	}
	args := make([]value, len(a.Args))
	for i, v := range a.Args {
		var err error
		if args[i], err = e.value(v); err != nil {
			return nil, err
		}
	}
	return e.t.apply(a.Name, args)
}

// rank is the number of axes.
func (t *sizes) rank(s shape) size {
	var n size
	for _, it := range s {
		if it.run == "" {
			n = n.plusInt(1)
		} else {
			n = n.plus(t.atom(atomRun, it.run))
		}
	}
	return n
}

func (e *env) shape(s graph.Shape) (shape, error) {
	out := make(shape, 0, len(s))
	for _, it := range s {
		if it.AxisRun != "" {
			run, ok := e.runs[it.AxisRun]
			if !ok {
				return nil, fmt.Errorf("%s is not a size or run of the rule", it.AxisRun)
			}
			out = append(out, run...)
			continue
		}
		d, err := e.size(it.Dim)
		if err != nil {
			return nil, err
		}
		out = append(out, item{size: d})
	}
	return out, nil
}

func (e *env) value(v graph.Value) (out value, err error) {
	out.kind = v.Kind()
	switch out.kind {
	case graph.KindDim:
		d, _ := v.Dim()
		out.size, err = e.size(d)
	case graph.KindShape:
		s, _ := v.Shape()
		out.shape, err = e.shape(s)
	case graph.KindName:
		out.name, _ = v.Name()
	case graph.KindTuple:
		out.tuple, _ = v.Tuple()
	case graph.KindNumber:
		x, _ := v.Number()
		out.bits = math.Float64bits(x)
	case graph.KindVar:
		name, sort, _ := v.Var()
		w, ok := e.attrs[name]
		if !ok {
			return out, fmt.Errorf("%s is not a variable of sort %s", name, sort)
		}
		return w, nil
	case graph.KindPerm, graph.KindAxis:
		return e.permutation(v)
	default:
		return out, fmt.Errorf("%s is no value", v)
	}
	return out, err
}

// function reads what an instance says for a function variable.
func (e *env) function(text string) (function, error) {
	if f, ok := e.fns[text]; ok {
		return f, nil
	}
	op, attrs, ok := graph.ParseFunctionName(text)
	if !ok {
		return function{}, fmt.Errorf("%s is no function of the rule", text)
	}
	f := function{op: op}
	for i, a := range attrs {
		v, err := e.value(a)
		if err == nil {
			err = sortOf(v, op.Params[i].Sort)
		}
		if err != nil {
			return f, fmt.Errorf("%s: %w", text, err)
		}
		f.attrs = append(f.attrs, v)
	}
	return f, real(op.Name, f.attrs)
}

// pred is a condition on sizes: left rel right, or left mod m rel right.
type pred struct {
	left, right size
	mod         *size
	rel         string
}

func (e *env) pred(w law.Pred) (p pred, err error) {
	p.rel = w.Rel
	if p.left, err = e.size(w.Left); err == nil {
		p.right, err = e.size(w.Right)
	}
	if err == nil && w.Mod != nil {
		var m size
		m, err = e.size(*w.Mod)
		p.mod = &m
	}
	return p, err
}

func (p pred) String() string {
	l := p.left.String()
	if p.mod != nil {
		l += " % " + p.mod.String()
	}
	return l + " " + p.rel + " " + p.right.String()
}

func (p pred) equal(q pred) bool {
	return p.rel == q.rel && p.left.equal(q.left) && p.right.equal(q.right) &&
		(p.mod == nil) == (q.mod == nil) && (p.mod == nil || p.mod.equal(*q.mod))
}

// remainder reads a condition d % k == r with numbers 0 <= r < k as d - r being
// 0 modulo k.
func (p pred) remainder() (k *big.Int, d size, ok bool) {
	if p.mod == nil || p.rel != "==" {
		return nil, nil, false
	}
	k, isNumber := p.mod.number()
	r, known := p.right.number()
	if !isNumber || !known || r.Sign() < 0 || r.Cmp(k) >= 0 {
		return nil, nil, false
	}
	return k, p.left.minus(p.right), true
}

// decided works out a remainder of numbers.
func (p pred) decided() (holds, ok bool) {
	k, isNumber := p.mod.number()
	n, known := p.left.number()
	if !isNumber || !known || k.Sign() <= 0 {
		return false, false
	}
	r, isNumber := p.right.number()
	if !isNumber {
		return false, false
	}
	c := new(big.Int).Mod(n, k).Cmp(r)
	switch p.rel {
	case "==":
		return c == 0, true
	case "!=":
		return c != 0, true
	case "<":
		return c < 0, true
	case "<=":
		return c <= 0, true
	case ">":
		return c > 0, true
	case ">=":
		return c >= 0, true
	}
	return false, false
}

// least writes a condition as sizes that are not negative.
func (p pred) least() ([]size, bool) {
	d := p.right.minus(p.left)
	if p.mod != nil {
		return nil, false
	}
	switch p.rel {
	case "==":
		return []size{d, d.neg()}, true
	case "<=":
		return []size{d}, true
	case "<":
		return []size{d.plusInt(-1)}, true
	case ">=":
		return []size{d.neg()}, true
	case ">":
		return []size{d.neg().plusInt(-1)}, true
	}
	return nil, false
}
