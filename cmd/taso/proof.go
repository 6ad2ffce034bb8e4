package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// printRule prints a rule and its proof.
func printRule(w io.Writer, set *rules.Set, r *rules.Rule) error {
	fmt.Fprint(w, law.Format(r.Law))
	fmt.Fprintf(w, "\n%s, use %s, found at %s", r.Status, arrows[[2]bool{r.Forward, r.Backward}], plural(r.Level, "operator"))
	if r.Conditional {
		fmt.Fprint(w, ", conditional: not true of all values of its attributes")
	}
	if r.Derivable {
		fmt.Fprintf(w, "\nderivable from %s", strings.Join(r.DerivableFrom, ", "))
	}
	fmt.Fprintln(w)
	if r.Proof == nil {
		if r.Reason != "" {
			fmt.Fprintf(w, "%s\n", indent(r.Reason))
		}
		return nil
	}
	lib, err := library(set)
	if err != nil {
		return err
	}
	x := &explainer{vars: r.Law.VarShapes()}
	var eqs []ground
	for i := range r.Proof.Instances {
		in := &r.Proof.Instances[i]
		l := lib[in.Law]
		if l == nil {
			return fmt.Errorf("rule %s: its proof uses %s, which is neither an axiom nor a lemma of the file", r.ID(), in.Law)
		}
		lhs, rhs := in.Sides(l)
		for k := range lhs {
			eqs = append(eqs, ground{l, x.primitive(lhs[k]), x.primitive(rhs[k])})
		}
	}
	fmt.Fprintf(w, "\nproof from %s\n", plural(len(r.Proof.Instances), "instance"))
	for k := range r.Law.LHS {
		if len(r.Law.LHS) > 1 {
			fmt.Fprintf(w, "\noutput %d\n", k)
		}
		printChain(w, x.primitive(r.Law.LHS[k]), x.primitive(r.Law.RHS[k]), eqs)
	}
	fmt.Fprintln(w, "\nlaws used")
	for _, name := range r.Proof.Laws() {
		fmt.Fprintf(w, "  %s %s: %s\n", lib[name].Kind, name, sentence(lib[name]))
	}
	return nil
}

// library is the laws that the proofs of a set may use, by name.
func library(set *rules.Set) (map[string]*law.Law, error) {
	laws, err := law.Parse("axioms", []byte(set.Axioms))
	if err != nil {
		return nil, err
	}
	lib := map[string]*law.Law{}
	for _, l := range laws {
		lib[l.Name] = l
	}
	for _, l := range set.Lemmas {
		if doc := lib[l.Law.Name]; doc == nil {
			lib[l.Law.Name] = l.Law
		}
	}
	return lib, nil
}

// ground is an equation of a proof and the law that gives it.
type ground struct {
	law      *law.Law
	lhs, rhs *law.Term
}

func printChain(w io.Writer, from, to *law.Term, eqs []ground) {
	steps, ok := chain(from, to, eqs)
	if !ok {
		// The closure may need a term twice over; then the equations say it.
		fmt.Fprintln(w, "  by congruence from")
		for _, e := range eqs {
			fmt.Fprintf(w, "    %s == %s    by %s\n", e.lhs, e.rhs, e.law.Name)
		}
		return
	}
	fmt.Fprintf(w, "     %s\n", from)
	for _, s := range steps {
		fmt.Fprintf(w, "  == %s    by %s\n", s.term, s.law.Name)
	}
}

// explainer writes terms with primitive operators, as proofs see them.
type explainer struct {
	vars map[string]graph.Shape
}

// primitive writes split as slices; a term without types stays as it is.
func (x *explainer) primitive(t *law.Term) *law.Term {
	return t.Rewrite(func(u *law.Term) *law.Term {
		if u.Op == nil || u.Op.Expand == nil {
			return u
		}
		in := make([]graph.Shape, len(u.Args))
		for i, a := range u.Args {
			var err error
			if in[i], err = law.TypeOf(&graph.Facts{}, a, x.vars, nil); err != nil {
				return u
			}
		}
		prims, err := u.Op.Expand(u.Attrs, in)
		if err != nil || u.Out >= len(prims) {
			return u
		}
		return &law.Term{Op: prims[u.Out].Op, Attrs: prims[u.Out].Attrs, Args: u.Args}
	})
}

// link is one step of a chain: the term it arrives at, and the law used.
type link struct {
	term *law.Term
	law  *law.Law
}

// Bounds of the search for a chain: terms seen, and how many times longer than
// the longest term of the proof a term may be.
const (
	maxTerms  = 5000
	maxLonger = 4
)

// chain finds a shortest way from one term to another, each step of which
// replaces subterms by an equation.
func chain(from, to *law.Term, eqs []ground) (steps []link, ok bool) {
	type visit struct {
		link
		before *visit
	}
	goal := to.String()
	longest := max(len(from.String()), len(goal))
	for _, e := range eqs {
		longest = max(longest, len(e.lhs.String()), len(e.rhs.String()))
	}
	seen := map[string]bool{from.String(): true}
	queue := []*visit{{link: link{term: from}}}
	for len(queue) > 0 && len(seen) < maxTerms {
		v := queue[0]
		queue = queue[1:]
		if v.term.String() == goal {
			for ; v.before != nil; v = v.before {
				steps = append([]link{v.link}, steps...)
			}
			return steps, true
		}
		for _, e := range eqs {
			for _, next := range append(rewrites(v.term, e.lhs, e.rhs), rewrites(v.term, e.rhs, e.lhs)...) {
				if key := next.String(); !seen[key] && len(key) <= maxLonger*longest {
					seen[key] = true
					queue = append(queue, &visit{link{next, e.law}, v})
				}
			}
		}
	}
	return nil, false
}

// rewrites replaces a by b in t: everywhere, and at each single place.
func rewrites(t, a, b *law.Term) []*law.Term {
	key, places := a.String(), 0
	each := func(take func(place int) bool) *law.Term {
		places = 0
		return t.Rewrite(func(u *law.Term) *law.Term {
			if u.String() != key {
				return u
			}
			places++
			if take(places - 1) {
				return b
			}
			return u
		})
	}
	all := each(func(int) bool { return true })
	if places == 0 {
		return nil
	}
	out := []*law.Term{all}
	for i, n := 0, places; n > 1 && i < n; i++ {
		out = append(out, each(func(p int) bool { return p == i }))
	}
	return out
}
