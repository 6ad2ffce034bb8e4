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
// an operator, an argument or a variable altered. It is for testing checkers: a
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
		kinds := []func() string{c.drop, c.rename, c.swapTensors, c.size, c.attribute, c.unbind, c.term, c.term, c.given}
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
