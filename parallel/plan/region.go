package plan

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// division divides the choice along an axis into choices of regions: parts of the graph
// between which each tensor has one role that is decided beforehand. So the work grows with
// the number of regions only, and of regions that are alike, such as the layers of a
// network, one is solved.
type division struct {
	// of is the region of each node of the training graph; nil: all are one.
	of []int
	// only are the regions that are laid out; nil: all.
	only func(region int) bool
	// copies: tensors between regions are copies. Else they lie as samples that are dealt out
	// make them.
	copies bool
	// parts are the inputs that lie in parts, where the means say which do.
	parts map[int]bool
	// solved has the solutions of problems by what is in them; nil: none is looked up.
	solved *solutions
}

// regions are those of a graph in a pass.
type regions struct {
	list   []*region
	border map[graph.Tensor]parallel.Role // of what is made in one region and read in another
	solved *solutions
}

// region is a part of the graph: its operators, what they make, and what they read of
// others.
type region struct {
	nodes      []graph.NodeID
	made, read []graph.Tensor
}

// divide finds the regions of the nodes that are planned.
func (a *pass) divide(how division) *regions {
	out := &regions{border: map[graph.Tensor]parallel.Role{}, solved: how.solved}
	number := func(id graph.NodeID) int {
		o := a.lay.Origin(id)
		if how.of == nil {
			return 0
		}
		if o.Converts { // a stage makes the members that it needs of what others made
			if s := a.prices.mesh.Axes[ended(a.lay, id)].Stage; s > 0 && s != a.prices.mesh.Axes[a.axis].Stage {
				return -s
			}
		}
		return how.of[o.Tensor.Node]
	}
	at := map[int]*region{}
	seen := map[*region]map[graph.Tensor]bool{}
	var others []graph.NodeID
	var flow, wants map[graph.Tensor]parallel.Role
	if how.of != nil && !how.copies {
		flow, wants = a.flow()
	}
	for id := range a.g.Nodes() {
		if a.of[id] == nil {
			continue
		}
		n := number(id)
		for _, t := range a.g.Operands(id) {
			if _, given := a.from[t]; given || a.of[t.Node] == nil || number(t.Node) == n {
				continue
			}
			as := parallel.Role{Kind: parallel.Copy}
			if r, ok := flow[t]; ok {
				as = r
			}
			if r, ok := wants[t]; ok && as == whole && a.makes(t, r) {
				as = r
			}
			out.border[t] = as
		}
		if n < 0 || how.only != nil && !how.only(n) {
			others = append(others, id)
			continue
		}
		r := at[n]
		if r == nil {
			r = &region{}
			at[n], seen[r] = r, map[graph.Tensor]bool{}
			out.list = append(out.list, r)
		}
		r.nodes = append(r.nodes, id)
		for _, t := range a.g.Operands(id) {
			if _, given := a.from[t]; (given || number(t.Node) != n) && !seen[r][t] {
				seen[r][t] = true
				r.read = append(r.read, t)
			}
		}
		for k := range a.g.NumOut(id) {
			r.made = append(r.made, id.Out(k))
		}
	}
	for _, id := range others {
		delete(a.of, id)
	}
	var ends []graph.Tensor // inputs that become outputs
	for t := range a.becomes {
		if _, given := a.from[t]; given && len(out.list) > 0 {
			ends = append(ends, t)
		}
	}
	slices.SortFunc(ends, func(x, y graph.Tensor) int { return a.becomes[x] - a.becomes[y] })
	if len(ends) > 0 {
		out.list[0].made = append(out.list[0].made, ends...)
	}
	return out
}

// flow says as what each tensor lies if samples are dealt out and nothing is converted that
// need not be: an operator is computed by the strategy that takes most of its operands as
// they are.
//
// Of what does not depend on samples, and is whole where they are dealt out in time, wants
// says as what all that read it would have it, if they agree.
func (a *pass) flow() (out, wants map[graph.Tensor]parallel.Role) {
	out, wants = map[graph.Tensor]parallel.Role{}, map[graph.Tensor]parallel.Role{}
	plain := parallel.Role{Kind: parallel.Copy}
	if a.means == Micro {
		plain = whole
	}
	for id := range a.g.Nodes() {
		if a.of[id] == nil {
			for k := range a.g.NumOut(id) {
				t, as := id.Out(k), plain
				if _, given := a.from[t]; given && !a.stays(t) {
					samples := parallel.Role{Kind: parallel.Shard, Axis: len(a.lay.Mesh(t))}
					if slices.Contains(a.fits(t), samples) {
						as = samples
					}
				}
				out[t] = as
			}
			continue
		}
		var best *parallel.Strategy
		most := -1
		for _, st := range a.of[id] {
			if st == nil {
				st = a.whole(id)
			}
			same, ok := 0, true
			for i, t := range a.g.Operands(id) {
				switch have := out[t]; {
				case have == st.In[i] && have.Kind == parallel.Sum && a.enlarges(id, t):
					// It is added up before, as a statistic of samples is that they all read.
				case have == st.In[i]:
					same++
				case have.Kind == parallel.Copy && a.means != Micro || have == whole && a.means == Micro && !a.fresh[t.Node]:
				case have.Kind == parallel.Sum && (st.In[i] == plain):
				default:
					ok = false
				}
			}
			if ok && same > most {
				best, most = st, same
			}
		}
		for k := range a.g.NumOut(id) {
			out[id.Out(k)] = plain
			if best != nil {
				out[id.Out(k)] = best.Out[k]
			}
		}
		for i, t := range a.g.Operands(id) {
			if a.means != Micro || a.fresh[t.Node] {
				continue
			}
			want := whole
			if best != nil {
				want = best.In[i]
			}
			if r, ok := wants[t]; ok && r != want {
				want = whole
			}
			wants[t] = want
		}
	}
	return out, wants
}

// enlarges reports whether what a node makes of an operand has more elements; along an axis in time what
// is added up is there for no micro-batch.
func (a *pass) enlarges(id graph.NodeID, t graph.Tensor) bool {
	return a.means != Micro && graph.NumElements(a.g.Sizes(id.Out(0))) > graph.NumElements(a.g.Sizes(t))
}

// makes reports whether a node can make a tensor in a role of operands that are whole.
func (a *pass) makes(t graph.Tensor, r parallel.Role) bool {
	return slices.ContainsFunc(a.of[t.Node], func(st *parallel.Strategy) bool {
		return st != nil && st.Out[t.Out] == r && !slices.ContainsFunc(st.In, func(in parallel.Role) bool { return in.Kind == parallel.Sum })
	})
}

// stays reports whether a tensor is made of a weight or of state.
func (a *pass) stays(t graph.Tensor) bool {
	_, kept := a.weight(t)
	return kept || a.g.IsWeight(a.g.Inputs()[a.from[t]])
}

// solve chooses in a region; what is in its problem decides.
func (r *regions) solve(ctx context.Context, p *extract.Problem, steps int64) (*extract.Result, error) {
	if r.solved == nil {
		return extract.Solve(ctx, p, extract.Options{Steps: steps})
	}
	var cancelled *extract.Result
	res, err := r.solved.Get(ctx, contents(p, steps), func() (*extract.Result, error) {
		res, err := extract.Solve(ctx, p, extract.Options{Steps: steps})
		if err == nil && res.Stop == extract.StopCancelled {
			cancelled, err = res, ctx.Err()
		}
		return res, err
	})
	if cancelled != nil { // the best so far, which is not for others
		return cancelled, nil
	}
	return res, err
}

// contents is all that is in a problem, as a key: of as many bytes as a hash has, since problems are
// large and there are many.
func contents(p *extract.Problem, steps int64) [sha256.Size]byte {
	b := binary.AppendVarint(nil, steps)
	b = binary.AppendVarint(b, int64(p.Classes))
	b = binary.AppendVarint(b, p.MaxBytes)
	for _, n := range p.Nodes {
		b = binary.AppendVarint(b, int64(n.Class))
		b = binary.AppendVarint(b, int64(len(n.Children)))
		for _, c := range n.Children {
			b = binary.AppendVarint(b, int64(c))
		}
		b = binary.AppendVarint(b, n.Cost)
		b = binary.AppendVarint(b, n.Bytes)
		b = binary.AppendVarint(b, int64(n.Kind))
	}
	for _, c := range p.Roots {
		b = binary.AppendVarint(b, int64(c))
	}
	return sha256.Sum256(b)
}
