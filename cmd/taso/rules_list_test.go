package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/sets"
)

// hashes returns the hashes of a file of rules and of its certificates.
func hashes(t *testing.T, path string) (both [2]string) {
	t.Helper()
	for i, p := range []string{path, rules.CertPath(path)} {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		both[i] = hex.EncodeToString(sum[:])
	}
	return both
}

// taso rules convert writes a shipped set as it was generated. So does the command in its line of
// the manifest, which make sweeps runs for small sets: after a change of what gen-rules writes,
// "make rule-sets" is due.
func TestRuleSets(t *testing.T) {
	list, err := sets.List()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var again int
	for _, s := range list {
		if s.Name != "slices" && s.Name != "parallel-two" && s.Name != "mesh-shape" {
			continue
		}
		want := [2]string{s.RulesSHA256, s.CertSHA256}
		path := filepath.Join(dir, s.Name+".rules")
		command(t, 0, "rules", "convert", sets.Prefix+s.Name, path)
		if got := hashes(t, path); got != want {
			t.Errorf("%s as converted: hashes %v, want %v", s.Name, got, want)
		}
		if again++; again > sweep.Size(0, 3) {
			continue
		}
		path = filepath.Join(dir, "again.rules")
		command(t, 0, append(strings.Fields(s.Command), "--out", path)...)
		if got := hashes(t, path); got != want {
			t.Errorf("%s as generated: hashes %v, want %v; make rule-sets writes it anew", s.Name, got, want)
		}
	}
}
