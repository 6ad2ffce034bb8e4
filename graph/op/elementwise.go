package op

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// What the operators that work element by element share.

// pointwise declares the function f of one element; zeroAtZero: f(0) = 0.
func pointwise(name, doc string, zeroAtZero bool, f func(x float64) float64) *graph.Op {
	o := family(name, doc, nil, func([]float64) func(float64) float64 { return f })
	o.ZeroAtZero = zeroAtZero
	return o
}

// family declares a function of one element with real parameters; zero tells
// for which of them it is 0 at 0, nil for none, and value what it is.
func family(name, doc string, zero func(params []float64) bool, value func(params []float64) func(x float64) float64,
	params ...graph.Param) *graph.Op {
	return &graph.Op{
		Name: name, In: 1, Out: 1, Params: params, Doc: doc, Pointwise: true, Zero: zero, Value: value,
		Infer: func(_ *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return one(in[0]) },
		Entry: func(_ *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return graph.EntryFn(graph.NameValue(graph.FuncText(name, a...)), graph.EntryRead(0, at...)), nil
		},
		Mean: func(a graph.Attrs, in, _ [][]int) (*graph.Meaning, error) {
			return apply(0, graph.FuncText(name, a...), graph.NumElements(in[0])), nil
		},
	}
}

func sameShape(f *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	if err := f.EqShape(in[0], in[1]); err != nil {
		return nil, err
	}
	return one(f.NormShape(in[0]))
}

func binary(k graph.StepKind, in [][]int) *graph.Meaning {
	return &graph.Meaning{
		Steps: []graph.Step{{Kind: k, N: graph.NumElements(in[0]), X: 0, Y: 1}},
		Outs:  []int{0},
	}
}

// apply is the meaning of a function of each of n elements of x.
func apply(x graph.Operand, fn string, n int) *graph.Meaning {
	var m program
	m.fn(fn, x, n)
	return m.done()
}

// program builds a meaning step by step. Each method appends one step and
// returns its result; the last one is the output.
type program struct{ m graph.Meaning }

func (p *program) push(st graph.Step) graph.Operand {
	if st.Den == 0 {
		st.Num, st.Den = 1, 1
	}
	p.m.Steps = append(p.m.Steps, st)
	return graph.Operand(-len(p.m.Steps))
}

func (p *program) done() *graph.Meaning {
	p.m.Outs = []int{len(p.m.Steps) - 1}
	return &p.m
}

func (p *program) fn(name string, x graph.Operand, n int) graph.Operand {
	return p.push(graph.Step{Kind: graph.StepMap, N: n, X: x, Fn: name})
}

func (p *program) add(x, y graph.Operand, n int) graph.Operand {
	return p.push(graph.Step{Kind: graph.StepAdd, N: n, X: x, Y: y})
}

func (p *program) mul(x, y graph.Operand, n int) graph.Operand {
	return p.push(graph.Step{Kind: graph.StepMul, N: n, X: x, Y: y})
}

// neg is -x.
func (p *program) neg(x graph.Operand, n int) graph.Operand {
	minus := p.push(graph.Step{Kind: graph.StepConst, N: 1, C: []int64{-1}, Den: 1})
	return p.push(graph.Step{Kind: graph.StepScale, N: n, X: x, Y: minus})
}

// gather copies elements of x.
func (p *program) gather(x graph.Operand, idx []int32) graph.Operand {
	return p.push(graph.Step{Kind: graph.StepGather, N: len(idx), X: x, A: idx})
}

// pairs is x[0], y[0], x[1], y[1], ...
func (p *program) pairs(x, y graph.Operand, n int) graph.Operand {
	st := graph.Step{Kind: graph.StepGather, N: 2 * n, X: x, Y: y, A: make([]int32, 2*n), Src: make([]int8, 2*n)}
	for i := range n {
		st.A[2*i], st.A[2*i+1], st.Src[2*i+1] = int32(i), int32(i), 1
	}
	return p.push(st)
}

// max is the larger of x and y.
func (p *program) max(x, y graph.Operand, n int) graph.Operand {
	st := graph.Step{Kind: graph.StepMax, N: n, X: p.pairs(x, y, n), Start: make([]int32, n+1), A: make([]int32, 2*n)}
	for i := range st.A {
		st.A[i] = int32(i)
	}
	for i := range st.Start {
		st.Start[i] = int32(2 * i)
	}
	return p.push(st)
}

// fold is a sum (times 1/den) or a maximum of x over the groups of g.
func (p *program) fold(k graph.StepKind, x graph.Operand, g groups, den int) graph.Operand {
	return p.push(graph.Step{Kind: k, N: len(g.start) - 1, X: x, Start: g.start, A: g.cells, Num: 1, Den: int64(den)})
}

// groups divides the elements of a tensor by their place along the axes that
// are kept: group i is cells[start[i]:start[i+1]], and element j is in group
// of[j].
type groups struct{ start, cells, of []int32 }

// groupsOf groups the elements of a tensor that differ along the axes in over
// only.
func groupsOf(sizes []int, over []bool) groups {
	kept := make([]int, len(sizes))
	for i, n := range sizes {
		kept[i] = n
		if over[i] {
			kept[i] = 1
		}
	}
	st := graph.Strides(kept)
	n, k := graph.NumElements(sizes), graph.NumElements(kept)
	g := groups{start: make([]int32, k+1), cells: make([]int32, n), of: make([]int32, n)}
	graph.Each(sizes, func(flat int, at []int) {
		to := 0
		for i, v := range at {
			if !over[i] {
				to += v * st[i]
			}
		}
		g.of[flat] = int32(to)
		g.start[to+1]++
	})
	for i := range k {
		g.start[i+1] += g.start[i]
	}
	next := append([]int32{}, g.start[:k]...)
	for flat, to := range g.of {
		g.cells[next[to]] = int32(flat)
		next[to]++
	}
	return g
}

// clip is x between lo and hi; hi where the two cross, NaN for NaN.
func clip(x, lo, hi float64) float64 { return math.Min(math.Max(x, lo), hi) }

// finite reports whether no number is infinite or not a number: 0 times such a
// number is not 0.
func finite(xs []float64) bool {
	for _, x := range xs {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return false
		}
	}
	return true
}

// over marks axes.
func over(rank int, axes ...int) []bool {
	out := make([]bool, rank)
	for _, a := range axes {
		out[a] = true
	}
	return out
}

// ints are the numbers of a tuple as ints.
func ints(v graph.Value) []int {
	xs, _ := v.Tuple()
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(x)
	}
	return out
}

// perElement counts k operations for each element of the first input.
func perElement(k int) func(graph.Attrs, [][]int, [][]int) int64 {
	return func(_ graph.Attrs, in, _ [][]int) int64 { return graph.Product(append([]int{k}, in[0]...)...) }
}

// noFLOPs is for operators that only move elements.
func noFLOPs(graph.Attrs, [][]int, [][]int) int64 { return 0 }

// minus is -e.
func minus(e *graph.Expr) *graph.Expr {
	return graph.EntryMul(graph.EntryNumber(graph.IndexInt(-1)), e)
}

func text(name string, params ...graph.Value) graph.Value {
	return graph.NameValue(graph.FuncText(name, params...))
}

// sizeProduct is the number of elements of a shape without runs.
func sizeProduct(s graph.Shape) (graph.Dim, error) {
	n := graph.Int(1)
	for _, it := range s {
		if it.Run != "" {
			return n, fmt.Errorf("shape %s: an axis run has no size", s)
		}
		n = n.Mul(it.Dim)
	}
	return n, nil
}
