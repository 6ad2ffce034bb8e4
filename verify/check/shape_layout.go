package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

// member is the application to one member of families, of an operator that is applied to
// each: the operator in the name, over what stands behind the families' axes. Of any other
// operator it is nil.
func (a *application) member() (one *application, over shape, err error) {
	name, ok := strings.CutPrefix(a.op.Name, graph.EachPrefix)
	if !ok {
		return nil, nil, nil
	}
	op, ok := graph.Lookup(name)
	if !ok || strings.HasPrefix(name, graph.EachPrefix) || len(a.attrs) != len(op.Params)+1 {
		return nil, nil, fmt.Errorf("operator %s applies none that is known", a.op.Name)
	}
	if a.attrs[0].kind != graph.KindShape {
		return nil, nil, fmt.Errorf("%s is no list of axes", a.attrs[0])
	}
	over = a.attrs[0].shape
	one = &application{t: a.t, op: op, out: a.out, attrs: a.attrs[1:], args: a.args, needs: a.needs}
	for _, x := range a.in {
		if len(x) < len(over) || !x[:len(over)].equal(over) {
			return nil, nil, fmt.Errorf("shape %s is no family over %s", x, over)
		}
		one.in = append(one.in, x[len(over):])
	}
	return one, over, nil
}

// each is the family's shape: its axes, of at least one place, and the shape of what the
// operator makes of a member.
func (a *application) each(one *application, over shape) (shape, error) {
	for _, it := range over {
		if it.run == "" {
			if err := a.atLeast(it.size, 1); err != nil {
				return nil, err
			}
		}
	}
	out, err := one.infer()
	return slices.Concat(over, out), err
}

// inferLayout is the part of the table for the operators that move axes between a tensor
// and the mesh in front of it; false if the operator is none of them.
func (a *application) inferLayout() (out shape, ok bool, err error) {
	x := a.in
	if len(x) != 1 {
		return nil, false, nil
	}
	switch name := a.op.Name; name {
	case "partition", "pipeline":
		var g size
		if g, err = a.count("on"); err == nil {
			out, err = a.dealt(x[0], "axis", g)
		}
	case "replicate", "lift":
		g, e := a.count("on")
		out, err = slices.Concat(axes(g), x[0]), e
	case "combine", "batch", "reduce", "drop", "halo", "allreduce", "reducescatter", "allgather", "alltoall":
		if len(x[0]) == 0 || x[0][0].run != "" {
			return nil, true, misfit(x)
		}
		joined := func(of shape, axis string) (shape, error) {
			i := axisAt(a.t, of, a.attr(axis))
			if i < 0 {
				return nil, misfit(x)
			}
			return of.with(i, a.t.mul(x[0][0].size, of[i].size)), nil
		}
		switch of := x[0][1:]; name {
		case "combine", "batch":
			out, err = joined(of, "axis")
		case "allreduce":
			out = x[0]
		case "reducescatter":
			out, err = a.dealt(of, "axis", x[0][0].size)
		case "allgather":
			out, err = joined(of, "axis")
			out = slices.Concat(x[0][:1], out)
		case "alltoall":
			if out, err = joined(of, "concat"); err == nil {
				out, err = a.dealt(out, "split", x[0][0].size)
			}
		case "halo":
			out, err = a.widened(of)
			out = slices.Concat(x[0][:1], out)
		default:
			out = of
		}
	default:
		return nil, false, nil
	}
	return out, true, err
}

// count is the parameter of that name, at least 1.
func (a *application) count(name string) (size, error) {
	n, err := a.size(name)
	if err == nil {
		err = a.atLeast(n, 1)
	}
	return n, err
}

// dealt is the shape of g parts of x along the axis of that name.
func (a *application) dealt(x shape, axis string, g size) (shape, error) {
	i := axisAt(a.t, x, a.attr(axis))
	if i < 0 {
		return nil, misfit(a.in)
	}
	n, ok := x[i].size.over(g)
	if !ok {
		return nil, fmt.Errorf("%s is not %s times a size", x[i].size, g)
	}
	return slices.Concat(axes(g), x.with(i, n)), a.atLeast(n, 1)
}

// widened is the shape of a part with places of the parts beside it.
func (a *application) widened(x shape) (shape, error) {
	i := axisAt(a.t, x, a.attr("axis"))
	if i < 0 {
		return nil, misfit(a.in)
	}
	n := x[i].size
	for _, side := range []string{"before", "after"} {
		w, err := a.size(side)
		if err == nil {
			err = a.needs.require(a.t, w)
		}
		if err == nil {
			err = a.needs.require(a.t, x[i].size.minus(w))
		}
		if err != nil {
			return nil, err
		}
		n = n.plus(w)
	}
	return x.with(i, n), nil
}
