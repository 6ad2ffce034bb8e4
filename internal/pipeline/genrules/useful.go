package genrules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/builtin"
)

// Useful is a rule that saves time and says something new.
type Useful struct {
	ID string `json:"id"`
	// Saves is the part of the time that one use saves, from 0 to 1, modelled: see
	// MostUseful.
	Saves float64 `json:"saves"`
	// Words say which operators the rule removes and adds, such as "removes a relu".
	Words string `json:"words"`
	// Before and After are the sides, with the attributes that the rule depends on.
	Before string `json:"before"`
	After  string `json:"after"`
}

// usefulMachine is the machine by whose formula rules are priced.
const usefulMachine = "zen5"

// typicalSize and typicalWindow are the sizes at which they are: each axis, and each
// axis of a window or kernel.
const (
	typicalSize   = 64
	typicalWindow = 3
)

// MostUseful lists the kept rules of a set that save most and are new, at most n.
//
// What a rule saves is the part of the time that the cheaper side takes less than the
// other, each operator being a kernel, by the formula of the machine zen5, where every
// size is 64, windows are 3x3, strides 1 and functions relu. What depends on constants
// alone costs nothing. New is a rule that no axiom, lemma or law of the program says by
// itself. Rules about constants, those that leave
// nothing but an input, and those in which an operator has one tensor twice are left
// out: they tidy up what networks seldom hold. Of rules that make the same operators fewer the one that saves most stands for all.
func MostUseful(set *rules.Set, n int) ([]Useful, error) {
	m, err := cost.FindMachine(usefulMachine)
	if err != nil {
		return nil, err
	}
	known, err := knownLaws()
	if err != nil {
		return nil, err
	}
	type priced struct {
		Useful
		rule *rules.Rule
		size int
	}
	var all []priced
	for _, r := range set.Rules {
		if r.Derivable || r.Status != rules.Proved {
			continue
		}
		u, ok := price(m, r)
		if ok {
			all = append(all, priced{u, r, law.Size(r.Law.Outputs()...)})
		}
	}
	slices.SortFunc(all, func(a, b priced) int {
		return cmp.Or(cmp.Compare(b.Saves, a.Saves), cmp.Compare(a.size, b.size), strings.Compare(a.ID, b.ID))
	})
	var out []Useful
	kinds := map[string]bool{}
	for _, p := range all {
		if len(out) == n {
			break
		}
		if kinds[p.Words] || said(p.rule.Law, known) {
			continue
		}
		kinds[p.Words] = true
		out = append(out, p.Useful)
	}
	return out, nil
}

// knownLaw is a law of the program, and how often it names each operator.
type knownLaw struct {
	law   *law.Law
	names map[string]int
}

// knownLaws are the axioms, lemmas and laws of the program.
func knownLaws() ([]knownLaw, error) {
	laws, err := builtin.All()
	if err != nil {
		return nil, err
	}
	var out []knownLaw
	for _, l := range slices.Concat(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma), laws) {
		out = append(out, knownLaw{l, operatorNames(l)})
	}
	return out, nil
}

// said reports whether one of the laws says by itself what a law says.
func said(l *law.Law, by []knownLaw) bool {
	names := operatorNames(l)
	return slices.ContainsFunc(by, func(k knownLaw) bool {
		// A use of a law has all its operators, and more where its variables stand for
		// terms; most laws are out of the question by that.
		for op, n := range k.names {
			if names[op] < n {
				return false
			}
		}
		return rules.Instance(k.law, l)
	})
}

// operatorNames counts the operators of a law written out as trees, splits as slices.
func operatorNames(l *law.Law) map[string]int {
	n := map[string]int{}
	ty, err := l.Types()
	if err != nil {
		return n // which filters nothing
	}
	var count func(t *law.Term)
	count = func(t *law.Term) {
		if t.Op != nil {
			n[t.Op.Name]++
		}
		for _, a := range t.Args {
			count(a)
		}
	}
	for _, t := range l.Outputs() {
		if u, err := law.Primitive(t, ty.Shape); err == nil {
			t = u
		}
		count(t)
	}
	return n
}

// tidying says of a use of a rule that it is about constants, leaves an input, or has an
// operator with one tensor as two operands.
func tidying(before, after []*law.Term) bool {
	if slices.ContainsFunc(after, (*law.Term).IsVar) {
		return true
	}
	found := false
	var nodes law.Nodes
	for _, t := range slices.Concat(before, after) {
		t.Walk(func(u *law.Term) {
			found = found || u.Op != nil && len(u.Args) == 0
			for i, a := range u.Args {
				found = found || i > 0 && nodes.Of(a) == nodes.Of(u.Args[i-1])
			}
		})
	}
	return found
}

// price compares the sides of a rule at typical sizes; false if neither is cheaper, or
// the way to the cheaper one cannot be used.
func price(m *cost.Machine, r *rules.Rule) (Useful, bool) {
	l, err := typical(r.Law)
	if err != nil {
		return Useful{}, false
	}
	ty, err := l.Types()
	if err != nil {
		return Useful{}, false
	}
	left, err := timeOf(m, l.LHS, ty)
	if err != nil {
		return Useful{}, false
	}
	right, err := timeOf(m, l.RHS, ty)
	if err != nil {
		return Useful{}, false
	}
	before, after := r.Law.LHS, r.Law.RHS
	usable := r.Forward
	if left < right {
		left, right = right, left
		before, after = after, before
		usable = r.Backward
	}
	if !usable || left <= right || tidying(before, after) {
		return Useful{}, false
	}
	u := Useful{ID: r.ID(), Saves: 1 - float64(right)/float64(left), Words: change(before, after)}
	u.Before, u.After = headline(before, after)
	return u, true
}

// typical is a law at typical sizes.
func typical(l *law.Law) (*law.Law, error) {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	names := l.Mentions(l.Outputs()...)
	for _, v := range slices.Sorted(maps.Keys(names.Sizes)) {
		b.Dims[v] = graph.Int(typicalSize)
	}
	windows(l, b)
	for run := range names.Runs {
		b.Runs[run] = graph.Shape{}
	}
	fns := map[string]string{}
	for _, g := range l.Given {
		switch g.Sort {
		case "":
		case law.SortPointwise1, law.SortZero1:
			fns[g.Name] = "relu"
		case graph.SortStride:
			b.Attrs[g.Name] = graph.TupleValue(1, 1)
		case graph.SortPadding, graph.SortSame:
			b.Attrs[g.Name] = graph.NameValue(graph.SameUpper)
		case graph.SortAct:
			b.Attrs[g.Name] = graph.NameValue("none")
		case graph.SortBorder:
			b.Attrs[g.Name] = graph.NameValue("counted")
		case graph.SortNumber:
			b.Attrs[g.Name] = graph.NumberValue(1)
		default:
			return nil, fmt.Errorf("variables of sort %s", g.Sort)
		}
	}
	m := l.SubstFns(fns, b)
	if _, err := m.Types(); err != nil {
		// Tensors that are nothing but a run are scalars so; they get an axis.
		for run := range b.Runs {
			b.Runs[run] = graph.Sizes(typicalSize)
		}
		m = l.SubstFns(fns, b)
	}
	for _, c := range m.Where {
		if holds, decided := c.Decide(); !decided || !holds {
			return nil, fmt.Errorf("the condition %s", c)
		}
	}
	return m, nil
}

// windows gives the axes of windows and kernels their sizes.
func windows(l *law.Law, b *graph.Substitution) {
	ty, err := l.Types()
	if err != nil {
		return
	}
	set := func(d graph.Dim) {
		if v, ok := d.IsVar(); ok {
			b.Dims[v] = graph.Int(typicalWindow)
		}
	}
	l.EachTerm(func(u *law.Term) {
		if u.Op == nil {
			return
		}
		for _, name := range []string{"kh", "kw"} {
			if i := u.Op.ParamIndex(name); i >= 0 {
				if d, ok := u.Attrs[i].Dim(); ok {
					set(d)
				}
			}
		}
		// A second operand with a stride is a kernel.
		if u.Op.ParamIndex("stride") >= 0 && len(u.Args) > 1 {
			if s := ty.Shape[u.Args[1]]; len(s) == 4 {
				set(s[2].Dim)
				set(s[3].Dim)
			}
		}
	})
}

// timeOf is what the operators of a side take, equal ones once.
func timeOf(m *cost.Machine, side []*law.Term, ty *law.Typing) (cost.Seconds, error) {
	var total cost.Seconds
	var nodes law.Nodes
	seen := map[int]bool{}
	var failed error
	for _, t := range side {
		t.Walk(func(u *law.Term) {
			if failed != nil || u.Op == nil || len(law.Vars(u)) == 0 {
				return
			}
			if n := nodes.App(u); seen[n] {
				return
			} else {
				seen[n] = true
			}
			a := cost.Application{Op: u.Op, Attrs: u.Attrs}
			in := make([]graph.Shape, len(u.Args))
			for i, x := range u.Args {
				in[i] = ty.Shape[x]
				s, err := tensorType(in[i])
				if err != nil {
					failed = err
					return
				}
				a.In = append(a.In, s)
			}
			outs, err := u.Op.InferShapes(&graph.Unifier{}, u.Attrs, in)
			if err != nil {
				failed = err
				return
			}
			for _, o := range outs {
				s, err := tensorType(o)
				if err != nil {
					failed = err
					return
				}
				a.Out = append(a.Out, s)
			}
			s, _, err := m.Cost(a)
			if err != nil {
				failed = err
				return
			}
			total += s
		})
	}
	return total, failed
}

// tensorType is a shape of known sizes.
func tensorType(s graph.Shape) (graph.TensorType, error) {
	sizes := make([]int, len(s))
	for i, it := range s {
		n, ok := it.Dim.Const()
		if it.AxisRun != "" || !ok {
			return graph.TensorType{}, fmt.Errorf("a shape %s", s)
		}
		sizes[i] = int(n)
	}
	return graph.TensorType{DType: graph.Float32, Sizes: sizes}, nil
}
