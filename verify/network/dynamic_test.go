package network_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/network"
)

// step is an operator with attributes, of the tensors before it by number: 0 is the input.
type step struct {
	op    string
	attrs map[string]graph.Value
	in    []int
}

// dynamicModel is a model of x : [n, 4], with n in a range, made with n = sample.
func dynamicModel(t *testing.T, sample int, r graph.Range, steps ...step) *model.Model {
	t.Helper()
	s := &graph.Sizing{}
	if err := s.Add(graph.SizeVar{Name: "n", Sample: sample, Range: r}); err != nil {
		t.Fatal(err)
	}
	var b graph.Builder
	if err := b.Vary(s); err != nil {
		t.Fatal(err)
	}
	x, err := b.AddOpen("x", graph.Float32, graph.ShapeOf(graph.Var("n"), graph.Int(4)))
	if err != nil {
		t.Fatal(err)
	}
	ts := []graph.Tensor{x}
	for _, st := range steps {
		op, ok := graph.Lookup(st.op)
		if !ok {
			t.Fatal(st.op)
		}
		a, err := op.Attr(st.attrs)
		if err != nil {
			t.Fatal(err)
		}
		var in []graph.Tensor
		for _, i := range st.in {
			in = append(in, ts[i])
		}
		id, err := b.Apply("", op, a, in...)
		if err != nil {
			t.Fatal(err)
		}
		ts = append(ts, id.Out(0))
	}
	g, err := b.Finish(ts[len(ts)-1])
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model{Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
}

func shape(dims ...graph.Dim) map[string]graph.Value {
	return map[string]graph.Value{"shape": graph.ShapeValue(graph.ShapeOf(dims...))}
}

// An equation with variables is about models with the same dynamic sizes, for all of them.
func TestDynamic(t *testing.T) {
	n, all := graph.Var("n"), graph.Range{Lo: 1, Hi: graph.Unbounded}
	flat := []step{{"reshape", shape(n.Scale(4)), []int{0}}, {"relu", nil, []int{1}}}
	late := []step{{"relu", nil, []int{0}}, {"reshape", shape(n.Scale(4)), []int{1}}}
	const eq = "given X : [n, 4] then relu(reshape[shape=[4*n]](X)) == reshape[shape=[4*n]](relu(X))"
	for _, c := range []struct {
		name string
		eq   string
		a, b *model.Model
		want string // of the error; "": it is about them
	}{
		{name: "all sizes", eq: eq, a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, all, late...)},
		{name: "other samples", eq: eq, a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 7, all, late...)},
		{name: "a condition within the range", eq: strings.Replace(eq, "then", "where n <= 8 then", 1),
			a: dynamicModel(t, 2, graph.Range{Lo: 1, Hi: 8}, flat...), b: dynamicModel(t, 2, graph.Range{Lo: 1, Hi: 8}, late...)},
		{name: "a condition beyond the range", eq: strings.Replace(eq, "then", "where n <= 8 then", 1),
			a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, all, late...), want: "condition"},
		{name: "a condition that never holds", eq: strings.Replace(eq, "then", "where n <= 0 then", 1),
			a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, all, late...), want: "condition"},
		{name: "a remainder", eq: strings.Replace(eq, "then", "where n % 2 == 0 then", 1),
			a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, all, late...), want: "condition"},
		{name: "one size of many", eq: "given X : [2, 4] then relu(reshape[shape=[8]](X)) == reshape[shape=[8]](relu(X))",
			a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, all, late...), want: "shape"},
		{name: "another size", eq: strings.NewReplacer("[n", "[k", "*n", "*k").Replace(eq),
			a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, all, late...), want: "size k"},
		{name: "other ranges", eq: eq, a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, graph.Range{Lo: 1, Hi: 8}, late...), want: "different dynamic sizes"},
		{name: "fixed and dynamic", eq: eq, a: dynamicModel(t, 2, all, flat...), b: dynamicModel(t, 2, all, late...).Fixed(), want: "different dynamic sizes"},
		{name: "fixed", eq: eq, a: dynamicModel(t, 2, all, flat...).Fixed(), b: dynamicModel(t, 2, all, late...).Fixed(), want: "size n"},
		{name: "another attribute with the same sample", eq: eq, want: "reshape",
			a: dynamicModel(t, 2, all, flat...),
			b: dynamicModel(t, 2, all, step{"relu", nil, []int{0}}, step{"reshape", shape(n, graph.Int(4)), []int{1}}, step{"reshape", shape(graph.Int(4), n), []int{2}}, step{"reshape", shape(n.Scale(4)), []int{3}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := network.Check(equation(t, c.eq), c.a, c.b)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
