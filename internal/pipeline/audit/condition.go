package audit

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// conditions collects conditions in words, each once.
type conditions struct{ list []string }

func (c *conditions) add(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, t := range c.list {
		if s == t {
			return
		}
	}
	c.list = append(c.list, s)
}

func (c *conditions) String() string { return strings.Join(c.list, ", ") }

// special is a law with less general sizes or attributes.
type special struct {
	law       *law.Law
	condition string
	// padding: it says how to pad, on which most of what else may be asked depends; padded:
	// it asks more beside that.
	padding, padded bool
}

// maxSpecials bounds the conditions that are tried for a rule.
const maxSpecials = 400

// specials lists the special forms of a law that is false, the weakest
// conditions first: one group, odd kernels, a way to pad or to average, sizes
// that are equal; then that both sides are defined, and then two of these; and last a way
// to pad with all that may be asked of the law padded so. Each is
// made when it is asked for; what has no types, what came before, and what cannot be
// is left out: a law under a condition that never holds says nothing.
func specials(l *law.Law) iter.Seq[special] {
	return func(yield func(special) bool) {
		seen := map[string]bool{}
		eachSpecial(l, true, func(s special) bool {
			text := law.Format(s.law)
			if seen[text] {
				return true
			}
			seen[text] = true
			_, err := s.law.Types()
			_, never := contradiction(s.law)
			return err != nil || never || yield(s)
		})
	}
}

// eachSpecial calls yield for the special forms until it returns false; those that ask two
// things of the law, or more beside a way to pad, only if asked to.
func eachSpecial(l *law.Law, more bool, yield func(special) bool) {
	n := 0
	give := func(s special) bool { n++; return yield(s) }
	single := conditionsOf(l)
	if l.OneWay {
		// All that may be missing is the target.
		if d, words := targetDefined(l, false); d != nil && !give(special{law: d, condition: words}) {
			return
		}
	}
	for _, s := range single {
		if !give(s) {
			return
		}
	}
	base := special{law: l}
	if d, words := defined(l); d != nil {
		base = special{law: d, condition: words}
		if !give(base) {
			return
		}
		for _, s := range conditionsOf(d) {
			if !give(special{law: s.law, condition: base.condition + ", " + s.condition}) {
				return
			}
		}
	}
	if !more {
		return
	}
pairs:
	for i, a := range conditionsOf(base.law) {
		for _, b := range conditionsOf(a.law) {
			if n >= maxSpecials {
				break pairs
			}
			if later(single, b.condition) <= i {
				continue
			}
			s := special{law: b.law, condition: a.condition + ", " + b.condition}
			if base.condition != "" {
				s.condition = base.condition + ", " + s.condition
			}
			if !give(s) {
				return
			}
		}
	}
	for _, a := range single {
		if !a.padding {
			continue
		}
		goOn := true
		eachSpecial(a.law, false, func(s special) bool {
			goOn = yield(special{law: s.law, condition: a.condition + ", " + s.condition, padded: true})
			return goOn
		})
		if !goOn {
			return
		}
	}
}

// defined is the law with the conditions under which both sides are defined
// written out; nil if there are none.
func defined(l *law.Law) (*law.Law, string) {
	ty, err := l.Types()
	if err != nil {
		return nil, ""
	}
	needs := append(append([]graph.Need(nil), ty.LeftNeeds...), ty.RightNeeds...)
	d := needing(l, needs)
	if len(d.Where) == len(l.Where) {
		return nil, ""
	}
	return d, needsInWords(l, needs)
}

// targetNeeds lists the conditions under which the target of a direction is
// defined that are not among those of the source.
func targetNeeds(l *law.Law, backward bool) []graph.Need {
	ty, err := l.Types()
	if err != nil {
		return nil
	}
	source, target := ty.LeftNeeds, ty.RightNeeds
	if backward {
		source, target = target, source
	}
	return slices.DeleteFunc(append([]graph.Need(nil), target...), func(n graph.Need) bool { return slices.Contains(source, n) })
}

func needsInWords(l *law.Law, needs []graph.Need) string {
	var conds conditions
	words := sizeWords(l)
	for _, n := range needs {
		conds.add("%s %s %s", inWords(n.Left, words), n.Rel, inWords(n.Right, words))
	}
	return conds.String()
}

func later(list []special, condition string) int {
	for i, s := range list {
		if s.condition == condition {
			return i
		}
	}
	return -1
}

func conditionsOf(l *law.Law) []special {
	var out []special
	attr := func(name string, v graph.Value, words string) {
		b := &graph.Substitution{Attrs: map[string]graph.Value{name: v}}
		out = append(out, special{law: l.Subst(b), condition: words})
	}
	if gs := groupVars(l); len(gs) > 0 {
		b := &graph.Substitution{Dims: map[string]graph.Dim{}}
		for _, g := range gs {
			b.Dims[g] = graph.Int(1)
		}
		out = append(out, special{law: l.Subst(b), condition: "groups = 1"})
	}
	if ks := kernelVars(l); len(ks) > 0 {
		odd := *l
		two := graph.Int(2)
		odd.Where = append([]law.Pred(nil), l.Where...)
		for _, k := range ks {
			odd.Where = append(odd.Where, law.Pred{Left: graph.Var(k), Mod: &two, Rel: "==", Right: graph.Int(1)})
		}
		out = append(out, special{law: &odd, condition: "odd kernels"})
	}
	sorts := map[string]int{}
	for _, g := range l.Given {
		sorts[g.Sort]++
	}
	for i, g := range l.Given {
		of := "" // which of several variables is meant
		if sorts[g.Sort] > 1 {
			of = " (" + g.Name + ")"
		}
		switch g.Sort {
		case graph.SortSame:
			attr(g.Name, graph.NameValue(graph.SameUpper), "SAME padding is same_upper"+of)
			attr(g.Name, graph.NameValue(graph.SameLower), "SAME padding is same_lower"+of)
		case graph.SortPadding:
			same := l.Subst(&graph.Substitution{Attrs: map[string]graph.Value{g.Name: graph.VarValue(g.Name, graph.SortSame)}})
			same.Given = slices.Clone(l.Given)
			same.Given[i].Sort = graph.SortSame
			out = append(out, special{law: same, condition: g.Name + " = same_upper or same_lower", padding: true})
			for _, v := range []string{graph.Valid, graph.SameUpper, graph.SameLower} {
				attr(g.Name, graph.NameValue(v), g.Name+" = "+v)
				out[len(out)-1].padding = true
			}
		case graph.SortBorder:
			attr(g.Name, graph.NameValue("counted"), "averages include padding"+of)
			attr(g.Name, graph.NameValue("excluded"), "averages exclude padding"+of)
		case graph.SortStride:
			attr(g.Name, graph.TupleValue(1, 1), g.Name+" = (1, 1)")
		case graph.SortAct:
			attr(g.Name, graph.NameValue("none"), g.Name+" = none")
		}
	}
	return append(out, equalSizes(l)...)
}

// inGroups says whether a convolution of a law has not just one group.
func inGroups(l *law.Law) bool {
	found := false
	l.EachTerm(func(t *law.Term) {
		if t.Op != nil && t.Op.Name == "conv2d" {
			d, _ := t.Attrs[t.Op.ParamIndex("groups")].Dim()
			found = found || d != graph.Int(1)
		}
	})
	return found
}

// groupVars are the size variables that count the groups of convolutions: all of
// them are 1 just where all convolutions have one group. There are none if a
// number of groups is no product of variables.
func groupVars(l *law.Law) []string {
	set := map[string]bool{}
	products := true
	l.EachTerm(func(t *law.Term) {
		if t.Op == nil {
			return
		}
		i := t.Op.ParamIndex("groups")
		if i < 0 {
			return
		}
		d, _ := t.Attrs[i].Dim()
		if n, ok := d.Const(); ok && n == 1 {
			return
		}
		terms, constant := d.Terms()
		if len(terms) != 1 || constant != 0 || terms[0].Coef != 1 {
			products = false
			return
		}
		d.Walk(func(a graph.Atom) {
			products = products && a.Kind == graph.AtomVar
			set[a.Name] = true
		})
	})
	if !products {
		return nil
	}
	return slices.Sorted(maps.Keys(set))
}

// kernelVars are the size variables that are sizes of kernels.
func kernelVars(l *law.Law) []string {
	set := map[string]bool{}
	note := func(d graph.Dim) {
		if name, ok := d.IsVar(); ok {
			set[name] = true
		}
	}
	shapes := l.VarShapes()
	l.EachTerm(func(t *law.Term) {
		if t.Op == nil {
			return
		}
		for i, p := range t.Op.Params {
			if p.Name == "kh" || p.Name == "kw" {
				d, _ := t.Attrs[i].Dim()
				note(d)
			}
		}
		kernel := -1
		switch t.Op.Name {
		case "conv2d":
			kernel = 1
		case "enlarge":
			kernel = 0
		}
		if kernel >= 0 && t.Args[kernel].IsVar() {
			if s := shapes[t.Args[kernel].Var]; len(s) == 4 {
				note(s[2].Dim)
				note(s[3].Dim)
			}
		}
	})
	return slices.Sorted(maps.Keys(set))
}

// equalSizes are the laws in which two size variables are one: of the same
// axis of two inputs first.
func equalSizes(l *law.Law) []special {
	var names []string
	axis := map[string]map[int]bool{}
	for _, g := range l.Given {
		for i, it := range g.Shape {
			it.Dim.Walk(func(a graph.Atom) {
				if a.Kind != graph.AtomVar {
					return
				}
				if axis[a.Name] == nil {
					axis[a.Name] = map[int]bool{}
					names = append(names, a.Name)
				}
				axis[a.Name][i] = true
			})
		}
	}
	words := sizeWords(l)
	var near, far []special
	for i, v := range names {
		for _, w := range names[i+1:] {
			s := special{
				law:       l.Subst(&graph.Substitution{Dims: map[string]graph.Dim{w: graph.Var(v)}}),
				condition: inWords(graph.Var(v), words) + " = " + inWords(graph.Var(w), words),
			}
			close := false
			for a := range axis[v] {
				close = close || axis[w][a]
			}
			if close {
				near = append(near, s)
			} else {
				far = append(far, s)
			}
		}
	}
	return append(near, far...)
}
