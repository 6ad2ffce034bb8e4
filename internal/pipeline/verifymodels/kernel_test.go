package verifymodels

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
	"pgregory.net/rapid"
)

// reference runs a model in float64.
func reference(ctx context.Context, m *model.Model, in []interp.Tensor[float64]) ([]interp.Tensor[float64], error) {
	return evaluate(ctx, floats{}, m, in, func(graph.NodeID, []interp.Tensor[float64]) {}, func(id graph.NodeID) (interp.Tensor[float64], error) {
		return loadWeight(floats{}, m.Weights[id])
	})
}

// Dot is right at the ends of its range and for every length around its blocks.
func TestDot(t *testing.T) {
	fns := false
	f := residues{fingerprint.Zp{}, newMaxima(0), &fns}
	for n := 0; n <= 130; n++ {
		x := make([]uint64, n)
		y := make([]float64, n)
		sum := new(big.Int)
		for i := range x {
			x[i], y[i] = p-1-uint64(i%2), float64(i)
			v := new(big.Int).SetUint64(x[i])
			sum.Add(sum, v.Mul(v, v))
		}
		want := sum.Mod(sum, big.NewInt(p)).Uint64()
		if got := f.Dot(x, x); got != want {
			t.Fatalf("length %d: %d, want %d", n, got, want)
		}
		if got, want := (floats{}).Dot(y, y), float64((n-1)*n*(2*n-1)/6); got != want {
			t.Fatalf("length %d: %g, want %g", n, got, want)
		}
	}
}

// Numbers keep their sums and products modulo p.
func TestFromFloat(t *testing.T) {
	fns := false
	f := residues{fingerprint.Zp{}, newMaxima(0), &fns}
	image := func(x float64) uint64 {
		v, err := f.fromFloat(x)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		x    float64
		want uint64
	}{
		{0, 0}, {1, 1}, {-1, p - 1}, {0.5, f.Rat(1, 2)}, {-0.375, f.Rat(-3, 8)}, {1 << 20, 1 << 20},
		{math.Ldexp(1, 61), 1}, {math.Ldexp(3, -122), 3}, {math.Ldexp(1, -1074), f.Rat(1, 1<<(1074%61))},
	} {
		if got := image(c.x); got != c.want {
			t.Errorf("%g: %d, want %d", c.x, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		// Halves and quarters, whose sums and products are exact.
		x := float64(rapid.IntRange(-1<<20, 1<<20).Draw(t, "x")) / 4
		y := float64(rapid.IntRange(-1<<20, 1<<20).Draw(t, "y")) / 1024
		if image(x+y) != f.Add(image(x), image(y)) || image(x*y) != f.Mul(image(x), image(y)) {
			t.Fatalf("%g and %g", x, y)
		}
	})
	for _, x := range []float64{math.NaN(), math.Inf(-1)} {
		if _, err := f.fromFloat(x); err == nil {
			t.Errorf("%g has an image", x)
		}
	}
}

func BenchmarkConv(b *testing.B) {
	a := op.Conv2D.MustAttr(map[string]graph.Value{"pad": graph.NameValue(graph.SameLower)})
	sx, sw := []int{1, 32, 28, 28}, []int{32, 32, 3, 3}
	macs := float64(28 * 28 * 32 * 32 * 9)
	b.Run("float64", func(b *testing.B) { benchConv[float64](b, floats{}, a, sx, sw, macs) })
	fns := false
	b.Run("modp", func(b *testing.B) {
		benchConv[uint64](b, residues{fingerprint.Zp{}, newMaxima(0), &fns}, a, sx, sw, macs)
	})
}

func benchConv[T any](b *testing.B, f field[T], a graph.Attrs, sx, sw []int, macs float64) {
	draw := func(sizes []int) interp.Tensor[T] {
		x := interp.Tensor[T]{Sizes: sizes, Data: make([]T, graph.NumElements(sizes))}
		for i := range x.Data {
			x.Data[i] = f.fromInt(int64(i*i%1009 - 500))
		}
		return x
	}
	x, w := draw(sx), draw(sw)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := interp.Apply[T](f, op.Conv2D, a, []interp.Tensor[T]{x, w}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(macs*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
}

// The maximum of exact arithmetic has the laws of maxima, and depends on every
// element.
func TestMaxima(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaxima(rapid.Uint64().Draw(t, "key"))
		xs := rapid.SliceOfN(rapid.Uint64Range(0, 20), 1, 12).Draw(t, "xs")
		all := m.of(xs)
		cut := rapid.IntRange(0, len(xs)-1).Draw(t, "cut")
		parts := slices.Clone(xs[cut:])
		if cut > 0 {
			parts = append(parts, m.of(xs[:cut]), m.of(xs[:cut]))
		}
		slices.Reverse(parts)
		if got := m.of(parts); got != all {
			t.Fatalf("maximum of %v is %d, in parts %d", xs, all, got)
		}
		other := slices.Clone(xs)
		other[cut] = 99
		if m.of(other) == all {
			t.Fatalf("the maximum of %v does not depend on element %d", xs, cut)
		}
	})
}

// A maximum of a maximum and of the same negated depends on its elements: a number and
// what it is taken off of must not cancel in the hash.
func TestMaximaNegated(t *testing.T) {
	m := newMaxima(7)
	seen := map[uint64]uint64{}
	for i := range uint64(2000) {
		x := m.of([]uint64{fingerprint.Mix(2*i) % p, fingerprint.Mix(2*i+1) % p})
		y := m.of([]uint64{x, (p - x) % p})
		if j, ok := seen[y]; ok {
			t.Fatalf("pairs %d and %d have one number", i, j)
		}
		seen[y] = i
	}
}

// Models that differ there are not equal.
func TestMaximaOfOthers(t *testing.T) {
	other := func(y string) *model.Model {
		g, err := graph.ParseText("model", "x : float32[1]\ny : float32[1]\nz : float32[1]\na = ewmax(x, "+y+")\nb = neg(a)\nc = ewmax(a, b)\nreturn c")
		if err != nil {
			t.Fatal(err)
		}
		return &model.Model{Graph: g}
	}
	for seed := range uint64(200) {
		rep, err := Run(context.Background(), Options{A: other("y"), B: other("z"), Seed: seed, NoNumbers: true})
		if err != nil || rep.Exact.Verdict == Equal {
			t.Fatalf("seed %d: %v, %v", seed, rep.Exact.Verdict, err)
		}
	}
}

// Gather reads rows at positions of rows, as it does in floating point; elsewhere it
// reads all rows where the field has weights for them.
func TestGather(t *testing.T) {
	fns := false
	f := residues{fingerprint.Zp{}, newMaxima(0), &fns}
	rapid.Check(t, func(t *rapid.T) {
		sx := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(t, "sizes")
		axis := rapid.IntRange(0, len(sx)-1).Draw(t, "axis")
		si := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, "positions")
		x := interp.Tensor[uint64]{Sizes: sx, Data: make([]uint64, graph.NumElements(sx))}
		for i := range x.Data {
			x.Data[i] = uint64(1000 + i)
		}
		idx := interp.Tensor[uint64]{Sizes: si, Data: make([]uint64, graph.NumElements(si))}
		places := interp.Tensor[float64]{Sizes: si, Data: make([]float64, len(idx.Data))}
		for i := range idx.Data {
			at := rapid.IntRange(-sx[axis], sx[axis]-1).Draw(t, "at")
			idx.Data[i], places.Data[i] = f.fromInt(int64(at)), float64(at)
		}
		a := op.Gather.MustAttr(map[string]graph.Value{"axis": graph.IntValue(int64(axis))})
		in := []interp.Tensor[uint64]{x, idx}
		numbers := interp.Tensor[float64]{Sizes: sx, Data: make([]float64, len(x.Data))}
		for i, v := range x.Data {
			numbers.Data[i] = float64(v)
		}
		want, err := interp.Apply(interp.Float{}, op.Gather, a, []interp.Tensor[float64]{numbers, places})
		if err != nil {
			t.Fatal(err)
		}
		got, err := interp.Apply[uint64](f, op.Gather, a, in)
		if err != nil || !slices.EqualFunc(got[0].Data, want[0].Data, func(x uint64, y float64) bool { return float64(x) == y }) {
			t.Fatalf("got %v, want %v, %v", got, want, err)
		}
		for i := range idx.Data {
			idx.Data[i] = 1 << 60
		}
		was, err := interp.Apply[uint64](f, op.Gather, a, in)
		if err != nil {
			t.Fatal(err)
		}
		x.Data[rapid.IntRange(0, len(x.Data)-1).Draw(t, "changed")]++
		now, err := interp.Apply[uint64](f, op.Gather, a, in)
		if err != nil || slices.Equal(was[0].Data, now[0].Data) {
			t.Fatalf("an element is not read: %v, %v", now, err)
		}
	})
}
