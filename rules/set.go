package rules

import (
	"fmt"
	"sort"

	"github.com/taso-go/taso/law"
)

// Header says how a set was made.
type Header struct {
	Tool         string `json:"tool,omitempty"`          // name and version of the program
	Seed         string `json:"seed,omitempty"`          // of the random inputs
	Universe     string `json:"universe,omitempty"`      // operators, inputs and size of the graphs looked at
	AxiomsSHA256 string `json:"axioms_sha256,omitempty"` // hash of the axioms' text, "" if no proof uses an axiom
}

// Set is a set of rules, each law once. The zero Set is empty and ready for
// use.
type Set struct {
	Header Header
	// Rules in canonical order: by size, then by identity.
	Rules []*Rule
	// Axioms is the text of the axioms that the proofs use, "" if they use none or it is not at hand.
	Axioms string
	// Lemmas are proved laws that proofs use besides the axioms; each may use
	// those before it. Their names are theirs, not hashes.
	Lemmas []*Lemma

	byID map[string]*Rule
}

// Lemma is a law proved on the way.
type Lemma struct {
	Law   *law.Law
	Proof *law.Proof
}

// Find is the rule of an identity.
func (s *Set) Find(id string) (*Rule, bool) {
	s.index()
	r, ok := s.byID[id]
	return r, ok
}

// Len is the number of rules.
func (s *Set) Len() int { return len(s.Rules) }

func (s *Set) index() {
	if len(s.byID) == len(s.Rules) && s.byID != nil {
		return
	}
	s.byID = make(map[string]*Rule, len(s.Rules))
	for _, r := range s.Rules {
		s.byID[r.ID()] = r
	}
}

// Add puts a rule at its place. A rule whose law the set has already is not
// added, unless it is proved and the one in the set is not; added says which.
func (s *Set) Add(r *Rule) (added bool) {
	s.index()
	if old, ok := s.byID[r.ID()]; ok {
		if old.Status == Proved || r.Status != Proved {
			return false
		}
		*old = *r
		return true
	}
	i := sort.Search(len(s.Rules), func(i int) bool { return less(r, s.Rules[i]) })
	s.Rules = append(s.Rules, nil)
	copy(s.Rules[i+1:], s.Rules[i:])
	s.Rules[i] = r
	s.byID[r.ID()] = r
	return true
}

// AddAll is Add for many rules; it returns how many were new.
func (s *Set) AddAll(rs []*Rule) (added int) {
	s.index()
	for _, r := range rs {
		if old, ok := s.byID[r.ID()]; ok {
			if old.Status != Proved && r.Status == Proved {
				*old = *r
				added++
			}
			continue
		}
		s.byID[r.ID()] = r
		s.Rules = append(s.Rules, r)
		added++
	}
	s.Sort()
	return added
}

// Sort puts the rules in canonical order.
func (s *Set) Sort() {
	// The sizes are counted once, not at each comparison.
	type keyed struct {
		r    *Rule
		a, b int
	}
	ks := make([]keyed, len(s.Rules))
	for i, r := range s.Rules {
		ks[i] = keyed{r, size(r.Law), law.Size(r.Law.LHS...) + law.Size(r.Law.RHS...)}
	}
	sort.SliceStable(ks, func(i, j int) bool {
		x, y := ks[i], ks[j]
		if x.a != y.a {
			return x.a < y.a
		}
		if x.b != y.b {
			return x.b < y.b
		}
		return x.r.Law.Name < y.r.Law.Name
	})
	for i := range ks {
		s.Rules[i] = ks[i].r
	}
}

// Minimal is the set without its derivable rules.
func (s *Set) Minimal() *Set {
	m := &Set{Header: s.Header, Axioms: s.Axioms, Lemmas: s.Lemmas}
	for _, r := range s.Rules {
		if !r.Derivable {
			m.Rules = append(m.Rules, r)
		}
	}
	return m
}

// Counts of a set.
type Counts struct {
	Proved, Unknown, Refuted, Derivable, Kept int
}

// Count counts the rules by verdict; kept are the proved ones that are not
// derivable.
func (s *Set) Count() Counts {
	var c Counts
	for _, r := range s.Rules {
		switch r.Status {
		case Proved:
			c.Proved++
			if r.Derivable {
				c.Derivable++
			} else {
				c.Kept++
			}
		case Refuted:
			c.Refuted++
		default:
			c.Unknown++
		}
	}
	return c
}

// Validate lists what is wrong with the set: rules that are not named by their
// content, stand twice, have a proof but are not proved or the reverse, or
// derive from rules that are not there.
func (s *Set) Validate() []error {
	var errs []error
	seen := map[string]bool{}
	for _, r := range s.Rules {
		seen[r.ID()] = true
	}
	count := map[string]int{}
	for _, r := range s.Rules {
		id := r.ID()
		if want := law.ID(r.Law); id != want {
			errs = append(errs, fmt.Errorf("rule %s: its content is that of %s", id, want))
		}
		if count[id]++; count[id] == 2 {
			errs = append(errs, fmt.Errorf("rule %s: stands twice", id))
		}
		if (r.Status == Proved) != (r.Proof != nil) {
			errs = append(errs, fmt.Errorf("rule %s: status %s does not agree with its proof", id, r.Status))
		}
		for _, d := range r.DerivableFrom {
			if !seen[d] {
				errs = append(errs, fmt.Errorf("rule %s: derivable from %s, which is not in the set", id, d))
			}
		}
	}
	return errs
}

// Library is the laws that proofs of the set may use, by name: its axioms and lemmas.
// The error is that of the axioms' text.
func (s *Set) Library() (map[string]*law.Law, error) {
	laws, err := law.Parse("axioms", []byte(s.Axioms))
	if err != nil {
		return nil, err
	}
	lib := map[string]*law.Law{}
	for _, l := range laws {
		lib[l.Name] = l
	}
	for _, l := range s.Lemmas {
		// The text of the axioms has the lemmas with their comments.
		if lib[l.Law.Name] == nil {
			lib[l.Law.Name] = l.Law
		}
	}
	return lib, nil
}
