package adversary

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"
)

// Whole certificate files, in which entries rest on what they must not rest on.

// entries are the lists of a file.
type entries struct {
	lemmas, rules []law.CertRule
	from          []*rules.Lemma // of which the lemmas are
}

// disorder alters a file in one place and says how; "" where it does not apply.
func (w *writer) disorder(e *entries) string {
	i, j := w.rng.IntN(len(e.lemmas)), w.rng.IntN(len(e.lemmas))
	x := &e.lemmas[i]
	name := x.ID
	false1 := "lemma " + name + "\n  given X : [P..], Y : [P..]\n  then  X == Y\n"
	itself := []law.InstanceText{{Law: name, Tensors: map[string]string{"X": "X", "Y": "Y"}, Runs: map[string]string{"P": "[P..]"}}}
	switch w.rng.IntN(9) {
	case 0:
		e.lemmas[i], e.lemmas[j] = e.lemmas[j], e.lemmas[i]
		return "lemmas exchanged"
	case 1:
		*x = law.TextEntry(name, false1, itself)
		return "a lemma proved by itself"
	case 2:
		x.Law = false1
		return "another law under a lemma's name"
	case 3:
		y := &e.lemmas[j]
		if i == j {
			return ""
		}
		*y = law.TextEntry(y.ID, strings.Replace(false1, name, y.ID, 1), itself)
		*x = law.TextEntry(name, false1, itself)
		x.Proof[0].Law = y.ID
		return "two lemmas proved by each other"
	case 4:
		to := pick(w.rng, w.pool).Name
		x.Law = strings.Replace(false1, name, to, 1)
		x.ID = to
		return "a lemma named as a law in use"
	case 5:
		e.rules = append(e.rules, law.TextEntry("r", strings.Replace(false1, "lemma "+name, "rule r", 1), itself))
		e.lemmas = slices.Delete(e.lemmas, i, i+1)
		return "a rule by a lemma that is not there"
	case 6:
		x.Law = strings.Replace(x.Law, "lemma ", "axiom ", 1)
		return "a lemma said to be an axiom"
	case 7:
		*x = law.NewCertRule(name, e.from[i].Law, e.from[j].Proof)
		return "the proof of another lemma"
	}
	x.ID = e.lemmas[j].ID
	return "the id of another lemma"
}

// files checks n disordered files, and judges every entry that is accepted.
func (f *Figures) files(ctx context.Context, t *theory.Theory, w *writer, n int) error {
	for range n {
		from := w.rng.IntN(len(t.Lemmas) - 8)
		e := entries{from: t.Lemmas[from : from+8]}
		for _, l := range e.from {
			e.lemmas = append(e.lemmas, law.NewCertRule(l.Law.Name, l.Law, l.Proof))
			if r := named(l.Law); w.rng.IntN(4) == 0 {
				r.Name = fmt.Sprint("r_", len(e.rules))
				e.rules = append(e.rules, law.NewCertRule(r.Name, r, l.Proof))
			}
		}
		how := w.disorder(&e)
		if how == "" {
			continue
		}
		var b bytes.Buffer
		out := law.NewCertWriter(&b, axioms.Text())
		var all []law.CertRule
		for _, x := range e.lemmas {
			if err := out.Lemma(x); err != nil {
				return err
			}
			all = append(all, x)
		}
		for _, x := range e.rules {
			if err := out.Rule(x); err != nil {
				return err
			}
			all = append(all, x)
		}
		if err := out.Close(); err != nil {
			return err
		}
		at := map[string]law.CertRule{}
		for _, x := range all {
			if _, twice := at[x.ID]; !twice {
				at[x.ID] = x
			}
		}
		var claims []claim
		f.Forged++
		var unread error
		_, err := check.File(ctx, &b, "forged", check.Options{Each: func(id string, r *check.Result) {
			x := at[id]
			l, err := x.Statement()
			if err != nil {
				unread = fmt.Errorf("accepted entry %s: %w", id, err)
				return
			}
			claims = append(claims, claim{engine: engineForged, law: l, note: how,
				says: eval.Claim{Equal: true, Forward: r.Forward, Backward: r.Backward || !l.OneWay}})
		}})
		if err == nil {
			err = unread
		}
		if err != nil {
			return err
		}
		f.judge(claims, nil, 6, w.rng)
	}
	return nil
}
