package check

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Corrupt returns a certificate entry with one thing changed, and what was
// changed: an instance dropped or of another law, tensors exchanged or a
// binding altered or missing in an instance, or in the law itself an attribute,
// an operator, an argument, a variable, a condition, the direction or the order
// of outputs altered. It is for testing checkers: a
// sound one accepts the result only if it is a proof all the same (a dropped
// instance may have been superfluous, an altered law may be true).
//
// e must be an entry whose instances are of the laws in use. An error says that
// e cannot be read or has nothing to alter.
func Corrupt(rng *rand.Rand, e law.CertRule, use Laws) (law.CertRule, string, error) {
	l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := use[n]; return ax, ok })
	if err != nil {
		return e, "", err
	}
	before := law.NewCertRule(e.ID, l, p)
	for range 100 {
		m, q := *l, &law.Proof{Instances: slices.Clone(p.Instances)}
		m.LHS, m.RHS = slices.Clone(l.LHS), slices.Clone(l.RHS)
		c := corrupter{rng: rng, law: &m, proof: q, use: use}
		kinds := []func() string{c.drop, c.rename, c.swapTensors, c.size, c.attribute, c.unbind, c.term, c.term, c.given,
			c.run, c.function, c.direction, c.reverse, c.outputs, c.condition}
		what := kinds[rng.IntN(len(kinds))]()
		if what == "" {
			continue
		}
		if out := law.NewCertRule(e.ID, &m, q); !sameEntry(out, before) {
			return out, what, nil
		}
	}
	return e, "", errors.New("nothing to alter")
}

func sameEntry(a, b law.CertRule) bool {
	return a.Law == b.Law && slices.EqualFunc(a.Proof, b.Proof, func(x, y law.InstanceText) bool {
		return x.Law == y.Law && maps.Equal(x.Tensors, y.Tensors) && maps.Equal(x.Dims, y.Dims) &&
			maps.Equal(x.Runs, y.Runs) && maps.Equal(x.Attrs, y.Attrs) && maps.Equal(x.Fns, y.Fns)
	})
}

type corrupter struct {
	rng   *rand.Rand
	law   *law.Law
	proof *law.Proof
	use   Laws
}

// pick is a random instance with maps of its own, nil if there is none.
func (c *corrupter) pick() *law.Instance {
	if len(c.proof.Instances) == 0 {
		return nil
	}
	in := &c.proof.Instances[c.rng.IntN(len(c.proof.Instances))]
	in.Tensors, in.Dims, in.Attrs = maps.Clone(in.Tensors), maps.Clone(in.Dims), maps.Clone(in.Attrs)
	in.Runs, in.Fns = maps.Clone(in.Runs), maps.Clone(in.Fns)
	return in
}

func oneOf[V any](rng *rand.Rand, m map[string]V) string {
	if len(m) == 0 {
		return ""
	}
	return sortedKeys(m)[rng.IntN(len(m))]
}

func (c *corrupter) drop() string {
	if len(c.proof.Instances) == 0 {
		return ""
	}
	i := c.rng.IntN(len(c.proof.Instances))
	name := c.proof.Instances[i].Law
	c.proof.Instances = slices.Delete(c.proof.Instances, i, i+1)
	return fmt.Sprintf("instance %d of %s dropped", i+1, name)
}

func (c *corrupter) rename() string {
	in, to := c.pick(), oneOf(c.rng, c.use)
	if in == nil || to == in.Law {
		return ""
	}
	what := fmt.Sprintf("instance of %s said to be of %s", in.Law, to)
	in.Law = to
	return what
}

func (c *corrupter) swapTensors() string {
	in := c.pick()
	if in == nil || len(in.Tensors) < 2 {
		return ""
	}
	a, b := oneOf(c.rng, in.Tensors), oneOf(c.rng, in.Tensors)
	before := instanceText(in, c.use)
	in.Tensors[a], in.Tensors[b] = in.Tensors[b], in.Tensors[a]
	if instanceText(in, c.use) == before {
		return ""
	}
	return fmt.Sprintf("tensors %s and %s of an instance of %s exchanged", a, b, in.Law)
}

// instanceText is the instance's equations, the same for those of equal sides.
func instanceText(in *law.Instance, use Laws) string {
	lhs, rhs := in.Sides(use[in.Law])
	var parts []string
	for i := range lhs {
		pair := []string{lhs[i].String(), rhs[i].String()}
		slices.Sort(pair)
		parts = append(parts, pair...)
	}
	return fmt.Sprint(parts)
}

func (c *corrupter) size() string {
	in := c.pick()
	if in == nil || len(in.Dims) == 0 {
		return ""
	}
	n := oneOf(c.rng, in.Dims)
	in.Dims[n] = in.Dims[n].Add(graph.Int(int64(1 + c.rng.IntN(2))))
	return fmt.Sprintf("size %s of an instance of %s altered", n, in.Law)
}

func (c *corrupter) attribute() string {
	in := c.pick()
	if in == nil || len(in.Attrs) == 0 {
		return ""
	}
	n := oneOf(c.rng, in.Attrs)
	b, _ := c.use[in.Law].Find(n)
	in.Attrs[n] = c.value(b.Sort)
	return fmt.Sprintf("attribute %s of an instance of %s altered", n, in.Law)
}

// value is some literal of a sort.
func (c *corrupter) value(sort string) graph.Value {
	vs := map[string][]graph.Value{
		graph.SortStride:  {graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(1, 2)},
		graph.SortPadding: {graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower), graph.NameValue(graph.Valid)},
		graph.SortSame:    {graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower)},
		graph.SortAct:     {graph.NameValue("none"), graph.NameValue("relu")},
		graph.SortNumber:  {graph.NumberValue(0.5), graph.NumberValue(2)},
		graph.SortBorder:  {graph.NameValue("counted"), graph.NameValue("excluded")},
	}[sort]
	if len(vs) == 0 {
		return graph.IntValue(int64(c.rng.IntN(3)))
	}
	return vs[c.rng.IntN(len(vs))]
}

func (c *corrupter) unbind() string {
	in := c.pick()
	if in == nil || len(in.Tensors) == 0 {
		return ""
	}
	n := oneOf(c.rng, in.Tensors)
	delete(in.Tensors, n)
	return fmt.Sprintf("tensor %s of an instance of %s not bound", n, in.Law)
}

// given alters the shape of a tensor of the law.
func (c *corrupter) given() string {
	if len(c.law.Given) == 0 {
		return ""
	}
	c.law.Given = slices.Clone(c.law.Given)
	b := &c.law.Given[c.rng.IntN(len(c.law.Given))]
	if len(b.Shape) == 0 {
		return ""
	}
	i := c.rng.IntN(len(b.Shape))
	if b.Shape[i].Run != "" {
		return ""
	}
	b.Shape = b.Shape.With(i, b.Shape[i].Dim.Add(graph.Int(1)))
	return fmt.Sprintf("shape of %s altered", b.Name)
}

// term alters one node of one output of the law.
func (c *corrupter) term() string {
	side := c.law.LHS
	if c.rng.IntN(2) == 1 {
		side = c.law.RHS
	}
	i := c.rng.IntN(len(side))
	at, what := c.rng.IntN(treeSize(side[i])), ""
	side[i] = c.alter(side[i], &at, &what)
	return what
}

func treeSize(t *law.Term) int {
	n := 1
	for _, a := range t.Args {
		n += treeSize(a)
	}
	return n
}

// alter changes node number *at of t in preorder.
func (c *corrupter) alter(t *law.Term, at *int, what *string) *law.Term {
	u := *t
	if *at == 0 {
		*at = -1
		*what = c.node(&u)
		return &u
	}
	*at--
	u.Args = slices.Clone(t.Args)
	for i := range u.Args {
		if *at >= 0 {
			u.Args[i] = c.alter(u.Args[i], at, what)
		}
	}
	return &u
}

func (c *corrupter) node(u *law.Term) string {
	old := u.String()
	switch {
	case u.IsVar():
		b := c.law.Given[c.rng.IntN(len(c.law.Given))]
		if b.Sort != "" || b.Name == u.Var {
			return ""
		}
		u.Var = b.Name
		return fmt.Sprintf("variable %s replaced by %s", old, b.Name)
	case u.Op == nil:
		return ""
	case len(u.Args) == 2 && !u.Op.Commutative && c.rng.IntN(2) == 0:
		u.Args = []*law.Term{u.Args[1], u.Args[0]}
		return fmt.Sprintf("arguments of %s exchanged", old)
	case len(u.Attrs) > 0:
		i := c.rng.IntN(len(u.Attrs))
		p := u.Op.Params[i]
		u.Attrs = slices.Clone(u.Attrs)
		if d, ok := u.Attrs[i].Dim(); ok {
			u.Attrs[i] = graph.DimValue(d.Add(graph.Int(1)))
		} else if p.Sort == "perm" || p.Sort == "shape" {
			return ""
		} else {
			u.Attrs[i] = c.value(p.Sort)
		}
		return fmt.Sprintf("attribute %s of %s altered", p.Name, old)
	}
	var ops []*graph.Op
	for _, o := range graph.Ops() {
		if o != u.Op && o.In == u.Op.In && o.Out == u.Op.Out && len(o.Params) == 0 {
			ops = append(ops, o)
		}
	}
	if len(ops) == 0 {
		return ""
	}
	u.Op = ops[c.rng.IntN(len(ops))]
	return fmt.Sprintf("operator of %s replaced by %s", old, u.Op.Name)
}

// run makes a run of an instance longer, or exchanges the ends of it.
func (c *corrupter) run() string {
	in := c.pick()
	if in == nil || len(in.Runs) == 0 {
		return ""
	}
	n := oneOf(c.rng, in.Runs)
	run := slices.Clone(in.Runs[n])
	if slices.Reverse(run); len(run) < 2 || c.rng.IntN(2) == 0 {
		run = append(run, graph.Axis(graph.Int(1)))
	}
	in.Runs[n] = run
	return fmt.Sprintf("run %s of an instance of %s altered", n, in.Law)
}

// function gives an instance another function.
func (c *corrupter) function() string {
	in := c.pick()
	if in == nil || len(in.Fns) == 0 {
		return ""
	}
	n := oneOf(c.rng, in.Fns)
	in.Fns[n] = []string{"exp", "relu", "clip[lo=1.0, hi=6.0]", "leakyrelu[alpha=inf]", "neg"}[c.rng.IntN(5)]
	return fmt.Sprintf("function %s of an instance of %s altered", n, in.Law)
}

// direction states a one-way law both ways.
func (c *corrupter) direction() string {
	if !c.law.OneWay {
		return ""
	}
	c.law.OneWay = false
	return "one way stated as both"
}

// reverse exchanges the sides of a one-way law.
func (c *corrupter) reverse() string {
	if !c.law.OneWay {
		return ""
	}
	c.law.LHS, c.law.RHS = c.law.RHS, c.law.LHS
	return "sides exchanged"
}

// outputs exchanges two outputs of one side.
func (c *corrupter) outputs() string {
	n := len(c.law.LHS)
	if n < 2 {
		return ""
	}
	i := c.rng.IntN(n - 1)
	c.law.RHS[i], c.law.RHS[i+1] = c.law.RHS[i+1], c.law.RHS[i]
	return fmt.Sprintf("outputs %d and %d of the right side exchanged", i, i+1)
}

// condition leaves out a condition of the law.
func (c *corrupter) condition() string {
	if len(c.law.Where) == 0 {
		return ""
	}
	i := c.rng.IntN(len(c.law.Where))
	what := fmt.Sprintf("condition %s left out", c.law.Where[i])
	c.law.Where = slices.Delete(slices.Clone(c.law.Where), i, i+1)
	return what
}
