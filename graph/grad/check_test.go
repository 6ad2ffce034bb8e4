package grad_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
)

// mixed is a number that depends on two, as good as random.
func mixed(a, b int) uint64 { return fingerprint.Mix(uint64(a)*1_000_003 + uint64(b)) }

// values makes element k of a tensor from a number that is as good as random.
type values[T any] func(bits uint64) T

func residues(bits uint64) uint64 { return bits % fingerprint.P }

// quarters are from -2 to 2, and few, so that some are equal.
func quarters(bits uint64) interp.Q {
	return interp.Rational{}.Rat(int64(bits%17)-8, 4)
}

// reals are from -1 to 1.
func reals(bits uint64) float64 { return float64(bits>>11)/(1<<52) - 1 }

// drawn is a tensor of these values. Positions are small integers of both signs.
func drawn[T any](g *graph.Graph, id graph.NodeID, seed int, of values[T], r interp.Ring[T]) interp.Tensor[T] {
	x := interp.Tensor[T]{Sizes: g.Sizes(id.Out(0))}
	for k := range graph.NumElements(x.Sizes) {
		if bits := mixed(seed*1000+int(id), k); g.DType(id.Out(0)).IsFloat() {
			x.Data = append(x.Data, of(bits))
		} else {
			x.Data = append(x.Data, r.Rat(int64(bits%6)-3, 1))
		}
	}
	return x
}

// floats are the inputs of a graph that are of a floating-point type.
func floats(g *graph.Graph) (ids []graph.NodeID) {
	for _, id := range g.Inputs() {
		if g.DType(id.Out(0)).IsFloat() {
			ids = append(ids, id)
		}
	}
	return ids
}

// both are the two ways to the derivative of the outputs, weighed with the numbers d, along
// a direction: forward, by dual numbers, and back, by the pullback.
type both[T any] struct {
	forward, back T
	size          float64 // of the terms of the sums, for what rounds
}

// directional computes both for all floating-point inputs together.
func directional[T comparable](g, pull *graph.Graph, r interp.Ring[T], seed int, of values[T], size func(T) float64, given map[graph.NodeID][]T) (out both[T], err error) {
	k := dualsOver(r)
	zero := r.Rat(0, 1)
	var in []interp.Tensor[T]
	var duals []interp.Tensor[dual[T]]
	var along []interp.Tensor[T]
	for _, id := range g.Inputs() {
		x := drawn(g, id, seed, of, r)
		if given[id] != nil {
			x.Data = given[id]
		}
		v := drawn(g, id, seed+1, of, r)
		y := interp.Tensor[dual[T]]{Sizes: x.Sizes}
		for i, e := range x.Data {
			if !g.DType(id.Out(0)).IsFloat() {
				v.Data[i] = zero
			}
			y.Data = append(y.Data, dual[T]{e, v.Data[i]})
		}
		in, duals = append(in, x), append(duals, y)
		if g.DType(id.Out(0)).IsFloat() {
			along = append(along, v)
		}
	}
	add := func(sum *T, a, b T) {
		p := r.Mul(a, b)
		*sum = r.Add(*sum, p)
		if size != nil {
			out.size += math.Abs(size(p))
		}
	}
	out.forward, out.back = zero, zero
	ys, err := interp.EvalGraph(context.Background(), k, g, duals)
	if err != nil {
		return out, fmt.Errorf("forward: %w", err)
	}
	for i, t := range g.Outputs() {
		if !g.DType(t).IsFloat() {
			continue
		}
		d := drawn(pull, pull.Inputs()[len(in)], seed+2, of, r)
		in = append(in, d)
		for j, y := range ys[i].Data {
			add(&out.forward, y.d, d.Data[j])
		}
	}
	ds, err := interp.EvalGraph(context.Background(), r, pull, in)
	if err != nil {
		return out, fmt.Errorf("back: %w", err)
	}
	for i, v := range along {
		d := ds[len(g.Outputs())+i]
		for j := range v.Data {
			add(&out.back, v.Data[j], d.Data[j])
		}
	}
	return out, nil
}

var errBad = errors.New("no rational number")

// exactly compares the two ways modulo the prime.
func exactly(g, pull *graph.Graph, seed int) error {
	b, err := directional[uint64](g, pull, fingerprint.Zp{Key: uint64(seed)}, seed, residues, nil, nil)
	if err == nil && b.forward != b.back {
		err = fmt.Errorf("modulo the prime: forward %d, back %d", b.forward, b.back)
	}
	return err
}

// rationally compares the two ways in rational numbers; errBad where a function or a
// number has no place among them.
func rationally(g, pull *graph.Graph, seed int) error {
	b, err := directional[interp.Q](g, pull, interp.Rational{}, seed, quarters, nil, nil)
	switch {
	case err != nil:
		return err
	case b.forward.IsBad() || b.back.IsBad():
		return errBad
	case b.forward != b.back:
		return fmt.Errorf("in rational numbers: forward %v, back %v", b.forward, b.back)
	}
	return nil
}

// nearly compares the two ways in float64 numbers; inputs may be given.
func nearly(g, pull *graph.Graph, seed int, given map[graph.NodeID][]float64) error {
	b, err := directional[float64](g, pull, interp.Float{}, seed, reals, func(x float64) float64 { return x }, given)
	if err == nil && b.size == 0 {
		err = errors.New("in float64: all terms are 0")
	}
	if err == nil && !(math.Abs(b.forward-b.back) <= 1e-11*b.size) {
		err = fmt.Errorf("in float64: forward %.17g, back %.17g", b.forward, b.back)
	}
	return err
}

func pullback(t testing.TB, g *graph.Graph) *graph.Graph {
	t.Helper()
	pull, err := grad.Pullback(g, floats(g))
	if err != nil {
		t.Fatal(err)
	}
	return pull
}
