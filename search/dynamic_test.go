package search_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/check"
)

// dynamicNetwork is relu(x), x : [n, 4], with operators before it that change nothing.
func dynamicNetwork(t *testing.T, sample int) *graph.Graph {
	t.Helper()
	s := &graph.Sizing{}
	if err := s.Add(graph.SizeVar{Name: "n", Sample: sample, Range: graph.Range{Lo: 1, Hi: 64}}); err != nil {
		t.Fatal(err)
	}
	var b graph.Builder
	if err := b.Vary(s); err != nil {
		t.Fatal(err)
	}
	n := graph.Var("n")
	x, err := b.AddOpen("x", graph.Float32, graph.ShapeOf(n, graph.Int(4)))
	if err != nil {
		t.Fatal(err)
	}
	at := x
	for _, step := range []struct {
		op    string
		attrs map[string]graph.Value
		two   bool
	}{
		{op: "transpose", attrs: map[string]graph.Value{"perm": graph.TupleValue(1, 0)}},
		{op: "transpose", attrs: map[string]graph.Value{"perm": graph.TupleValue(1, 0)}},
		{op: "concat", attrs: map[string]graph.Value{"axis": graph.IntValue(0)}, two: true},
		{op: "slice", attrs: map[string]graph.Value{"axis": graph.IntValue(0), "lo": graph.IntValue(0), "hi": graph.DimValue(n)}},
		{op: "relu"},
	} {
		op, ok := graph.Lookup(step.op)
		if !ok {
			t.Fatal(step.op)
		}
		a, err := op.Attr(step.attrs)
		if err != nil {
			t.Fatal(err)
		}
		in := []graph.Tensor{at}
		if step.two {
			in = append(in, x)
		}
		id, err := b.Apply("", op, a, in...)
		if err != nil {
			t.Fatal(err)
		}
		at = id.Out(0)
	}
	g, err := b.Finish(at)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Moves are laws for all sizes, and what they make is proved for all sizes.
func TestDynamicMoves(t *testing.T) {
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	rules, _, err := search.NewRules(laws)
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range []int{1, 2, 4} {
		n, err := search.NewNetwork(dynamicNetwork(t, sample), nil)
		if err != nil {
			t.Fatal(err)
		}
		rw := search.NewRewriter(n.Net, rules)
		for _, want := range []string{"transpose_transpose", "slice_concat_first"} {
			made := false
			rw.All(func(m *search.Match) bool {
				if name := m.Direction.Law.Law.Name; strings.HasPrefix(name, want) && !m.Direction.Backward && len(m.Conds) == 0 {
					made = n.Make(rw, m) == nil
				}
				return !made
			})
			if !made {
				t.Errorf("n = %d: %s is no move", sample, want)
			}
		}
		d, err := n.Derivation()
		if err != nil {
			t.Fatal(err)
		}
		if d.To.Sizing() == nil || d.To.Shape(d.To.Outputs()[0]).String() != "[n, 4]" {
			t.Errorf("n = %d: the result has shape %s", sample, d.To.Shape(d.To.Outputs()[0]))
		}
		if sizes, _ := law.Variables(d.Equation); len(sizes) != 1 || len(d.Equation.Where) != 1 {
			t.Errorf("n = %d: the equation has sizes %v and conditions %v", sample, sizes, d.Equation.Where)
		}
		if _, err := check.Rule(d.Equation, d.Proof, d.Laws); err != nil {
			t.Errorf("n = %d: the proof is not accepted: %v", sample, err)
		}
	}
}

// A law whose pattern has the sample size as a number finds nothing, and one with a condition
// that only some sizes satisfy is no move.
func TestDynamicLawsForAllSizes(t *testing.T) {
	for _, text := range []string{
		"rule fixed\n  given X : [2, 4]\n  then  relu(X) == ewmax(X, X)\n",
		"rule some\n  given X : [m, k]\n  where m >= 2\n  then  relu(X) == ewmax(X, X)\n",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		rules, _, err := search.NewRules([]*law.Law{l})
		if err != nil {
			t.Fatal(err)
		}
		g := dynamicNetwork(t, 2)
		for _, c := range []struct {
			g    *graph.Graph
			want bool
		}{{g, false}, {g.Fixed(), true}} {
			n, err := search.NewNetwork(c.g, nil)
			if err != nil {
				t.Fatal(err)
			}
			rw, made := search.NewRewriter(n.Net, rules), false
			rw.All(func(m *search.Match) bool {
				if len(m.Conds) == 0 && !m.Direction.Backward {
					mark := n.Net.Mark()
					made = made || rw.Apply(m) == nil
					n.Net.Undo(mark)
				}
				return true
			})
			if made != c.want {
				t.Errorf("%s, dynamic %t: a move: %t, want %t", l.Name, c.g.Sizing() != nil, made, c.want)
			}
		}
	}
}
