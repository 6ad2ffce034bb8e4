package network

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/graph/interp"
)

// Results are those of float64 arithmetic to the bit, and exact ones are no farther off
// than is said.
func TestDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
	within := func(what string, got drifted, v float64, want *big.Float) {
		t.Helper()
		if math.Float64bits(got.v) != math.Float64bits(v) {
			t.Errorf("%s: %g, float64 has %g", what, got.v, v)
		}
		if d := new(big.Float).SetPrec(2000).Sub(exact(got.v), want); d.Abs(d).Cmp(exact(got.off)) > 0 {
			t.Errorf("%s: %g is off by %g, said %g", what, got.v, d, got.off)
		}
	}
	var f interp.Float
	var d drift
	for range 2000 {
		n := r.IntN(20)
		x, y := make([]float64, n), make([]float64, n)
		p, q := make([]drifted, n), make([]drifted, n)
		sum, products := exact(0), exact(0)
		total, v := drifted{}, 0.0
		for i := range n {
			x[i] = math.Ldexp(float64(r.IntN(1<<20)-1<<19), r.IntN(80)-40)
			y[i] = math.Ldexp(float64(r.IntN(1<<20)-1<<19), r.IntN(80)-40)
			p[i], q[i] = drifted{v: x[i]}, drifted{v: y[i]}
			total, v = d.Add(total, p[i]), f.Add(v, x[i])
			sum.Add(sum, exact(x[i]))
			products.Add(products, new(big.Float).SetPrec(2000).Mul(exact(x[i]), exact(y[i])))
		}
		within("sum", total, v, sum)
		within("sum of products", d.Dot(p, q), f.Dot(x, y), products)
		if got := d.Dot(append(p, p...), append(q, opposite(q)...)); n == 1 && got != (drifted{}) {
			t.Errorf("a sum less itself is %v", got)
		}
		square := new(big.Float).SetPrec(4000).Mul(sum, sum)
		within("square", d.Mul(total, total), f.Mul(v, v), square)
		for _, name := range []string{"relu", "abs"} {
			if got := d.Fn(name, total); got.off > total.off*slack+math.Abs(v)/(1<<51) || total.off == 0 && got.off != 0 || got.v != f.Fn(name, v) {
				t.Errorf("%s of %v is %v", name, total, got)
			}
		}
		if s, ok := sum.Float64(); ok == big.Exact && s > 0 {
			root := new(big.Float).SetPrec(2000).Sqrt(sum)
			within("root", d.Fn("sqrt", total), f.Fn("sqrt", v), root)
		}
		num, den := int64(r.IntN(1000)-500), int64(1+r.IntN(1000))
		within("quotient", d.Rat(num, den), f.Rat(num, den), new(big.Float).SetPrec(2000).Quo(exact(float64(num)), exact(float64(den))))
	}
}

func opposite(xs []drifted) []drifted {
	out := make([]drifted, len(xs))
	for i, x := range xs {
		out[i].v = -x.v
	}
	return out
}

// Where the limits are: what an element may be off by is compared with itself and with the
// largest one, what its type makes of it with the largest one.
func TestCloseTo(t *testing.T) {
	exact := func(xs []drifted) (ys []float64) {
		for _, x := range xs {
			ys = append(ys, x.v)
		}
		return ys
	}
	for _, c := range []struct {
		name    string
		xs      []drifted
		rounded []float64 // nil: as they are
		close   bool
	}{
		{"exact", []drifted{{v: 1}, {v: 0}}, nil, true},
		{"off by a little of itself", []drifted{{v: 1, off: 1.0 / (1 << 25)}}, nil, true},
		{"off by more of itself", []drifted{{v: 1, off: 1.0 / (1 << 23)}}, nil, false},
		{"off by a little of the largest", []drifted{{v: -1 << 20}, {v: 1, off: 1.0 / (1 << 17)}}, nil, true},
		{"off by more of the largest", []drifted{{v: -1 << 20}, {v: 1, off: 1.0 / (1 << 15)}}, nil, false},
		{"nothing is left", []drifted{{off: 1e-300}}, nil, false},
		{"off by what is not a number", []drifted{{v: 1, off: math.NaN()}}, nil, false},
		{"not a number", []drifted{{v: math.NaN()}}, nil, false},
		{"infinite", []drifted{{v: math.Inf(1), off: math.Inf(1)}}, nil, false},
		{"rounded a little", []drifted{{v: 1}, {v: 1e-9}}, []float64{1 - 1.0/(1<<11), 0}, true},
		{"rounded more", []drifted{{v: 1}, {v: 1e-9}}, []float64{1 - 1.0/(1<<9), 0}, false},
		{"rounded to nothing", []drifted{{v: 1e-60}}, []float64{0}, false},
		{"too large for its type", []drifted{{v: 1e60}}, []float64{math.Inf(1)}, false},
	} {
		if c.rounded == nil {
			c.rounded = exact(c.xs)
		}
		if err := closeTo(c.xs, c.rounded); (err == nil) != c.close || err != nil && !errors.Is(err, ErrRounding) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
