package parallel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// roles gives each mesh axis of each tensor its role, node by node, and collects where
// they do not fit.
func (p *PCG) roles(ctx context.Context) error {
	pr := &prover{known: map[string]Role{}, constant: map[graph.Tensor][]uint64{}}
	for id := range p.Graph.Nodes() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(p.layouts[id]) == 0 || p.acts[id].kind == actNone {
			continue
		}
		if a := p.acts[id]; a.kind == actLocal {
			if err := p.localRoles(ctx, pr, id); err != nil {
				return err
			}
			p.constants(pr, id)
		} else {
			p.layoutRoles(id, a)
			normalize(p.layouts[id][0])
		}
	}
	return nil
}

func (p *PCG) find(id graph.NodeID, format string, args ...any) {
	text := fmt.Sprintf("node %s: operator %s: ", p.Graph.Name(id), p.Graph.Op(id).Name) + fmt.Sprintf(format, args...)
	p.Findings = append(p.Findings, Finding{id, text})
}

// layoutRoles are those behind a layout operator.
func (p *PCG) layoutRoles(id graph.NodeID, a act) {
	t := p.Graph.Operands(id)[0]
	x, out := p.Layout(t), p.layouts[id][0]
	switch a.kind {
	case actMake:
		r := Role{Kind: Copy}
		switch a.op {
		case op.Partition:
			r = Role{Kind: Shard, Axis: a.axis}
			for _, s := range x {
				if s.Role.Kind == Shard && s.Role.Axis == a.axis {
					r.Level = max(r.Level, s.Role.Level+1)
					if s.Role.Before+s.Role.After > 0 {
						r.Kind = Unknown
						p.find(id, "%s is dealt out along axis %d together with what mesh axis %s has of the neighbours",
							tensorName(p.Graph, t), a.axis, p.axisName(s.Axis))
					}
				}
			}
		case op.Lift:
			r = Role{Kind: First}
		}
		for i := range out {
			switch {
			case i < a.at:
				out[i].Role = x[i].Role
			case i == a.at:
				out[i].Role = r
			default:
				out[i].Role = x[i-1].Role
			}
		}
	case actEnd:
		p.ends(id, a, t)
		for i := range out {
			k := i
			if i >= a.at {
				k++
			}
			out[i].Role = x[k].Role
		}
	case actHalo:
		for i := range out {
			out[i].Role = x[i].Role
		}
		r := &out[a.at].Role
		if r.Kind != Shard || r.Axis != a.axis || r.Before+r.After > 0 || p.finer(x, a.at) {
			p.find(id, "places of neighbours along axis %d, but mesh axis %s of %s is: %s", a.axis, p.axisName(x[a.at].Axis), tensorName(p.Graph, t), *r)
			*r = Role{}
			break
		}
		r.Before, r.After = a.before, a.after
	case actSplit:
		for i := range out {
			switch {
			case i < a.at:
				out[i].Role = x[i].Role
			case i == a.at:
				out[i].Role = x[a.axis].Role
			default:
				out[i].Role = x[i-1].Role
			}
		}
		outer, inner := &out[a.at].Role, &out[a.axis+1].Role
		if inner.Kind == First || inner.Before+inner.After > 0 {
			*outer, *inner = Role{}, Role{}
		} else if inner.Kind == Shard {
			for i := range out {
				if r := &out[i].Role; i != a.at && r.Kind == Shard && r.Axis == outer.Axis && r.Level >= outer.Level {
					r.Level++
				}
			}
		}
	case actMerge:
		for i := range out {
			k := i
			if i >= a.at {
				k++
			}
			out[i].Role = x[k].Role
		}
		outer, inner, w := x[a.at].Role, x[a.axis+1].Role, &out[a.axis].Role
		if inner != outer && (inner.Kind != Shard || outer.Kind != Shard || inner.Axis != outer.Axis || inner.Level != outer.Level+1) ||
			inner.Kind == First || inner.Before+inner.After > 0 {
			*w = Role{}
			p.find(id, "mesh axes %s and %s of %s become one, and are: %s, %s", p.axisName(x[a.at].Axis), p.axisName(x[a.axis+1].Axis),
				tensorName(p.Graph, t), outer, inner)
		} else {
			*w = outer
		}
	}
}

// normalize numbers the levels of shards of one axis from 0.
func normalize(l Layout) {
	old := slices.Clone(l)
	for i := range l {
		l[i].Role.Level = 0
		for _, s := range old {
			if r := old[i].Role; r.Kind == Shard && s.Role.Kind == Shard && s.Role.Axis == r.Axis && s.Role.Level < r.Level {
				l[i].Role.Level++
			}
		}
	}
}

// finer reports whether the parts along a mesh axis are dealt out again along another one.
func (p *PCG) finer(x Layout, at int) bool {
	r := x[at].Role
	return slices.ContainsFunc(x, func(s Spread) bool {
		return s.Role.Kind == Shard && s.Role.Axis == r.Axis && s.Role.Level > r.Level
	})
}

// ends says what is wrong with ending a mesh axis that way.
func (p *PCG) ends(id graph.NodeID, a act, t graph.Tensor) {
	x := p.Layout(t)
	r := x[a.at].Role
	ok := p.Axes[x[a.at].Axis].Size == 1 // a member is the tensor, whatever it is called
	switch a.op {
	case op.Combine:
		ok = ok || r.Kind == Shard && r.Axis == a.axis && r.Before+r.After == 0
		if ok && r.Kind == Shard && r.Axis == a.axis && p.finer(x, a.at) {
			p.find(id, "parts along mesh axis %s of %s are put together before the smaller ones along another mesh axis",
				p.axisName(x[a.at].Axis), tensorName(p.Graph, t))
			return
		}
	case op.Reduce:
		ok = ok || r.Kind == Sum || r.Kind == First
	case op.Drop:
		ok = ok || r.Kind == Copy || r.Kind == First
	}
	if !ok {
		p.find(id, "mesh axis %s of %s is: %s", p.axisName(x[a.at].Axis), tensorName(p.Graph, t), r)
	}
}

// localRoles are those of what each device computes of its members, one mesh axis at a
// time: the others only say how many such members there are.
func (p *PCG) localRoles(ctx context.Context, pr *prover, id graph.NodeID) error {
	ts := p.Graph.Operands(id)
	for k := range p.layouts[id] {
		for j := range p.layouts[id][k] {
			q := question{op: p.acts[id].op, attrs: p.acts[id].attrs, out: k, size: p.Axes[p.layouts[id][k][j].Axis].Size}
			var said []string
			unknown := false
			for _, t := range ts {
				r := p.Layout(t)[j].Role
				q.roles = append(q.roles, r)
				q.sizes = append(q.sizes, p.memberSizes(t))
				c := pr.constant[t]
				q.uniform = append(q.uniform, c != nil && !slices.ContainsFunc(c, func(x uint64) bool { return x != c[0] }))
				said = append(said, fmt.Sprintf("%s is %s", tensorName(p.Graph, t), r))
				unknown = unknown || r.Kind == Unknown
			}
			if unknown {
				continue // said where it came up
			}
			r, err := pr.role(ctx, q)
			if err != nil {
				return err
			}
			p.layouts[id][k][j].Role = r
			if r.Kind == Unknown {
				p.find(id, "along mesh axis %s %s; the members of the result are neither its shards nor copies nor a sum",
					p.axisName(p.layouts[id][k][j].Axis), strings.Join(said, ", "))
			}
		}
	}
	return nil
}

// constants evaluates a member of what depends on no input.
func (p *PCG) constants(pr *prover, id graph.NodeID) {
	g := p.Graph
	var in []interp.Tensor[uint64]
	for _, t := range g.Operands(id) {
		c, ok := pr.constant[t]
		if !ok {
			return
		}
		in = append(in, interp.Tensor[uint64]{Sizes: p.memberSizes(t), Data: c})
	}
	if w := g.WorkOf(id); w.FLOPs > maxEvaluated || w.BytesWrite > maxEvaluated {
		return
	}
	a := p.acts[id]
	out, err := interp.Apply(field, a.op, a.attrs, in)
	if err != nil {
		return // what it computes is not known
	}
	for k, x := range out {
		pr.constant[id.Out(k)] = x.Data
	}
}
