package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/pad"
)

const (
	// mostPadded is how many groups of axes are tried, and none but samples that less than one
	// shareTried-th of a step's operations have to do with.
	mostPadded, shareTried = 3, 20
	// growPadded: a padded network has at most one growPadded-th more nodes, and some for masks.
	growPadded = 4
)

// oddAxes are axes that a number of devices does not divide and that heavy operators have: those of
// one size, of samples (the first axis of an input that is not kept) or others, with the inputs that
// have them.
type oddAxes struct {
	size    int
	weights bool
	flops   int64
	cells   pad.Cells
}

// padding makes a planner try longer axes where devices do not divide them, of samples and,
// if weights, others: what it finds is the best of its plans, of the training step as it is
// and padded, group by group.
func padding(weights bool, p *Planner) *Planner {
	find := p.Find
	p.Find = func(ctx context.Context, j *Job) (*Plan, error) {
		best, none := find(ctx, j)
		if none == nil {
			best, none = j.fit(best)
		}
		if none != nil && !IsNone(none) || ctx.Err() != nil || j.Even || j.Training.Padded != nil {
			return best, none
		}
		price, judging := j.price(), context.WithoutCancel(ctx)
		least := machine.Time(0)
		if none == nil {
			var err error
			if least, err = price(best, judging); err != nil {
				return nil, err
			}
		}
		k := *j
		k.Without = append(slices.Clone(j.Without), padsAlone...)
		k.Found = nil // it is told of the step as it came
		laws, most := pad.NewLaws(), j.Training.Graph.Len()+j.Training.Graph.Len()/growPadded+16
		for _, u := range j.odd(weights) {
			if ctx.Err() != nil {
				break
			}
			j.Progress(fmt.Sprintf("%s, padded from %d", p.Name, u.size))
			t, err := k.Training.pad(ctx, u.cells, laws)
			if errors.Is(err, pad.ErrNone) || err == nil && t.Graph.Len() > most {
				continue
			}
			if err != nil {
				if ctx.Err() != nil {
					break
				}
				return nil, err
			}
			l := k
			l.Training, l.seen = t, &seen{of: t, on: j.Cluster}
			q, err := find(ctx, &l)
			if err == nil {
				q, err = l.fit(q)
			}
			var time machine.Time
			if err == nil {
				time, err = price(q, judging)
			}
			switch {
			case IsNone(err) || errors.Is(err, ErrLarge) || err != nil && ctx.Err() != nil:
			case err != nil:
				return nil, err
			case best == nil || time < least:
				best, least, none, k.Training = q, time, nil, t
			}
		}
		if best != nil && ctx.Err() != nil {
			return best.stopped(ctx, nil)
		}
		return best, none
	}
	return p
}

// padsAlone are the planners that auto does not ask about padded training steps.
var padsAlone = []string{"expert", "pipeline", "alpa", "soap", "unity", "topology", "exhaustive"}

// odd are groups of axes that could be padded so that the job's devices divide them, those that
// most operations have to do with first.
func (j *Job) odd(weights bool) []*oddAxes {
	g := j.Training.Graph
	fresh := j.Training.fresh()
	var out []*oddAxes
	all := int64(0)
	for id := range g.Nodes() {
		o := g.Op(id)
		if o == nil || o.Class != "matmul" && o.Class != "conv" {
			continue
		}
		flops := g.WorkOf(id).FLOPs
		all += flops
		met := map[*oddAxes]bool{}
		for _, t := range append([]graph.Tensor{id.Out(0)}, g.Operands(id)...) {
			for axis, n := range g.Sizes(t) {
				to := j.even(n)
				if to == n {
					continue
				}
				for _, from := range inputAxesOf(g, t, axis) {
					w := !fresh[g.Inputs()[from.input]] || from.axis > 0
					if w && !weights {
						continue
					}
					i := slices.IndexFunc(out, func(u *oddAxes) bool { return u.size == n && u.weights == w })
					if i < 0 {
						i = len(out)
						out = append(out, &oddAxes{size: n, weights: w, cells: pad.Cells{}})
					}
					u := out[i]
					if !met[u] {
						met[u] = true
						u.flops += flops
					}
					sizes := g.Sizes(g.Inputs()[from.input].Out(0))
					cells := make([]int, len(sizes))
					cells[from.axis] = (to - n) * (sizes[from.axis] / n)
					if u.cells[from.input] == nil {
						u.cells[from.input] = cells
					}
				}
			}
		}
	}
	out = slices.DeleteFunc(out, func(u *oddAxes) bool { return u.weights && u.flops < all/shareTried })
	slices.SortStableFunc(out, func(a, b *oddAxes) int { return int(min(1, max(-1, b.flops-a.flops))) })
	return out[:min(len(out), mostPadded)]
}

// even is a size that is not less and a multiple of the devices, or of those of a node where that
// would be half as much again; the size itself where it is one, or where neither is near.
func (j *Job) even(n int) int {
	for _, d := range []int{j.Devices, min(j.Devices, j.Cluster.PerNode())} {
		if n%d == 0 {
			return n
		}
		if to := (n + d - 1) / d * d; to-n <= n/2 {
			return to
		}
	}
	return n
}

// inputAxis is an axis of an input.
type inputAxis struct{ input, axis int }

// inputAxesOf are the axes of inputs of which an axis of a tensor is one, or a part: the outer one.
func inputAxesOf(g *graph.Graph, t graph.Tensor, axis int) (out []inputAxis) {
	type at struct {
		t    graph.Tensor
		axis int
	}
	seen := map[at]bool{}
	var back func(x at)
	back = func(x at) {
		if seen[x] {
			return
		}
		seen[x] = true
		o := g.Op(x.t.Node)
		if o == nil {
			out = append(out, inputAxis{slices.Index(g.Inputs(), x.t.Node), x.axis})
			return
		}
		operands := g.Operands(x.t.Node)
		if o.Name == "reshape" {
			if k := outer(g.Sizes(x.t), g.Sizes(operands[0]), x.axis); k >= 0 {
				back(at{operands[0], k})
			}
			return
		}
		if o.Places != nil && o.Name == "gather" {
			if d, _ := g.Attrs(x.t.Node)[0].Dim(); d == graph.Int(0) && x.axis < len(g.Sizes(operands[1])) {
				back(at{operands[1], x.axis})
			}
			return
		}
		ranks := make([]int, len(operands))
		for i, y := range operands {
			ranks[i] = len(g.Sizes(y))
		}
		for _, a := range o.OperandAxes(g.Attrs(x.t.Node), ranks, x.axis) {
			if a.Operand < len(operands) && a.Axis >= 0 && a.Axis < ranks[a.Operand] &&
				g.Sizes(operands[a.Operand])[a.Axis] == g.Sizes(x.t)[x.axis] {
				back(at{operands[a.Operand], a.Axis})
			}
		}
	}
	back(at{t, axis})
	return out
}

// outer is the axis before a reshape that begins where one behind it does, and is a multiple or a
// part of it; -1: there is none.
func outer(now, was []int, axis int) int {
	front := int(graph.Product(now[:axis]...))
	before := 1
	for k, n := range was {
		if before == front && n > 1 && (n%now[axis] == 0 || now[axis]%n == 0) {
			return k
		}
		before *= n
	}
	return -1
}
