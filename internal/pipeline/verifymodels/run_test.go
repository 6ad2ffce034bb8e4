package verifymodels_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

// parse makes a model of a graph's text. A weight of n elements is 1/2, 2/2,
// 3/2, ... if given is nil.
func parse(t testing.TB, name, text string, given map[string][]float32) *model.Model {
	t.Helper()
	g, err := graph.ParseText(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Name: name, Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if !g.IsWeight(id) {
			continue
		}
		sizes := g.Sizes(id.Out(0))
		data := given[g.Name(id)]
		for i := len(data); i < graph.NumElements(sizes); i++ {
			data = append(data, float32(i+1)/2)
		}
		m.Weights[id] = model.FromFloat32(sizes, data)
	}
	return m
}

const (
	apart = `x : float32[2, 3]
w : weight float32[3, 2]
v : weight float32[3, 2]
a = matmul(x, w)
b = matmul(x, v)
y = concat[axis=1](a, b)
return y`
	merged = `x : float32[2, 3]
u : weight float32[3, 4]
y = matmul(x, u)
return y`
	once  = "x : float32[4]\ny = relu(x)\nreturn y"
	twice = "x : float32[4]\nz = relu(x)\ny = relu(z)\nreturn y"
	swap  = `v : float32[4]
u : float32[4]
y = ewmul(v, u)
z = ewadd(y, v)
return z, y`
	swapped = `u : float32[4]
v : float32[4]
one = ewmul(u, v)
two = ewadd(v, one)
return two, one`
)

func TestRun(t *testing.T) {
	w, v := []float32{1, 2, 3, 4, 5, 6}, []float32{-1, -2, -3, -4, -5, 0.5}
	u := []float32{1, 2, -1, -2, 3, 4, -3, -4, 5, 6, -5, 0.5}
	near := append([]float32{}, u...)
	near[0] = math.Nextafter32(1, 2)
	far := append([]float32{}, u...)
	far[11] = 0.75
	a := parse(t, "apart", apart, map[string][]float32{"w": w, "v": v})
	for _, c := range []struct {
		name    string
		a, b    *model.Model
		o       verifymodels.Options
		verdict verifymodels.Verdict
		why     string
		agree   bool
	}{
		{"two products are one", a, parse(t, "merged", merged, map[string][]float32{"u": u}), verifymodels.Options{},
			verifymodels.Equal, "", true},
		{"a rounded weight", a, parse(t, "merged", merged, map[string][]float32{"u": near}), verifymodels.Options{},
			verifymodels.Different, "only sums and products occur", true},
		{"a wrong weight", a, parse(t, "merged", merged, map[string][]float32{"u": far}), verifymodels.Options{Runs: 3},
			verifymodels.Different, "only sums and products occur", false},
		{"a wrong weight and a wide tolerance", a, parse(t, "merged", merged, map[string][]float32{"u": far}),
			verifymodels.Options{Tolerance: 1}, verifymodels.Different, "only sums and products occur", true},
		{"a law of relu", parse(t, "once", once, nil), parse(t, "twice", twice, nil), verifymodels.Options{Runs: 2},
			verifymodels.Undecided, "special properties of these functions were not used: relu", true},
		{"inputs in another order", parse(t, "swap", swap, nil), parse(t, "swapped", swapped, nil), verifymodels.Options{Seed: 5},
			verifymodels.Equal, "", true},
		{"exact only", a, parse(t, "merged", merged, map[string][]float32{"u": u}), verifymodels.Options{NoNumbers: true},
			verifymodels.Equal, "", true},
		{"numbers only", a, parse(t, "merged", merged, map[string][]float32{"u": u}), verifymodels.Options{NoExact: true},
			verifymodels.NotRun, "not requested", true},
		{"nothing", a, parse(t, "merged", merged, nil), verifymodels.Options{NoExact: true, NoNumbers: true}, verifymodels.NotRun, "not requested", false},
		{"the same, and too much to run", a, a, verifymodels.Options{MaxFLOPs: 10}, verifymodels.Equal, "", true},
		{"too much", a, parse(t, "merged", merged, map[string][]float32{"u": u}), verifymodels.Options{MaxFLOPs: 10},
			verifymodels.NotRun, "56 FLOP are more than the limit of 10", false},
		{"no number", parse(t, "nan", merged, map[string][]float32{"u": {float32(math.NaN())}}),
			parse(t, "nan", merged, map[string][]float32{"u": {float32(math.NaN()), 9}}), verifymodels.Options{},
			verifymodels.Undecided, "special properties of these functions were not used: infinite numbers", false},
		{"a number and no number", parse(t, "nan", merged, map[string][]float32{"u": {float32(math.NaN())}}),
			parse(t, "merged", merged, nil), verifymodels.Options{NoExact: true}, verifymodels.NotRun, "not requested", false},
	} {
		c.o.A, c.o.B = c.a, c.b
		r, err := verifymodels.Run(context.Background(), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Exact.Verdict != c.verdict || r.Exact.Why != c.why || r.Agree != c.agree {
			t.Errorf("%s: %s (%s), agree %t\n%s", c.name, r.Exact.Verdict, r.Exact.Why, r.Agree, r)
		}
	}
}

// Models with the same weights may be equal for all weights, or only for these.
func TestAnyWeights(t *testing.T) {
	const head = "x : float32[2, 2]\nw : weight float32[2, 2]\nv : weight float32[2, 2]\n"
	apart := head + "a = matmul(x, w)\nb = matmul(x, v)\ny = ewadd(a, b)\nreturn y"
	together := head + "s = ewadd(v, w)\ny = matmul(x, s)\nreturn y"
	double := head + "s = ewadd(w, w)\ny = matmul(x, s)\nreturn y"
	other := map[string][]float32{"w": {1, 2, 3, 5}}
	for _, c := range []struct {
		name    string
		a, b    string
		wa, wb  map[string][]float32
		verdict verifymodels.Verdict
		any     bool
	}{
		{"for all weights", apart, together, nil, nil, verifymodels.Equal, true},
		{"because both weights are one", apart, double, nil, nil, verifymodels.Equal, false},
		{"not with others", apart, double, other, other, verifymodels.Different, false},
		{"other weights in the second", apart, together, nil, other, verifymodels.Different, false},
		{"the same graph with other weights", apart, apart, nil, other, verifymodels.Different, false},
	} {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{
			A: parse(t, "a", c.a, c.wa), B: parse(t, "b", c.b, c.wb), Runs: 2})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Exact.Verdict != c.verdict || r.Exact.AnyWeights != c.any || r.Agree != (c.verdict == verifymodels.Equal) ||
			strings.Contains(r.String(), "for any weights") != c.any {
			t.Errorf("%s: %s", c.name, r)
		}
	}
}

// The deviation that is reported is that of the element that was changed.
func TestDeviation(t *testing.T) {
	text := "x : float32[2]\nw : weight float32[2]\nzero = ewmul(x, w)\ny = ewadd(zero, w)\nreturn y, x"
	a := parse(t, "a", text, map[string][]float32{"w": {1, 8}})
	b := parse(t, "b", text, map[string][]float32{"w": {1, 8.5}})
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	y, x := r.Numbers.Outputs[0], r.Numbers.Outputs[1]
	if !reflect.DeepEqual(y.At, []int{1}) || math.Abs(y.B/y.A-8.5/8) > 1e-9 || y.Absolute != y.B-y.A ||
		y.Largest != y.B || y.Relative != y.Absolute/y.B || y.NameA != "y" {
		t.Errorf("got %+v", y)
	}
	if x.Absolute != 0 || x.Relative != 0 || x.At != nil || x.Largest == 0 || x.Largest > 1 {
		t.Errorf("got %+v", x)
	}
	if r.Agree || r.Exact.Output != "y" {
		t.Errorf("agree %t at %s", r.Agree, r.Exact.Output)
	}
	text = r.String()
	for _, want := range []string{"exact, modulo 2^61 - 1: different at output y", "y: DIFFERS, largest deviation", "x: agrees", "differ: their weights differ\n", "random inputs: 1, seed 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back verifymodels.Report
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(&back, r) {
		t.Errorf("JSON %s reads back as %+v, %v", raw, back, err)
	}
}

// fake is a backend that is the interpreter, with results rounded to float32
// and shifted.
type fake struct {
	backends.Backend
	shift  float32
	closed *int
}

type plan struct {
	backends.Plan
	fake
	m *model.Model
}

func (fake) Info() backends.Info { return backends.Info{Name: "fake", Version: "1", Device: "none"} }

func (f fake) Compile(_ context.Context, m *model.Model, _ backends.CompileOptions) (backends.Plan, error) {
	if m.Graph.Len() == 1 {
		return nil, errors.New("nothing to do")
	}
	return plan{fake: f, m: m}, nil
}

func (p plan) Close() error { *p.closed++; return nil }

func (p plan) Run(ctx context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	args := make([]interp.Tensor[float64], len(in))
	for i, t := range in {
		args[i].Sizes = t.Sizes
		for _, x := range t.F32 {
			args[i].Data = append(args[i].Data, float64(x))
		}
	}
	res, err := interp.EvalGraph(ctx, interp.Float{}, p.m.Graph, args)
	if err != nil {
		return nil, err
	}
	out := make([]backends.Tensor, len(res))
	for i, t := range res {
		out[i] = backends.Float32s(make([]float32, len(t.Data)), t.Sizes...)
		for j, x := range t.Data {
			out[i].F32[j] = float32(x) + p.shift
		}
		p.shift = 0
	}
	return out, nil
}

func TestBackend(t *testing.T) {
	a, b := parse(t, "a", swap, nil), parse(t, "b", swapped, nil)
	closed := 0
	for _, shift := range []float32{0, 1} {
		o := verifymodels.Options{A: a, B: b, NoExact: true, Backend: fake{shift: shift, closed: &closed}}
		r, err := verifymodels.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Numbers.By != "float32, fake 1 on none" || len(r.Numbers.Outputs) != 2 || !r.Agree {
			t.Errorf("shift %g: %s", shift, r)
		}
		if x := r.Numbers.Outputs[0]; x.Largest < 1 && shift == 1 {
			t.Errorf("the backend's result is not used: %+v", x)
		}
	}
	if closed != 4 {
		t.Errorf("%d of 4 plans are closed", closed)
	}
	empty := parse(t, "empty", "x : float32[1]\nreturn x", nil)
	_, err := verifymodels.Run(context.Background(), verifymodels.Options{A: empty, B: empty, Backend: fake{closed: &closed}})
	if err == nil || err.Error() != "verify models empty and empty: run empty: compile: nothing to do" {
		t.Errorf("got %v", err)
	}
}

func TestErrors(t *testing.T) {
	m := parse(t, "m", once, nil)
	for _, c := range []struct {
		a, b *model.Model
		want string
	}{
		{m, nil, "verify models: two models are needed"},
		{m, &model.Model{Name: "b"}, "verify models: model b: no graph"},
		{m, parse(t, "b", strings.ReplaceAll(once, "4", "5"), nil),
			"verify models m and b: input x is float32[4], input x of the other is float32[5]"},
		{m, parse(t, "b", swap, nil), "verify models m and b: the models have 1 and 2 inputs"},
		{m, parse(t, "b", once+", x", nil), "verify models m and b: the models have 1 and 2 outputs"},
		{m, parse(t, "b", "q : float32[4]\ny = concat[axis=0](q, q)\nreturn y", nil),
			"verify models m and b: output 0 is float32[4] in one model and float32[8] in the other"},
	} {
		if _, err := verifymodels.Run(context.Background(), verifymodels.Options{A: c.a, B: c.b}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := verifymodels.Run(ctx, verifymodels.Options{A: m, B: m}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// What is undecided says which functions were not the true ones: those of which
// the field has no exact form.
func TestWhyUndecided(t *testing.T) {
	a := parse(t, "a", "x : float32[1, 1, 4, 4]\nr = sigmoid(x)\nn = neg(r)\nm = poolmax[kh=2, kw=2, stride=(2, 2), pad=valid](n)\nq = reciprocal(m)\ny = relu(q)\nreturn y", nil)
	b := parse(t, "b", "x : float32[1, 1, 4, 4]\nr = sigmoid(x)\nn = neg(r)\nm = poolmax[kh=2, kw=2, stride=(2, 2), pad=valid](n)\nq = reciprocal(m)\ns = relu(q)\ny = relu(s)\nreturn y", nil)
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b, NoNumbers: true})
	if err != nil {
		t.Fatal(err)
	}
	want := "special properties of these functions were not used: maximum, relu, sigmoid"
	if r.Exact.Verdict != verifymodels.Undecided || r.Exact.Why != want {
		t.Errorf("got %s (%s), want %s", r.Exact.Verdict, r.Exact.Why, want)
	}
}
