package check

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// TestSizes: sizes read under an environment of numbers have the values that
// package graph gives them, and what is known of them for all sizes is true.
func TestSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	given := []law.Declaration{{Name: "s", Sort: graph.SortStride}, {Name: "p", Sort: graph.SortPadding}}
	for _, text := range []string{
		"a", "3", "-a", "a+b", "2*a*b-3*b+7", "a*a-b*b", "a*b*c-1", "-4*a", "0",
		"window(a, b, s, p, 0)", "window(2*a+1, b, s, p, 1)-1", "strided(a, s, 0)", "strided(4*a, s, 1)+window(a, 3, s, p, 0)*b",
		"window(a, b, (2, 1), valid, 0)", "window(a, 1, (1, 2), (1, 0, 0, 1), 1)", "strided(strided(a, s, 0), (2, 2), 0)",
		"window(3*a-5*b+1, 2, (2, 2), valid, 0)", "window(a*b-c, 3, (4, 3), (1, 1, 1, 1), 1)-strided(7*c-9, (3, 2), 0)*a", "strided(6*a-4, (2, 1), 0)",
	} {
		d, err := law.ParseDim(text, given)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		symbols := newEnv(newSizes())
		for _, n := range []string{"a", "b", "c"} {
			symbols.sizes[n] = symbols.t.atom(atomVar, n)
		}
		symbols.attrs["s"] = value{kind: graph.KindVar, name: "s", sort: graph.SortStride}
		symbols.attrs["p"] = value{kind: graph.KindVar, name: "p", sort: graph.SortPadding}
		sym, err := symbols.size(d)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		least := symbols.t.atLeast0(sym, conds(nil).known(symbols.t))
		for range 200 {
			b := &graph.Substitution{Dims: map[string]graph.Dim{}, Attrs: map[string]graph.Value{
				"s": graph.TupleValue(1+rng.Int64N(4), 1+rng.Int64N(4)),
				"p": []graph.Value{graph.NameValue(graph.Valid), graph.NameValue(graph.SameLower),
					graph.TupleValue(rng.Int64N(3), rng.Int64N(3), rng.Int64N(3), rng.Int64N(3))}[rng.IntN(3)],
			}}
			e := newEnv(newSizes())
			for _, n := range []string{"a", "b", "c"} {
				x := 1 + rng.Int64N(9)
				b.Dims[n], e.sizes[n] = graph.Int(x), num(x)
			}
			for n, v := range b.Attrs {
				if e.attrs[n], err = e.value(v); err != nil {
					t.Fatal(err)
				}
			}
			want, err := d.Eval(b)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			got, err := e.size(d)
			if err != nil || !got.isInt(want) {
				t.Fatalf("%s is %s, %v; want %d", text, got, err, want)
			}
			if least && want < 0 {
				t.Fatalf("%s is said to be at least 0, and is %d", text, want)
			}
		}
	}
}

// TestSizeArithmetic: the laws of a ring, on polynomials and large numbers.
func TestSizeArithmetic(t *testing.T) {
	s := newSizes()
	a, b, c := s.atom(atomVar, "a"), s.atom(atomVar, "b"), s.atom(atomRun, "a")
	big := num(1 << 62)
	xs := []size{nil, num(1), num(-7), big, s.mul(big, big), a, b, c, a.plus(b), s.mul(a, c).minus(b), s.mul(a.plus(b), big).plusInt(3)}
	for _, x := range xs {
		for _, y := range xs {
			if !x.plus(y).equal(y.plus(x)) || !s.mul(x, y).equal(s.mul(y, x)) || len(x.minus(x)) != 0 {
				t.Errorf("%s and %s do not commute", x, y)
			}
			if x.plus(y).equal(x) != (len(y) == 0) || x.equal(y) != (x.String() == y.String()) {
				t.Errorf("%s plus %s", x, y)
			}
			for _, z := range xs {
				if !s.mul(x, y.plus(z)).equal(s.mul(x, y).plus(s.mul(x, z))) {
					t.Errorf("%s times the sum of %s and %s", x, y, z)
				}
			}
			if q, ok := s.mul(x, y).over(y); len(y) == 1 && (!ok || !q.equal(x)) {
				t.Errorf("%s times %s over %s is %s", x, y, y, q)
			}
		}
	}
	if got := s.mul(big, big).String(); got != "21267647932558653966460912964485513216" {
		t.Errorf("2^124 is %s", got)
	}
	if a.equal(c) {
		t.Error("a size and the length of a run of one name are one")
	}
	if s.err != nil {
		t.Error(s.err)
	}
}

// TestZeroAtZero: the checker's own table of functions with f(0) = 0 says what
// the operators say of themselves.
func TestZeroAtZero(t *testing.T) {
	samples := []float64{0, -1, 1, 6, 0.5}
	for _, op := range graph.Ops() {
		if !op.IsFunction() {
			if keepsZero[op.Name] != nil {
				t.Errorf("%s is no function of one element", op.Name)
			}
			continue
		}
		for _, x := range samples {
			for _, y := range samples {
				params := []float64{x, y}[:len(op.Params)]
				attrs, own := graph.Attrs{}, []value{}
				for _, p := range params {
					attrs = append(attrs, graph.NumberValue(p))
					v, err := newEnv(newSizes()).value(attrs[len(attrs)-1])
					if err != nil {
						t.Fatal(err)
					}
					own = append(own, v)
				}
				if got, want := zeroAtZero(op.Name, own), op.KeepsZero(attrs); got != want {
					t.Errorf("%s%v: %v, the operator says %v", op.Name, params, got, want)
				}
			}
		}
	}
}

// TestWindowForms: what package graph writes alike, and only that, is one size here.
func TestWindowForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	symbols := newEnv(newSizes())
	for _, n := range []string{"a", "b"} {
		symbols.sizes[n] = symbols.t.atom(atomVar, n)
	}
	a, b := graph.Var("a"), graph.Var("b")
	alike := 0
	for range 20000 {
		var dims [2]graph.Dim
		var got [2]size
		for i := range dims {
			h := a.Scale(rng.Int64N(3)).Add(b.Scale(rng.Int64N(3))).Add(graph.Int(rng.Int64N(3)))
			k, axis := graph.Int(1+rng.Int64N(3)), rng.IntN(2)
			stride, pad := graph.TupleValue(1+rng.Int64N(3), 1+rng.Int64N(3)), graph.TupleValue(rng.Int64N(2), rng.Int64N(2), rng.Int64N(2), rng.Int64N(2))
			dims[i] = graph.WindowOut(h, k, stride, pad, axis)
			e, err := symbols.value(graph.DimValue(h))
			if err != nil {
				t.Fatal(err)
			}
			// As it is written, without the form that package graph gives it.
			x, _ := e.isSize()
			kernel, _ := k.Const()
			s, err := symbols.value(stride)
			if err != nil {
				t.Fatal(err)
			}
			p, err := symbols.value(pad)
			if err != nil {
				t.Fatal(err)
			}
			if got[i], err = symbols.t.window(x, num(kernel), s, p, axis); err != nil {
				t.Fatal(err)
			}
		}
		if same := dims[0] == dims[1]; same != got[0].equal(got[1]) {
			t.Fatalf("%s and %s are %s and %s", dims[0], dims[1], got[0], got[1])
		} else if same {
			alike++
		}
	}
	if alike < 100 {
		t.Errorf("only %d pairs are alike", alike)
	}
}
