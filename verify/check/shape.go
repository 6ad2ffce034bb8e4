package check

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// application is an operator applied to tensors of known shapes. of the
// operator's declaration only its name, its parameters' names and sorts, and
// that it is a function of one element are used.
type application struct {
	t     *sizes
	op    *graph.Op
	out   int // which output
	attrs []value
	in    []shape
	args  []int  // its operands' nodes
	needs *conds // when it is defined
}

func (a *application) attr(name string) value {
	if i := a.op.ParamIndex(name); i >= 0 && i < len(a.attrs) {
		return a.attrs[i]
	}
	return value{}
}

func (a *application) size(name string) (size, error) {
	v := a.attr(name)
	d, ok := v.isSize()
	if !ok {
		return d, fmt.Errorf("%s is not a size", name)
	}
	return d, nil
}

// shape is the parameter of that name.
func (a *application) shape() (shape, bool) {
	v := a.attr("shape")
	return v.shape, v.kind == graph.KindShape
}

func (a *application) atLeast(d size, n int64) error { return a.needs.atLeast(a.t, d, n) }

// axisAt is the position of an axis in the list of items, -1 if there is none.
func axisAt(t *sizes, s shape, axis value) int {
	want, ok := axis.isSize()
	var at size
	for i, it := range s {
		if ok && at.equal(want) && it.run == "" {
			return i
		}
		at = at.plus(t.rank(shape{it}))
	}
	return -1
}

func axisSize(t *sizes, s shape, axis value) size {
	if i := axisAt(t, s, axis); i >= 0 {
		return s[i].size
	}
	return nil
}

func plain(s shape, rank int) bool { return len(s) == rank && !s.hasRun() }

// misfit is the error of an operator that does not take such shapes.
type misfit []shape

func (m misfit) Error() string { return fmt.Sprintf("shapes %v do not fit", []shape(m)) }

// infer is the table of shape rules: the output's shape, and the conditions
// under which it exists.
func (a *application) infer() (shape, error) {
	if one, over, err := a.member(); one != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return a.each(one, over)
	}
	bad := misfit(a.in)
	switch name := a.op.Name; name {
	case "ewadd", "ewmul":
		if !a.in[0].equal(a.in[1]) {
			return nil, bad
		}
		return a.in[0], nil
	case "smul":
		if len(a.in[1]) != 0 {
			return nil, bad
		}
		return a.in[0], nil
	case "matmul":
		x, y := a.in[0], a.in[1]
		r := len(x)
		if r < 2 || len(y) != r || x[r-2:].hasRun() || y[r-2:].hasRun() ||
			!x[:r-2].equal(y[:r-2]) || !x[r-1:].equal(y[r-2:r-1]) {
			return nil, bad
		}
		return x.with(r-1, y[r-1].size), nil
	case "concat":
		i := axisAt(a.t, a.in[0], a.attr("axis"))
		if i < 0 || len(a.in[1]) != len(a.in[0]) || a.in[1][i].run != "" || !a.in[0].with(i, a.in[1][i].size).equal(a.in[1]) {
			return nil, bad
		}
		return a.in[0].with(i, a.in[0][i].size.plus(a.in[1][i].size)), nil
	case "slice", "split":
		i := axisAt(a.t, a.in[0], a.attr("axis"))
		if i < 0 {
			return nil, bad
		}
		var lo, hi size
		var err error
		switch {
		case name == "slice":
			if lo, err = a.size("lo"); err == nil {
				hi, err = a.size("hi")
			}
		case a.out == 0:
			hi, err = a.size("at")
		default:
			lo, err = a.size("at")
			hi = a.in[0][i].size
		}
		if err == nil {
			err = a.needs.require(a.t, lo)
		}
		if err == nil {
			err = a.atLeast(hi.minus(lo), 1)
		}
		if err == nil {
			err = a.needs.require(a.t, a.in[0][i].size.minus(hi))
		}
		return a.in[0].with(i, hi.minus(lo)), err
	case "transpose":
		perm := a.attr("perm").tuple
		if a.attr("perm").kind != graph.KindTuple || !plain(a.in[0], len(perm)) {
			return nil, bad
		}
		if !permutes(perm) {
			return nil, fmt.Errorf("%v is not a permutation", perm)
		}
		out := make(shape, len(perm))
		for i, p := range perm {
			out[i] = a.in[0][p]
		}
		return out, nil
	case "conv2d":
		x, w := a.in[0], a.in[1]
		g, err := a.size("groups")
		if err != nil {
			return nil, err
		}
		if !plain(x, 4) || !plain(w, 4) || !x[1].size.equal(a.t.mul(g, w[1].size)) {
			return nil, bad
		}
		if err := a.atLeast(g, 1); err != nil {
			return nil, err
		}
		a.needs.divides(g, w[0].size)
		if err := sortOf(a.attr("act"), graph.SortAct); err != nil {
			return nil, err
		}
		out := axes(x[0].size, w[0].size, x[2].size, x[3].size)
		// The cells of the kernel are so far apart.
		reach := [2]size{}
		for i := range reach {
			step, err := a.t.step(a.attr("dilation"), i)
			if err != nil {
				return nil, err
			}
			if err := a.atLeast(w[2+i].size, 1); err != nil {
				return nil, err
			}
			reach[i] = a.t.mul(w[2+i].size.plusInt(-1), step).plusInt(1)
		}
		return out, a.slide(out, reach[0], reach[1])
	case "poolmax", "poolavg":
		if !plain(a.in[0], 4) {
			return nil, bad
		}
		kh, err := a.size("kh")
		if err != nil {
			return nil, err
		}
		kw, err := a.size("kw")
		if err != nil {
			return nil, err
		}
		if name == "poolavg" {
			if err := sortOf(a.attr("border"), graph.SortBorder); err != nil {
				return nil, err
			}
		}
		out := slices.Clone(a.in[0])
		return out, a.slide(out, kh, kw)
	case "enlarge":
		if !plain(a.in[0], 4) {
			return nil, bad
		}
		out := slices.Clone(a.in[0])
		for i, p := range []string{"kh", "kw"} {
			k, err := a.size(p)
			if err == nil {
				err = a.needs.require(a.t, k.minus(out[2+i].size))
			}
			if err != nil {
				return nil, err
			}
			out[2+i].size = k
		}
		return out, nil
	case "iconv", "cpool", "imatmul", "iota":
		var ds []size
		for i := range a.attrs {
			d, ok := a.attrs[i].isSize()
			if !ok {
				return nil, fmt.Errorf("%s is not a size", a.attrs[i])
			}
			if err := a.atLeast(d, 1); err != nil {
				return nil, err
			}
			ds = append(ds, d)
		}
		switch name {
		case "iconv":
			return axes(ds[0], ds[0], ds[1], ds[2]), nil
		case "cpool":
			return axes(ds[0], num(1), ds[1], ds[2]), nil
		case "iota":
			return axes(ds[0]), nil
		}
		return axes(ds[0], ds[0]), nil
	case "one", "fill":
		s, ok := a.shape()
		if !ok {
			return nil, fmt.Errorf("no shape")
		}
		if name == "fill" {
			den, err := a.size("den")
			if err == nil {
				err = a.atLeast(den, 1)
			}
			if err == nil {
				err = sortOf(a.attr("value"), graph.SortNumber)
			}
			if err != nil {
				return nil, err
			}
		}
		for _, it := range s {
			if it.run == "" {
				if err := a.atLeast(it.size, 1); err != nil {
					return nil, err
				}
			}
		}
		return s, nil
	case "broadcast":
		s, ok := a.shape()
		if !ok || len(s) < len(a.in[0]) {
			return nil, bad
		}
		for _, it := range s {
			if it.run == "" {
				if err := a.atLeast(it.size, 1); err != nil {
					return nil, err
				}
			}
		}
		for i, it := range s[len(s)-len(a.in[0]):] {
			x := a.in[0][i]
			if !(shape{x}).equal(shape{it}) && (x.run != "" || it.run != "" || !x.size.isInt(1)) {
				return nil, bad
			}
		}
		return s, nil
	}
	if a.op.Pointwise && len(a.in) == 1 && len(a.attrs) == 0 {
		return a.in[0], nil
	}
	return a.inferModel()
}

// slide replaces axes 2 and 3 of s by the output sizes of a window kh x kw.
func (a *application) slide(s shape, kh, kw size) error {
	stride, pad := a.attr("stride"), a.attr("pad")
	if err := sortOf(stride, graph.SortStride); err != nil {
		return err
	}
	if err := sortOf(pad, graph.SortPadding); err != nil {
		return err
	}
	for i, k := range []size{kh, kw} {
		if err := a.atLeast(k, 1); err != nil {
			return err
		}
		out, err := a.t.window(s[2+i].size, k, stride, pad, i)
		if err != nil {
			return err
		}
		if pad.kind == graph.KindTuple {
			for _, p := range []int64{pad.tuple[i], pad.tuple[i+2]} {
				if err := a.needs.require(a.t, k.minus(num(p)).plusInt(-1)); err != nil {
					return fmt.Errorf("padding is not smaller than the kernel: %w", err)
				}
			}
		}
		if pad.kind == graph.KindVar && pad.sort == graph.SortPadding {
			a.needs.add(cond{kind: fits, pad: pad, axis: i, d: k})
		}
		if err := a.atLeast(out, 1); err != nil {
			return fmt.Errorf("the window does not fit: %w", err)
		}
		s[2+i].size = out
	}
	return nil
}
