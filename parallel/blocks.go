package parallel

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// joined is the tensor of which members are r along their mesh axis of g, in a law; shape
// is that of a member, with so many other mesh axes in front. Blocks are a part of an axis each until they are put together:
//
//	member      [.., blocks*n, ..]
//	reshape     [.., blocks, n, ..]
//	combine     [.., blocks, g*n, ..]
//	reshape     [.., blocks*g*n, ..]
func joined(r Role, g graph.Dim, shape graph.Shape, front int) (func(x *law.Term) *law.Term, error) {
	if r.Blocks == 0 {
		_, end, err := made(r, graph.DimValue(g))
		return end, err
	}
	own, ok := shape[r.Axis].Dim.Quo(graph.Int(int64(r.Blocks)))
	if !ok || shape[r.Axis].AxisRun != "" || r.Axis < front {
		return nil, fmt.Errorf("%s of members of shape %s", r, shape)
	}
	blocks := graph.Int(int64(r.Blocks))
	apart := slices.Concat(shape[front:r.Axis], graph.ShapeOf(blocks, own), shape[r.Axis+1:])
	all := shape.With(r.Axis, blocks.Mul(g).Mul(own))[front:]
	reshape := func(x *law.Term, to, over graph.Shape) *law.Term {
		if len(over) == 0 {
			return law.Apply(op.Reshape, graph.Attrs{graph.ShapeValue(to)}, x)
		}
		return law.Apply(op.Reshape.Each(), graph.Attrs{graph.ShapeValue(over), graph.ShapeValue(to)}, x)
	}
	return func(x *law.Term) *law.Term {
		x = reshape(x, apart, slices.Concat(graph.ShapeOf(g), shape[:front]))
		x = law.Apply(op.Combine, graph.Attrs{number(r.Axis + 1)}, x)
		return reshape(x, all, shape[:front])
	}, nil
}

// blocks are the roles in which what operators that only rearrange make may be blocks of
// shards: where the axis of an operand's shards becomes the inner one of an axis.
func (q *spreading) blocks(out int) (roles []Role) {
	if !q.op.Rearranges || len(q.in) != 1 || q.in[0].Blocks > 0 || q.in[0].Before+q.in[0].After > 0 || q.in[0].Axis == 0 {
		return nil
	}
	var f graph.Unifier
	shapes, err := q.op.InferShapes(&f, q.member, []graph.Shape{graph.Sizes(q.sizes[0]...)})
	if err != nil {
		return nil
	}
	sizes, _ := shapes[out].Concrete()
	axis := q.in[0].Axis
	before := q.sizes[0][axis-1]
	for k, n := range sizes {
		if before > 1 && n == before*q.sizes[0][axis] {
			roles = append(roles, Role{Kind: Shard, Axis: k, Blocks: before})
		}
	}
	return roles
}

// blocksOf are the roles of blocks in which there are members of a tensor, in order.
func (p *pass) blocksOf(t graph.Tensor) (out []Role) {
	for r := range p.held[t] {
		if r.Blocks > 0 {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Role) int { return max(-1, min(1, (a.Axis-b.Axis)*(1<<31)+a.Blocks-b.Blocks)) })
	return out
}

// endBlocks puts the parts of blocks together.
func (p *pass) endBlocks(t graph.Tensor, r Role, x graph.Tensor) (id graph.NodeID, err error) {
	var shape []int
	for k, n := range p.g.Sizes(t) {
		if k == r.Axis {
			n /= p.degree
		}
		shape = append(shape, n)
	}
	end, err := joined(r, graph.Int(int64(p.degree)), graph.Sizes(shape...), len(p.Layout(t)))
	if err != nil {
		return 0, err
	}
	var steps []*law.Term // the last first
	for u := end(p.now[x]); u != p.now[x]; u = u.Args[0] {
		steps = append(steps, u)
	}
	own := r.Axis - len(p.Layout(t))
	apart := slices.Clone(p.Layout(t)) // with an axis more, of the blocks
	for i := range apart {
		switch s := &apart[i].Role; {
		case s.Kind == Shard && s.Axis == own:
			*s = Role{}
		case s.Kind == Shard && s.Axis > own:
			s.Axis++
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		u := steps[i]
		if id, err = p.converts(t)(p.apply(p.name(t, "whole"), p.g.DType(t), u.Op, u.Attrs, x)); err != nil {
			return 0, err
		}
		x = id.Out(0)
		switch i {
		case 2:
			p.lies[x] = append(Layout{{Axis: len(p.degrees) - 1, Role: Role{Kind: Shard, Axis: own + 1}}}, apart...)
		case 1:
			p.lies[x] = apart
		}
	}
	return id, nil
}
