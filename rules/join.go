package rules

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/taso-go/taso/law"
)

// Join states laws with two outputs: where proved rules L1 == R1 and L2 == R2 (in either
// orientation, after a renaming of variables) have the two outputs of one split on their right,
// R1 = split(T).0 and R2 = split(T).1, or the slices that these are, then (L1, L2) == split(T)
// follows. It is returned as a rule without a proof, which is for the caller to find. Both sides
// have at most maxOps distinct operators; joins that say no more than L == T are left out. The
// result is in the order of sets, each rule once.
func Join(rs []*Rule, maxOps int) []*Rule {
	firsts, seconds := map[string][]*half{}, map[string][]*half{}
	for _, r := range rs {
		if r.Status != Proved || len(r.Law.LHS) != 1 {
			continue
		}
		for _, h := range halves(r) {
			if h.out == 0 {
				firsts[h.key] = append(firsts[h.key], h)
			} else {
				seconds[h.key] = append(seconds[h.key], h)
			}
		}
	}
	var out Set
	var joined []*Rule
	for _, key := range slices.Sorted(maps.Keys(firsts)) {
		for _, a := range firsts[key] {
			for _, b := range seconds[key] {
				if r := joinHalves(a, b, maxOps); r != nil {
					joined = append(joined, r)
				}
			}
		}
	}
	out.AddAll(joined)
	return out.Rules
}

// half is a rule read as left == output out of a split.
type half struct {
	rule  *Rule
	left  *law.Term
	split *law.Term // output 0
	out   int
	key   string // the split's operators without names
}

func halves(r *Rule) []*half {
	ty, err := r.Law.Types()
	if err != nil {
		return nil
	}
	var out []*half
	sides := [2]*law.Term{r.Law.LHS[0], r.Law.RHS[0]}
	for i := range sides {
		if i == 0 && r.Law.OneWay {
			continue
		}
		s, n, ok := law.AsSplit(sides[i], ty)
		if ok {
			out = append(out, &half{rule: r, left: sides[1-i], split: s, out: n, key: skeleton(s)})
		}
	}
	return out
}

// skeleton is a term's operators with neither names nor attributes.
func skeleton(t *law.Term) string {
	var b strings.Builder
	var rec func(u *law.Term)
	rec = func(u *law.Term) {
		switch {
		case u.IsVar():
			b.WriteByte('_')
			return
		case u.Fn != "":
			b.WriteByte('f')
		default:
			b.WriteString(u.Op.Name)
			b.WriteByte(byte('0' + u.Out%10))
		}
		b.WriteByte('(')
		for _, a := range u.Args {
			rec(a)
		}
		b.WriteByte(')')
	}
	rec(t)
	return b.String()
}

// joinHalves joins two halves if their splits are one; nil otherwise.
func joinHalves(a, b *half, maxOps int) *Rule {
	// One of the two may be typed more narrowly: its variables are kept.
	base, other := a, b
	in := renaming(b, a)
	if in == nil {
		if in = renaming(a, b); in == nil {
			return nil
		}
		base, other = b, a
	}
	left := other.left.Subst(in.Tensors, in.Fns, in.Substitution())
	l := &law.Law{Kind: law.Rule, Name: "joined", OneWay: a.rule.Law.OneWay || b.rule.Law.OneWay}
	l.Given = append(l.Given, base.rule.Law.Given...)
	l.Where = append(l.Where, base.rule.Law.Where...)
	for _, p := range other.rule.Law.Where {
		l.Where = appendPred(l.Where, p.Subst(in.Substitution()))
	}
	if base == a {
		l.LHS = []*law.Term{base.left, left}
	} else {
		l.LHS = []*law.Term{left, base.left}
	}
	l.RHS = []*law.Term{base.split, base.split.Output(1)}
	if max(law.Size(l.LHS...), law.Size(l.RHS...)) > maxOps || sameSplit(l.LHS) {
		return nil
	}
	if a.rule.Law.HasTag(law.TagOrdered) || b.rule.Law.HasTag(law.TagOrdered) {
		l.Tags = []string{law.TagOrdered}
	}
	r, err := New(l)
	if err != nil {
		return nil
	}
	r.Conditional = a.rule.Conditional || b.rule.Conditional
	from := []string{a.rule.ID(), b.rule.ID()}
	sort.Strings(from)
	r.Reason = "joined from " + strings.Join(from, " and ")
	return r
}

// renaming is what stands for from's variables when its split is that of to:
// tensor variables for tensor variables, one for one. Nil if there is none, or
// if from's left side has variables that its split does not give.
func renaming(from, to *half) *law.Instance {
	// The second sides, the other outputs, are of the same splits.
	general := onlyUsed(&law.Law{Given: from.rule.Law.Given, LHS: []*law.Term{from.split}, RHS: []*law.Term{from.split}})
	special := &law.Law{Given: to.rule.Law.Given, LHS: []*law.Term{to.split}, RHS: []*law.Term{to.split}, Where: to.rule.Law.Where}
	in, ok := match(general, special, true)
	if !ok {
		return nil
	}
	used := map[string]bool{}
	for _, t := range in.Tensors {
		if !t.IsVar() || used[t.Var] {
			return nil
		}
		used[t.Var] = true
	}
	need := from.rule.Law.Mentions(from.left)
	for n := range need.Names {
		_, isTensor := in.Tensors[n]
		_, isAttr := in.Attrs[n]
		_, isFn := in.Fns[n]
		if !isTensor && !isAttr && !isFn {
			return nil
		}
	}
	if !covers(in.Dims, need.Sizes) || !covers(in.Runs, need.Runs) {
		return nil
	}
	return in
}

// covers reports that all names have a value.
func covers[T any](values map[string]T, names map[string]bool) bool {
	for n := range names {
		if _, ok := values[n]; !ok {
			return false
		}
	}
	return true
}

// sameSplit reports that the terms are the outputs of one split.
func sameSplit(ts []*law.Term) bool {
	var n law.Nodes
	for i, t := range ts {
		if t.Op == nil || t.Op.Name != "split" || t.Out != i || n.App(t) != n.App(ts[0]) {
			return false
		}
	}
	return true
}

func appendPred(ps []law.Pred, p law.Pred) []law.Pred {
	for _, q := range ps {
		if q.String() == p.String() {
			return ps
		}
	}
	return append(ps, p)
}
