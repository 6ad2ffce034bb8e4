package taso

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/tasopb"
)

// What FlexFlow's operators can say of laws of layouts: each is a tensor whose parts are
// made and put together again at once, as they are read in parallel.go. A law in which
// something is done with the parts in between has no form there, as a tensor of that
// format is a value and not a family.

// atDegree is a law with a number for the variables that are degrees; of 0 it is the law.
func atDegree(l *law.Law, degree int64) *law.Law {
	if degree == 0 {
		return l
	}
	b := &graph.Substitution{Dims: map[string]graph.Dim{}}
	l.EachTerm(func(t *law.Term) {
		if t.Op == nil || t.Op.Layout == graph.LayoutNone {
			return
		}
		if i := t.Op.ParamIndex("on"); i >= 0 {
			d, _ := t.Attrs[i].Dim()
			if v, ok := d.IsVar(); ok {
				b.Dims[v] = graph.Int(degree)
			}
		}
	})
	if len(b.Dims) == 0 {
		return l
	}
	return l.Subst(b)
}

// layout writes a term that is one of FlexFlow's operators; ok tells whether it is.
func (e *encoder) layout(t *law.Term) (x tasopb.Tensor, ok bool, err error) {
	var o tasopb.Operator
	var args []*law.Term
	switch {
	case t.Op.Name == "matmul" && len(e.side.ty.Shape[t]) == 3:
		w := t.Args[1]
		if w.Op == nil || w.Op.Name != "transpose" || w.Attrs[0] != graph.TupleValue(0, 2, 1) {
			return x, false, fmt.Errorf("a product of batches whose second factor is no transposed weight")
		}
		o.Type, args = tasopb.OpLinear, []*law.Term{t.Args[0], w.Args[0]}
		o.Params = []tasopb.Parameter{{Key: tasopb.ParamActi, Value: int32(tasopb.ActNone)}}
	case t.Op.Layout == graph.LayoutNone:
		return x, false, nil
	default:
		if o, err = together(t); err != nil {
			return x, false, err
		}
		args = t.Args[0].Args
	}
	for _, a := range args {
		y, err := e.tensor(a)
		if err != nil {
			return x, false, err
		}
		o.Inputs = append(o.Inputs, y)
	}
	app := e.side.nodes.App(t)
	id, have := e.side.at[app]
	if !have {
		id = int32(len(e.side.ops))
		e.side.ops = append(e.side.ops, o)
		e.side.at[app] = id
	}
	// Cuts behind such an operator are not written.
	e.side.seams[e.side.nodes.Of(t)] = make([]*seam, len(e.side.ty.Shape[t]))
	return tasopb.Tensor{OpID: id}, true, nil
}

// together is the operator that makes parts of a tensor and puts them together.
func together(t *law.Term) (o tasopb.Operator, err error) {
	bare := fmt.Errorf("%s, a family that is no tensor of the format", t.Op.Name)
	if t.Op.Layout != graph.LayoutEnds || len(t.Args) != 1 || t.Args[0].Op == nil || t.Args[0].Op.Layout != graph.LayoutMakes {
		return o, bare
	}
	in := t.Args[0]
	attr := func(u *law.Term, name string) (graph.Dim, bool) {
		i := u.Op.ParamIndex(name)
		if i < 0 {
			return graph.Dim{}, false
		}
		return u.Attrs[i].Dim()
	}
	from, cut := attr(in, "axis")
	to, joined := attr(t, "axis")
	switch made, ended := in.Op.Name, t.Op.Name; {
	case made == "partition" && ended == "combine" && from == to:
		o.Type = tasopb.OpPartition
	case made == "replicate" && ended == "combine" && joined:
		o.Type, from = tasopb.OpReplicate, to
	case made == "partition" && ended == "reduce" && cut:
		o.Type = tasopb.OpReduce
	default:
		return o, fmt.Errorf("%s of %s, which no operator of the format is", ended, made)
	}
	on, _ := attr(in, "on")
	w := &paramWriter{o: &o}
	w.size(tasopb.ParamParallelDim, graph.DimValue(from))
	w.size(tasopb.ParamParallelDegree, graph.DimValue(on))
	return o, w.err
}
