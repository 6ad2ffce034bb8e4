package spread

import (
	"context"
	"fmt"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
	"github.com/taso-go/taso/verify"
)

// Patterns of different laws often differ in the names of their variables only. Such are
// proved once: with names of their own, which a proof is then given back. Whether the
// result is one is for the checker to say, as of any proof.

// plainNames is a law with its variables named in the order in which they are met, and
// what instance of that it is.
func plainNames(l *law.Law) (*law.Law, *law.Instance) {
	to := graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	tensors, fns := map[string]*law.Term{}, map[string]string{}
	back := &law.Instance{Tensors: map[string]*law.Term{}, Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{},
		Attrs: map[string]graph.Value{}, Fns: map[string]string{}}
	var given []law.Declaration
	declare := func(g law.Declaration, name string) {
		g.Name = name
		given = append(given, g)
	}
	tensor := func(old string) {
		if g, ok := l.Find(old); ok && tensors[old] == nil {
			name := fmt.Sprint("x", len(tensors))
			tensors[old], back.Tensors[name] = law.V(name), law.V(old)
			declare(*g, name)
		}
	}
	l.EachTerm(func(t *law.Term) {
		if t.IsVar() {
			tensor(t.Var)
		}
	})
	for _, g := range l.Given {
		switch {
		case g.Sort == "":
			tensor(g.Name)
		case law.IsFuncSort(g.Sort):
			name := fmt.Sprint("f", len(fns))
			fns[g.Name], back.Fns[name] = name, g.Name
			declare(g, name)
		default:
			name := fmt.Sprint("a", len(to.Attrs))
			to.Attrs[g.Name], back.Attrs[name] = graph.VarValue(name, g.Sort), graph.VarValue(g.Name, g.Sort)
			declare(g, name)
		}
	}
	size := func(a graph.Atom) {
		if a.Kind == graph.AtomVar && to.Dims[a.Name] == (graph.Dim{}) {
			name := fmt.Sprint("n", len(to.Dims))
			to.Dims[a.Name], back.Dims[name] = graph.Var(name), graph.Var(a.Name)
		}
	}
	for _, g := range given {
		g.Shape.Walk(size)
	}
	l.EachAtom(size)
	for i, r := range runsOf(l) {
		name := fmt.Sprint("P", i)
		to.Runs[r], back.Runs[name] = graph.Shape{graph.AxisRun(name)}, graph.Shape{graph.AxisRun(r)}
	}
	m := *l
	m.Given, m.LHS, m.RHS, m.Where = given, nil, nil, nil
	for i := range m.Given {
		m.Given[i].Shape = m.Given[i].Shape.Subst(&to)
	}
	for _, t := range l.LHS {
		m.LHS = append(m.LHS, t.Subst(tensors, fns, &to))
	}
	for _, t := range l.RHS {
		m.RHS = append(m.RHS, t.Subst(tensors, fns, &to))
	}
	for _, p := range l.Where {
		m.Where = append(m.Where, p.Subst(&to))
	}
	return &m, back
}

// renamed is a proof of a law with other names as one of its instance.
func renamed(p *law.Proof, back *law.Instance) *law.Proof {
	b := back.Substitution()
	out := &law.Proof{}
	for _, in := range p.Instances {
		n := law.Instance{Law: in.Law, Tensors: map[string]*law.Term{}, Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{},
			Attrs: map[string]graph.Value{}, Fns: map[string]string{}}
		for k, t := range in.Tensors {
			n.Tensors[k] = t.Subst(back.Tensors, back.Fns, b)
		}
		for k, d := range in.Dims {
			n.Dims[k] = d.Subst(b)
		}
		for k, s := range in.Runs {
			n.Runs[k] = s.Subst(b)
		}
		for k, v := range in.Attrs {
			n.Attrs[k] = v.Subst(b)
		}
		for k, f := range in.Fns {
			if g, ok := back.Fns[f]; ok {
				f = g
			}
			n.Fns[k] = f
		}
		out.Instances = append(out.Instances, n)
	}
	return out
}

// answers are what was found of patterns with plain names, by the text of what they say.
// Goroutines share them.
type answers struct {
	mu sync.Mutex
	of map[string]*answer
}

type answer struct {
	mu    sync.Mutex
	known bool
	v     verify.Verdict
}

// get is what is known of a law, or else what find says, which is asked once at a time.
func (a *answers) get(ctx context.Context, l *law.Law, find func() (verify.Verdict, error)) (verify.Verdict, error) {
	key := law.Body(l)
	a.mu.Lock()
	x := a.of[key]
	if x == nil {
		x = &answer{}
		a.of[key] = x
	}
	a.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known {
		return x.v, nil
	}
	v, err := find()
	if err == nil && ctx.Err() == nil { // or it was not looked for to the end
		x.v, x.known = v, true
	}
	return v, err
}

// prove decides one pattern.
func (b *Prover) prove(ctx context.Context, p broadcast.Pattern) (verify.Verdict, error) {
	if p.Err != nil {
		return b.ask(ctx, p.Law) // what is wrong is said in the names of the law
	}
	l, back := plainNames(p.Law)
	v, err := b.answers.get(ctx, l, func() (verify.Verdict, error) { return b.ask(ctx, l) })
	if err == nil && v.Proof != nil {
		v.Proof = renamed(v.Proof, back)
	}
	return v, err
}

func (b *Prover) ask(ctx context.Context, l *law.Law) (verify.Verdict, error) {
	if mentionsBroadcast(l) && len(runsOf(l)) == 0 {
		return b.ranked.Prove(ctx, l)
	}
	return b.plain.Prove(ctx, l)
}

// Another is a prover from the same laws, for another goroutine: they share what is found.
func (b *Prover) Another() (*Prover, error) {
	c, err := New(b.laws...)
	if err == nil {
		c.answers = b.answers
	}
	return c, err
}
