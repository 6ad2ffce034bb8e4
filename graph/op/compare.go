package op

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Comparisons of two elements, the choice between two, and powers. Of real numbers a
// comparison is one of their difference with 0; arithmetic compares the numbers
// themselves, so that infinite ones are equal, and what is not a number is neither less,
// nor equal, nor more.

// compared declares a comparison; is what it is of real numbers, and c in C. Of integers it
// is a function of their order: -1, 0 or 1.
func compared(name, doc string, is func(x, y *graph.Expr) *graph.Expr, c string, float func(x, y float64) bool, order func(int) bool) *graph.Op {
	f := ordered(name, order)
	f.C, f.CInt = c, c
	f.Float = func(a []float64) float64 { return indicator(float(a[0], a[1])) }
	return binary(name, doc, func(_ *graph.Space, x, y *graph.Expr) *graph.Expr {
		return graph.EntryDirect(is(x, y), f, x, y)
	}, func(*graph.Backward, graph.Tensor, graph.Tensor, graph.Tensor, graph.Tensor) []graph.Tensor {
		return []graph.Tensor{{}, {}}
	})
}

// ordered is a function of the order of two integers.
func ordered(name string, holds func(order int) bool) *graph.Several {
	return &graph.Several{Name: name,
		Int:  func(a []int64) (int64, bool) { return int64(indicator(holds(cmp.Compare(a[0], a[1])))), true },
		Uint: func(a []uint64) (uint64, bool) { return uint64(indicator(holds(cmp.Compare(a[0], a[1])))), true },
	}
}

// exceeds is 1 where x is more than y, which are real.
func exceeds(x, y *graph.Expr) *graph.Expr {
	return graph.EntryFn(text("step"), graph.EntryAdd(x, minus(y)))
}

var (
	// EWLess is 1 where the first element is less than the second, 0 elsewhere.
	EWLess = graph.Register(compared("ewless", "1 where an element of the first tensor is less than that of the second of the same shape, 0 elsewhere.",
		func(x, y *graph.Expr) *graph.Expr { return exceeds(y, x) }, "($0 < $1)",
		func(x, y float64) bool { return x < y }, func(order int) bool { return order < 0 }))

	// EWLessEqual is 1 where the first element is at most the second, 0 elsewhere.
	EWLessEqual = graph.Register(compared("ewlessequal", "1 where an element of the first tensor is at most that of the second of the same shape, 0 elsewhere.",
		func(x, y *graph.Expr) *graph.Expr {
			return graph.EntryAdd(graph.EntryNumber(graph.IndexInt(1)), minus(exceeds(x, y)))
		}, "($0 <= $1)",
		func(x, y float64) bool { return x <= y }, func(order int) bool { return order <= 0 }))

	// EWEqual is 1 where the elements are equal, 0 elsewhere. It is not marked as commutative:
	// proofs do not know that a number is 0 where its negative is.
	EWEqual = graph.Register(compared("ewequal", "1 where the elements of two tensors of the same shape are equal, 0 elsewhere.",
		func(x, y *graph.Expr) *graph.Expr {
			return graph.EntryFn(text(graph.IsZero), graph.EntryAdd(x, minus(y)))
		}, "($0 == $1)",
		func(x, y float64) bool { return x == y }, func(order int) bool { return order == 0 }))

	// EWPow is the first element to the power of the second: of a negative number to one
	// that is no integer it is not a number.
	EWPow = graph.Register(partialOf(binary("ewpow", "The elements of a tensor to the powers of those of another of the same shape.",
		func(_ *graph.Space, x, y *graph.Expr) *graph.Expr { return graph.EntryPair(pow, x, y) },
		nil)))

	// EWWhere is the second operand where the first is not 0, and the third elsewhere.
	EWWhere = graph.Register(&graph.Op{
		Name: "ewwhere", In: 3, Out: 1, Class: "pointwise", Elementwise: true, Batched: true, Turns: 3,
		Doc: "Elementwise selection: the second tensor where the first is not 0, the third elsewhere.",
		AxisOf: func(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			return []graph.OperandAxis{{Operand: 0, Axis: axis}, {Operand: 1, Axis: axis}, {Operand: 2, Axis: axis}}
		},
		Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			for _, s := range in[1:] {
				if err := f.EqShape(in[0], s); err != nil {
					return nil, err
				}
			}
			return one(f.NormShape(in[0]))
		},
		Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			c, x, y := graph.EntryRead(0, at...), graph.EntryRead(1, at...), graph.EntryRead(2, at...)
			is := graph.EntryFn(text("nonzero"), c)
			return graph.EntryDirect(graph.EntryAdd(graph.EntryMul(is, x), y, minus(graph.EntryMul(is, y))), chosen, c, x, y), nil
		},
		Grad: func(b *graph.Backward) []graph.Tensor {
			zero := b.Alike(b.D[0], 0)
			return []graph.Tensor{{}, b.Op("ewwhere", nil, b.In[0], b.D[0], zero), b.Op("ewwhere", nil, b.In[0], zero, b.D[0])}
		},
	})
)

var chosen = &graph.Several{Name: "ewwhere", C: "($0 != 0 ? $1 : $2)", CInt: "($0 != 0 ? $1 : $2)", Chooses: true,
	Float: func(a []float64) float64 {
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	},
	Int: func(a []int64) (int64, bool) {
		if a[0] != 0 {
			return a[1], true
		}
		return a[2], true
	},
}

var pow = &graph.Several{Name: "pow", C: "pow@($0, $1)", Grows: true,
	Float: func(a []float64) float64 { return math.Pow(a[0], a[1]) },
	HasValue: func(a []graph.Interval) bool {
		x, n := a[0], a[1]
		if n.Lo == n.Hi && n.Lo == math.Trunc(n.Lo) { // an integer
			return n.Lo >= 0 || x.Without0()
		}
		return x.Above(0) || x.Lo >= 0 && n.Lo >= 0
	},
	Int:  func(a []int64) (int64, bool) { return intPow(a[0], a[1]), a[0] != 0 || a[1] >= 0 },
	Uint: func(a []uint64) (uint64, bool) { return repeated(a[0], a[1]), true },
}

// intPow is x to the power of n modulo 2^64; what is no integer is rounded towards 0.
func intPow(x, n int64) int64 {
	switch {
	case x == 1 || n == 0:
		return 1
	case x == -1:
		return 1 - 2*(n&1)
	case n < 0:
		return 0
	}
	return int64(repeated(uint64(x), uint64(n)))
}

// repeated is the product of n factors x modulo 2^64.
func repeated(x, n uint64) uint64 {
	out := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out *= x
		}
		x *= x
	}
	return out
}

// EWInt are functions of two integers, by name; remainders are of other numbers,
// too.
var EWInt = graph.Register(&graph.Op{
	Name: "ewint", In: 2, Out: 1, Partial: true, Class: "pointwise", Elementwise: true, Batched: true, Turns: 2,
	Doc: "A function of the integers in two tensors of the same shape, element by element.",
	Params: []graph.Param{{Name: "fn", Sort: "name", Names: slices.Sorted(maps.Keys(wholeFns)), Doc: "quo: the quotient rounded towards 0, rem: what it leaves, which has the sign of the first number, mod: the remainder that has the sign of the second, " +
		"bitand, bitor, bitxor: of the bits, shl, shr: the bits of the first moved by the second to the left or to the right"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if _, err := wholeFn(a); err != nil {
			return nil, err
		}
		if err := f.EqShape(in[0], in[1]); err != nil {
			return nil, err
		}
		return one(f.NormShape(in[0]))
	},
	DTypes: func(a graph.Attrs, in []graph.DType) ([]graph.DType, error) {
		f, err := wholeFn(a)
		switch {
		case err != nil:
			return nil, err
		case in[0] != in[1]:
			return nil, fmt.Errorf("elements of types %s and %s", in[0], in[1])
		case !in[0].IsInt() && !(in[0].IsFloat() && f.C != ""):
			return nil, fmt.Errorf("%s of elements of type %s", f.Name, in[0])
		}
		return in[:1], nil
	},
	Entry: func(_ *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		f, err := wholeFn(a)
		x, y := graph.EntryRead(0, at...), graph.EntryRead(1, at...)
		if err != nil {
			return nil, err
		}
		return graph.EntryPair(f, x, y), nil
	},
})

func wholeFn(a graph.Attrs) (*graph.Several, error) {
	name, _ := a[0].Name()
	if f := wholeFns[name]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("%s is no function of integers", a[0])
}

// sameSign is a remainder of y with the sign of y.
func sameSign[T int64 | float64](r, y T) T {
	if r != 0 && (r < 0) != (y < 0) {
		return r + y
	}
	return r
}

// wholeFns are the functions of two integers. What is divided by 0, or moved by fewer
// bits than none, has no value.
var wholeFns = wholeFunctions()

func wholeFunctions() map[string]*graph.Several {
	all := map[string]*graph.Several{}
	for name, f := range map[string]struct {
		ints    func(x, y int64) int64 // of y that is not 0, but for bits
		uints   func(x, y uint64) uint64
		floats  func(x, y float64) float64
		c, cInt string
	}{
		"quo": {func(x, y int64) int64 { return x / y }, func(x, y uint64) uint64 { return x / y }, nil, "", "($1 == 0 ? 0LL : $1 == -1 ? -$0 : $0 / $1)"},
		"rem": {func(x, y int64) int64 { return x % y }, func(x, y uint64) uint64 { return x % y }, math.Mod, "fmod@($0, $1)", "($1 == 0 || $1 == -1 ? 0LL : $0 % $1)"},
		"mod": {func(x, y int64) int64 { return sameSign(x%y, y) }, func(x, y uint64) uint64 { return x % y }, func(x, y float64) float64 { return sameSign(math.Mod(x, y), y) },
			"(fmod@($0, $1) != 0 && (fmod@($0, $1) < 0) != ($1 < 0) ? fmod@($0, $1) + $1 : fmod@($0, $1))",
			"($1 == 0 || $1 == -1 ? 0LL : $0 % $1 != 0 && ($0 % $1 < 0) != ($1 < 0) ? $0 % $1 + $1 : $0 % $1)"},
		"bitand": {func(x, y int64) int64 { return x & y }, func(x, y uint64) uint64 { return x & y }, nil, "", "($0 & $1)"},
		"bitor":  {func(x, y int64) int64 { return x | y }, func(x, y uint64) uint64 { return x | y }, nil, "", "($0 | $1)"},
		"bitxor": {func(x, y int64) int64 { return x ^ y }, func(x, y uint64) uint64 { return x ^ y }, nil, "", "($0 ^ $1)"},
		"shl": {func(x, y int64) int64 { return x << min(uint64(y), 64) }, func(x, y uint64) uint64 { return x << min(y, 64) }, nil, "",
			"($1 < 0 || $1 > 63 ? 0LL : (long long)((unsigned long long)$0 << $1))"},
		"shr": {func(x, y int64) int64 { return x >> min(uint64(y), 63) }, func(x, y uint64) uint64 { return x >> min(y, 64) }, nil, "",
			"($1 < 0 ? 0LL : $0 >> ($1 > 63 ? 63 : $1))"},
	} {
		divides, moves := slices.Contains([]string{"quo", "rem", "mod"}, name), slices.Contains([]string{"shl", "shr"}, name)
		s := &graph.Several{Name: name, C: f.c, CInt: f.cInt, Grows: name == "shl",
			Int: func(a []int64) (int64, bool) {
				if divides && a[1] == 0 || moves && a[1] < 0 {
					return 0, false
				}
				return f.ints(a[0], a[1]), true
			},
			Uint: func(a []uint64) (uint64, bool) {
				if divides && a[1] == 0 {
					return 0, false
				}
				return f.uints(a[0], a[1]), true
			}}
		s.Float = func(a []float64) float64 {
			if f.floats != nil {
				return f.floats(a[0], a[1])
			}
			// Float64 arithmetic holds integers up to 2^53.
			if !(math.Abs(a[0]) <= 1<<53 && math.Abs(a[1]) <= 1<<53) {
				return math.NaN()
			}
			if y, ok := s.Int([]int64{int64(a[0]), int64(a[1])}); ok {
				return float64(y)
			}
			return math.NaN()
		}
		switch {
		case divides:
			s.HasValue = func(a []graph.Interval) bool { return a[1].Without0() }
		case moves:
			s.HasValue = func(a []graph.Interval) bool { return a[1].Lo >= 0 }
		}
		all[name] = s
	}
	return all
}
