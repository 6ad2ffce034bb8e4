package check

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// cond is a condition on sizes and attributes: that d is not negative, or,
// where what is not empty, a statement that is only ever compared.
type cond struct {
	d    graph.Dim
	what string
}

func (c cond) String() string {
	if c.what != "" {
		return c.what
	}
	return "0 <= " + c.d.String()
}

// implied reports whether the facts give c for all sizes: sound, not complete.
func (c cond) implied(facts []cond) bool {
	if c.what == "" && always(c.d) {
		return true
	}
	for _, f := range facts {
		if f == c || c.what == "" && f.what == "" && always(c.d.Sub(f.d)) {
			return true
		}
	}
	return false
}

// always reports that d is at least 0 for all sizes and attributes.
func always(d graph.Dim) bool {
	var open conds
	open.functions(d)
	return d.NonNegative() && len(open) == 0
}

// conds is a set of conditions.
type conds []cond

func (s *conds) add(cs ...cond) {
	for _, c := range cs {
		if !slices.Contains(*s, c) {
			*s = append(*s, c)
		}
	}
}

func (s conds) strings() []string {
	out := make([]string, len(s))
	for i, c := range s {
		out[i] = c.String()
	}
	sort.Strings(out)
	return out
}

// require adds d >= 0 unless it holds for all sizes; an error says that it
// never holds. graph decides signs as if the size functions were at least 1,
// so that they are joins the conditions.
func (s *conds) require(d graph.Dim) error {
	if d.Neg().Sub(graph.Int(1)).NonNegative() {
		return fmt.Errorf("%s is never at least 0", d)
	}
	if !d.NonNegative() {
		s.add(cond{d: d})
	}
	s.functions(d)
	return nil
}

// functions adds that the size functions in d are at least 1.
func (s *conds) functions(d graph.Dim) {
	one := graph.Int(1)
	d.Walk(func(a graph.Atom) {
		if a.Kind != graph.AtomFunc {
			return
		}
		if len(a.Args) > 1 {
			h, _ := a.Args[0].Dim()
			k, _ := a.Args[1].Dim()
			if !h.Sub(one).NonNegative() {
				s.add(cond{d: h.Sub(one)})
			}
			// A size over a stride rounds up; a window of one cell always fits.
			if a.Name == "strided" || a.Name == "window" && k == one {
				return
			}
		}
		s.add(cond{d: graph.Func(a.Name, a.Args...).Sub(one)})
	})
}

func (s *conds) atLeast(d graph.Dim, n int64) error { return s.require(d.Sub(graph.Int(n))) }

// terms builds nodes with their shapes. It brings every split to slices.
type terms struct {
	*closure
	vars  map[string]graph.Shape // tensor variables
	attrs map[string]string      // attribute and function variables to their sorts
	sizes map[string]bool        // size variables m and lengths of runs #P
	shape []graph.Shape          // of each node
	needs []conds                // of each node: when it is defined, arguments included
	// split is what splits need beyond their slices, since it was last reset:
	// split[at](x).0 is slice[0, at](x) provided that the other part is not empty.
	split conds
}

// build is the node of t; the error says why t has no shape.
func (b *terms) build(t *law.Term) (int, error) {
	if t.IsVar() {
		s, ok := b.vars[t.Var]
		if !ok {
			return 0, fmt.Errorf("tensor %s is not a variable of the rule", t.Var)
		}
		return b.intern("var "+t.Var, nil, s, nil), nil
	}
	args := make([]int, len(t.Args))
	in := make([]graph.Shape, len(t.Args))
	var needs conds
	for i, a := range t.Args {
		id, err := b.build(a)
		if err != nil {
			return 0, err
		}
		args[i], in[i] = id, b.shape[id]
		needs.add(b.needs[id]...)
	}
	if t.Fn != "" {
		if !law.IsFuncSort(b.attrs[t.Fn]) || len(args) != 1 {
			return 0, fmt.Errorf("%s: %s is not a function variable of the rule", t, t.Fn)
		}
		return b.intern("fn "+t.Fn, args, in[0], needs), nil
	}
	if len(args) != t.Op.In || len(t.Attrs) != len(t.Op.Params) || t.Out < 0 || t.Out >= t.Op.Out {
		return 0, fmt.Errorf("%s: wrong number of arguments, attributes or outputs", t)
	}
	for _, v := range t.Attrs {
		if err := b.known(v); err != nil {
			return 0, fmt.Errorf("%s: %w", t, err)
		}
	}
	out, err := infer(t, in, &needs)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t, err)
	}
	name, attrs := t.Op.Name, t.Attrs
	if name == "split" {
		at, end := attrs[1], graph.DimValue(axisSize(in[0], attr(t, "axis")))
		name, attrs = "slice", graph.Attrs{attrs[0], graph.IntValue(0), at}
		if t.Out == 1 {
			attrs = graph.Attrs{t.Attrs[0], at, end}
		}
		d, _ := at.Dim()
		n, _ := end.Dim()
		for _, x := range []graph.Dim{d, n.Sub(d)} {
			if err := b.split.atLeast(x, 1); err != nil {
				return 0, fmt.Errorf("%s: %w", t, err)
			}
		}
	} else if t.Op.Out > 1 {
		name = fmt.Sprintf("%s.%d", name, t.Out)
	}
	var head strings.Builder
	head.WriteString("op " + name)
	for _, v := range attrs {
		fmt.Fprintf(&head, " %d:%s", v.Kind(), v)
	}
	return b.intern(head.String(), args, out, needs), nil
}

func (b *terms) intern(head string, args []int, s graph.Shape, needs conds) int {
	id := b.add(head, args)
	if id == len(b.shape) {
		b.shape = append(b.shape, s)
		b.needs = append(b.needs, needs)
	}
	return id
}

// largest bounds the numbers in sizes: products of a few of them, as laws
// have, cannot overflow.
const largest = 1 << 20

// known requires the variables inside a value to be those of the rule, and its
// numbers to be small.
func (b *terms) known(v graph.Value) error {
	if name, sort, ok := v.Var(); ok && (b.attrs[name] != sort || law.IsFuncSort(sort)) {
		return fmt.Errorf("%s is not a variable of sort %s", name, sort)
	}
	d, _ := v.Dim()
	s, _ := v.Shape()
	for _, it := range append(graph.Shape{graph.Axis(d)}, s...) {
		ms, n := it.Dim.Terms()
		for _, m := range append(ms, graph.Term{Coef: n}) {
			if m.Coef > largest || m.Coef < -largest {
				return fmt.Errorf("size %s has a number beyond %d", it.Dim, largest)
			}
		}
	}
	var err error
	v.Walk(func(a graph.Atom) {
		if err == nil && a.Kind != graph.AtomFunc && !b.sizes[atomText(a)] {
			err = fmt.Errorf("%s is not a size or run of the rule", a.Name)
		}
		for _, x := range a.Args {
			if err == nil {
				err = b.known(x)
			}
		}
	})
	return err
}

func attr(t *law.Term, name string) graph.Value {
	if i := t.Op.ParamIndex(name); i >= 0 && i < len(t.Attrs) {
		return t.Attrs[i]
	}
	return graph.Value{}
}

func size(t *law.Term, name string) (graph.Dim, error) {
	d, ok := attr(t, name).Dim()
	if !ok {
		return d, fmt.Errorf("%s is not a size", name)
	}
	return d, nil
}

// axisAt is the position of an axis in the list of items, -1 if there is none.
func axisAt(s graph.Shape, axis graph.Value) int {
	want, ok := axis.Dim()
	at := graph.Int(0)
	for i, it := range s {
		if ok && at == want && it.Run == "" {
			return i
		}
		at = at.Add(graph.Shape{it}.Rank())
	}
	return -1
}

func axisSize(s graph.Shape, axis graph.Value) graph.Dim {
	if i := axisAt(s, axis); i >= 0 {
		return s[i].Dim
	}
	return graph.Dim{}
}

func plain(s graph.Shape, rank int) bool { return len(s) == rank && !s.HasRun() }

// infer is the table of shape rules: the output's shape, and the conditions
// under which it exists.
func infer(t *law.Term, in []graph.Shape, needs *conds) (graph.Shape, error) {
	bad := fmt.Errorf("shapes %v do not fit", in)
	switch name := t.Op.Name; name {
	case "ewadd", "ewmul":
		if !in[0].Equal(in[1]) {
			return nil, bad
		}
		return in[0], nil
	case "smul":
		if len(in[1]) != 0 {
			return nil, bad
		}
		return in[0], nil
	case "matmul":
		x, y := in[0], in[1]
		r := len(x)
		if r < 2 || len(y) != r || x[r-2:].HasRun() || y[r-2:].HasRun() ||
			!x[:r-2].Equal(y[:r-2]) || x[r-1] != y[r-2] {
			return nil, bad
		}
		return x.With(r-1, y[r-1].Dim), nil
	case "concat":
		i := axisAt(in[0], attr(t, "axis"))
		if i < 0 || len(in[1]) != len(in[0]) || in[1][i].Run != "" || !in[0].With(i, in[1][i].Dim).Equal(in[1]) {
			return nil, bad
		}
		return in[0].With(i, in[0][i].Dim.Add(in[1][i].Dim)), nil
	case "slice", "split":
		i := axisAt(in[0], attr(t, "axis"))
		if i < 0 {
			return nil, bad
		}
		var lo, hi graph.Dim
		var err error
		switch {
		case name == "slice":
			if lo, err = size(t, "lo"); err == nil {
				hi, err = size(t, "hi")
			}
		case t.Out == 0:
			hi, err = size(t, "at")
		default:
			lo, err = size(t, "at")
			hi = in[0][i].Dim
		}
		if err == nil {
			err = needs.require(lo)
		}
		if err == nil {
			err = needs.atLeast(hi.Sub(lo), 1)
		}
		if err == nil {
			err = needs.require(in[0][i].Dim.Sub(hi))
		}
		return in[0].With(i, hi.Sub(lo)), err
	case "transpose":
		perm, ok := attr(t, "perm").Tuple()
		if !ok || !plain(in[0], len(perm)) {
			return nil, bad
		}
		out := make(graph.Shape, len(perm))
		seen := make([]bool, len(perm))
		for i, p := range perm {
			if p < 0 || int(p) >= len(perm) || seen[p] {
				return nil, fmt.Errorf("%v is not a permutation", perm)
			}
			seen[p], out[i] = true, in[0][p]
		}
		return out, nil
	case "conv2d":
		x, w := in[0], in[1]
		g, err := size(t, "groups")
		if err != nil {
			return nil, err
		}
		if !plain(x, 4) || !plain(w, 4) || x[1].Dim != g.Mul(w[1].Dim) {
			return nil, bad
		}
		if err := needs.atLeast(g, 1); err != nil {
			return nil, err
		}
		needs.divides(g, w[0].Dim)
		if err := sortOf(attr(t, "act"), graph.SortAct); err != nil {
			return nil, err
		}
		out := graph.ShapeOf(x[0].Dim, w[0].Dim, x[2].Dim, x[3].Dim)
		return out, slide(t, out, w[2].Dim, w[3].Dim, needs)
	case "poolmax", "poolavg":
		if !plain(in[0], 4) {
			return nil, bad
		}
		kh, err := size(t, "kh")
		if err != nil {
			return nil, err
		}
		kw, err := size(t, "kw")
		if err != nil {
			return nil, err
		}
		if name == "poolavg" {
			if err := sortOf(attr(t, "border"), graph.SortBorder); err != nil {
				return nil, err
			}
		}
		out := in[0].Clone()
		return out, slide(t, out, kh, kw, needs)
	case "enlarge":
		if !plain(in[0], 4) {
			return nil, bad
		}
		out := in[0].Clone()
		for i, p := range []string{"kh", "kw"} {
			k, err := size(t, p)
			if err == nil {
				err = needs.require(k.Sub(out[2+i].Dim))
			}
			if err != nil {
				return nil, err
			}
			out[2+i].Dim = k
		}
		return out, nil
	case "iconv", "cpool", "imatmul":
		var ds []graph.Dim
		for i := range t.Attrs {
			d, ok := t.Attrs[i].Dim()
			if !ok {
				return nil, fmt.Errorf("%s is not a size", t.Attrs[i])
			}
			if err := needs.atLeast(d, 1); err != nil {
				return nil, err
			}
			ds = append(ds, d)
		}
		switch name {
		case "iconv":
			return graph.ShapeOf(ds[0], ds[0], ds[1], ds[2]), nil
		case "cpool":
			return graph.ShapeOf(ds[0], graph.Int(1), ds[1], ds[2]), nil
		}
		return graph.ShapeOf(ds[0], ds[0]), nil
	case "one":
		s, ok := attr(t, "shape").Shape()
		if !ok {
			return nil, fmt.Errorf("no shape")
		}
		for _, it := range s {
			if it.Run == "" {
				if err := needs.atLeast(it.Dim, 1); err != nil {
					return nil, err
				}
			}
		}
		return s, nil
	case "broadcast":
		s, ok := attr(t, "shape").Shape()
		if !ok || len(s) < len(in[0]) {
			return nil, bad
		}
		for _, it := range s {
			if it.Run == "" {
				if err := needs.atLeast(it.Dim, 1); err != nil {
					return nil, err
				}
			}
		}
		single := graph.Axis(graph.Int(1))
		for i, it := range s[len(s)-len(in[0]):] {
			if x := in[0][i]; x != it && (x != single || it.Run != "") {
				return nil, bad
			}
		}
		return s, nil
	}
	if t.Op.Pointwise && len(in) == 1 && len(t.Attrs) == 0 {
		return in[0], nil
	}
	return inferModel(t, in, needs)
}

// slide replaces axes 2 and 3 of s by the output sizes of a window kh x kw.
func slide(t *law.Term, s graph.Shape, kh, kw graph.Dim, needs *conds) error {
	stride, pad := attr(t, "stride"), attr(t, "pad")
	if err := sortOf(stride, graph.SortStride); err != nil {
		return err
	}
	if err := sortOf(pad, graph.SortPadding); err != nil {
		return err
	}
	for i, k := range []graph.Dim{kh, kw} {
		if err := needs.atLeast(k, 1); err != nil {
			return err
		}
		out := graph.WindowOut(s[2+i].Dim, k, stride, pad, i)
		if ps, ok := pad.Tuple(); ok {
			for _, p := range []int64{ps[i], ps[i+2]} {
				if err := needs.atLeast(k, p+1); err != nil {
					return fmt.Errorf("padding is not smaller than the kernel: %w", err)
				}
			}
		}
		if _, sort, ok := pad.Var(); ok && sort == graph.SortPadding {
			needs.add(cond{what: fmt.Sprintf("padding %s along %d is smaller than %s", pad, i, k)})
		}
		if k == graph.Int(1) {
			needs.functions(out)
		} else if err := needs.atLeast(out, 1); err != nil {
			return fmt.Errorf("the window does not fit: %w", err)
		}
		s[2+i].Dim = out
	}
	return nil
}

// divides adds that k divides d unless it does for all sizes.
func (s *conds) divides(k, d graph.Dim) {
	kt, k0 := k.Terms()
	if k == graph.Int(1) || k == d {
		return
	}
	whole := func(coef int64, atoms []graph.Atom) bool {
		if len(kt) == 0 {
			return k0 > 0 && coef%k0 == 0
		}
		var left []string
		for _, a := range atoms {
			left = append(left, atomText(a))
		}
		for _, a := range kt[0].Atoms {
			i := slices.Index(left, atomText(a))
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return kt[0].Coef != 0 && coef%kt[0].Coef == 0
	}
	dt, d0 := d.Terms()
	ok := len(kt) == 0 || len(kt) == 1 && k0 == 0
	for _, m := range dt {
		ok = ok && whole(m.Coef, m.Atoms)
	}
	if ok && (d0 == 0 || whole(d0, nil)) {
		return
	}
	s.add(cond{what: fmt.Sprintf("%s divides %s", k, d)})
}

func atomText(a graph.Atom) string {
	switch a.Kind {
	case graph.AtomRun:
		return "#" + a.Name
	case graph.AtomFunc:
		return graph.Func(a.Name, a.Args...).String()
	}
	return a.Name
}

// sortOf requires a value, or a variable, to be of an attribute sort.
func sortOf(v graph.Value, sort string) error {
	name, _ := v.Name()
	xs, isTuple := v.Tuple()
	_, vs, isVar := v.Var()
	ok := isVar && vs == sort
	least := func(n int64) bool { return !slices.ContainsFunc(xs, func(x int64) bool { return x < n }) }
	switch sort {
	case graph.SortStride:
		ok = ok || isTuple && len(xs) == 2 && least(1)
	case graph.SortPadding:
		ok = ok || isVar && vs == graph.SortSame || isTuple && len(xs) == 4 && least(0) || name == "valid"
		fallthrough
	case graph.SortSame:
		ok = ok || name == "same_upper" || name == "same_lower"
	case graph.SortAct:
		ok = ok || name == "none" || graph.IsActivation(name)
	case graph.SortNumber:
		ok = ok || v.Kind() == graph.KindNumber
	case graph.SortBorder:
		ok = ok || name == "counted" || name == "excluded"
	}
	if !ok {
		return fmt.Errorf("%s is not of sort %s", v, sort)
	}
	return nil
}
