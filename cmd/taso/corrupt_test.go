package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"
)

// generated is the rule set of two operators. Several tests write files from it.
var generated = sync.OnceValues(func() (*genrules.Report, error) {
	return genrules.Run(context.Background(), genrules.Options{MaxOps: 2, Seed: 1})
})

// TestCheckRejectsCorruptions generates certificates and corrupts them in 100
// ways, one entry at a time, at random: each must be rejected. A change of the
// law changes its id, and the instances of a proof are a minimal core, so that
// nothing superfluous is there to be changed without harm.
func TestCheckRejectsCorruptions(t *testing.T) {
	rep, err := generated()
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
	// Entries around a corrupted one show that only that is rejected. A file holds several
	// corrupted entries; no id stands twice in it.
	type corruption struct {
		n, at int
		what  string
		bad   law.CertRule
	}
	type corruptFile struct {
		entries []law.CertRule
		bad     []corruption
		ids     map[string]bool
	}
	var files []*corruptFile
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]bool{}
	for n := range 100 {
		i := rng.IntN(len(entries))
		bad, what, err := mutate.Entry(rng, entries[i], use)
		if err != nil {
			t.Fatalf("corruption %d of %s: %v", n, entries[i].ID, err)
		}
		kinds[what] = true
		j, k := (i+1)%len(entries), (i+2)%len(entries)
		part := []law.CertRule{entries[j], bad, entries[k]}
		at := slices.IndexFunc(files, func(f *corruptFile) bool {
			return !slices.ContainsFunc(part, func(e law.CertRule) bool { return f.ids[e.ID] })
		})
		if at < 0 {
			at = len(files)
			files = append(files, &corruptFile{ids: map[string]bool{}})
		}
		f := files[at]
		f.entries, f.bad = append(f.entries, part...), append(f.bad, corruption{n, i, what, bad})
		for _, e := range part {
			f.ids[e.ID] = true
		}
	}
	for _, f := range files {
		r := accept(f.entries)
		rejected := map[string]bool{}
		for _, x := range r.Rejected {
			rejected[x.ID] = true
		}
		for _, c := range f.bad {
			if !rejected[c.bad.ID] {
				t.Errorf("corruption %d, %s in %s is accepted\nwas %+v\nis  %+v", c.n, c.what, c.bad.ID, entries[c.at], c.bad)
			}
		}
		if len(r.Rejected) != len(f.bad) || r.Rules != 2*len(f.bad) {
			t.Errorf("of %d corrupted entries %d are rejected, %d others accepted: %v", len(f.bad), len(r.Rejected), r.Rules, r.Rejected)
		}
	}
	t.Logf("%d files", len(files))
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
