package general

import (
	"fmt"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// A composite is an operator as networks have it that laws write with several:
// a sum that repeats a bias along all rows, a normalization whose weights do not
// take part. It is enumerated as one operator of one or two operands, evaluated
// as what it stands for, and written out before anyone else sees the law.
//
//	bias(X, K)  stands for  ewadd(X, broadcast[shape=[m, n]](K))
//	layernorm(X)            layernorm[axis=1, eps=e](X, K, L)
//
// Its operator is not in the registry: nothing outside this package meets it.
type composite struct {
	*graph.Op
	// expand is the term that an application stands for.
	expand func(x *expansion) *law.Term
	// free puts size variables in the place of the case's attribute values; nil:
	// they stay.
	free func(b *builder, attrs graph.Attrs)
}

// CompositeOps are the operators of all composites, by name.
func CompositeOps() map[string]*graph.Op {
	out := map[string]*graph.Op{}
	for o := range composites {
		out[o.Name] = o
	}
	return out
}

// IsComposite says whether an operator is that of a composite.
func IsComposite(o *graph.Op) bool { return composites[o] != nil }

// expansion is an application of a composite that is to be written out.
type expansion struct {
	attrs graph.Attrs
	args  []*law.Term
	in    []graph.Shape
	out   graph.Shape
	// weight is a tensor that all composites of one law share: one for a name
	// and a shape.
	weight func(name string, shape graph.Shape) *law.Term
	// number is a number that all share.
	number graph.Value
}

// composites are all of them, by their operator.
var composites = map[*graph.Op]*composite{}

// newComposite completes a composite: its program is that of what it stands for.
func newComposite(c composite) *composite {
	o := c.Op
	o.Out = 1
	o.Composed = c.program
	composites[o] = &c
	return &c
}

// program composes the programs of the operators of the expansion. Weights that
// all applications share are numbers that depend on their name and shape alone.
func (c *composite) program(attrs graph.Attrs, in, out [][]int) (*graph.Program, error) {
	x := &expansion{attrs: attrs, out: graph.Sizes(out[0]...), number: graph.NumberValue(0.5)}
	vars := map[string]graph.Shape{}
	from := map[string]graph.Operand{}
	var m graph.Program
	for i, s := range in {
		name := fmt.Sprint("X", i)
		vars[name], from[name] = graph.Sizes(s...), graph.Operand(i)
		x.args, x.in = append(x.args, law.V(name)), append(x.in, vars[name])
	}
	x.weight = func(name string, shape graph.Shape) *law.Term {
		name += shape.String() // rows of another length have other weights
		if _, ok := vars[name]; !ok {
			sizes, _ := shape.Concrete()
			st := graph.Step{Kind: graph.StepConst, N: graph.NumElements(sizes), Den: 1}
			for i, v := range fingerprint.Random(7, name, st.N) {
				st.C = append(st.C, int64(v%1009)+int64(i)+2)
			}
			m.Steps = append(m.Steps, st)
			vars[name], from[name] = shape, graph.Operand(-len(m.Steps))
		}
		return law.V(name)
	}
	t := c.expand(x)
	shapes := map[*law.Term]graph.Shape{}
	var f graph.Unifier
	if _, err := law.TypeOf(&f, t, vars, shapes); err != nil {
		return nil, fmt.Errorf("%s stands for %s: %w", c.Name, t, err)
	}
	at := map[*law.Term]graph.Operand{}
	var err error
	t.Walk(func(u *law.Term) {
		if err != nil {
			return
		}
		if u.IsVar() {
			at[u] = from[u.Var]
			return
		}
		sizes := make([][]int, len(u.Args))
		for i, a := range u.Args {
			sizes[i], _ = shapes[a].Concrete()
		}
		res, _ := shapes[u].Concrete()
		var sub *graph.Program
		if sub, err = u.Op.Program(u.Attrs, sizes, [][]int{res}); err != nil {
			return
		}
		base := len(m.Steps)
		place := func(k graph.Operand) graph.Operand {
			switch {
			case k < 0:
				return k - graph.Operand(base)
			case int(k) < len(u.Args):
				return at[u.Args[k]]
			}
			return 0 // an operand that the step does not read
		}
		for _, st := range sub.Steps {
			st.X, st.Y = place(st.X), place(st.Y)
			more := make([]graph.Operand, len(st.More))
			for i, k := range st.More {
				more[i] = place(k)
			}
			st.More = more
			m.Steps = append(m.Steps, st)
		}
		at[u] = graph.Operand(-1 - (base + sub.Outs[0]))
	})
	if err != nil {
		return nil, fmt.Errorf("%s stands for %s: %w", c.Name, t, err)
	}
	m.Outs = []int{int(-1 - at[t])}
	return &m, nil
}

// WriteOut replaces the composites of a law by what they stand for. The law
// itself is returned if it has none.
func WriteOut(l *law.Law) (*law.Law, error) {
	some := false
	l.EachTerm(func(u *law.Term) { some = some || composites[u.Op] != nil })
	if !some {
		return l, nil
	}
	ty, err := l.Types()
	if err != nil {
		return nil, err
	}
	m := *l
	m.LHS, m.RHS, m.Given = nil, nil, append([]law.Declaration(nil), l.Given...)
	weights := map[string]*law.Term{}
	number := graph.VarValue("e", graph.SortNumber)
	numbered := false
	weight := func(name string, shape graph.Shape) *law.Term {
		key := name + shape.String()
		if weights[key] == nil {
			weights[key] = law.V(fmt.Sprintf("%s%d", name, len(weights)+1))
			m.Given = append(m.Given, law.Declaration{Name: weights[key].Var, Shape: shape})
		}
		return weights[key]
	}
	memo := map[*law.Term]*law.Term{}
	var rec func(t *law.Term) *law.Term
	rec = func(t *law.Term) *law.Term {
		if u := memo[t]; u != nil {
			return u
		}
		u := *t
		x := &expansion{attrs: t.Attrs, out: ty.Shape[t], weight: weight, number: number}
		u.Args = nil
		for _, a := range t.Args {
			u.Args = append(u.Args, rec(a))
			x.in = append(x.in, ty.Shape[a])
		}
		res := &u
		if c := composites[t.Op]; c != nil {
			x.args = u.Args
			res = c.expand(x)
			res.Walk(func(v *law.Term) {
				for _, a := range v.Attrs {
					numbered = numbered || a == number
				}
			})
		}
		memo[t] = res
		return res
	}
	for i := range l.LHS {
		m.LHS = append(m.LHS, rec(l.LHS[i]))
		m.RHS = append(m.RHS, rec(l.RHS[i]))
	}
	if numbered {
		m.Given = append(m.Given, law.Declaration{Name: "e", Sort: graph.SortNumber})
	}
	// A weight that only one side had, and lost, is not spoken of.
	used := map[string]bool{}
	for _, v := range law.Vars(m.Outputs()...) {
		used[v] = true
	}
	var given []law.Declaration
	for _, b := range m.Given {
		if b.Sort != "" || used[b.Name] {
			given = append(given, b)
		}
	}
	m.Given = given
	if _, err := m.Types(); err != nil {
		return nil, fmt.Errorf("written out: %w", err)
	}
	return &m, nil
}
