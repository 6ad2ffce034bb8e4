package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// ruleFlags choose the rules of a search.
type ruleFlags struct {
	files []string
	only  bool
}

// add adds the flags; needs is added to what they say, such as " (with --prove)".
func (k *ruleFlags) add(c *cobra.Command, needs string) {
	f := c.Flags()
	f.StringArrayVar(&k.files, "rules", nil, "also use the rules in `FILE`; repeatable"+needs)
	f.BoolVar(&k.only, "rules-only", false, "use no rules but those of --rules and exchanges of operands"+needs)
}

func (k *ruleFlags) check() error {
	if k.only && len(k.files) == 0 {
		return errors.New("--rules-only without --rules: there is no rule to use")
	}
	return nil
}

// laws are the laws that the flags choose, and the proofs that come with the files, by name.
func (k *ruleFlags) laws(ordered bool) (laws []*law.Law, proofs map[string]*law.Proof, err error) {
	if !k.only {
		if laws, err = optimize.DefaultLaws(ordered); err != nil {
			return nil, nil, err
		}
	}
	proofs = map[string]*law.Proof{}
	named := map[string]*law.Law{} // files may have rules in common
	for _, l := range laws {
		named[l.Name] = l
	}
	for _, path := range k.files {
		more, err := readLaws(path, proofs)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range more {
			if have := named[l.Name]; have == nil {
				named[l.Name] = l
				laws = append(laws, l)
			} else if !law.Same(have, l) {
				return nil, nil, fmt.Errorf("--rules %s: %s is the name of another law, too; rename one", path, l.Name)
			}
		}
	}
	if k.only {
		for _, l := range rules.Exchanges(laws) {
			if named[l.Name] == nil {
				laws = append(laws, l)
			}
		}
	}
	return laws, proofs, nil
}

// readLaws reads a file of laws: a set of rules, whose certificates go into proofs, by
// name, or laws that somebody wrote.
func readLaws(path string, proofs map[string]*law.Proof) (laws []*law.Law, err error) {
	in, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("--rules: %w", err)
	}
	defer in.Close()
	src, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("--rules: %w", err)
	}
	if formatOf(path) == formatJSON || bytes.HasPrefix(src, []byte("# "+rules.TextFormat)) {
		// What has no certificate may have a proof that is found now.
		set, err := loadRules(path, true)
		if err != nil {
			return nil, err
		}
		for _, r := range set.Rules {
			if r.Status == rules.Refuted {
				return nil, fmt.Errorf("%s: rule %s is refuted: %s", path, r.Law.Name, r.Reason)
			}
			laws = append(laws, r.Law)
			if r.Proof != nil && proofs[r.Law.Name] == nil { // the first law of a name is used
				proofs[r.Law.Name] = r.Proof
			}
		}
		return laws, nil
	}
	if laws, err = law.Parse(path, src); err != nil {
		return nil, err
	}
	for _, l := range laws {
		if l.Kind == law.Refute {
			return nil, fmt.Errorf("%s: %s is declared as a refuted equation; want an axiom, lemma or rule", l.Pos, l.Name)
		}
		l.Kind = law.Rule // whatever the file calls it
	}
	return laws, nil
}
