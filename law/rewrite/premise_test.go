package rewrite_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// partly is a host of terms of which those made of X are not known to be defined.
type partly struct{ *rewrite.Terms }

func (p partly) Defined(t rewrite.TermID) bool {
	for _, v := range law.Vars(p.Term(t)) {
		if v == "X" {
			return false
		}
	}
	return true
}

// matches counts the uses of a law, from left to right, at a term over tensors of
// given shapes, in a host made of these terms; conds are what the last one names.
func matches(t *testing.T, general, term, given string, host func(*rewrite.Terms) rewrite.Host[rewrite.TermID]) (n int, conds []rewrite.Cond) {
	t.Helper()
	parse := func(text string) *law.Law {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	c, err := rewrite.Compile(parse(general))
	if err != nil {
		t.Fatal(err)
	}
	special := parse("rule special given " + given + " then " + term + " == " + term)
	ty, err := special.Types()
	if err != nil {
		t.Fatal(err)
	}
	h := rewrite.NewTerms(false, nil, func(u *law.Term) graph.Shape { return ty.Shape[u] })
	root := h.Add(special.LHS[0])
	rewrite.NewMatcher(host(h)).Match(c.Directions[0], []rewrite.TermID{root}, func(m *rewrite.Match[rewrite.TermID]) bool {
		n++
		conds = m.Conds
		return true
	})
	return n, conds
}

// A law that drops a tensor is used only where the host says that what it drops is
// defined: of the sum ewadd(slice(X), Y) - slice(X) nothing is left where the slice
// ends outside.
func TestDroppedTensorsMustBeDefined(t *testing.T) {
	const drops = "axiom drops given A : [n], B : [n] then ewsub(ewadd(A, B), B) == A"
	const given = "X : [m], Y : [2]"
	for _, c := range []struct {
		name, term string
		host       func(*rewrite.Terms) rewrite.Host[rewrite.TermID]
		want       int
	}{
		{"a host that does not say", "ewsub(ewadd(Y, Y), Y)", func(h *rewrite.Terms) rewrite.Host[rewrite.TermID] { return h }, 0},
		{"a host without undefined tensors", "ewsub(ewadd(Y, slice[axis=0, lo=0, hi=2](X)), slice[axis=0, lo=0, hi=2](X))",
			func(h *rewrite.Terms) rewrite.Host[rewrite.TermID] { return definite{h} }, 1},
		{"what is not defined", "ewsub(ewadd(Y, slice[axis=0, lo=0, hi=2](X)), slice[axis=0, lo=0, hi=2](X))",
			func(h *rewrite.Terms) rewrite.Host[rewrite.TermID] { return partly{h} }, 0},
		{"what is defined", "ewsub(ewadd(slice[axis=0, lo=0, hi=2](X), Y), Y)",
			func(h *rewrite.Terms) rewrite.Host[rewrite.TermID] { return partly{h} }, 1},
	} {
		if n, _ := matches(t, drops, c.term, given, c.host); n != c.want {
			t.Errorf("%s: %d matches, want %d", c.name, n, c.want)
		}
	}
}

// What the equations of a law written => stand under is named where it depends on
// the sizes, and decided where these are numbers.
func TestPremiseIsNamed(t *testing.T) {
	const first = "axiom first given A : [n] then relu(slice[axis=0, lo=0, hi=2](A)) => slice[axis=0, lo=0, hi=2](relu(A))"
	all := func(h *rewrite.Terms) rewrite.Host[rewrite.TermID] { return definite{h} }
	n, conds := matches(t, first, "relu(slice[axis=0, lo=0, hi=2](X))", "X : [m]", all)
	if n != 1 || len(conds) != 1 || len(conds[0].Least) != 1 || conds[0].Least[0] != graph.Var("m").Sub(graph.Int(2)) {
		t.Errorf("%d matches under %v, want one where m is at least 2", n, conds)
	}
	if n, conds := matches(t, first, "relu(slice[axis=0, lo=0, hi=2](X))", "X : [3]", all); n != 1 || len(conds) != 0 {
		t.Errorf("%d matches under %v, want one under none", n, conds)
	}
}
