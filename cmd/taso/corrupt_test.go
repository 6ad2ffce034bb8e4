package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"
)

// TestCheckRejectsCorruptions generates certificates and corrupts them in 100
// ways, one entry at a time, at random: each must be rejected. A change of the
// law changes its id, and the instances of a proof are a minimal core, so that
// nothing superfluous is there to be changed without harm.
func TestCheckRejectsCorruptions(t *testing.T) {
	rep, err := genrules.Run(context.Background(), genrules.Options{MaxOps: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := rules.WriteCert(&file, rep.Set); err != nil {
		t.Fatal(err)
	}
	lemmas, entries := readEntries(t, file.Bytes())
	use := check.Laws{}
	for _, l := range append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...) {
		use[l.Name] = l
	}
	opts := check.Options{SHA256: axioms.SHA256(), ID: law.ID, Z3: true}
	accept := func(entries []law.CertRule) *check.Report {
		r, err := check.File(context.Background(), bytes.NewReader(certFile(t, lemmas, entries)), "x.cert", opts)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := accept(entries); len(r.Rejected) != 0 || r.Rules != len(entries) {
		t.Fatalf("not corrupted: %d accepted of %d, rejected %v", r.Rules, len(entries), r.Rejected)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]bool{}
	for n := range 100 {
		i := rng.IntN(len(entries))
		bad, what, err := mutate.Entry(rng, entries[i], use)
		if err != nil {
			t.Fatalf("corruption %d of %s: %v", n, entries[i].ID, err)
		}
		kinds[what] = true
		// Others around it show that only the corrupted one is rejected.
		j, k := (i+1)%len(entries), (i+2)%len(entries)
		r := accept([]law.CertRule{entries[j], bad, entries[k]})
		if len(r.Rejected) != 1 || r.Rejected[0].ID != bad.ID || r.Rules != 2 {
			t.Errorf("corruption %d, %s in %s: rejected %v\nwas %+v\nis  %+v", n, what, bad.ID, r.Rejected, entries[i], bad)
		}
	}
	if len(kinds) < 50 {
		t.Errorf("only %d different corruptions", len(kinds))
	}
}

// readEntries reads a certificate file.
func readEntries(t *testing.T, file []byte) (lemmas, entries []law.CertRule) {
	t.Helper()
	c, err := law.NewCertReader(bytes.NewReader(file), "x.cert")
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, lemma, err := c.Next()
		if errors.Is(err, io.EOF) {
			return lemmas, entries
		}
		if err != nil {
			t.Fatal(err)
		}
		if lemma {
			lemmas = append(lemmas, e)
		} else {
			entries = append(entries, e)
		}
	}
}

// certFile writes one.
func certFile(t *testing.T, lemmas, entries []law.CertRule) []byte {
	t.Helper()
	var b bytes.Buffer
	c := law.NewCertWriter(&b, axioms.Text())
	for _, e := range lemmas {
		if err := c.Lemma(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range entries {
		if err := c.Rule(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
