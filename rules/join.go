package rules

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Join makes rules with two outputs: where proved rules L1 == R1 and L2 == R2
// (in either orientation, after a renaming of variables) have the two outputs
// of one split on their right, R1 = split(T).0 and R2 = split(T).1, or the
// slices that these are, then (L1, L2) == split(T) is a rule whose proof is
// that of both. Both sides have at most maxOps distinct operators; joins that
// say no more than L == T are left out. The result is in the order of sets,
// each rule once. axioms are looked through for commutativity, which a proof
// needs where the canonical form exchanges inputs; without it such joins are
// left out.
func Join(rs []*Rule, maxOps int, axioms ...*law.Law) []*Rule {
	comm := commutativity(axioms)
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
				if r := joinHalves(a, b, maxOps, comm); r != nil {
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
	if r.Proof != nil && r.Proof.Meaning != nil {
		return nil // a proof of one equation from what operators compute is none of two
	}
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
func joinHalves(a, b *half, maxOps int, comm map[*graph.Op]*law.Law) *Rule {
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
	proof := &law.Proof{}
	if p := base.rule.Proof; p != nil {
		proof.Instances = append(proof.Instances, p.Instances...)
	}
	if p := other.rule.Proof; p != nil {
		proof.Instances = append(proof.Instances, substProof(p, in).Instances...)
	}
	if proof = carry(proof, l, r.Law, comm); proof == nil {
		return nil
	}
	r.Proof = dedupeInstances(proof)
	r.Status, r.Engine = Proved, "join"
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

// substProof is the proof over other variables: in gives what stands for the
// old ones.
func substProof(p *law.Proof, in *law.Instance) *law.Proof {
	b := in.Substitution()
	out := &law.Proof{Instances: make([]law.Instance, len(p.Instances))}
	for i := range p.Instances {
		o := &p.Instances[i]
		n := law.Instance{Law: o.Law}
		n.Tensors = mapValues(o.Tensors, func(t *law.Term) *law.Term { return t.Subst(in.Tensors, in.Fns, b) })
		n.Dims = mapValues(o.Dims, func(d graph.Dim) graph.Dim { return d.Subst(b) })
		n.Runs = mapValues(o.Runs, func(s graph.Shape) graph.Shape { return s.Subst(b) })
		n.Attrs = mapValues(o.Attrs, func(v graph.Value) graph.Value { return v.Subst(b) })
		n.Fns = mapValues(o.Fns, func(f string) string { return law.SubstFunction(f, in.Fns, b) })
		out.Instances[i] = n
	}
	return out
}

func mapValues[T any](m map[string]T, f func(T) T) map[string]T {
	if m == nil {
		return nil
	}
	out := make(map[string]T, len(m))
	for k, v := range m {
		out[k] = f(v)
	}
	return out
}

// dedupeInstances drops instances that stand twice.
func dedupeInstances(p *law.Proof) *law.Proof {
	seen := map[string]bool{}
	out := &law.Proof{Instances: []law.Instance{}}
	for i := range p.Instances {
		key := instanceKey(&p.Instances[i])
		if !seen[key] {
			seen[key] = true
			out.Instances = append(out.Instances, p.Instances[i])
		}
	}
	return out
}

func instanceKey(in *law.Instance) string {
	var b strings.Builder
	t := in.Text()
	b.WriteString(t.Law)
	for _, m := range []map[string]string{t.Tensors, t.Dims, t.Runs, t.Attrs, t.Fns} {
		b.WriteByte('|')
		for _, k := range slices.Sorted(maps.Keys(m)) {
			b.WriteString(k + "=" + m[k] + ";")
		}
	}
	return b.String()
}

// commutativity finds, for each commutative operator, a law that says so.
func commutativity(laws []*law.Law) map[*graph.Op]*law.Law {
	out := map[*graph.Op]*law.Law{}
	for _, l := range laws {
		if len(l.LHS) != 1 || len(l.Where) > 0 || l.Kind != law.Axiom && l.Kind != law.Lemma {
			continue
		}
		x, y := l.LHS[0], l.RHS[0]
		if x.Op != nil && x.Op.Commutative && y.Op == x.Op && len(x.Args) == 2 && x.Args[0].IsVar() && x.Args[1].IsVar() &&
			x.Args[0].Var != x.Args[1].Var && y.Args[0].Var == x.Args[1].Var && y.Args[1].Var == x.Args[0].Var && out[x.Op] == nil {
			out[x.Op] = l
		}
	}
	return out
}

// carry turns a proof of l into one of the same law in canonical form, which
// has names of its own and may exchange inputs of commutative operators; nil
// if that cannot be proved.
func carry(p *law.Proof, l, canonical *law.Law, comm map[*graph.Op]*law.Law) *law.Proof {
	if names, ok := match(l, canonical, true); ok {
		return substProof(p, names)
	}
	names, ok := match(l, canonical, false)
	if !ok {
		return nil
	}
	out := substProof(p, names)
	left, right := names.Sides(l)
	ty := &law.Typing{Shape: map[*law.Term]graph.Shape{}}
	var f graph.Unifier
	failed := false
	for _, t := range append(append(left, right...), canonical.Outputs()...) {
		if _, err := law.TypeOf(&f, t, canonical.VarShapes(), ty.Shape); err != nil {
			return nil
		}
		t.Walk(func(u *law.Term) {
			if u.Op == nil || !u.Op.Commutative || failed {
				return
			}
			ax := comm[u.Op]
			if ax == nil {
				failed = true
				return
			}
			swapped := law.Apply(u.Op, u.Attrs, u.Args[1], u.Args[0])
			goal := &law.Law{Given: canonical.Given, LHS: []*law.Term{u}, RHS: []*law.Term{swapped}}
			in, ok := match(ax, goal, true)
			if !ok {
				failed = true
				return
			}
			in.Law = ax.Name
			out.Instances = append(out.Instances, *in)
		})
	}
	if failed {
		return nil
	}
	return out
}
