package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// peerTask is terms over square matrices of one size, and how often rules search.
type peerTask struct {
	name   string
	terms  []peerTerm
	rounds int
}

// peerTerm applies an operator to earlier terms, or is a leaf, which has a name.
type peerTerm struct {
	op    *graph.Op
	attrs graph.Attrs
	kids  []int
	name  string
}

func (t *peerTask) leaf() int {
	t.terms = append(t.terms, peerTerm{name: fmt.Sprintf("x%d", len(t.terms))})
	return len(t.terms) - 1
}

func (t *peerTask) apply(o *graph.Op, kids ...int) int {
	n := peerTerm{op: o, kids: kids}
	if o == op.Transpose {
		n.attrs = graph.Attrs{graph.TupleValue(1, 0)}
	}
	t.terms = append(t.terms, n)
	return len(t.terms) - 1
}

// chain is an operator between n leaves.
func (t *peerTask) chain(o *graph.Op, n int) int {
	x := t.leaf()
	for range n - 1 {
		x = t.apply(o, t.leaf(), x)
	}
	return x
}

// saturating is more rounds than a task needs that ends by itself.
const saturating = 100

// peerTasks are the terms that are compared.
func peerTasks() ([]*peerTask, error) {
	var out []*peerTask
	task := func(rounds int, name string, args ...any) *peerTask {
		t := &peerTask{name: fmt.Sprintf(name, args...), rounds: rounds}
		out = append(out, t)
		return t
	}
	for _, n := range []int{8, 9, 10} {
		task(saturating, "sum of %d", n).chain(op.EWAdd, n)
	}
	for _, n := range []int{10, 20, 40} {
		task(saturating, "product of %d matrices", n).chain(op.MatMul, n)
	}
	for _, n := range []int{10, 20} {
		t := task(saturating, "product of %d matrices, transposed", n)
		t.apply(op.Transpose, t.chain(op.MatMul, n))
	}
	for _, n := range []int{2, 3} {
		t := task(saturating, "product of %d sums of 2, negated", n)
		x := t.chain(op.EWAdd, 2)
		for range n - 1 {
			x = t.apply(op.EWMul, x, t.chain(op.EWAdd, 2))
		}
		t.apply(op.Neg, x)
	}
	for _, n := range []int{100, 1000} {
		task(3, "%d operators", n).random(n)
	}
	m, err := models.Build("nasrnn", 1)
	if err != nil {
		return nil, err
	}
	return out, task(5, "`nasrnn`").network(m.Graph)
}

// random draws operators on operands that are among the latest terms.
func (t *peerTask) random(n int) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	binary := []*graph.Op{op.EWAdd, op.EWMul, op.MatMul}
	unary := []*graph.Op{op.Transpose, op.Relu, op.Neg}
	for range 8 {
		t.leaf()
	}
	for range n {
		pick := func() int { return len(t.terms) - 1 - r.IntN(min(len(t.terms), 16)) }
		if r.IntN(4) == 0 {
			t.apply(unary[r.IntN(len(unary))], pick())
		} else {
			t.apply(binary[r.IntN(len(binary))], pick(), pick())
		}
	}
}

// network takes the operators of a network, each tensor a square matrix.
func (t *peerTask) network(g *graph.Graph) error {
	at := map[graph.NodeID]int{}
	for id := range g.Nodes() {
		o := g.Op(id)
		if o == nil {
			at[id] = t.leaf()
			continue
		}
		if o.Out != 1 || len(g.Attrs(id)) > 0 {
			return fmt.Errorf("%s: operator %s is more than its name", g.Name(id), o.Name)
		}
		var kids []int
		for _, x := range g.Operands(id) {
			kids = append(kids, at[x.Node])
		}
		at[id] = t.apply(o, kids...)
	}
	return nil
}

// ofMatrices is a law of permutations at the one that transposes matrices, which alone the
// programs know.
func ofMatrices(l *law.Law) *law.Law {
	at := &graph.Substitution{Attrs: map[string]graph.Value{}}
	for _, d := range l.Given {
		if d.Sort == graph.SortPerm {
			at.Attrs[d.Name] = graph.TupleValue(1, 0)
		}
	}
	if len(at.Attrs) == 0 {
		return l
	}
	at.Runs = map[string]graph.Shape{}
	for _, d := range l.Given {
		for _, it := range d.Shape {
			if it.AxisRun != "" {
				at.Runs[it.AxisRun] = graph.ShapeOf(graph.Var("m"), graph.Var("n"))
			}
		}
	}
	m := l.Subst(at)
	m.Given = slices.DeleteFunc(slices.Clone(m.Given), func(d law.Declaration) bool { return d.Sort == graph.SortPerm })
	return m
}

// peerRules are the directions of the laws that every program uses.
func peerRules(tab *tensor.Table) ([]*tensor.Rule, error) {
	var out []*tensor.Rule
	all := axioms.Default()
	for _, name := range peerLaws {
		i := slices.IndexFunc(all, func(l *law.Law) bool { return l.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no law %s", name)
		}
		rules, _, err := tab.Rules(ofMatrices(all[i]))
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			if r.Level <= tensor.Growing && r.Several() == 1 {
				out = append(out, r)
			}
		}
	}
	return out, nil
}
