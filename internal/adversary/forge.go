package adversary

import (
	"context"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// forged is a law with a proof that was not made for it.
type forged struct {
	law   *law.Law
	proof *law.Proof
	how   string
}

// forger makes false certificates of true ones. Where law/mutate.Entry
// alters a proof anywhere, these alter what a proof rests on: directions,
// outputs, conditions, scopes, names, and whose proof it is.
type forger struct {
	w      *writer
	proofs []proved
}

// forgery is a way to make one; nil where it does not apply.
type forgery struct {
	name string
	of   func(f *forger, p proved) *forged
}

var forgeries = []forgery{
	{"law altered", (*forger).alteredLaw},
	{"law altered", (*forger).alteredLaw},
	{"two ways", func(_ *forger, p proved) *forged { return directed(p, false, false) }},
	{"reversed", func(_ *forger, p proved) *forged { return directed(p, true, true) }},
	{"one output", (*forger).oneOutput},
	{"conditions dropped", (*forger).noConditions},
	{"another's proof", (*forger).others},
	{"proofs joined", (*forger).joined},
	{"instance of another law", (*forger).otherLaw},
	{"sizes of an instance", (*forger).sizes},
	{"runs of an instance", (*forger).runs},
	{"attributes of an instance", (*forger).attributes},
	{"tensors of an instance", (*forger).tensors},
	{"functions of an instance", (*forger).functions},
	{"order", (*forger).order},
	{"answers", (*forger).answers},
	{"answers", (*forger).answers},
	{"names", (*forger).names},
	{"smaller sizes", (*forger).special},
}

// forge makes one; nil where nothing came of it.
func (f *forger) forge() *forged {
	if len(f.proofs) == 0 {
		return nil
	}
	k := pick(f.w.rng, forgeries)
	g := k.of(f, pick(f.w.rng, f.proofs))
	if g == nil || g.law == nil {
		return nil
	}
	g.how = k.name
	// The checker is given what the text says, as from a file.
	e := law.NewCertRule("written", named(g.law), g.proof)
	by := map[string]*law.Law{}
	for _, l := range f.w.pool {
		by[l.Name] = l
	}
	l, p, err := e.Decode(func(n string) (*law.Law, bool) { l, ok := by[n]; return l, ok })
	if err != nil {
		return nil
	}
	g.law, g.proof = l, p
	return g
}

func named(l *law.Law) *law.Law {
	c := *l
	c.Kind, c.Name, c.Doc, c.Cite, c.Tags, c.Section = law.Rule, "written", "", nil, nil, ""
	return &c
}

func directed(p proved, oneWay, back bool) *forged {
	c := *p.law
	c.OneWay = oneWay
	if back {
		c.LHS, c.RHS = p.law.RHS, p.law.LHS
	}
	return &forged{law: &c, proof: p.proof}
}

// alteredLaw keeps the proof of a law that is changed.
func (f *forger) alteredLaw(p proved) *forged {
	kinds := slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return c.name == "mutant" })
	return &forged{law: pick(f.w.rng, kinds).of(f.w, p.law), proof: p.proof}
}

func (f *forger) oneOutput(p proved) *forged {
	if len(p.law.LHS) < 2 {
		return nil
	}
	return &forged{law: f.w.outputs(p.law), proof: p.proof}
}

func (f *forger) noConditions(p proved) *forged {
	if len(p.law.Where) == 0 {
		return nil
	}
	c := *p.law
	c.Where = nil
	return &forged{law: &c, proof: p.proof}
}

func (f *forger) others(p proved) *forged {
	return &forged{law: p.law, proof: pick(f.w.rng, f.proofs).proof}
}

// joined gives the proof of two laws to what would follow of both, had they the
// same variables.
func (f *forger) joined(p proved) *forged {
	q := pick(f.w.rng, f.proofs)
	c := *p.law
	c.RHS = q.law.RHS
	return &forged{law: &c, proof: &law.Proof{Instances: slices.Concat(p.proof.Instances, q.proof.Instances)}}
}

// instance is a proof in which one instance is altered, with maps of its own.
func (f *forger) instance(p proved, alter func(in *law.Instance) bool) *forged {
	if len(p.proof.Instances) == 0 {
		return nil
	}
	c := &law.Proof{Instances: slices.Clone(p.proof.Instances)}
	in := &c.Instances[f.w.rng.IntN(len(c.Instances))]
	in.Tensors, in.Dims, in.Attrs = maps.Clone(in.Tensors), maps.Clone(in.Dims), maps.Clone(in.Attrs)
	in.Runs, in.Fns = maps.Clone(in.Runs), maps.Clone(in.Fns)
	if !alter(in) {
		return nil
	}
	return &forged{law: p.law, proof: c}
}

func key[V any](f *forger, m map[string]V) (string, bool) {
	if len(m) == 0 {
		return "", false
	}
	return pick(f.w.rng, slices.Sorted(maps.Keys(m))), true
}

// otherLaw says that an instance is one of another law with the same variables.
func (f *forger) otherLaw(p proved) *forged {
	return f.instance(p, func(in *law.Instance) bool {
		var like []string
		for _, l := range f.w.pool {
			if l.Name != in.Law && fits(l, in) {
				like = append(like, l.Name)
			}
		}
		if len(like) == 0 {
			return false
		}
		in.Law = pick(f.w.rng, like)
		return true
	})
}

// fits says whether an instance binds the variables of a law.
func fits(l *law.Law, in *law.Instance) bool {
	n := 0
	for _, b := range l.Given {
		ok := false
		switch {
		case b.Sort == "":
			_, ok = in.Tensors[b.Name]
			n++
		case law.IsFuncSort(b.Sort):
			_, ok = in.Fns[b.Name]
		default:
			_, ok = in.Attrs[b.Name]
		}
		if !ok {
			return false
		}
	}
	sizes, runs := variables(l)
	return n == len(in.Tensors) && len(sizes) == len(in.Dims) && len(runs) == len(in.Runs)
}

func (f *forger) sizes(p proved) *forged {
	return f.instance(p, func(in *law.Instance) bool {
		n, ok := key(f, in.Dims)
		if ok {
			in.Dims[n] = f.w.dimFor(p.law)
		}
		return ok
	})
}

func (f *forger) runs(p proved) *forged {
	return f.instance(p, func(in *law.Instance) bool {
		n, ok := key(f, in.Runs)
		if !ok {
			return false
		}
		s := in.Runs[n]
		if m, _ := key(f, in.Runs); f.w.rng.IntN(2) == 0 {
			in.Runs[n], in.Runs[m] = in.Runs[m], in.Runs[n]
			return n != m
		}
		if len(s) > 0 && f.w.rng.IntN(2) == 0 {
			in.Runs[n] = s[1:]
			return true
		}
		in.Runs[n] = slices.Concat(s, graph.Shape{graph.Axis(f.w.dimFor(p.law))})
		return true
	})
}

func (f *forger) attributes(p proved) *forged {
	return f.instance(p, func(in *law.Instance) bool {
		n, ok := key(f, in.Attrs)
		if !ok {
			return false
		}
		for _, l := range f.w.pool {
			if l.Name == in.Law {
				if b, ok := l.Find(n); ok && values[b.Sort] != nil {
					in.Attrs[n] = pick(f.w.rng, values[b.Sort])
					return true
				}
			}
		}
		return false
	})
}

func (f *forger) tensors(p proved) *forged {
	return f.instance(p, func(in *law.Instance) bool {
		a, _ := key(f, in.Tensors)
		b, ok := key(f, in.Tensors)
		if !ok || a == b {
			return false
		}
		in.Tensors[a], in.Tensors[b] = in.Tensors[b], in.Tensors[a]
		return true
	})
}

// functions lets a function variable stand for another function, the law being
// written for that too.
func (f *forger) functions(p proved) *forged {
	others := []string{"relu", "sigmoid", "tanh", "exp", "clip[lo=1.0, hi=2.0]", "clip[lo=0.0, hi=inf]", "leakyrelu[alpha=inf]",
		"hardsigmoid[alpha=1.0, beta=0.5]", "elu[alpha=1.0]", "rsqrt[eps=1.0]", "reciprocal"}
	to := pick(f.w.rng, others)
	if f.w.rng.IntN(2) == 0 { // in the law and in its proof
		fns := map[string]string{}
		for _, b := range p.law.Given {
			if law.IsFuncSort(b.Sort) {
				fns[b.Name] = to
			}
		}
		if len(fns) == 0 {
			return nil
		}
		c := *p.law
		c.LHS, c.RHS = nil, nil
		for _, t := range p.law.LHS {
			c.LHS = append(c.LHS, t.Subst(nil, fns, nil))
		}
		for _, t := range p.law.RHS {
			c.RHS = append(c.RHS, t.Subst(nil, fns, nil))
		}
		q := &law.Proof{}
		for _, in := range p.proof.Instances {
			in.Tensors, in.Fns = maps.Clone(in.Tensors), maps.Clone(in.Fns)
			for n, t := range in.Tensors {
				in.Tensors[n] = t.Subst(nil, fns, nil)
			}
			for n, g := range in.Fns {
				in.Fns[n] = law.SubstFunction(g, fns, nil)
			}
			q.Instances = append(q.Instances, in)
		}
		return &forged{law: &c, proof: q}
	}
	return f.instance(p, func(in *law.Instance) bool {
		n, ok := key(f, in.Fns)
		if ok {
			in.Fns[n] = to
		}
		return ok
	})
}

func (f *forger) order(p proved) *forged {
	c := &law.Proof{Instances: slices.Clone(p.proof.Instances)}
	f.w.rng.Shuffle(len(c.Instances), func(i, j int) {
		c.Instances[i], c.Instances[j] = c.Instances[j], c.Instances[i]
	})
	g := f.alteredLaw(p)
	g.proof = c
	return g
}

// answers alters some numbers of a proof from what operators compute, and mostly the law,
// too.
func (f *forger) answers(p proved) *forged {
	m := slices.Clone(p.proof.Meaning)
	if len(m) == 0 {
		return nil
	}
	for range 1 + f.w.rng.IntN(3) {
		i := f.w.rng.IntN(len(m))
		m[i] = pick(f.w.rng, []int64{m[i] + 1, m[i] - 1, -m[i], 0, 1, m[f.w.rng.IntN(len(m))]})
	}
	g := &forged{law: p.law}
	if f.w.rng.IntN(4) > 0 {
		g = f.alteredLaw(p)
	}
	g.proof = &law.Proof{Meaning: m}
	return g
}

// names exchanges two names of tensors in the law, not in the proof.
func (f *forger) names(p proved) *forged {
	return &forged{law: f.w.rename(p.law), proof: p.proof}
}

// special makes sizes of the law special, in the proof too: then conditions
// that held may hold no longer.
func (f *forger) special(p proved) *forged {
	sizes, _ := variables(p.law)
	if len(sizes) == 0 {
		return nil
	}
	b := &graph.Substitution{Dims: map[string]graph.Dim{pick(f.w.rng, sizes): f.w.dimFor(p.law)}}
	c := &law.Proof{Meaning: p.proof.Meaning}
	for _, in := range p.proof.Instances {
		out := law.Instance{Law: in.Law, Fns: in.Fns, Tensors: map[string]*law.Term{}, Dims: map[string]graph.Dim{},
			Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
		for n, t := range in.Tensors {
			out.Tensors[n] = t.Subst(nil, nil, b)
		}
		for n, d := range in.Dims {
			out.Dims[n] = d.Subst(b)
		}
		for n, r := range in.Runs {
			out.Runs[n] = r.Subst(b)
		}
		for n, v := range in.Attrs {
			out.Attrs[n] = v.Subst(b)
		}
		c.Instances = append(c.Instances, out)
	}
	l := p.law.Subst(b)
	if f.w.rng.IntN(2) == 0 {
		if m := f.w.oneWay(l); m != nil {
			l = m
		}
	}
	return &forged{law: l, proof: c}
}

// forge asks the checker about forged certificates.
func (p *panel) forge(ctx context.Context, w *writer, n int) []claim {
	f := &forger{w: w, proofs: p.proofs}
	var out []claim
	for range n {
		if g := f.forge(); g != nil {
			p.forgedProofs++
			out = append(out, p.checked(ctx, g.law, g.proof, g.how)...)
		}
	}
	return out
}
