package interp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

type tensor = interp.Tensor[float64]

// ramp is 1, -2, 3, -4, ...
func ramp(sizes ...int) tensor {
	t := tensor{Sizes: sizes, Data: make([]float64, graph.NumElements(sizes))}
	for i := range t.Data {
		t.Data[i] = float64((i + 1) * (1 - 2*(i%2)))
	}
	return t
}

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRunGather(t *testing.T) {
	m := &graph.Program{
		Steps: []graph.Step{
			{Kind: graph.StepGather, N: 6, X: 0, Y: 1, More: []graph.Operand{2, -2}, Num: 1, Den: 2,
				A: []int32{1, 0, 0, -1, -2, 0}, Src: []int8{0, 1, 2, 0, 1, 2}},
		},
		Outs: []int{0},
	}
	got := interp.Run(interp.Float{}, m, [][]float64{{1, 2}, {3}, {4}})[0]
	if want := []float64{2, 3, 4, 0, 0.5, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRunScales(t *testing.T) {
	start := []int32{0, 2, 3}
	m := &graph.Program{
		Steps: []graph.Step{
			{Kind: graph.StepSumProd, N: 2, X: 0, Y: 1, Start: start, A: []int32{0, 1, 2}, B: []int32{2, 1, 0}, Num: 1, Den: 2},
			{Kind: graph.StepSum, N: 2, X: 0, Start: start, A: []int32{0, 1, 2}, Num: 3, Den: 1},
			{Kind: graph.StepMax, N: 2, X: 0, Start: start, A: []int32{0, 1, 2}},
			{Kind: graph.StepMul, N: 2, X: -1, Y: -2},
		},
		Outs: []int{0, 1, 2, 3},
	}
	got := interp.Run(interp.Float{}, m, [][]float64{{1, 2, 3}, {4, 5, 6}})
	for i, want := range [][]float64{{8, 6}, {9, 9}, {2, 3}, {72, 54}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("step %d: got %v, want %v", i, got[i], want)
		}
	}
}

// listed is arithmetic whose sums of products are evaluated from lists.
type listed struct{ interp.Ring[float64] }

func TestApplyErrors(t *testing.T) {
	x := ramp(2, 3)
	valid := op.Conv2D.MustAttr(map[string]graph.Value{"pad": graph.VarValue("p", graph.SortPadding)})
	for _, c := range []struct {
		op   *graph.Op
		a    graph.Attrs
		in   []tensor
		want string
	}{
		{op.MatMul, nil, []tensor{x, x}, "operator matmul: shapes [2, 3] and [2, 3]: inner sizes differ: size 3 is not 2"},
		{op.Relu, nil, []tensor{{Sizes: []int{2, 3}, Data: x.Data[:5]}}, "operator relu: operand 0: sizes [2 3] hold 6 elements, not 5"},
		{op.Relu, nil, []tensor{{Sizes: []int{-1}}}, "operator relu: operand 0: sizes [-1]: -1 is less than 0"},
		{op.Conv2D, valid, []tensor{ramp(1, 1, 3, 3), ramp(1, 1, 2, 2)},
			"operator conv2d: not decided: 1 <= window(3,2,(1, 1),p,0) and 1 <= window(3,2,(1, 1),p,1)"},
		{op.Conv2D, valid, []tensor{ramp(1, 1, 3, 3), ramp(1, 1, 1, 1)}, "operator conv2d: not decided: 1 <= window(3,1,(1, 1),p,0) and 1 <= window(3,1,(1, 1),p,1)"},
		{op.IMatMul, graph.Attrs{graph.IntValue(1 << 20)}, nil, "operator imatmul: output 0 of shape [1048576 1048576] has 1099511627776 elements, at most 268435456 are interpreted"},
		{op.MatMul, nil, []tensor{{Sizes: []int{1 << 14, 1}, Data: make([]float64, 1<<14)}, {Sizes: []int{1, 1 << 14}, Data: make([]float64, 1<<14)}},
			"operator matmul: 536870912 operations are too many to interpret"},
	} {
		if _, err := interp.Apply(listed{interp.Float{}}, c.op, c.a, c.in); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

const block = `x : float32[2, 3]
w : float32[3, 4]
y = matmul(x, w)
z = split[axis=1, at=1](y)
dead = imatmul[n=1000000]()
r = relu(z.1)
q = concat[axis=1](r, z.0)
return q, y, x
`

// EvalGraph is one application after the other.
func TestEvalGraph(t *testing.T) {
	x, w := ramp(2, 3), ramp(3, 4)
	got, err := interp.EvalGraph(context.Background(), interp.Float{}, parse(t, block), []tensor{x, w})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(o *graph.Op, a map[string]graph.Value, in ...tensor) []tensor {
		out, err := interp.Apply(interp.Float{}, o, o.MustAttr(a), in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	y := apply(op.MatMul, nil, x, w)[0]
	z := apply(op.Split, map[string]graph.Value{"axis": graph.IntValue(1), "at": graph.IntValue(1)}, y)
	r := apply(op.Relu, nil, z[1])[0]
	q := apply(op.Concat, map[string]graph.Value{"axis": graph.IntValue(1)}, r, z[0])[0]
	for i, want := range []tensor{q, y, x} {
		if !slices.Equal(got[i].Sizes, want.Sizes) || !slices.Equal(got[i].Data, want.Data) {
			t.Errorf("output %d: got %v, want %v", i, got[i], want)
		}
	}
}

func TestEvalGraphErrors(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	g := parse(t, block)
	good := []tensor{ramp(2, 3), ramp(3, 4)}
	for _, c := range []struct {
		ctx  context.Context
		in   []tensor
		want string
	}{
		{context.Background(), good[:1], "evaluate graph: 1 inputs, want 2"},
		{context.Background(), []tensor{good[1], good[1]}, "evaluate graph: input x has sizes [3 4], want [2 3]"},
		{context.Background(), []tensor{good[0], {Sizes: []int{3, 4}}}, "evaluate graph: input w: sizes [3 4] hold 12 elements, not 0"},
		{ctx, good, "evaluate graph: context canceled"},
	} {
		if _, err := interp.EvalGraph(c.ctx, interp.Float{}, g, c.in); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := interp.EvalGraph(ctx, interp.Float{}, g, good); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	big := parse(t, strings.Replace(block, "return q", "return dead, q", 1))
	_, err := interp.EvalGraph(context.Background(), interp.Float{}, big, good)
	if err == nil || err.Error() != "evaluate graph: node dead: operator imatmul: output 0 of shape [1000000 1000000] has 1000000000000 elements, at most 268435456 are interpreted" {
		t.Errorf("got %v", err)
	}
}

// Over the rationals a graph computes what it computes over floating point,
// as long as all numbers are exact in both.
func TestRingsAgree(t *testing.T) {
	g := parse(t, `x : float32[1, 2, 4, 5]
w : float32[2, 1, 3, 2]
s : float32[]
c = conv2d[stride=(2, 1), pad=same_lower, groups=2, act=relu](x, w)
a = poolavg[kh=2, kw=2, pad=same_upper](c)
m = poolmax[kh=2, kw=2, pad=(1, 0, 0, 1)](a)
t = transpose[perm=(0, 1, 3, 2)](m)
u = smul(t, s)
return a, u
`)
	rapid.Check(t, func(t *rapid.T) {
		var fs []tensor
		var qs []interp.Tensor[interp.Q]
		for _, id := range g.Inputs() {
			sizes := g.Sizes(id.Out(0))
			n := graph.NumElements(sizes)
			ints := rapid.SliceOfN(rapid.Int64Range(-9, 9), n, n).Draw(t, g.Name(id))
			f, q := tensor{Sizes: sizes}, interp.Tensor[interp.Q]{Sizes: sizes}
			for _, x := range ints {
				f.Data, q.Data = append(f.Data, float64(x)), append(q.Data, interp.Q{Num: x, Den: 1})
			}
			fs, qs = append(fs, f), append(qs, q)
		}
		fo, err1 := interp.EvalGraph(context.Background(), interp.Float{}, g, fs)
		qo, err2 := interp.EvalGraph(context.Background(), interp.Rational{}, g, qs)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range fo {
			for j, q := range qo[i].Data {
				if q.IsBad() || float64(q.Num)/float64(q.Den) != fo[i].Data[j] {
					t.Fatalf("output %d, element %d: %v and %g", i, j, q, fo[i].Data[j])
				}
			}
		}
	})
}

func BenchmarkApply(b *testing.B) {
	conv := op.Conv2D.MustAttr(map[string]graph.Value{"pad": graph.NameValue(graph.SameUpper)})
	for _, c := range []struct {
		name string
		op   *graph.Op
		a    graph.Attrs
		in   []tensor
	}{
		{"matmul32", op.MatMul, nil, []tensor{ramp(32, 32), ramp(32, 32)}},
		{"conv3x3", op.Conv2D, conv, []tensor{ramp(1, 8, 14, 14), ramp(8, 8, 3, 3)}},
		{"transpose64", op.Transpose, op.Transpose.MustAttr(nil), []tensor{ramp(64, 64)}},
		{"ewadd4096", op.EWAdd, nil, []tensor{ramp(4096), ramp(4096)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				if _, err := interp.Apply(interp.Float{}, c.op, c.a, c.in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRun evaluates a program that was made once, as fingerprints do.
func BenchmarkRun(b *testing.B) {
	sizes := []int{8, 8}
	m, err := op.MatMul.Program(nil, [][]int{sizes, sizes}, [][]int{sizes})
	if err != nil {
		b.Fatal(err)
	}
	x := ramp(8, 8).Data
	b.Run("float64", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			interp.Run(interp.Float{}, m, [][]float64{x, x})
		}
	})
	q := make([]interp.Q, len(x))
	for i := range q {
		q[i] = interp.Q{Num: int64(x[i]), Den: 1}
	}
	b.Run("rational", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			interp.Run(interp.Rational{}, m, [][]interp.Q{q, q})
		}
	})
}
