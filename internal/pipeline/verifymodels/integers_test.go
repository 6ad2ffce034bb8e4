package verifymodels

import (
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Weights of integers that are no float64s are not taken for others.
func TestLargeIntegers(t *testing.T) {
	for _, n := range []int64{1<<53 + 1, -1<<53 - 1, 1 << 53} {
		w := model.FromInt64([]int{1}, []int64{n})
		x, err := loadWeight(floats{}, w)
		if exact := n == 1<<53; exact != (err == nil) || exact && x.Data[0] != float64(n) {
			t.Errorf("%d is %v, %v", n, x.Data, err)
		}
	}
	w := model.FromBytes(graph.Uint64, []int{1}, []byte{255, 255, 255, 255, 255, 255, 255, 255})
	if _, err := loadWeight(floats{}, w); err == nil {
		t.Error("2^64-1 is a float64")
	}
}

// Models that divide integers are compared on inputs where that is defined: divisors that
// are fed are not 0, and where no defined input is found the reason is given.
func TestDivisors(t *testing.T) {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, c := range []struct {
		body    string
		defined bool
	}{
		{"z = broadcast[shape=[3]](y)\nq = ewint[fn=quo](x, z)", true},
		{"z = broadcast[shape=[3]](y)\nq = ewint[fn=mod](x, z)", true},
		{"n = neg(y)\nz = broadcast[shape=[3]](n)\nq = ewint[fn=rem](x, z)", true},
		{"z = ewsub(x, x)\nq = ewint[fn=quo](x, z)", false},
	} {
		g, err := graph.ParseText("g", "x : int32[3]\ny : int32[]\n"+c.body+"\nreturn q\n")
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Name: "m", Graph: g}
		for _, backend := range []backends.Backend{nil, b} {
			for seed := range uint64(4) {
				r, err := Run(t.Context(), Options{A: m, B: m, Seed: seed, NoExact: true, Backend: backend})
				if err != nil {
					t.Fatalf("%s: %v", c.body, err)
				}
				// In the reference evaluator what has no value is NaN.
				if defined := r.Numbers.Why == ""; defined != (c.defined || backend == nil) {
					t.Errorf("%s: compared %t: %s", c.body, defined, r.Numbers.Why)
				}
				if r.Verdict == ModelsDiffer {
					t.Errorf("%s: a model differs from itself", c.body)
				}
			}
		}
	}
}
