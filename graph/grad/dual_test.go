package grad_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// dual is a number and its derivative along a direction. Operators evaluated over dual
// numbers, by their definitions, take derivatives forward: what Op.Grad writes has no
// part in it, but for the derivatives of functions of one element, which are compared
// with differences of float64 numbers.
type dual[T any] struct{ v, d T }

// duals is arithmetic on dual numbers over a ring in which equal elements are ==.
type duals[T comparable] struct {
	r      interp.Ring[T]
	slopes *sync.Map // by name of a function: *graph.Graph
}

func dualsOver[T comparable](r interp.Ring[T]) duals[T] { return duals[T]{r, &sync.Map{}} }

func (k duals[T]) Rat(num, den int64) dual[T] { return dual[T]{k.r.Rat(num, den), k.r.Rat(0, 1)} }

func (k duals[T]) Add(a, b dual[T]) dual[T] { return dual[T]{k.r.Add(a.v, b.v), k.r.Add(a.d, b.d)} }

func (k duals[T]) Mul(a, b dual[T]) dual[T] {
	return dual[T]{k.r.Mul(a.v, b.v), k.r.Add(k.r.Mul(a.v, b.d), k.r.Mul(a.d, b.v))}
}

// Max has the average derivative of those that are largest.
func (k duals[T]) Max(xs []dual[T]) dual[T] {
	vs := make([]T, len(xs))
	for i, x := range xs {
		vs[i] = x.v
	}
	most, sum, n := k.r.Max(vs), k.r.Rat(0, 1), int64(0)
	for _, x := range xs {
		if x.v == most {
			sum, n = k.r.Add(sum, x.d), n+1
		}
	}
	return dual[T]{most, k.r.Mul(sum, k.r.Rat(1, max(n, 1)))}
}

func (k duals[T]) Fn(name string, x dual[T]) dual[T] {
	return dual[T]{k.r.Fn(name, x.v), k.r.Mul(k.slope(name, x.v), x.d)}
}

// Rounds is that of the ring below.
func (k duals[T]) Rounds() bool {
	r, ok := k.r.(interp.Rounding)
	return ok && r.Rounds()
}

// slope is the derivative of a function of one element at x; 0 of one that is no
// operator, which is constant between its jumps.
func (k duals[T]) slope(name string, x T) T {
	known, ok := k.slopes.Load(name)
	if !ok {
		known, _ = k.slopes.LoadOrStore(name, slopeOf(name))
	}
	g := known.(*graph.Graph)
	if g == nil {
		return k.r.Rat(0, 1)
	}
	one := k.r.Rat(1, 1)
	out, err := interp.EvalGraph(context.Background(), k.r, g, []interp.Tensor[T]{{Data: []T{x}}, {Data: []T{one}}})
	if err != nil {
		panic(err)
	}
	return out[0].Data[0]
}

// slopeOf is the graph of the derivative of a function, at a scalar.
func slopeOf(text string) *graph.Graph {
	name, params, err := graph.ParseFunc(text)
	op, ok := graph.Lookup(name)
	if err != nil || !ok {
		return nil
	}
	a := make(graph.Attrs, len(params))
	for i, p := range params {
		a[i] = graph.NumberValue(p)
	}
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32)
	d, _ := b.AddInput("d", graph.Float32)
	y, err := b.Apply("y", op, a, x)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	in, err := op.Backward(&graph.Backward{Calc: graph.NewCalc(&b), Attrs: a, In: []graph.Tensor{x},
		Out: []graph.Tensor{y.Out(0)}, D: []graph.Tensor{d}, Want: []bool{true}})
	if err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	if in[0] == (graph.Tensor{}) {
		return nil
	}
	g, err := b.Finish(in[0])
	if err != nil {
		panic(err)
	}
	return g.WithoutDead()
}
