package fingerprint

import (
	"maps"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

func TestMulModAgainstBig(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	p := new(big.Int).SetUint64(P)
	for i := 0; i < 20000; i++ {
		a, b := rng.Uint64()%P, rng.Uint64()%P
		if i < 4 {
			a, b = P-1, P-uint64(i)-1
		}
		want := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		if want.Mod(want, p).Uint64() != MulMod(a, b) {
			t.Fatalf("%d*%d = %d, want %s", a, b, MulMod(a, b), want)
		}
	}
	for i := 0; i < 100; i++ {
		if a := rng.Uint64()%(P-1) + 1; MulMod(a, InvMod(a)) != 1 {
			t.Fatalf("inverse of %d", a)
		}
	}
}

// applications used by the agreement test and the benchmarks.
func applications() []struct {
	name  string
	op    *graph.Op
	attrs map[string]graph.Value
	in    [][]int
} {
	type m = map[string]graph.Value
	name := graph.NameValue
	num := graph.IntValue[int64]
	return []struct {
		name  string
		op    *graph.Op
		attrs map[string]graph.Value
		in    [][]int
	}{
		{"matmul", op.MatMul, m{}, [][]int{{2, 3}, {3, 5}}},
		{"matmul-batch", op.MatMul, m{}, [][]int{{2, 4, 3}, {2, 3, 5}}},
		{"ewadd", op.EWAdd, m{}, [][]int{{2, 3, 4}, {2, 3, 4}}},
		{"ewmul", op.EWMul, m{}, [][]int{{2, 3}, {2, 3}}},
		{"smul", op.SMul, m{}, [][]int{{2, 3}, {}}},
		{"relu", op.Relu, m{}, [][]int{{4, 3}}},
		{"conv", op.Conv2D, m{"pad": name("same_upper"), "stride": graph.TupleValue(2, 1), "act": name("relu")}, [][]int{{2, 3, 5, 4}, {4, 3, 3, 2}}},
		{"conv-groups", op.Conv2D, m{"pad": name("valid"), "groups": num(2)}, [][]int{{1, 4, 5, 5}, {6, 2, 3, 3}}},
		{"conv-deep", op.Conv2D, m{"pad": name("same_lower")}, [][]int{{1, 16, 4, 4}, {2, 16, 3, 3}}},
		{"conv-explicit", op.Conv2D, m{"pad": graph.TupleValue(1, 0, 0, 1)}, [][]int{{1, 2, 3, 3}, {2, 2, 2, 2}}},
		{"poolmax", op.PoolMax, m{"kh": num(3), "kw": num(2), "pad": name("same_lower"), "stride": graph.TupleValue(2, 2)}, [][]int{{1, 2, 5, 4}}},
		{"poolavg", op.PoolAvg, m{"kh": num(3), "kw": num(2), "pad": name("same_upper")}, [][]int{{1, 2, 5, 4}}},
		{"poolavg-excluded", op.PoolAvg, m{"kh": num(3), "kw": num(3), "pad": name("same_upper"), "border": name("excluded")}, [][]int{{1, 2, 5, 4}}},
		{"concat", op.Concat, m{"axis": num(1)}, [][]int{{2, 3, 2}, {2, 2, 2}}},
		{"slice", op.Slice, m{"axis": num(1), "lo": num(1), "hi": num(3)}, [][]int{{2, 4, 2}}},
		{"split", op.Split, m{"axis": num(0), "at": num(1)}, [][]int{{3, 2}}},
		{"transpose", op.Transpose, m{"perm": graph.TupleValue(2, 0, 1)}, [][]int{{2, 3, 4}}},
		{"enlarge", op.Enlarge, m{"kh": num(3), "kw": num(4)}, [][]int{{2, 2, 1, 3}}},
		{"iconv", op.IConv, m{"c": num(2), "kh": num(3), "kw": num(2)}, nil},
		{"imatmul", op.IMatMul, m{"n": num(3)}, nil},
		{"one", op.One, m{"shape": graph.ShapeValue(graph.Sizes(2, 3))}, nil},
		{"cpool", op.CPool, m{"c": num(2), "kh": num(3), "kw": num(3)}, nil},
		{"partition", op.Partition, m{"axis": num(1), "on": num(2)}, [][]int{{3, 4}}},
		{"combine", op.Combine, m{"axis": num(1)}, [][]int{{2, 3, 2}}},
		{"replicate", op.Replicate, m{"on": num(2)}, [][]int{{3, 2}}},
		{"reduce", op.Reduce, m{}, [][]int{{3, 2}}},
		{"lift", op.Lift, m{"on": num(3)}, [][]int{{2}}},
		{"drop", op.Drop, m{}, [][]int{{3, 2}}},
		{"halo", op.Halo, m{"axis": num(0), "before": num(1), "after": num(2)}, [][]int{{3, 2, 2}}},
	}
}

// onFamilies are these applied to each member of families, and to 2 by 3 of them.
func onFamilies() (out []struct {
	name  string
	op    *graph.Op
	attrs map[string]graph.Value
	in    [][]int
}) {
	for _, a := range applications() {
		for _, mesh := range [][]int{{}, {2}, {2, 3}} {
			b := a
			b.op, b.attrs, b.in = a.op.Each(), maps.Clone(a.attrs), nil
			if b.op != a.op {
				b.attrs["over"] = graph.ShapeValue(graph.Sizes(mesh...))
			}
			for _, x := range a.in {
				b.in = append(b.in, slices.Concat(mesh, x))
			}
			out = append(out, b)
		}
	}
	return out
}

// The fast kernels compute what the interpreter computes.
func TestKernelsAgreeWithInterpreter(t *testing.T) {
	z := Zp{Key: 7}
	for _, a := range slices.Concat(applications(), onFamilies()) {
		attrs := a.op.MustAttr(a.attrs)
		var in []interp.Tensor[uint64]
		var data [][]uint64
		for i, s := range a.in {
			d := Random(3, a.name+string(rune('a'+i)), graph.NumElements(s))
			in = append(in, interp.Tensor[uint64]{Sizes: s, Data: d})
			data = append(data, d)
		}
		want, err := interp.Apply[uint64](z, a.op, attrs, in)
		if err != nil {
			t.Errorf("%s: %v", a.name, err)
			continue
		}
		outs := make([][]int, len(want))
		for i := range want {
			outs[i] = want[i].Sizes
		}
		m, err := a.op.Program(attrs, a.in, outs)
		if err != nil {
			t.Fatal(err)
		}
		k := z.Compile(m)
		got := k.Run(data...)
		for i := range want {
			into := make([]uint64, k.Len(i))
			k.Into(into, i, data...)
			for j := range want[i].Data {
				if got[i][j] != want[i].Data[j] || into[j] != got[i][j] {
					t.Fatalf("%s: output %d element %d: kernel %d and %d, interpreter %d", a.name, i, j, got[i][j], into[j], want[i].Data[j])
				}
			}
		}
	}
}

func TestSumSeparates(t *testing.T) {
	d := []uint64{1, 2, 3, 4, 5, 6}
	if Sum([]int{2, 3}, d) == Sum([]int{3, 2}, d) {
		t.Error("shape is not part of the hash")
	}
	e := []uint64{1, 2, 3, 4, 6, 5}
	if a, b := Sum([]int{6}, d), Sum([]int{6}, e); a[0] == b[0] || a[1] == b[1] {
		t.Error("order of elements is not part of the hash")
	}
}

func BenchmarkEval(b *testing.B) {
	z := Zp{Key: 7}
	for _, a := range applications() {
		attrs := a.op.MustAttr(a.attrs)
		var shapes []graph.Shape
		var data [][]uint64
		for i, s := range a.in {
			shapes = append(shapes, graph.Sizes(s...))
			data = append(data, Random(3, a.name+string(rune('a'+i)), graph.NumElements(s)))
		}
		var f graph.Unifier
		outs, err := a.op.InferShapes(&f, attrs, shapes)
		if err != nil {
			b.Fatal(err)
		}
		sizes := make([][]int, len(outs))
		for i := range outs {
			sizes[i], _ = outs[i].Concrete()
		}
		m, err := a.op.Program(attrs, a.in, sizes)
		if err != nil {
			b.Fatal(err)
		}
		k := z.Compile(m)
		dst := make([]uint64, k.Len(0))
		b.Run(a.name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				k.Into(dst, 0, data...)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/element")
		})
	}
}

func BenchmarkSum(b *testing.B) {
	d := Random(1, "x", 240)
	b.SetBytes(8 * 240)
	for i := 0; i < b.N; i++ {
		Sum([]int{2, 3, 40}, d)
	}
}
