package taso

import (
	"fmt"

	"github.com/taso-go/taso/rules/tasopb"
)

// rank is the number of axes of a class of tensors that have equally many.
type rank struct {
	up *rank
	n  int // the number of axes, -1 if nothing tells
	// Operators name axes below this number: there are at least so many.
	named int
	// run names the other axes if n is not known. They agree in all tensors of
	// the class, which are related by operators that act on named axes only.
	run string
}

func (r *rank) root() *rank {
	for r.up != nil {
		r = r.up
	}
	return r
}

func (r *rank) known() (n, named int, run string) {
	r = r.root()
	return r.n, r.named, r.run
}

// ranks are the ranks of all tensors of a rule.
type ranks struct{ at map[rankKey]*rank }

type rankKey struct {
	side tasopb.Side
	op   int32
}

func (rs *ranks) of(side tasopb.Side, x tasopb.Tensor) *rank {
	if x.OpID < 0 {
		side = tasopb.NoSide // a variable is the same on both sides
	}
	k := rankKey{side, x.OpID}
	if rs.at[k] == nil {
		rs.at[k] = &rank{n: -1}
	}
	return rs.at[k].root()
}

func (rs *ranks) set(r *rank, n int) error {
	if r = r.root(); r.n >= 0 && r.n != n {
		return fmt.Errorf("a tensor has %d axes and %d", r.n, n)
	}
	r.n = n
	return nil
}

func (rs *ranks) equal(a, b *rank) error {
	if a, b = a.root(), b.root(); a != b {
		if a.n >= 0 && b.n >= 0 && a.n != b.n {
			return fmt.Errorf("a tensor has %d axes and %d", a.n, b.n)
		}
		b.up = a
		a.n, a.named = max(a.n, b.n), max(a.named, b.named)
	}
	return nil
}

// maxRank bounds NUMDIM and AXIS.
const maxRank = 8

func inferRanks(r *tasopb.Rule) (*ranks, error) {
	rs := &ranks{at: map[rankKey]*rank{}}
	var order []*rank
	for _, side := range []tasopb.Side{tasopb.Src, tasopb.Dst} {
		ops := r.SrcOps
		if side == tasopb.Dst {
			ops = r.DstOps
		}
		for i := range ops {
			out := rs.of(side, tasopb.Tensor{OpID: int32(i)})
			var in []*rank
			for _, x := range ops[i].Inputs {
				y := rs.of(side, x)
				in = append(in, y)
				order = append(order, y)
			}
			order = append(order, out)
			if err := rs.operator(&ops[i], in, out); err != nil {
				return nil, fmt.Errorf("%s operator %d (%s): %w", side, i, ops[i].Type, err)
			}
		}
	}
	for _, m := range r.Mapped {
		x := rs.of(tasopb.Src, tasopb.Tensor{OpID: m.SrcOpID})
		order = append(order, x)
		if err := rs.equal(x, rs.of(tasopb.Dst, tasopb.Tensor{OpID: m.DstOpID})); err != nil {
			return nil, err
		}
	}
	runs := 0
	for _, x := range order {
		if x = x.root(); x.n < 0 && x.run == "" {
			runs++
			x.run = fmt.Sprintf("P%d", runs)
		}
	}
	return rs, nil
}

func (rs *ranks) operator(o *tasopb.Operator, in []*rank, out *rank) error {
	all := func(n int) error {
		for _, x := range append(append([]*rank(nil), in...), out) {
			if err := rs.set(x, n); err != nil {
				return err
			}
		}
		return nil
	}
	numDim := func() error {
		if n, ok := o.Param(tasopb.ParamNumDim); ok {
			if n < 1 || n > maxRank {
				return fmt.Errorf("NUMDIM %d", n)
			}
			return all(int(n))
		}
		return nil
	}
	switch o.Type {
	case tasopb.OpConv2D, tasopb.OpPool2DMax, tasopb.OpPool2DAvg, tasopb.OpEnlarge, tasopb.OpConstantIconv, tasopb.OpConstantPool:
		return all(4)
	case tasopb.OpMatmul, tasopb.OpConstantImm:
		return all(2)
	case tasopb.OpLinear:
		return all(3) // replicas, samples, channels
	case tasopb.OpMul:
		if err := rs.set(in[1], 0); err != nil {
			return err
		}
		return rs.equal(in[0], out)
	case tasopb.OpConstantOne:
		return nil
	}
	for _, x := range in {
		if err := rs.equal(x, out); err != nil {
			return err
		}
	}
	for _, key := range []tasopb.ParamKey{tasopb.ParamAxis, tasopb.ParamParallelDim} {
		axis, ok := o.Param(key)
		if !ok {
			continue
		}
		if axis < 0 || axis >= maxRank {
			return fmt.Errorf("%s %d", key, axis)
		}
		out = out.root()
		out.named = max(out.named, int(axis)+1)
	}
	return numDim()
}
