package found

import (
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// Reason is why a law is missing.
type Reason string

// The reasons, in the order in which they are tried.
const (
	NoOperator Reason = "operator not enumerated"  // Detail: the operators
	Special    Reason = "special cases only"       // Detail: what rules have as a constant
	TooLarge   Reason = "more operators than runs" // Detail: operators of the law and of the runs
	OneOrder   Reason = "one direction only"       // a rule states one direction of the equation
	Variables  Reason = "attribute variables"      // Detail: their sorts
	Other      Reason = "not found"
)

// explain sets the reason for a missing law.
func (k *known) explain(l *Law) {
	var none []string
	for _, o := range l.Operators {
		if !k.ops[o] {
			none = append(none, o)
		}
	}
	if len(none) > 0 {
		l.Reason, l.Detail = NoOperator, strings.Join(none, ", ")
		return
	}
	if l.Nearest, l.Detail = k.nearest(l.law); l.Nearest != "" {
		l.Reason = Special
		return
	}
	most := 0
	for _, o := range l.Operators {
		if n := k.levels[o]; most == 0 || n < most {
			most = n
		}
	}
	if n := max(law.Size(l.law.LHS...), law.Size(l.law.RHS...)); n > most {
		l.Reason, l.Detail = TooLarge, strconv.Itoa(n)+" of "+strconv.Itoa(most)
		return
	}
	if !l.law.OneWay {
		for _, back := range []bool{false, true} {
			one := law.OneDirection(l.law, back)
			for _, r := range k.rules {
				if usable(r.Law, one) && rules.Instance(r.Law, one) {
					l.Reason, l.Nearest = OneOrder, r.ID()
					return
				}
			}
		}
	}
	var sorts []string
	for _, d := range l.law.Given {
		if d.Sort != "" && !slices.Contains(sorts, d.Sort) {
			sorts = append(sorts, d.Sort)
		}
	}
	l.Reason = Other
	if len(sorts) > 0 {
		l.Reason, l.Detail = Variables, strings.Join(sorts, ", ")
	}
}

// nearest is the rule that is a special case of a law with the least that is constant, and what
// that is; "" if there is none.
func (k *known) nearest(l *law.Law) (id, constant string) {
	best := 0
	for _, r := range k.rules {
		if r.Law.HasTag(law.TagOrdered) && !l.HasTag(law.TagOrdered) {
			continue
		}
		in, ok := rules.Match(l, r.Law)
		if !ok {
			continue
		}
		if c := constants(l, in); id == "" || len(c) < best {
			id, constant, best = r.ID(), strings.Join(c, ", "), len(c)
		}
	}
	return id, constant
}

// constants lists what an instance of a law fixes: sorts of attribute variables, ranks,
// functions, sizes, and operands that are equal or not variables.
func constants(l *law.Law, in *law.Instance) []string {
	var out []string
	put := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	operands := map[string]bool{}
	for _, d := range l.Given {
		switch {
		case law.IsFuncSort(d.Sort):
			if _, ok := graph.Lookup(in.Fns[d.Name]); ok {
				put("function")
			}
		case d.Sort != "":
			if _, _, ok := in.Attrs[d.Name].Var(); !ok {
				put(d.Sort)
			}
		default:
			t := in.Tensors[d.Name]
			if t == nil {
				continue
			}
			if !t.IsVar() || operands[t.Var] {
				put("operands")
			}
			operands[t.Var] = true
		}
	}
	sizes := map[graph.Dim]bool{}
	for _, d := range in.Dims {
		if _, ok := d.Const(); ok || sizes[d] {
			put("sizes")
		}
		sizes[d] = true
	}
	for _, s := range in.Runs {
		if !slices.ContainsFunc(s, func(a graph.Item) bool { return a.AxisRun != "" }) {
			put("rank")
		}
	}
	slices.Sort(out)
	return out
}
