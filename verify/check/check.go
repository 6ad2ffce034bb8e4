package check

import (
	"fmt"
	"sort"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Result is what an accepted proof shows of a rule.
type Result struct {
	// Forward: where the left side is defined, so is the right side, and they
	// are equal. Backward is the reverse.
	Forward, Backward bool
	// LeftNeeds and RightNeeds are the conditions under which the sides are
	// defined, as far as they do not hold for all sizes.
	LeftNeeds, RightNeeds []string
	// Assumed are the conditions that instances need and that do not hold for
	// all sizes; Forward and Backward say which side's conditions give them.
	Assumed []string
	// Instances is the number of law instances.
	Instances int
}

// Laws finds a law that a proof may use, by name.
type Laws map[string]*law.Law

// Rule checks that the equations of l follow from the instances of p by
// congruence, every instance being a use of one of the laws that its
// conditions allow. The error says which instance or output fails and why.
// A rule written == must be shown in both directions, one written => forward.
func Rule(l *law.Law, p *law.Proof, use Laws) (*Result, error) {
	c, err := load(l, p, use)
	if err != nil {
		return nil, err
	}
	for _, e := range c.equations {
		c.t.merge(e[0], e[1])
	}
	for i := range c.left {
		if !c.t.equal(c.left[i], c.right[i]) {
			return nil, fmt.Errorf("output %d: the instances do not make %s and %s equal", i, l.LHS[i], l.RHS[i])
		}
	}
	r := &Result{
		Instances: len(p.Instances), Assumed: c.assumed.strings(),
		LeftNeeds: c.leftNeeds.strings(), RightNeeds: c.rightNeeds.strings(),
	}
	missing := ""
	r.Forward, missing = given(c.facts, c.leftNeeds, c.either, c.assumed, c.rightSplit)
	if !r.Forward {
		return nil, fmt.Errorf("left to right: the rule does not give the condition %s", missing)
	}
	r.Backward, missing = given(c.facts, c.rightNeeds, c.either, c.assumed, c.leftSplit)
	if !r.Backward && !l.OneWay {
		return nil, fmt.Errorf("right to left: the rule does not give the condition %s; it can only be written =>", missing)
	}
	return r, nil
}

// given reports whether the facts and needs give all the wanted conditions, and
// of each pair one side.
func given(facts, needs conds, either [][2]conds, wanted ...conds) (bool, string) {
	have := append(append(conds(nil), facts...), needs...)
	all := func(w conds) (bool, string) {
		for _, c := range w {
			if !c.implied(have) {
				return false, c.String()
			}
		}
		return true, ""
	}
	for _, w := range wanted {
		if ok, missing := all(w); !ok {
			return false, missing
		}
	}
	for _, e := range either {
		ok, missing := all(e[0])
		if !ok {
			ok, _ = all(e[1])
		}
		if !ok {
			return false, missing
		}
	}
	return true, ""
}

// checked is a rule with its instances, typed and turned into nodes.
type checked struct {
	t                     *terms
	left, right           []int // the outputs of the rule
	leftNeeds, rightNeeds conds // when the sides are defined
	leftSplit, rightSplit conds // of these, what only splits ask for
	facts                 conds // what the rule gives: its conditions, sizes of its tensors
	preds                 map[string]bool
	where                 []law.Pred // the rule's
	equations             [][2]int   // what the instances say
	assumed               conds      // under which they say it
	either                [][2]conds // and of each pair one side
}

func load(l *law.Law, p *law.Proof, use Laws) (*checked, error) {
	v := variables(l)
	c := &checked{
		t:     &terms{closure: newClosure(), vars: v.tensors, attrs: v.sorts, sizes: v.sizes},
		preds: map[string]bool{},
	}
	if v.twice != "" {
		return nil, fmt.Errorf("variable %s is bound twice", v.twice)
	}
	if len(l.LHS) != len(l.RHS) || len(l.LHS) == 0 {
		return nil, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	for _, name := range sortedKeys(v.tensors) {
		s := v.tensors[name]
		if err := c.t.known(graph.ShapeValue(s)); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		for _, it := range s {
			if it.Run == "" {
				c.facts.add(cond{d: it.Dim.Sub(graph.Int(1))})
			}
		}
	}
	for _, w := range l.Where {
		c.preds[w.String()] = true
		c.where = append(c.where, w)
		cs, _ := predConds(w)
		c.facts.add(cs...)
	}
	var err error
	if c.left, c.leftNeeds, c.leftSplit, err = c.side(l.LHS); err != nil {
		return nil, fmt.Errorf("left side: %w", err)
	}
	if c.right, c.rightNeeds, c.rightSplit, err = c.side(l.RHS); err != nil {
		return nil, fmt.Errorf("right side: %w", err)
	}
	for i := range c.left {
		if a, b := c.t.shape[c.left[i]], c.t.shape[c.right[i]]; !a.Equal(b) {
			return nil, fmt.Errorf("output %d: the left side has shape %s, the right side %s", i, a, b)
		}
	}
	for i := range p.Instances {
		in := &p.Instances[i]
		ax, ok := use[in.Law]
		if !ok {
			return nil, fmt.Errorf("instance %d: there is no axiom or proved lemma %q", i+1, in.Law)
		}
		if err := c.instance(ax, in); err != nil {
			return nil, fmt.Errorf("instance %d of %s: %w", i+1, in.Law, err)
		}
	}
	return c, nil
}

// side builds the outputs of one side and collects when they are defined.
func (c *checked) side(ts []*law.Term) (ids []int, needs, split conds, err error) {
	c.t.split = nil
	for _, t := range ts {
		id, err := c.t.build(t)
		if err != nil {
			return nil, nil, nil, err
		}
		ids = append(ids, id)
		needs.add(c.t.needs[id]...)
	}
	split = c.t.split
	needs.add(split...)
	return ids, needs, split, nil
}

// instance checks one use of ax and adds its equations.
//
// A law speaks of all tensors of the given shapes: the outputs of its left side
// are all defined if and only if those of the right side are, and are equal
// then. What stands for a tensor variable may itself be undefined for some
// sizes. If the variable is in every output of both sides, they are all
// undefined then; of any other variable it must be assumed that it is defined.
// One output by itself is undefined or equal on both sides if the law has no
// other; if it has, that all outputs of one side are defined must be assumed.
// Sizes must be at least 1, which a size that is an axis of such a tensor is
// wherever the tensor is defined.
func (c *checked) instance(ax *law.Law, in *law.Instance) error {
	v := variables(ax)
	if err := c.bound(v, in); err != nil {
		return err
	}
	b := in.Binding()
	c.t.split = nil
	axes := map[graph.Dim]bool{}
	for _, name := range sortedKeys(v.tensors) {
		id, err := c.t.build(in.Tensors[name])
		if err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
		if want, got := v.tensors[name].Subst(b), c.t.shape[id]; !got.Equal(want) {
			return fmt.Errorf("tensor %s: %s has shape %s, want %s", name, in.Tensors[name], got, want)
		}
		if !v.everywhere(name) {
			c.assumed.add(c.t.needs[id]...)
		}
		for _, it := range c.t.shape[id] {
			axes[it.Dim] = axes[it.Dim] || it.Run == ""
		}
	}
	sizes := make([]graph.Dim, 0, len(in.Dims))
	for _, name := range sortedKeys(in.Dims) {
		sizes = append(sizes, in.Dims[name])
	}
	for _, name := range sortedKeys(in.Runs) {
		for _, it := range in.Runs[name] {
			if it.Run == "" {
				sizes = append(sizes, it.Dim)
			}
		}
	}
	for _, d := range sizes {
		if !axes[d] {
			if err := c.assumed.atLeast(d, 1); err != nil {
				return fmt.Errorf("size %s: %w", d, err)
			}
		}
	}
	for _, w := range ax.Where {
		if err := c.pred(w, b); err != nil {
			return err
		}
	}
	lhs, rhs := in.Sides(ax)
	var needs [2]conds
	for i := range lhs {
		l, err := c.t.build(lhs[i])
		if err != nil {
			return fmt.Errorf("left side: %w", err)
		}
		r, err := c.t.build(rhs[i])
		if err != nil {
			return fmt.Errorf("right side: %w", err)
		}
		if a, b := c.t.shape[l], c.t.shape[r]; !a.Equal(b) {
			return fmt.Errorf("the left side has shape %s, the right side %s", a, b)
		}
		needs[0].add(c.t.needs[l]...)
		needs[1].add(c.t.needs[r]...)
		c.equations = append(c.equations, [2]int{l, r})
	}
	c.assumed.add(c.t.split...)
	switch {
	case ax.OneWay:
		c.assumed.add(needs[0]...)
	case len(lhs) > 1:
		c.either = append(c.either, needs)
	}
	return nil
}

// bound requires exactly the variables of the law to be bound, to things of
// their sorts over the variables of the rule.
func (c *checked) bound(v *vars, in *law.Instance) error {
	want := map[string]bool{}
	check := func(kind, name string, has bool) error {
		want[kind+name] = true
		if !has {
			return fmt.Errorf("%s%s is not bound", kind, name)
		}
		return nil
	}
	for _, name := range sortedKeys(v.tensors) {
		t, ok := in.Tensors[name]
		if err := check("tensor ", name, ok && t != nil); err != nil {
			return err
		}
	}
	for _, s := range sortedKeys(v.sizes) {
		name, isRun := strings.CutPrefix(s, "#")
		d, ok := in.Dims[name]
		kind, val := "size ", graph.DimValue(d)
		if isRun {
			var run graph.Shape
			run, ok = in.Runs[name]
			kind, val = "run ", graph.ShapeValue(run)
		}
		if err := check(kind, name, ok); err != nil {
			return err
		}
		if err := c.t.known(val); err != nil {
			return fmt.Errorf("%s%s: %w", kind, name, err)
		}
	}
	for _, name := range sortedKeys(v.sorts) {
		sort := v.sorts[name]
		if law.IsFuncSort(sort) {
			f, ok := in.Fns[name]
			if err := check("function ", name, ok); err != nil {
				return err
			}
			op, attrs, isOp := graph.ParseFunctionName(f)
			for i := range attrs {
				if err := sortOf(attrs[i], op.Params[i].Sort); err != nil {
					return fmt.Errorf("function %s: %s: %w", name, f, err)
				}
				if err := c.t.known(attrs[i]); err != nil {
					return fmt.Errorf("function %s: %s: %w", name, f, err)
				}
			}
			isOp = isOp && (sort == law.SortPointwise1 || op.KeepsZero(attrs))
			gs := c.t.attrs[f]
			if !isOp && (!law.IsFuncSort(gs) || sort == law.SortZero1 && gs != law.SortZero1) {
				return fmt.Errorf("function %s: %s is not of sort %s", name, f, sort)
			}
			continue
		}
		a, ok := in.Attrs[name]
		if err := check("attribute ", name, ok); err != nil {
			return err
		}
		if err := sortOf(a, sort); err != nil {
			return fmt.Errorf("attribute %s: %w", name, err)
		}
		if err := c.t.known(a); err != nil {
			return fmt.Errorf("attribute %s: %w", name, err)
		}
	}
	if n := len(in.Tensors) + len(in.Dims) + len(in.Runs) + len(in.Attrs) + len(in.Fns); n != len(want) {
		return fmt.Errorf("%d variables are bound, the law has %d", n, len(want))
	}
	return nil
}

// pred requires a condition of a law: it holds for all sizes, or is a condition
// of the rule, or is assumed.
func (c *checked) pred(w law.Pred, b *graph.Binding) error {
	w.Left, w.Right = w.Left.Subst(b), w.Right.Subst(b)
	if w.Mod != nil {
		m := w.Mod.Subst(b)
		w.Mod = &m
	}
	holds, decided := w.Holds(&graph.Binding{})
	switch {
	case decided && !holds:
		return fmt.Errorf("condition %s is false", w)
	case c.preds[w.String()], c.congruent(w):
		return nil
	case decided:
		c.assumed.functions(w.Left)
		c.assumed.functions(w.Right)
		return nil
	}
	cs, ok := predConds(w)
	if !ok {
		return fmt.Errorf("condition %s is not given", w)
	}
	c.assumed.add(cs...)
	return nil
}

// congruent reports that w, of the form d % k == r, follows from conditions of
// the rule of that form: d - r is, coefficient by coefficient modulo k, a sum of
// differences that the rule makes 0 modulo k, each taken up to k-1 times.
func (c *checked) congruent(w law.Pred) bool {
	k, d, ok := remainder(w)
	if !ok || k > 8 {
		return false
	}
	var zero []graph.Dim
	for _, p := range c.where {
		if j, e, ok := remainder(p); ok && j == k && len(zero) < 4 {
			zero = append(zero, e)
		}
	}
	var try func(d graph.Dim, i int) bool
	try = func(d graph.Dim, i int) bool {
		if i == len(zero) {
			terms, left := d.Terms()
			for _, t := range terms {
				if t.Coef%k != 0 {
					return false
				}
			}
			return left%k == 0
		}
		for n := int64(0); n < k; n++ {
			if try(d.Sub(zero[i].Scale(n)), i+1) {
				return true
			}
		}
		return false
	}
	return try(d, 0)
}

// remainder reads a condition d % k == r with numbers k and r < k as d - r being
// 0 modulo k.
func remainder(w law.Pred) (k int64, d graph.Dim, ok bool) {
	if w.Mod == nil || w.Rel != "==" {
		return 0, d, false
	}
	k, isConst := w.Mod.Const()
	r, known := w.Right.Const()
	return k, w.Left.Sub(w.Right), isConst && known && k >= 2 && 0 <= r && r < k
}

// predConds writes a condition as differences that are not negative.
func predConds(w law.Pred) ([]cond, bool) {
	d, one := w.Right.Sub(w.Left), graph.Int(1)
	if w.Mod != nil {
		return nil, false
	}
	switch w.Rel {
	case "==":
		return []cond{{d: d}, {d: d.Neg()}}, true
	case "<=":
		return []cond{{d: d}}, true
	case "<":
		return []cond{{d: d.Sub(one)}}, true
	case ">=":
		return []cond{{d: d.Neg()}}, true
	case ">":
		return []cond{{d: d.Neg().Sub(one)}}, true
	}
	return nil, false
}

// vars are the variables of a law.
type vars struct {
	tensors map[string]graph.Shape
	sorts   map[string]string
	sizes   map[string]bool
	outputs int            // of both sides together
	in      map[string]int // of these, those with a tensor variable
	twice   string         // a name bound twice
}

// everywhere reports that a tensor variable is in every output of both sides.
func (v *vars) everywhere(name string) bool { return v.in[name] == v.outputs }

func variables(l *law.Law) *vars {
	v := &vars{tensors: map[string]graph.Shape{}, sorts: map[string]string{}, sizes: map[string]bool{}, in: map[string]int{}}
	atom := func(a graph.Atom) {
		if a.Kind != graph.AtomFunc {
			v.sizes[atomText(a)] = true
		}
	}
	names := map[string]bool{}
	for _, b := range l.Given {
		if names[b.Name] {
			v.twice = b.Name
		}
		names[b.Name] = true
		if b.Sort != "" {
			v.sorts[b.Name] = b.Sort
			continue
		}
		v.tensors[b.Name] = b.Shape
		b.Shape.Walk(atom)
	}
	for _, w := range l.Where {
		w.Left.Walk(atom)
		w.Right.Walk(atom)
		if w.Mod != nil {
			w.Mod.Walk(atom)
		}
	}
	for _, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			v.outputs++
			for _, name := range law.Vars(t) {
				v.in[name]++
			}
			t.Walk(func(u *law.Term) {
				for _, a := range u.Attrs {
					a.Walk(atom)
				}
			})
		}
	}
	return v
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
