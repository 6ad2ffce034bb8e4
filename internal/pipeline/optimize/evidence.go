package optimize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
)

// entry is a law with a proof from operator semantics, or from laws before it.
type entry struct {
	law   *law.Law
	proof *law.Proof
}

// evidence collects proofs of laws. No law is believed without one.
type evidence struct {
	laws   map[string]*law.Law   // by name: those that are used, the axioms and the lemmas
	given  map[string]*law.Proof // by name
	lemmas []entry
	why    map[string]string // by name: why a law is not proved, "" if it is
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

// evidenceOf collects why laws are true. Proofs that are known are in proofs, by
// name; other laws are proved from operator semantics. Laws that are not known to be true are
// listed as such, and are not among the others.
func evidenceOf(ctx context.Context, used map[string]*law.Law, proofs map[string]*law.Proof) (*evidence, error) {
	e := &evidence{laws: map[string]*law.Law{}, given: proofs, why: map[string]string{}}
	for _, l := range axioms.Default() {
		if l.Kind != law.Refute {
			e.laws[l.Name] = l
		}
	}
	names := slices.Sorted(maps.Keys(used))
	var open []*law.Law
	for _, name := range names {
		l := used[name]
		if have := e.laws[name]; have != nil && !law.Same(have, l) {
			return nil, fmt.Errorf("law %s: another law of that name is among the axioms", name)
		}
		if e.laws[name] = l; proofs[name] == nil {
			open = append(open, l)
		}
	}
	// Several at once; the prover keeps the results.
	if _, err := prove.Shared.CertifyAll(ctx, open, prove.Thorough, 0); err != nil {
		return nil, err
	}
	for _, name := range names {
		why, err := e.add(ctx, name, nil)
		if err != nil {
			return nil, err
		}
		if why != "" {
			e.unproved = append(e.unproved, Unproved{name, why})
		}
	}
	return e, nil
}

// add lists a law behind those that its proof uses, or returns why there is no proof; under
// are the laws that are being added.
func (e *evidence) add(ctx context.Context, name string, under []string) (why string, err error) {
	if why, ok := e.why[name]; ok {
		return why, nil
	}
	l := e.laws[name]
	switch {
	case l == nil:
		return fmt.Sprintf("law %s is not there", name), nil
	case slices.Contains(under, name):
		return fmt.Sprintf("law %s is proved by itself", name), nil
	}
	p := e.given[name]
	if p != nil {
		for _, n := range p.Laws() {
			why, err := e.add(ctx, n, append(under, name))
			if err != nil {
				return "", err
			}
			if why != "" { // the law may have another proof
				p = nil
				break
			}
		}
	}
	if p == nil {
		c, err := prove.Shared.CertifyAll(ctx, []*law.Law{l}, prove.Thorough, 1)
		if err != nil {
			return "", err
		}
		if l, p = c[0].Law, c[0].Proof; p == nil {
			e.why[name] = c[0].Reason
			return c[0].Reason, nil
		}
	}
	e.why[name] = ""
	m := *l
	m.Kind = law.Lemma
	e.lemmas = append(e.lemmas, entry{&m, p})
	return "", nil
}

// unproved lists the laws that are not known to be true, which is an error unless o.Unproved
// allows them.
func (o *Options) unproved(ctx context.Context) ([]Unproved, error) {
	list, err := unprovedOf(ctx, o.Laws, o.Proofs)
	if err == nil && len(list) > 0 && !o.Unproved {
		return nil, unknown(list)
	}
	return list, err
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

// Believed says why a law may stand among the axioms of a certificate: it is an axiom of
// this program, or it is proved from operator semantics, once for a process. The error says
// that it is neither.
func Believed(ctx context.Context, l *law.Law) error {
	c, err := prove.Shared.CertifyAll(ctx, []*law.Law{l}, prove.Search, 1)
	if err != nil {
		return err
	}
	if !c[0].Proved() {
		return fmt.Errorf("law %s is no axiom of this program, and not proved: %s", l.Name, c[0].Reason)
	}
	return nil
}
