package theory

import (
	"context"
	"slices"

	"github.com/taso-go/taso/law"
)

// General is the part of the theory that says nothing of the true relu and maximum: the
// laws without [law.TagOrdered], but for lemmas that rest on one with it. What it proves
// of relu or of a maximum holds of every function and every order.
func (t *Theory) General() *Theory { return t.general }

// generalize makes General.
func (t *Theory) generalize() {
	ordered := map[string]bool{}
	for _, l := range t.Laws {
		ordered[l.Name] = l.HasTag(law.TagOrdered)
	}
	g := &Theory{ByName: t.ByName}
	for _, lm := range t.Lemmas {
		if slices.ContainsFunc(t.AxiomsOf(lm.Proof), func(name string) bool { return ordered[name] }) {
			ordered[lm.Law.Name] = true
		}
		if !ordered[lm.Law.Name] {
			g.Lemmas = append(g.Lemmas, lm)
		}
	}
	for _, l := range t.Laws {
		if !ordered[l.Name] {
			g.Laws = append(g.Laws, l)
		}
	}
	g.general, t.general = g, g
}

// DecideByTag is Decide, but that goals without [law.TagOrdered] are proved by General: a
// law without the tag is not proved from one with it.
func (t *Theory) DecideByTag(ctx context.Context, goals []*law.Law, opt Options) ([]Proof, error) {
	out := make([]Proof, len(goals))
	for _, tag := range []bool{false, true} {
		var some []*law.Law
		var at []int
		for i, g := range goals {
			if g.HasTag(law.TagOrdered) == tag {
				some, at = append(some, g), append(at, i)
			}
		}
		from := t
		if !tag {
			from = t.General()
		}
		ps, err := from.Decide(ctx, some, opt)
		if err != nil {
			return nil, err
		}
		for k, p := range ps {
			out[at[k]] = p
		}
	}
	return out, nil
}
