package mutate

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Entry returns a certificate entry with one thing changed, and what was
// changed: an instance dropped or of another law, tensors exchanged or a
// binding altered or missing in an instance, a number of a node or of a proof from what
// operators compute altered, or in
// the law itself an attribute, an operator, an argument, a variable, a condition,
// the direction or the order of outputs. It is for testing checkers: a sound one
// accepts the result only if it is a proof all the same (a dropped instance may
// have been superfluous, an altered law may be true).
//
// e must be an entry whose instances are of the laws in use. An error says that
// e cannot be read or has nothing to alter.
func Entry(rng *rand.Rand, e law.CertRule, use map[string]*law.Law) (law.CertRule, string, error) {
	l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := use[n]; return ax, ok })
	if err != nil {
		return e, "", err
	}
	before := law.NewCertRule(e.ID, l, p)
	for range 100 {
		m, q := *l, &law.Proof{Instances: slices.Clone(p.Instances), Meaning: slices.Clone(p.Meaning)}
		m.LHS, m.RHS = slices.Clone(l.LHS), slices.Clone(l.RHS)
		c := corrupter{rng: rng, law: &m, proof: q, use: use}
		kinds := []func() string{c.drop, c.rename, c.swapTensors, c.size, c.attribute, c.unbind, c.term, c.term, c.given,
			c.run, c.function, c.direction, c.reverse, c.outputs, c.condition, c.answer, c.answer, nil}
		var out law.CertRule
		var what string
		if kind := kinds[rng.IntN(len(kinds))]; kind != nil {
			what = kind()
			out = law.NewCertRule(e.ID, &m, q)
		} else {
			out, what = c.number(before)
		}
		if what != "" && !reflect.DeepEqual(out, before) {
			return out, what, nil
		}
	}
	return e, "", errors.New("nothing to alter")
}

// answer alters a number of a proof from what operators compute, adds one or drops one.
func (c *corrupter) answer() string {
	p := c.proof.Meaning
	if len(p) == 0 {
		return ""
	}
	i := c.rng.IntN(len(p))
	switch c.rng.IntN(5) {
	case 0:
		p[i]++
	case 1:
		p[i]--
	case 2:
		p[i] = -p[i]
	case 3:
		c.proof.Meaning = slices.Delete(p, i, i+1)
	case 4:
		c.proof.Meaning = slices.Insert(p, i, p[c.rng.IntN(len(p))])
	}
	return fmt.Sprintf("number %d of the proof", i)
}

// number alters one number of a node: an argument of a node, or what stands for
// a tensor in an instance. What else uses the node is altered with it.
func (c *corrupter) number(e law.CertRule) (law.CertRule, string) {
	k := c.rng.IntN(len(e.Nodes))
	if c.rng.IntN(2) == 0 && len(e.Proof) > 0 {
		e.Proof = slices.Clone(e.Proof)
		in := &e.Proof[c.rng.IntN(len(e.Proof))]
		name := oneOf(c.rng, in.Tensors)
		if name == "" {
			return e, ""
		}
		in.Tensors = maps.Clone(in.Tensors)
		in.Tensors[name] = k
		return e, fmt.Sprintf("node %d for tensor %s of an instance of %s", k, name, in.Law)
	}
	text := e.Nodes[k]
	from, to := strings.LastIndexByte(text, '('), strings.LastIndexByte(text, ')')
	if k == 0 || from < 0 || to == from+1 {
		return e, ""
	}
	args := strings.Split(text[from+1:to], ", ")
	args[c.rng.IntN(len(args))] = strconv.Itoa(c.rng.IntN(k))
	e.Nodes = slices.Clone(e.Nodes)
	e.Nodes[k] = text[:from+1] + strings.Join(args, ", ") + text[to:]
	return e, fmt.Sprintf("node %d, %s, made %s", k, text, e.Nodes[k])
}

type corrupter struct {
	rng   *rand.Rand
	law   *law.Law
	proof *law.Proof
	use   map[string]*law.Law
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
	return slices.Sorted(maps.Keys(m))[rng.IntN(len(m))]
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
	var nodes law.Nodes
	before := c.equations(in, &nodes)
	in.Tensors[a], in.Tensors[b] = in.Tensors[b], in.Tensors[a]
	if slices.Equal(c.equations(in, &nodes), before) {
		return ""
	}
	return fmt.Sprintf("tensors %s and %s of an instance of %s exchanged", a, b, in.Law)
}

// equations are those of an instance, the same for those of equal sides.
func (c *corrupter) equations(in *law.Instance, nodes *law.Nodes) (out [][2]int) {
	lhs, rhs := in.Sides(c.use[in.Law])
	for i := range lhs {
		a, b := nodes.Of(lhs[i]), nodes.Of(rhs[i])
		out = append(out, [2]int{min(a, b), max(a, b)})
	}
	return out
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
	if t, ok := in.Attrs[n].Tuple(); ok && b.Sort == graph.SortPerm && len(t) > 1 {
		// Two axes exchanged, so that it is a permutation still.
		w := slices.Clone(t)
		i := 1 + c.rng.IntN(len(w)-1)
		w[i-1], w[i] = w[i], w[i-1]
		in.Attrs[n] = graph.TupleValue(w...)
	} else {
		in.Attrs[n] = c.value(b.Sort)
	}
	return fmt.Sprintf("attribute %s of an instance of %s altered", n, in.Law)
}

// value is some literal of a sort of variables.
func (c *corrupter) value(sort string) graph.Value {
	vs := others[sort]
	switch sort {
	case graph.SortSame:
		vs = []graph.Value{graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower)}
	case graph.SortNumber:
		vs = []graph.Value{graph.NumberValue(0.5), graph.NumberValue(2)}
	}
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
	if b.Shape[i].AxisRun != "" {
		return ""
	}
	b.Shape = b.Shape.With(i, b.Shape[i].Dim.Add(graph.Int(1)))
	return fmt.Sprintf("shape of %s altered", b.Name)
}

// term alters one node of one output of the law, wherever it stands there.
func (c *corrupter) term() string {
	side := c.law.LHS
	if c.rng.IntN(2) == 1 {
		side = c.law.RHS
	}
	i := c.rng.IntN(len(side))
	var nodes []*law.Term
	side[i].Walk(func(u *law.Term) { nodes = append(nodes, u) })
	at := nodes[c.rng.IntN(len(nodes))]
	by := *at
	what := c.node(&by)
	put := map[*law.Term]*law.Term{at: &by}
	side[i].WalkNew(func(u *law.Term) bool { return put[u] != nil }, func(u *law.Term) {
		v := *u
		v.Args = slices.Clone(u.Args)
		for k, a := range u.Args {
			v.Args[k] = put[a]
		}
		put[u] = &v
	})
	side[i] = put[side[i]]
	return what
}

func (c *corrupter) node(u *law.Term) string {
	old := u.Brief()
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
		near := changes(p, u.Attrs[i])
		if len(near) == 0 {
			return ""
		}
		u.Attrs = slices.Clone(u.Attrs)
		u.Attrs[i] = near[c.rng.IntN(len(near))].to
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
