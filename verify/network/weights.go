package network

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bounds"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
)

// sameNumbers says whether two weights hold the same bits.
func sameNumbers(a, b *model.Weight) error {
	if a == b {
		return nil
	}
	x, err := a.Read()
	if err != nil {
		return err
	}
	y, err := b.Read()
	if err != nil {
		return err
	}
	if !bytes.Equal(x, y) {
		return errors.New("their numbers differ")
	}
	return nil
}

// Infinite are the weights of a model of which not all numbers are real ones.
func Infinite(m *model.Model) (map[graph.NodeID]bool, error) {
	out, known := map[graph.NodeID]bool{}, map[*model.Weight]bool{}
	for _, id := range m.Graph.Inputs() {
		if !m.Graph.IsWeight(id) {
			continue
		}
		w := m.Weights[id]
		real, ok := known[w]
		if !ok {
			var err error
			if real, err = finite(w); err != nil {
				return nil, fmt.Errorf("weight %s: %w", m.Graph.Name(id), err)
			}
			known[w] = real
		}
		if !real {
			out[id] = true
		}
	}
	return out, nil
}

// Silent are the nodes of a model of which laws do not speak: those with an operand that is
// such a weight, or that may be infinite because of one; those with an attribute that is
// infinite, with what may be infinite because of them; and those that compute with what may
// have no value ([bounds.Within]), be it only an operand that they do not just rearrange; and
// those with an operand or a result that has no elements.
func Silent(m *model.Model) (map[graph.NodeID]bool, error) {
	return silent(m, bounds.Unreal(m.Graph, m.Intervals()))
}

// silent is Silent where without says which tensors may have no value; nil: all have one.
func silent(m *model.Model, without map[graph.Tensor]bounds.Status) (map[graph.NodeID]bool, error) {
	infinite, err := Infinite(m)
	if err != nil {
		return nil, err
	}
	g := m.Graph
	out, unreal := map[graph.NodeID]bool{}, map[graph.Tensor]bool{}
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			unreal[id.Out(0)] = infinite[id]
			continue
		}
		itself := g.Unreal(id)
		is := itself || slices.ContainsFunc(g.Operands(id), func(t graph.Tensor) bool { return unreal[t] })
		out[id] = is || g.TouchesEmpty(id) || !g.Op(id).OnlyRearranges() && slices.ContainsFunc(g.Operands(id), func(t graph.Tensor) bool { return without[t] != bounds.Real })
		for k := range g.NumOut(id) {
			out[id] = out[id] || without[id.Out(k)] == bounds.Within
		}
		for k := range g.NumOut(id) {
			unreal[id.Out(k)] = is && (itself || !g.Op(id).Bounded) && g.DType(id.Out(k)).IsFloat()
		}
	}
	return out, nil
}

// finite says whether all numbers of a weight are real ones.
func finite(w *model.Weight) (bool, error) {
	if w.Finite || !w.DType.IsFloat() {
		return true, nil
	}
	raw, err := w.Read()
	if err != nil {
		return false, err
	}
	size := w.DType.Bytes()
	if w.DType == graph.Float32 { // as below, but weights may have gigabytes
		const exponent = 0xff << 23 // all of it is set in infinite numbers and in what is none
		for i := 0; i+size <= len(raw); i += size {
			if binary.LittleEndian.Uint32(raw[i:])&exponent == exponent {
				return false, nil
			}
		}
		return true, nil
	}
	for i := 0; i < len(raw); i += size {
		if _, x := model.Element(w.DType, raw[i:]); math.IsNaN(x) || math.IsInf(x, 0) {
			return false, nil
		}
	}
	return true, nil
}

// weight says whether a weight of the second model holds what a term over the first
// one's weights computes.
func (s *side) weight(t graph.Tensor, u *law.Term) error {
	g, name := s.m.Graph, s.m.Graph.Name(t.Node)
	if s.m != s.c.b || !g.IsWeight(t.Node) {
		return fmt.Errorf("input %s: the equation has an operator", name)
	}
	want := s.m.Weights[t.Node]
	got, err := s.c.value(u, want.DType)
	if err != nil {
		return fmt.Errorf("weight %s: %w", name, err)
	}
	// The same numbers in other rows are another tensor.
	if !slices.Equal(want.Sizes, got.Sizes) {
		return fmt.Errorf("weight %s: it has sizes %v, what it is computed from %v", name, want.Sizes, got.Sizes)
	}
	if err := sameNumbers(want, got); err != nil {
		return fmt.Errorf("weight %s and what it is computed from: %w", name, err)
	}
	s.c.computed++
	return nil
}

// ErrLimit is wrapped by the error of a weight that takes too much to compute it again.
var ErrLimit = errors.New("beyond what is computed again")

// Limits of what is computed again for one weight: a certificate may ask for anything.
const (
	maxNumbers = 1 << 27 // of all tensors on the way
	maxFLOPs   = 1e10
)

// value computes a term over weights of the first model.
func (c *checker) value(u *law.Term, dtype graph.DType) (*model.Weight, error) {
	integers := func(t graph.DType) error {
		if t.IsFloat() {
			return nil
		}
		return fmt.Errorf("it is computed from %s: integers are not computed ahead", t)
	}
	if err := integers(dtype); err != nil {
		return nil, err
	}
	var b graph.Builder
	from := map[graph.NodeID]graph.NodeID{} // of the graph that is computed to that of a
	made := map[*law.Term]graph.Tensor{}
	leaf := map[string]graph.Tensor{}
	numbers, depth := int64(0), 0
	var build func(u *law.Term) (graph.Tensor, error)
	build = func(u *law.Term) (x graph.Tensor, err error) {
		if x, ok := made[u]; ok {
			return x, nil
		}
		if depth++; depth > maxDepth {
			return x, fmt.Errorf("it is deeper than %d operators", maxDepth)
		}
		defer func() { depth-- }()
		switch {
		case u.IsVar():
			t, ok := c.vars[u.Var]
			if !ok || !c.a.Graph.IsWeight(t.Node) {
				return x, fmt.Errorf("it depends on %s, which is no weight", u.Var)
			}
			if x, ok = leaf[u.Var]; !ok {
				if c.infinite[t.Node] {
					return x, fmt.Errorf("it is computed from %s, which is not finite: laws are about real numbers", c.a.Graph.Name(t.Node))
				}
				typ := c.a.Graph.Type(t)
				if err := integers(typ.DType); err != nil {
					return x, err
				}
				if x, err = b.AddWeight(u.Var, typ.DType, typ.Sizes...); err != nil {
					return x, err
				}
				from[x.Node], leaf[u.Var] = t.Node, x
			}
		case u.Op == nil:
			return x, fmt.Errorf("the function %s is not known", u.Fn)
		default:
			in := make([]graph.Tensor, len(u.Args))
			for i, a := range u.Args {
				if in[i], err = build(a); err != nil {
					return x, err
				}
			}
			var id graph.NodeID
			if u.Op.In == 0 {
				id, err = b.Constant("", dtype, u.Op, u.Attrs)
			} else {
				id, err = b.Apply("", u.Op, u.Attrs, in...)
			}
			if err != nil {
				return x, err
			}
			x = id.Out(u.Out)
			if err := integers(b.DType(x)); err != nil {
				return x, err
			}
			if numbers += graph.Product(b.Sizes(x)...); numbers > maxNumbers {
				return x, fmt.Errorf("%w: it takes more than %d numbers to compute it", ErrLimit, int64(maxNumbers))
			}
		}
		made[u] = x
		return x, nil
	}
	x, err := build(u)
	if err != nil {
		return nil, err
	}
	g, err := b.Finish(x)
	if err != nil {
		return nil, err
	}
	if w := g.Work().FLOPs; w > maxFLOPs {
		return nil, fmt.Errorf("%w: it takes %d operations to compute it, at most %d are made", ErrLimit, w, int64(maxFLOPs))
	}
	if got := g.DType(x); got != dtype {
		return nil, fmt.Errorf("it is %s, what it is computed from %s", dtype, got)
	}
	e := interp.Evaluator[drifted]{Ring: drift{}, Input: func(id graph.NodeID) (interp.Tensor[drifted], error) {
		return elements(c.a.Weights[from[id]])
	}}
	out, err := e.Run(context.Background(), g)
	if err != nil {
		return nil, err
	}
	raw, rounded := make([]byte, 0, len(out[0].Data)*dtype.Bytes()), make([]float64, len(out[0].Data))
	for i, y := range out[0].Data {
		rounded[i] = model.Round(dtype, y.v)
		raw = model.AppendElement(raw, dtype, 0, rounded[i])
	}
	if err := closeTo(out[0].Data, rounded); err != nil {
		return nil, err
	}
	return model.FromBytes(dtype, g.Sizes(x), raw), nil
}
