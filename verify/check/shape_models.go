package check

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// inferModel is the part of the table of shape rules for element-wise operators
// with parameters, reductions, normalizations and changes of shape.
func inferModel(t *law.Term, in []graph.Shape, needs *conds) (graph.Shape, error) {
	bad := fmt.Errorf("shapes %v do not fit", in)
	for i, p := range t.Op.Params {
		if p.Sort == graph.SortNumber {
			if err := sortOf(t.Attrs[i], graph.SortNumber); err != nil {
				return nil, err
			}
		}
	}
	switch name := t.Op.Name; name {
	case "ewsub", "ewdiv", "ewmax", "ewmin":
		if !in[0].Equal(in[1]) {
			return nil, bad
		}
		return in[0], nil
	case "neg", "leakyrelu", "elu", "clip", "hardsigmoid", "rsqrt":
		return in[0], nil
	case "cast":
		to, _ := attr(t, "to").Name()
		if _, err := graph.ParseDType(to); err != nil {
			return nil, err
		}
		return in[0], nil
	case "softmax":
		if axisAt(in[0], attr(t, "axis")) < 0 {
			return nil, bad
		}
		return in[0], nil
	case "layernorm":
		i := axisAt(in[0], attr(t, "axis"))
		if i < 0 || in[0][i:].HasRun() || !in[1].Equal(in[0][i:]) || !in[2].Equal(in[0][i:]) {
			return nil, bad
		}
		return in[0], nil
	case "batchnorm":
		x := in[0]
		if len(x) < 2 || x[:2].HasRun() {
			return nil, bad
		}
		for _, s := range in[1:] {
			if !s.Equal(x[1:2]) {
				return nil, bad
			}
		}
		return x, nil
	case "reducesum", "reducemean", "reducemax":
		return reduced(t, in[0])
	case "pad":
		before, ok1 := attr(t, "before").Tuple()
		after, ok2 := attr(t, "after").Tuple()
		if !ok1 || !ok2 || !plain(in[0], len(before)) || len(after) != len(before) {
			return nil, bad
		}
		out := in[0].Clone()
		for i := range out {
			if before[i] < 0 || after[i] < 0 || before[i] > largest || after[i] > largest {
				return nil, fmt.Errorf("pads %v and %v", before, after)
			}
			out[i].Dim = out[i].Dim.Add(graph.Int(before[i] + after[i]))
		}
		return out, nil
	case "reshape":
		return reshaped(t, in[0], needs)
	case "gather":
		i := axisAt(in[0], attr(t, "axis"))
		if i < 0 || in[1].HasRun() {
			return nil, bad
		}
		out := append(in[0][:i].Clone(), in[1]...)
		return append(out, in[0][i+1:]...), nil
	}
	return nil, fmt.Errorf("the checker has no shape rule for operator %s", t.Op.Name)
}

// reduced leaves out the axes that are folded, or keeps one cell of each. Axes
// count from the front, so that no run may stand before the last of them.
func reduced(t *law.Term, x graph.Shape) (graph.Shape, error) {
	axes, _ := attr(t, "axes").Tuple()
	keep, err := size(t, "keep")
	if err != nil {
		return nil, err
	}
	if keep != graph.Int(0) && keep != graph.Int(1) || len(axes) == 0 {
		return nil, fmt.Errorf("axes %v, keep %s", axes, keep)
	}
	out, next := graph.Shape{}, int64(0)
	for i, it := range x {
		if len(axes) == 0 || axes[0] != int64(i) {
			if it.Run != "" && len(axes) > 0 {
				return nil, fmt.Errorf("a run stands before axis %d of %s", axes[0], x)
			}
			out = append(out, it)
			continue
		}
		if it.Run != "" || axes[0] < next {
			return nil, fmt.Errorf("axis %d of %s", axes[0], x)
		}
		next = axes[0] + 1
		if axes = axes[1:]; keep == graph.Int(1) {
			out = append(out, graph.Axis(graph.Int(1)))
		}
	}
	if len(axes) > 0 {
		return nil, fmt.Errorf("axis %d of %s", axes[0], x)
	}
	return out, nil
}

// reshaped requires as many elements, runs being the same at the ends.
func reshaped(t *law.Term, x graph.Shape, needs *conds) (graph.Shape, error) {
	to, ok := attr(t, "shape").Shape()
	if !ok {
		return nil, fmt.Errorf("no shape")
	}
	for _, it := range to {
		if it.Run == "" {
			if err := needs.atLeast(it.Dim, 1); err != nil {
				return nil, err
			}
		}
	}
	y := to
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if x.HasRun() || y.HasRun() {
		return nil, fmt.Errorf("runs of %s and %s do not fit", x, y)
	}
	n, m := graph.Int(1), graph.Int(1)
	for _, it := range x {
		n = n.Mul(it.Dim)
	}
	for _, it := range y {
		m = m.Mul(it.Dim)
	}
	if n != m {
		return nil, fmt.Errorf("%s elements do not become %s", n, m)
	}
	return to, nil
}
