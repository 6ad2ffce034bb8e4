package theory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/smt"
)

// Theory is the axioms and the lemmas proved from them. It is not changed once
// it is loaded, but for tables that no answer depends on; goroutines may share it.
type Theory struct {
	// Laws are the axioms and then the lemmas.
	Laws []*law.Law
	// ByName finds them.
	ByName check.Laws
	// Lemmas have their proofs.
	Lemmas []*rules.Lemma

	tables  verify.Tables
	general *Theory
}

// Load is the axioms and the lemmas. The proofs of these are the certificates that come
// with the program, which the checker accepts, see [Stored]. With ops, only the laws that
// matter to those operators are loaded, see [Relevant]; nil: all but those about tensors on
// meshes ([law.TagParallel]), with which no term without a mesh can be rewritten into one
// without. A lemma whose
// certificate is from laws that are left out is proved anew from those before it. step,
// if not nil, is called after each lemma. The error is one of Stored, or names a lemma
// that does not follow. Without ops a process has one theory, whose tables are filled once.
func Load(ctx context.Context, ops []*graph.Op, step func()) (*Theory, error) {
	k, err := Stored(ctx)
	if err != nil {
		return nil, err
	}
	if ops != nil {
		return load(ctx, Relevant(everyLaw(), ops), k.proofs(), step)
	}
	t, err := whole()
	if err == nil && step != nil {
		for range t.Lemmas {
			step()
		}
	}
	return t, err
}

// whole is the theory of all laws but those about tensors on meshes.
var whole = sync.OnceValues(func() (*Theory, error) {
	k, err := Stored(context.Background())
	if err != nil {
		return nil, err
	}
	laws := slices.DeleteFunc(everyLaw(), func(l *law.Law) bool { return l.HasTag(law.TagParallel) })
	return load(context.Background(), laws, k.proofs(), nil)
})

// proofs are those of the lemmas, by name.
func (k *Known) proofs() map[string]*law.Proof {
	m := map[string]*law.Proof{}
	for _, l := range k.Lemmas {
		m[l.Law.Name] = l.Proof
	}
	return m
}

// everyLaw lists the axioms and then the lemmas.
func everyLaw() []*law.Law { return append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...) }

// load is a theory of axioms and lemmas with the proofs of lemmas that are known, by name;
// others are searched for.
func load(ctx context.Context, laws []*law.Law, proofs map[string]*law.Proof, step func()) (*Theory, error) {
	t := &Theory{ByName: check.Laws{}}
	for _, l := range laws {
		if l.Kind == law.Axiom {
			t.add(l)
			continue
		}
		p := proofs[l.Name]
		if p == nil || !t.has(p) {
			v, err := t.lemma(ctx, l)
			if err != nil {
				return nil, fmt.Errorf("lemma %s: %w", l.Name, err)
			}
			p = v.Proof
		}
		t.Lemmas = append(t.Lemmas, &rules.Lemma{Law: l, Proof: p})
		t.add(l)
		if step != nil {
			step()
		}
	}
	t.generalize()
	return t, nil
}

// has says whether all laws that a proof uses are there.
func (t *Theory) has(p *law.Proof) bool {
	return !slices.ContainsFunc(p.Laws(), func(name string) bool { return t.ByName[name] == nil })
}

// lemma proves a lemma from the laws so far, from those about its operators or from all;
// or else from what its operators compute.
func (t *Theory) lemma(ctx context.Context, l *law.Law) (v verify.Verdict, err error) {
	for _, laws := range [][]*law.Law{t.near(l), t.Laws} {
		if v, err = verify.Derive(ctx, l, laws, verify.LemmaRounds); err != nil {
			return v, err
		}
		if err := ctx.Err(); err != nil {
			return v, err
		}
		if v.Status == verify.Proved {
			if _, err := check.Rule(l, v.Proof, t.ByName); err != nil {
				return v, fmt.Errorf("the checker does not accept its proof: %w", err)
			}
			return v, nil
		}
	}
	// Of some operators only, the axioms that it follows from may be about others.
	c, err := prove.Shared.Certify(ctx, l, prove.Thorough)
	if err != nil {
		return v, err
	}
	if c.Proved() {
		return verify.Verdict{Status: verify.Proved, Proof: c.Proof}, nil
	}
	return v, fmt.Errorf("it does not follow from the axioms before it: %s", v.Reason)
}

func (t *Theory) add(l *law.Law) {
	t.Laws = append(t.Laws, l)
	t.ByName[l.Name] = l
}

// AxiomsOf lists the axioms that a proof rests on, lemmas resolved into what
// they were proved from, sorted.
func (t *Theory) AxiomsOf(p *law.Proof) []string {
	seen := map[string]bool{}
	var visit func(names []string)
	visit = func(names []string) {
		for _, n := range names {
			if seen[n] {
				continue
			}
			seen[n] = true
			for _, lm := range t.Lemmas {
				if lm.Law.Name == n {
					visit(lm.Proof.Laws())
				}
			}
		}
	}
	visit(p.Laws())
	out := []string{}
	for n := range seen {
		if l := t.ByName[n]; l != nil && l.Kind == law.Axiom {
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return out
}

// Options configure Decide. The zero value is a good default.
type Options struct {
	Rounds  []tensor.Limits // of the e-graph; nil: verify.DefaultRounds
	Workers int             // goroutines; 0: one for each processor
	// Done, if not nil, is called after each goal, by several goroutines.
	Done func()
}

// Proof is a decided goal. A goal written => is proved as it stands or not at
// all: its reverse is another goal. Of an equation both directions may be proved,
// or one.
type Proof struct {
	// Goal is the law as it was asked about.
	Goal *law.Law
	// Forward: where the left side of the goal is defined, so is the right one,
	// and they are equal. Backward is the reverse; of a goal written => it is
	// not looked at. Both are false unless the verdict is Proved.
	Forward, Backward bool
	// Verdict is Proved if a direction is that the goal claims.
	Verdict verify.Verdict
}

// Law is what was proved, for the checker: the goal, or of an equation that is
// proved in one direction only, that direction written =>. It is nil where
// nothing was proved.
func (p *Proof) Law() *law.Law {
	switch {
	case p.Verdict.Status != verify.Proved:
		return nil
	case p.Goal.OneWay || p.Forward && p.Backward:
		return p.Goal
	}
	return law.OneDirection(p.Goal, p.Backward)
}

// Decide proves goals, or says why not. Nothing is refuted.
func (t *Theory) Decide(ctx context.Context, goals []*law.Law, opt Options) ([]Proof, error) {
	if len(goals) == 0 {
		return nil, nil
	}
	if opt.Rounds == nil {
		opt.Rounds = verify.DefaultRounds
	}
	// Equal goals are decided once.
	at := map[string]int{}
	which := make([]int, len(goals))
	var fresh []*law.Law
	for i, g := range goals {
		text := law.Format(g)
		k, ok := at[text]
		if !ok {
			k = len(fresh)
			at[text], fresh = k, append(fresh, g)
		}
		which[i] = k
	}
	eg := &verify.EGraph{Laws: t.Laws, Rounds: opt.Rounds, Workers: opt.Workers, Either: true, Tables: &t.tables}
	found, err := eg.Prove(ctx, fresh)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	decided := make([]Proof, len(fresh))
	grounders := make([]*smt.Grounder, parallel.Workers(opt.Workers, len(fresh)))
	err = parallel.Each(ctx, len(grounders), len(fresh), func(w, i int) error {
		decided[i] = Proof{Goal: fresh[i], Verdict: found[i]}
		if found[i].Status == verify.Proved {
			if grounders[w] == nil {
				grounders[w] = smt.NewGrounder(t.Laws, smt.GroundOptions{})
			}
			decided[i] = t.confirm(ctx, grounders[w], fresh[i], found[i])
		}
		return nil
	})
	for _, g := range grounders {
		if g != nil {
			err = errors.Join(err, g.Close())
		}
	}
	out := make([]Proof, len(goals))
	for i, k := range which {
		out[i] = decided[k]
		if opt.Done != nil {
			opt.Done()
		}
	}
	return out, err
}

// confirm has a proof minimized and decided by Z3 and checked by the checker, in
// each direction that the goal claims. A proof that either rejects is no proof.
func (t *Theory) confirm(ctx context.Context, g *smt.Grounder, goal *law.Law, v verify.Verdict) Proof {
	none := func(format string, args ...any) Proof {
		return Proof{Goal: goal, Verdict: verify.Verdict{Status: verify.Unknown, Engine: v.Engine,
			Reason: fmt.Sprintf(format, args...)}}
	}
	z := g.Ground(ctx, goal, v.Proof)
	if z.Status != verify.Proved {
		return none("the e-graph's proof does not convince Z3: %s", z.Reason)
	}
	v.Proof = z.Proof
	v.Seconds += z.Seconds
	_, err := check.Rule(goal, v.Proof, t.ByName)
	if err == nil {
		return Proof{Goal: goal, Forward: true, Backward: !goal.OneWay, Verdict: v}
	}
	if !goal.OneWay {
		p := Proof{Goal: goal, Verdict: v}
		_, left := check.Rule(law.OneDirection(goal, false), v.Proof, t.ByName)
		_, right := check.Rule(law.OneDirection(goal, true), v.Proof, t.ByName)
		if p.Forward, p.Backward = left == nil, right == nil; p.Forward != p.Backward {
			return p
		}
	}
	return none("the checker does not accept the proof: %s", err)
}
