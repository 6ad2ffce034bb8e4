package meaning

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Case is a case of a law: values for some of its variables, in words too.
type Case struct {
	Bind     graph.Substitution
	Explicit []string // padding variables that are four unknown pads
	Words    []string
	Written  bool // literal ranges are written out
	Numbers  bool // entries are compared as numbers
}

// With is a copy of the case with one more word, to be bound more.
func (k Case) With(word string) Case {
	return Case{
		Bind:     graph.Substitution{Dims: maps.Clone(k.Bind.Dims), Runs: k.Bind.Runs, Attrs: maps.Clone(k.Bind.Attrs)},
		Explicit: slices.Clone(k.Explicit),
		Words:    append(slices.Clone(k.Words), word),
		Written:  k.Written,
		Numbers:  k.Numbers,
	}
}

// Attr is the case with a value for an attribute variable.
func (k Case) Attr(name string, v graph.Value) Case {
	c := k.With(name + "=" + v.String())
	c.Bind.Attrs[name] = v
	return c
}

// String is the case in words.
func (k Case) String() string {
	if len(k.Words) == 0 {
		return "in general"
	}
	return "with " + strings.Join(k.Words, ", ")
}

// Start is the case of a law in which every attribute variable has the sort of its
// declaration, and runs are what runs says.
func Start(l *law.Law, runs map[string]graph.Shape) Case {
	k := Case{Bind: graph.Substitution{Dims: map[string]graph.Dim{}, Runs: runs, Attrs: map[string]graph.Value{}}}
	for _, b := range l.Given {
		switch b.Sort {
		case graph.SortStride, graph.SortPadding, graph.SortSame, graph.SortAct, graph.SortBorder, graph.SortNumber:
			// The sort is that of the binding, whatever a term says.
			k.Bind.Attrs[b.Name] = graph.VarValue(b.Name, b.Sort)
		}
	}
	return k
}

// Values are the cases by the values of a variable that was left open, all that
// there are; of a number of groups, those up to most. A stride has too many.
func (k Case) Values(o graph.Open, most int64) ([]Case, bool) {
	var out []Case
	switch o.Sort {
	case graph.SortSame, graph.SortPadding:
		out = append(out, k.Attr(o.Name, graph.NameValue(graph.SameUpper)), k.Attr(o.Name, graph.NameValue(graph.SameLower)))
		if o.Sort == graph.SortPadding {
			c := k.With(o.Name + " explicit")
			c.Explicit = append(c.Explicit, o.Name)
			out = append(out, k.Attr(o.Name, graph.NameValue(graph.Valid)), c)
		}
	case SortWritten:
		c := k.With("literal ranges written out")
		c.Written = true
		out = append(out, c)
	case SortValues:
		c := k.With("values compared")
		c.Numbers = true
		out = append(out, c)
	case graph.SortBorder:
		out = append(out, k.Attr(o.Name, graph.NameValue("counted")), k.Attr(o.Name, graph.NameValue("excluded")))
	case "int":
		for n := int64(1); n <= most; n++ {
			c := k.With(fmt.Sprintf("%s=%d", o.Name, n))
			c.Bind.Dims[o.Name] = graph.Int(n)
			out = append(out, c)
		}
	default:
		return nil, false
	}
	return out, true
}

// Claims are what is shown of a law: wherever both sides are defined they are
// equal, the right side is defined wherever the left one is, and the reverse.
type Claims struct{ Equal, Forward, Backward bool }

// Shows reports that the law is shown, in the directions in which it is written.
func (c Claims) Shows(l *law.Law) bool { return c.Equal && c.Forward && (c.Backward || l.OneWay) }

func (c Claims) and(d Claims) Claims {
	return Claims{c.Equal && d.Equal, c.Forward && d.Forward, c.Backward && d.Backward}
}

func (c Claims) or(d Claims) Claims {
	return Claims{c.Equal || d.Equal, c.Forward || d.Forward, c.Backward || d.Backward}
}

// Attempt is what is found of one case as it stands.
type Attempt struct {
	Claims
	// Never: the conditions of the law contradict one another.
	Never bool
	// Reason says why the sides may not be equal, the needs what the target of a
	// direction needs and its source does not.
	Reason                      string
	ForwardNeeds, BackwardNeeds []string
	// Engine is left with what both sides assume; nil if they could not be typed.
	Engine *Engine
	// Open are the variables of which nothing was assumed.
	Open []graph.Open
}

// begin is an engine that assumes what the law gives, sizes of at least 1 and its
// conditions, with the shapes of tensor variables and the functions that keep 0.
func begin(l *law.Law, k Case, ordered bool, g Guide) (*Engine, map[string]graph.Shape, map[string]bool) {
	b := &Engine{Space: &graph.Space{}, guide: g, ordered: ordered, real: l.HasTag(law.TagReal), written: k.Written, values: k.Numbers}
	for _, name := range k.Explicit {
		b.Space.Explicit(name)
	}
	vars, zero := map[string]graph.Shape{}, map[string]bool{}
	for _, d := range l.Given {
		if d.Sort != "" {
			zero[d.Name] = d.Sort == law.SortZero1
			continue
		}
		shape := d.Shape.Subst(&k.Bind)
		vars[d.Name] = shape
		for _, it := range shape {
			b.assume(graph.Guard{E: b.Space.Size(it.Dim).AddInt(-1)})
		}
	}
	for _, p := range l.Where {
		if c := b.pred(p, &k.Bind); c != nil {
			b.assume(c...)
		}
	}
	return b, vars, zero
}

// pred is a condition of the law; nil of one that is not linear.
func (b *Engine) pred(p law.Pred, by *graph.Substitution) Clause {
	l, r := b.Space.Size(p.Left.Subst(by)), b.Space.Size(p.Right.Subst(by))
	if p.Mod != nil {
		m, ok := p.Mod.Subst(by).Const()
		if !ok || m < 1 {
			return nil
		}
		l = l.Sub(b.Space.Div(l, m).Scale(m))
	}
	switch p.Rel {
	case "==":
		return Clause{graph.GuardEq(l, r)}
	case "!=":
		return Not(graph.GuardEq(l, r))
	case "<":
		return Clause{graph.GuardLt(l, r)}
	case "<=":
		return Clause{graph.GuardLe(l, r)}
	case ">":
		return Clause{graph.GuardLt(r, l)}
	case ">=":
		return Clause{graph.GuardLe(r, l)}
	}
	return nil
}

// Decide looks at a case as it stands. ordered: relu and max are the true ones.
func Decide(l *law.Law, k Case, ordered bool, g Guide) (a Attempt, err error) {
	defer graph.CatchTooLarge(&err)
	b, vars, zero := begin(l, k, ordered, g)
	if len(l.Where) > 0 && g.Try(nil, func() bool { return b.impossible(nil) }) {
		return Attempt{Claims: Claims{true, true, true}, Never: true}, b.err
	}
	left, err := b.side(l.LHS, k, vars, zero)
	var right *side
	if err == nil {
		right, err = b.side(l.RHS, k, vars, zero)
	}
	if err != nil {
		return Attempt{Reason: err.Error()}, b.err
	}
	a.Engine = b
	a.Forward = g.Try(b, func() (ok bool) { ok, a.ForwardNeeds = b.follow(left, right); return ok })
	a.Backward = g.Try(b, func() (ok bool) { ok, a.BackwardNeeds = b.follow(right, left); return ok })
	for _, sd := range []*side{left, right} {
		for _, c := range sd.conds {
			if c.linear() {
				b.assume(b.guard(c))
			}
		}
	}
	if len(left.outs) != len(right.outs) {
		a.Reason = fmt.Sprintf("%d outputs and %d", len(left.outs), len(right.outs))
	} else {
		a.Equal = g.Try(nil, func() bool {
			for i, t := range left.outs {
				if a.Reason = b.sameOutput(left, right, t, right.outs[i]); a.Reason != "" {
					return false
				}
			}
			return b.err == nil
		})
	}
	a.Open = b.Space.Open()
	if b.ranges && !k.Written {
		a.Open = append(a.Open[:len(a.Open):len(a.Open)], graph.Open{Sort: SortWritten})
	}
	if b.numbers && !k.Numbers && !a.Equal {
		a.Open = append(a.Open[:len(a.Open):len(a.Open)], graph.Open{Sort: SortValues})
	}
	return a, b.err
}

func (b *Engine) side(ts []*law.Term, k Case, vars map[string]graph.Shape, zero map[string]bool) (*side, error) {
	var nodes law.Nodes // what is asked does not depend on which terms are shared
	out := make([]*law.Term, len(ts))
	for i, t := range ts {
		out[i] = t.Subst(nil, nil, &k.Bind).Rewrite(nodes.Unique)
	}
	return b.newSide(out, vars, zero)
}

// sameOutput says why an output differs, or "".
func (b *Engine) sameOutput(left, right *side, t, u *law.Term) string {
	x, y := left.shapes[t], right.shapes[u]
	if len(x) != len(y) {
		return fmt.Sprintf("shapes %s and %s differ", x, y)
	}
	at, over := make([]graph.Index, len(x)), make([]graph.Bound, len(x))
	for i := range x {
		n, m := b.Space.Size(x[i].Dim), b.Space.Size(y[i].Dim)
		if !b.implied(nil, graph.GuardEq(n, m)) {
			return fmt.Sprintf("shapes %s and %s differ", x, y)
		}
		v := b.Space.Var(fmt.Sprintf("i%d", i))
		b.Space.Within(v, x[i].Dim)
		at[i], over[i] = v.Index(), graph.Bound{Var: v, N: n}
	}
	for {
		var d *digits
		why := b.outputs(over, func(by map[graph.Sym]graph.Index, ctx []graph.Guard) string {
			here := make([]graph.Index, len(at))
			for i, e := range at {
				here[i] = b.Space.Subst(e, by)
			}
			l, err := b.entry(left, t, here, ctx)
			var r NF
			if err == nil {
				r, err = b.entry(right, u, here, ctx)
			}
			if err != nil {
				errors.As(err, &d)
				return err.Error()
			}
			return b.equal(ctx, l, r)
		})
		if d == nil {
			return why
		}
		by, more, ok := b.parted(over, d)
		if !ok {
			return why
		}
		over = more
		for i, e := range at {
			at[i] = b.Space.Subst(e, by)
		}
	}
}

// NoMore reports that the conditions of the law permit a variable only values
// up to most in a case.
func NoMore(l *law.Law, k Case, name string, most int64, g Guide) (no bool, err error) {
	defer graph.CatchTooLarge(&err)
	b, _, _ := begin(l, k, false, g)
	no = b.impossible([]graph.Guard{{E: b.Space.Size(graph.Var(name)).AddInt(-1 - most)}})
	return no, b.err
}

// words is a condition as people write it: "kh <= h+2".
func (b *Engine) words(c cond) string {
	switch {
	case c.need != (graph.Need{}):
		return c.need.String()
	case c.pad != "":
		return fmt.Sprintf("the pads of %s are smaller than %s", c.pad, b.Space.String(c.g.E))
	case c.mod > 0:
		return fmt.Sprintf("%d divides %s", c.mod, b.Space.String(c.g.E))
	}
	var less, more graph.Index
	for i := 0; i < c.g.E.Len(); i++ {
		if v, k := c.g.E.Term(i); k > 0 {
			more = more.AddScaled(v.Index(), k)
		} else {
			less = less.AddScaled(v.Index(), -k)
		}
	}
	if n := c.g.E.Constant(); n > 0 {
		more = more.AddInt(n)
	} else {
		less = less.AddInt(-n)
	}
	return b.Space.String(less) + " <= " + b.Space.String(more)
}
