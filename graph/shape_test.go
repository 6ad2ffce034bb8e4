package graph_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

func TestValuesAreComparable(t *testing.T) {
	s := graph.Shape{graph.AxisRun("P"), graph.Axis(graph.Var("a"))}
	all := []graph.Value{
		{}, graph.IntValue(1), graph.DimValue(graph.Var("x")), graph.NameValue("x"), graph.VarValue("x", "act"),
		graph.VarValue("x", "stride"), graph.TupleValue(1), graph.TupleValue[int](), graph.TupleValue(1, 2),
		graph.ShapeValue(graph.Sizes(1, 2)), graph.ShapeValue(graph.Sizes()), graph.ShapeValue(s),
	}
	again := []graph.Value{
		{}, graph.IntValue(1), graph.DimValue(graph.Var("x")), graph.NameValue("x"), graph.VarValue("x", "act"),
		graph.VarValue("x", "stride"), graph.TupleValue(1), graph.TupleValue[int](), graph.TupleValue(1, 2),
		graph.ShapeValue(graph.Sizes(1, 2)), graph.ShapeValue(graph.Sizes()), graph.ShapeValue(s.Clone()),
	}
	for i, v := range all {
		for j, w := range again {
			if (v == w) != (i == j) {
				t.Errorf("%s == %s: got %v", v, w, v == w)
			}
		}
	}
}

func TestValueAccessors(t *testing.T) {
	xs := []int64{51, 52} // a tuple that no other test has interned
	tuple := graph.TupleValue(xs...)
	xs[0] = 9
	if got, ok := tuple.Tuple(); !ok || got[0] != 51 || tuple.String() != "(51, 52)" {
		t.Errorf("a tuple keeps the caller's slice: %v", got)
	}
	if _, ok := tuple.Shape(); ok {
		t.Error("a tuple is a shape")
	}
	if _, ok := graph.IntValue(1).Tuple(); ok {
		t.Error("a number is a tuple")
	}
	if n, sort, ok := graph.VarValue("s", "stride").Var(); !ok || n != "s" || sort != "stride" {
		t.Errorf("variable: %s %s %v", n, sort, ok)
	}
	b := &graph.Substitution{Dims: map[string]graph.Dim{"n": graph.Int(3)}, Runs: map[string]graph.Shape{"P": graph.Sizes(7, 8)},
		Attrs: map[string]graph.Value{"s": tuple}}
	v := graph.ShapeValue(graph.Shape{graph.AxisRun("P"), graph.Axis(graph.Var("n"))})
	for _, c := range []struct {
		v    graph.Value
		want string
	}{
		{v, "[7, 8, 3]"}, {graph.VarValue("s", "stride"), "(51, 52)"}, {graph.VarValue("t", "stride"), "t"},
		{graph.NameValue("s"), "s"}, {graph.DimValue(graph.Var("n").Add(graph.AxisRunLen("P"))), "5"}, {graph.Value{}, "?"},
	} {
		if got := c.v.Subst(b).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.v, got, c.want)
		}
	}
}

func TestShapeIndexWithRuns(t *testing.T) {
	p, q := graph.AxisRunLen("P"), graph.AxisRunLen("Q")
	s := graph.Shape{graph.Axis(graph.Var("a")), graph.AxisRun("P"), graph.Axis(graph.Var("b")), graph.AxisRun("Q"), graph.Axis(graph.Var("c"))}
	one := graph.Int(1)
	for _, c := range []struct {
		axis graph.Dim
		want int // -1: none
	}{
		{graph.Int(0), 0},
		{p.Add(one), 2},
		{p.Add(q).Add(graph.Int(2)), 4},
		{one, -1}, {p, -1}, {q.Add(one), -1}, {graph.Int(-1), -1},
		{p.Add(q).Add(graph.Int(3)), -1},
	} {
		got, err := s.Index(c.axis)
		if c.want < 0 {
			if err == nil {
				t.Errorf("axis %s: got item %d, want an error", c.axis, got)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("axis %s: got %d, %v, want %d", c.axis, got, err, c.want)
		}
		if s.AxisOf(got) != c.axis {
			t.Errorf("item %d: axis %s, want %s", got, s.AxisOf(got), c.axis)
		}
	}
	if _, err := graph.Sizes(2, 3).Index(graph.Int(2)); err == nil || err.Error() != "axis 2 of shape [2, 3]: no such axis" {
		t.Errorf("got %v", err)
	}
}

// The item found with runs is the axis found once the runs are filled in.
func TestShapeIndexAgreesWithSubst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s graph.Shape
		b := &graph.Substitution{Runs: map[string]graph.Shape{}, Dims: map[string]graph.Dim{}}
		for i, n := 0, rapid.IntRange(1, 5).Draw(t, "items"); i < n; i++ {
			name := string(rune('a' + i))
			if rapid.Bool().Draw(t, "run") {
				s = append(s, graph.AxisRun(name))
				b.Runs[name] = graph.Sizes([]int{91, 92, 93}[:rapid.IntRange(0, 3).Draw(t, "len")]...)
			} else {
				s = append(s, graph.Axis(graph.Var(name)))
				b.Dims[name] = graph.Int(int64(i + 1))
			}
		}
		for i, it := range s {
			if it.AxisRun != "" {
				continue
			}
			axis := s.AxisOf(i)
			if j, err := s.Index(axis); err != nil || j != i {
				t.Fatalf("%s axis %s: got %d, %v, want %d", s, axis, j, err, i)
			}
			n, err := axis.Eval(b)
			if err != nil {
				t.Fatal(err)
			}
			if c := s.Subst(b); c[n].Dim != it.Dim.Subst(b) {
				t.Fatalf("%s axis %d: %s, want %s", c, n, c[n].Dim, it.Dim.Subst(b))
			}
		}
	})
}

func TestShapeBasics(t *testing.T) {
	s := graph.Shape{graph.AxisRun("P"), graph.Axis(graph.Var("a").Add(graph.Int(1)))}
	if s.String() != "[P.., a+1]" || !s.HasAxisRun() || s.Rank().String() != "#P+1" {
		t.Errorf("got %s %v %s", s, s.HasAxisRun(), s.Rank())
	}
	if _, ok := s.Concrete(); ok {
		t.Error("a shape with a run is concrete")
	}
	u := s.With(1, graph.Int(4))
	if u.String() != "[P.., 4]" || s.String() != "[P.., a+1]" || u.Equal(s) || !s.Equal(s.Clone()) {
		t.Errorf("With: got %s from %s", u, s)
	}
	if c, ok := graph.Sizes(2, 5).Concrete(); !ok || c[0] != 2 || c[1] != 5 {
		t.Errorf("got %v, %v", c, ok)
	}
	if graph.NumElements(nil) != 1 || graph.NumElements([]int{2, 3, 4}) != 24 {
		t.Error("number of elements")
	}
	var runs int
	s.Walk(func(a graph.Atom) {
		if a.Kind == graph.AtomAxisRun {
			runs++
		}
	})
	if runs != 1 {
		t.Errorf("walk: %d runs", runs)
	}
}

func TestEachIsRowMajor(t *testing.T) {
	sizes := []int{2, 3, 2}
	st := graph.Strides(sizes)
	n := 0
	graph.Each(sizes, func(flat int, idx []int) {
		if flat != n || flat != idx[0]*st[0]+idx[1]*st[1]+idx[2]*st[2] {
			t.Errorf("element %d: flat %d, index %v", n, flat, idx)
		}
		n++
	})
	if n != 12 {
		t.Errorf("%d elements", n)
	}
}
