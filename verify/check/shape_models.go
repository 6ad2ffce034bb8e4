package check

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
)

// inferModel is the part of the table of shape rules for element-wise operators
// with parameters, reductions, normalizations and changes of shape.
func (a *application) inferModel() (shape, error) {
	bad := misfit(a.in)
	for i, p := range a.op.Params {
		if p.Sort == graph.SortNumber {
			if err := sortOf(a.attrs[i], graph.SortNumber); err != nil {
				return nil, err
			}
		}
	}
	switch name := a.op.Name; name {
	case "ewsub", "ewdiv", "ewmax", "ewmin", "ewless", "ewlessequal", "ewequal", "ewpow", "ewint", "ewwhere":
		for _, s := range a.in[1:] {
			if !a.in[0].equal(s) {
				return nil, bad
			}
		}
		return a.in[0], nil
	case "neg", "leakyrelu", "elu", "clip", "hardsigmoid", "rsqrt":
		return a.in[0], nil
	case "cast":
		to := a.attr("to")
		if to.kind != graph.KindName {
			return nil, bad
		}
		if _, err := graph.ParseDType(to.name); err != nil {
			return nil, err
		}
		return a.in[0], nil
	case "softmax":
		if axisAt(a.t, a.in[0], a.attr("axis")) < 0 {
			return nil, bad
		}
		return a.in[0], nil
	case "layernorm":
		i := axisAt(a.t, a.in[0], a.attr("axis"))
		if i < 0 || a.in[0][i:].hasRun() || !a.in[1].equal(a.in[0][i:]) || !a.in[2].equal(a.in[0][i:]) {
			return nil, bad
		}
		return a.in[0], nil
	case "batchnorm":
		x := a.in[0]
		if len(x) < 2 || x[:2].hasRun() {
			return nil, bad
		}
		for _, s := range a.in[1:] {
			if !s.equal(x[1:2]) {
				return nil, bad
			}
		}
		return x, nil
	case "reducesum", "reducemean", "reducemax":
		return a.reduced(a.in[0])
	case "topk":
		i := axisAt(a.t, a.in[0], a.attr("axis"))
		if i < 0 {
			return nil, bad
		}
		k, err := a.size("k")
		if err == nil {
			err = a.atLeast(k, 1)
		}
		if err == nil {
			err = a.needs.require(a.t, a.in[0][i].size.minus(k))
		}
		if err != nil {
			return nil, err
		}
		if smallest, err := a.size("smallest"); err != nil || !smallest.isInt(0) && !smallest.isInt(1) {
			return nil, bad
		}
		return a.in[0].with(i, k), nil
	case "reverse":
		for i, axis := range a.attr("axes").tuple {
			if axis < 0 || axis >= int64(len(a.in[0])) || i > 0 && axis <= a.attr("axes").tuple[i-1] || a.in[0][:axis+1].hasRun() {
				return nil, fmt.Errorf("axes %v of %s", a.attr("axes").tuple, a.in[0])
			}
		}
		return a.in[0], nil
	case "scatteradd":
		axis, err := a.size("axis")
		if err != nil {
			return nil, err
		}
		x, at := a.in[0], a.in[1]
		n, ok := axis.number()
		if !ok || n.Sign() < 0 || n.Cmp(big.NewInt(int64(len(x)-len(at)))) > 0 || at.hasRun() {
			return nil, bad
		}
		i := int(n.Int64())
		end := i + len(at)
		if x[:end].hasRun() || !x[i:end].equal(at) {
			return nil, bad
		}
		size, err := a.size("n")
		if err != nil {
			return nil, err
		}
		if err := a.atLeast(size, 1); err != nil {
			return nil, err
		}
		a.needs.add(cond{kind: within, d: size, at: a.args[1]})
		out := append(slices.Clone(x[:i]), item{size: size})
		return append(out, x[end:]...), nil
	case "pick":
		x, keys, at := a.in[0], a.in[1], a.in[2]
		if len(x) == 0 || x[:1].hasRun() || !keys.equal(x[:1]) || at.hasRun() {
			return nil, bad
		}
		all, err := a.size("n")
		if err == nil {
			err = a.atLeast(all, 1)
		}
		if err != nil {
			return nil, err
		}
		a.needs.add(cond{kind: within, d: all, at: a.args[2]})
		return append(slices.Clone(at), x[1:]...), nil
	case "pad":
		before, after := a.attr("before").tuple, a.attr("after").tuple
		if !plain(a.in[0], len(before)) || len(after) != len(before) {
			return nil, bad
		}
		out := slices.Clone(a.in[0])
		for i := range out {
			if before[i] < 0 || after[i] < 0 {
				return nil, fmt.Errorf("pads %v and %v", before, after)
			}
			out[i].size = out[i].size.plusInt(before[i]).plusInt(after[i])
		}
		return out, nil
	case "reshape":
		return a.reshaped(a.in[0])
	case "resize":
		sizes := a.attr("sizes").tuple
		if !plain(a.in[0], len(sizes)) || a.attr("mode").kind != graph.KindName {
			return nil, bad
		}
		out := make(shape, len(sizes))
		for i, n := range sizes {
			if _, ok := a.in[0][i].size.number(); !ok || n < 1 {
				return nil, bad
			}
			out[i].size = num(n)
		}
		return out, nil
	case "gather":
		i := axisAt(a.t, a.in[0], a.attr("axis"))
		if i < 0 || a.in[1].hasRun() {
			return nil, bad
		}
		a.needs.add(cond{kind: within, d: a.in[0][i].size, at: a.args[1]})
		out := append(slices.Clone(a.in[0][:i]), a.in[1]...)
		return append(out, a.in[0][i+1:]...), nil
	}
	if out, ok, err := a.inferLayout(); ok {
		return out, err
	}
	return a.inferDefined()
}

// reduced leaves out the axes that are folded, or keeps one cell of each. Axes
// count from the front, so that no run may stand before the last of them.
func (a *application) reduced(x shape) (shape, error) {
	axes := a.attr("axes").tuple
	keep, err := a.size("keep")
	if err != nil {
		return nil, err
	}
	if !keep.isInt(0) && !keep.isInt(1) || len(axes) == 0 {
		return nil, fmt.Errorf("axes %v, keep %s", axes, keep)
	}
	out, next := shape{}, int64(0)
	for i, it := range x {
		if len(axes) == 0 || axes[0] != int64(i) {
			if it.run != "" && len(axes) > 0 {
				return nil, fmt.Errorf("a run stands before axis %d of %s", axes[0], x)
			}
			out = append(out, it)
			continue
		}
		if it.run != "" || axes[0] < next {
			return nil, fmt.Errorf("axis %d of %s", axes[0], x)
		}
		next = axes[0] + 1
		if axes = axes[1:]; keep.isInt(1) {
			out = append(out, item{size: num(1)})
		}
	}
	if len(axes) > 0 {
		return nil, fmt.Errorf("axis %d of %s", axes[0], x)
	}
	return out, nil
}

// reshaped requires as many elements, runs being the same at the ends.
func (a *application) reshaped(x shape) (shape, error) {
	to, ok := a.shape()
	if !ok {
		return nil, fmt.Errorf("no shape")
	}
	for _, it := range to {
		if it.run == "" {
			if err := a.atLeast(it.size, 1); err != nil {
				return nil, err
			}
		}
	}
	y := to
	for len(x) > 0 && len(y) > 0 && x[:1].equal(y[:1]) {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1:].equal(y[len(y)-1:]) {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if x.hasRun() || y.hasRun() {
		return nil, fmt.Errorf("runs of %s and %s do not fit", x, y)
	}
	n, m := num(1), num(1)
	for _, it := range x {
		n = a.t.mul(n, it.size)
	}
	for _, it := range y {
		m = a.t.mul(m, it.size)
	}
	if !n.equal(m) {
		return nil, fmt.Errorf("%s elements do not become %s", n, m)
	}
	return to, nil
}
