package optimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
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

// known are the axioms, the lemmas and the laws that come with the program, with their
// certificates, once for a process.
var known = sync.OnceValues(func() (*theory.Known, error) { return theory.Stored(context.Background()) })

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
	ours := map[string]*rules.Lemma{}
	for _, l := range th.Builtin {
		ours[l.Law.Name] = l
	}
	var names []string
	var left []*law.Law // for sums
	for name, l := range used {
		if have := e.laws[name]; have != nil && !law.Same(have, l) {
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
			} else if own := ours[name]; own != nil && law.Same(own.Law, l) {
				// Its certificate is there, or there is none to be found.
				if e.proofs[name] = own.Proof; own.Proof == nil {
					left = append(left, l)
				}
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	// What has no proof yet is proved together.
	var goals []*law.Law
	for _, name := range names {
		if l := e.laws[name]; l.Kind != law.Axiom && e.proofs[name] == nil && !slices.Contains(left, l) {
			goals = append(goals, l)
		}
	}
	if len(goals) > 0 {
		found, err := th.Decide(ctx, goals, theory.Options{})
		if err != nil {
			return nil, err
		}
		for i, p := range found {
			if l := p.Law(); l != nil && p.Verdict.Status == verify.Proved && (p.Backward || goals[i].OneWay) {
				e.proofs[goals[i].Name] = p.Verdict.Proof
			} else {
				left = append(left, goals[i])
			}
		}
	}
	slices.SortFunc(left, func(a, b *law.Law) int { return cmp.Compare(a.Name, b.Name) })
	if err := e.bySums(ctx, left); err != nil {
		return nil, err
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

// bySums proves laws from what their operators compute. Those of which the proof cannot
// be written down are believed; those that are not proved at all are noted.
func (e *evidence) bySums(ctx context.Context, laws []*law.Law) error {
	var left []*law.Law
	for _, l := range laws {
		p, err := sums.Certify(ctx, l)
		if err != nil {
			return err
		}
		if p == nil {
			left = append(left, l)
			continue
		}
		e.proofs[l.Name] = &law.Proof{Meaning: p}
	}
	laws = left
	why, err := summed.prove(ctx, laws)
	if err != nil {
		return err
	}
	for i, l := range laws {
		if why[i] != "" {
			e.unproved = append(e.unproved, Unproved{l.Name, why[i]})
			continue
		}
		e.believe(l)
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
		if h := have[l.Name]; h == nil || h != l && !law.Same(h, l) {
			if rest[l.Name] != nil && !law.Same(rest[l.Name], l) {
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
		if a.Name == l.Name && law.Same(a, l) {
			return nil
		}
	}
	why, err := summed.prove(ctx, []*law.Law{l})
	if err != nil {
		return err
	}
	if why[0] != "" {
		return fmt.Errorf("law %s is no axiom of this program, and not proved: %s", l.Name, why[0])
	}
	return nil
}
