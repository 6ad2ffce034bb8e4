package optimize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/sums"
)

// entry is a law with a proof from laws before it.
type entry struct {
	law   *law.Law
	proof *law.Proof
}

// evidence are laws that are believed and those that follow from them.
type evidence struct {
	axioms []*law.Law // or proved by sums
	lemmas []entry
	has    map[string]bool
	laws   map[string]*law.Law // that somebody may ask for, by name
	proofs map[string]*law.Proof
	// unproved are laws that are not known to be true, in the order of their names.
	unproved []Unproved
}

// Unproved is a law that is not known to be true, and why.
type Unproved struct {
	Law string `json:"law"`
	Why string `json:"why"`
}

// unknown is the error of laws that are not known to be true.
func unknown(laws []Unproved) error {
	var all []error
	for _, u := range laws {
		all = append(all, fmt.Errorf("law %s is not known to be true: %s", u.Law, u.Why))
	}
	return errors.Join(all...)
}

// known are the axioms and the lemmas that are proved from them, once for a process.
var known = sync.OnceValues(func() (*theory.Theory, error) { return theory.Load(context.Background(), nil, nil) })

// evidenceOf collects why laws are true. Proofs that are known are in proofs, by
// name. Laws that are not known to be true are listed as such, and are not among
// the others.
func evidenceOf(ctx context.Context, used map[string]*law.Law, proofs map[string]*law.Proof) (*evidence, error) {
	th, err := known()
	if err != nil {
		return nil, err
	}
	e := &evidence{has: map[string]bool{}, laws: map[string]*law.Law{}, proofs: map[string]*law.Proof{}}
	for name, l := range th.ByName {
		e.laws[name] = l
	}
	for _, l := range th.Lemmas {
		e.proofs[l.Law.Name] = l.Proof
	}
	var names []string
	for name, l := range used {
		if have := e.laws[name]; have != nil && have != l && law.Format(have) != law.Format(l) {
			return nil, fmt.Errorf("law %s: another law of that name is among the axioms", name)
		}
		if e.laws[name] == nil {
			if l.Kind == law.Axiom { // somebody else's
				m := *l
				m.Kind = law.Rule
				l = &m
			}
			e.laws[name] = l
			// A proof by laws that are not there is of no use; the law may have another.
			if p := proofs[name]; p != nil && !slices.ContainsFunc(p.Laws(), func(n string) bool { return th.ByName[n] == nil && used[n] == nil }) {
				e.proofs[name] = p
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	// What has no proof yet is proved together.
	var goals []*law.Law
	for _, name := range names {
		if l := e.laws[name]; l.Kind != law.Axiom && e.proofs[name] == nil {
			goals = append(goals, l)
		}
	}
	if len(goals) > 0 {
		found, err := th.Decide(ctx, goals, theory.Options{})
		if err != nil {
			return nil, err
		}
		var left []*law.Law
		for i, p := range found {
			if l := p.Law(); l != nil && p.Verdict.Status == verify.Proved && (p.Backward || goals[i].OneWay) {
				e.proofs[goals[i].Name] = p.Verdict.Proof
			} else {
				left = append(left, goals[i])
			}
		}
		if err := e.bySums(ctx, left); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if e.isUnproved(name) {
			continue
		}
		if err := e.add(name, nil); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// bySums believes laws that are proved from what their operators compute; the others
// are not proved.
func (e *evidence) bySums(ctx context.Context, laws []*law.Law) error {
	res, err := sums.ProveAll(ctx, laws, sums.Config{Ordered: true}, 0)
	if err != nil {
		return err
	}
	for i, r := range res {
		if !r.Proved {
			e.unproved = append(e.unproved, Unproved{laws[i].Name, r.Reason})
			continue
		}
		e.believe(laws[i])
	}
	return nil
}

func (e *evidence) isUnproved(name string) bool {
	return slices.ContainsFunc(e.unproved, func(u Unproved) bool { return u.Law == name })
}

func (e *evidence) believe(l *law.Law) {
	if !e.has[l.Name] {
		e.has[l.Name] = true
		a := *l
		a.Kind = law.Axiom
		e.axioms = append(e.axioms, &a)
	}
}

// add lists a law behind those that its proof uses; under are those that are being
// added.
func (e *evidence) add(name string, under []string) error {
	if e.has[name] {
		return nil
	}
	l := e.laws[name]
	switch {
	case l == nil:
		return fmt.Errorf("law %s is not there", name)
	case slices.Contains(under, name):
		return fmt.Errorf("law %s is proved by itself", name)
	case l.Kind == law.Axiom:
		e.believe(l)
		return nil
	}
	p := e.proofs[name]
	if p == nil {
		return fmt.Errorf("law %s has no proof", name)
	}
	for _, n := range p.Laws() {
		if err := e.add(n, append(under, name)); err != nil {
			return fmt.Errorf("law %s: %w", name, err)
		}
	}
	e.has[name] = true
	m := *l
	m.Kind = law.Lemma
	e.lemmas = append(e.lemmas, entry{&m, p})
	return nil
}

// unprovedOf lists the laws of a search that are not known to be true. Those of
// DefaultLaws are not looked at: a test proves them, and so does the proof of each
// result that uses them.
func unprovedOf(ctx context.Context, laws []*law.Law, proofs map[string]*law.Proof) ([]Unproved, error) {
	ours, err := DefaultLaws(true)
	if err != nil {
		return nil, err
	}
	have := map[string]*law.Law{}
	for _, l := range ours {
		have[l.Name] = l
	}
	rest := map[string]*law.Law{}
	for _, l := range laws {
		if h := have[l.Name]; h == nil || !same(h, l) {
			if rest[l.Name] != nil && !same(rest[l.Name], l) {
				return nil, fmt.Errorf("two laws are named %s", l.Name)
			}
			rest[l.Name] = l
		}
	}
	if len(rest) == 0 {
		return nil, nil
	}
	e, err := evidenceOf(ctx, rest, proofs)
	if err != nil {
		return nil, err
	}
	return e.unproved, nil
}

// Believed says why a law may stand among the axioms of a proof: it is an axiom of
// this program, or it is proved by sums, once for a process. The error says that it is
// neither.
func Believed(ctx context.Context, l *law.Law) error {
	for _, a := range axioms.ByKind(law.Axiom) {
		if a.Name == l.Name && same(a, l) {
			return nil
		}
	}
	text := says(l)
	if _, ok := proved.Load(text); ok {
		return nil
	}
	res, err := sums.ProveAll(ctx, []*law.Law{l}, sums.Config{Ordered: true}, 1)
	if err != nil {
		return err
	}
	if !res[0].Proved {
		return fmt.Errorf("law %s is no axiom of this program, and not proved: %s", l.Name, res[0].Reason)
	}
	proved.Store(text, true)
	return nil
}

// proved has what laws say that sums has proved in this process.
var proved sync.Map

// same compares what two laws say.
func same(a, b *law.Law) bool { return says(a) == says(b) }

// says is a law without what is there for people.
func says(l *law.Law) string {
	x := *l
	x.Kind, x.Doc, x.Section, x.Tags, x.Cite, x.Pos = law.Axiom, "", "", nil, nil, law.Pos{}
	return law.Format(&x)
}
