package rules

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Status is a verdict on a rule.
type Status = law.Status

// The verdicts. Unknown never means wrong and never counts as right.
const (
	Proved  = law.Proved
	Unknown = law.Unknown
	Refuted = law.Refuted
)

// Rule is a generated law and what is known of it.
type Rule struct {
	// Law is in canonical form; its Name is the rule's identity.
	Law *law.Law
	// Forward and Backward say in which directions the rule can be used.
	Forward, Backward bool
	Status            Status
	// Proof is nil unless Status is Proved.
	Proof *law.Proof
	// Reason says why the rule is unknown, or what refutes it.
	Reason string
	// Level is the number of operators at which the rule was found.
	Level int
	// Derivable: the rule follows from those in DerivableFrom (sorted ids),
	// or, if that is empty, from the kept rules of its set.
	Derivable     bool
	DerivableFrom []string
	// Conditional: the rule is not in the most general form of its attributes,
	// since in that form it does not hold.
	Conditional bool
	// Engine names the prover.
	Engine string
}

// Parse makes a rule of a text that holds one law, as New does.
func Parse(text string) (*Rule, error) {
	l, err := law.ParseLaw(text)
	if err != nil {
		return nil, err
	}
	return New(l)
}

// New makes a rule of a law: canonical, named by its identity, with the usable
// directions. Its status is unknown. It is an error if the law has no types.
func New(l *law.Law) (*Rule, error) {
	c := *law.Stated(law.Canonical(l))
	c.Kind, c.Section, c.Pos = law.Rule, "", law.Pos{}
	for i := range c.Given {
		c.Given[i].Pos = law.Pos{}
	}
	c.Name = law.ID(&c)
	c.Doc = Describe(&c)
	f, b, err := Directions(&c)
	if err != nil {
		return nil, err
	}
	return &Rule{Law: &c, Forward: f, Backward: b, Status: Unknown, Level: size(&c)}, nil
}

// ID is the rule's identity.
func (r *Rule) ID() string { return r.Law.Name }

// size is the number of operators of the larger side.
func size(l *law.Law) int { return max(law.Size(l.LHS...), law.Size(l.RHS...)) }

// less is the order of rules in a set: by size, then by identity.
func less(a, b *Rule) bool {
	x := [2]int{size(a.Law), law.Size(a.Law.LHS...) + law.Size(a.Law.RHS...)}
	y := [2]int{size(b.Law), law.Size(b.Law.LHS...) + law.Size(b.Law.RHS...)}
	if x != y {
		return x[0] < y[0] || x[0] == y[0] && x[1] < y[1]
	}
	return a.Law.Name < b.Law.Name
}

// Describe says in a line what a law is about, such as
// "concat, matmul: 3 operators to 2".
func Describe(l *law.Law) string {
	names := map[string]bool{}
	l.EachTerm(func(u *law.Term) {
		switch {
		case u.Fn != "":
			names["function"] = true
		case u.Op != nil:
			names[u.Op.Name] = true
		}
	})
	list := make([]string, 0, len(names))
	for n := range names {
		list = append(list, n)
	}
	sort.Strings(list)
	n := law.Size(l.LHS...)
	plural := "s"
	if n == 1 {
		plural = ""
	}
	s := fmt.Sprintf("%s: %d operator%s to %d", strings.Join(list, ", "), n, plural, law.Size(l.RHS...))
	if len(l.LHS) > 1 {
		s += fmt.Sprintf(", %d outputs", len(l.LHS))
	}
	return s
}

// Directions says in which directions a law can be used to rewrite: left to
// right if a match of the left side gives a value to every variable of the
// right side, and the right side is defined wherever the left one is. A law
// written with => is never used backward.
func Directions(l *law.Law) (forward, backward bool, err error) {
	ty, err := l.Types()
	if err != nil {
		return false, false, err
	}
	// A variable of neither side is none that a match has to give.
	c, err := rewrite.Compile(onlyUsed(l), rewrite.Derived)
	if err != nil {
		return false, false, err
	}
	forward, backward = c.Usable()
	return forward && implied(ty.RightNeeds, ty.LeftNeeds, l.Where),
		backward && implied(ty.LeftNeeds, ty.RightNeeds, l.Where), nil
}

// onlyUsed is a law without the bindings that its sides do not use.
func onlyUsed(l *law.Law) *law.Law {
	k := l.Mentions(l.Outputs()...)
	m := *l
	m.Given = nil
	for _, b := range l.Given {
		if k.Names[b.Name] {
			m.Given = append(m.Given, b)
		}
	}
	return &m
}

// implied reports that every need follows from the given needs or conditions:
// sound, not complete.
func implied(needs, given []graph.Need, where []law.Pred) bool {
	return len(Missing(needs, given, where)) == 0
}

// Missing lists the needs that are not known to follow from the given needs or conditions.
func Missing(needs, given []graph.Need, where []law.Pred) []graph.Need {
	facts := leastOf(given, where)
	var out []graph.Need
	for _, n := range needs {
		if !slices.Contains(given, n) && (n.Rel != "<=" || !rewrite.Implied(n.Right.Sub(n.Left), facts)) {
			out = append(out, n)
		}
	}
	return out
}

// leastOf lists sizes that are at least 0 where needs and conditions hold.
func leastOf(needs []graph.Need, where []law.Pred) []graph.Dim {
	var out []graph.Dim
	for _, n := range needs {
		if n.Rel == "<=" {
			out = append(out, n.Right.Sub(n.Left))
		}
	}
	for _, p := range where {
		out = append(out, rewrite.CondOf(p).Least...)
	}
	return out
}
