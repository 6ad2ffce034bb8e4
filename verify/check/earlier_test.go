package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/verify/check"
)

// TestEarlier: certificates that earlier programs wrote are still accepted. testdata/earlier has, of
// some of their files, a few entries: NUMBER-DATE.cert is of format taso-cert/NUMBER. Those of format 2
// are as they were in laws.cert of rules/builtin; the one of format 1 has entries of the first laws.cert
// in the notation before, which the last program of that format accepts.
// A certificate of another law is rejected in each format.
func TestEarlier(t *testing.T) {
	files, err := filepath.Glob("testdata/earlier/*.cert")
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]int{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		format := "taso-cert/" + strings.SplitN(filepath.Base(path), "-", 2)[0]
		if !bytes.HasPrefix(data, []byte(`{"format":"`+format+`"`)) {
			t.Errorf("%s is not of format %s", path, format)
		}
		formats[format]++
		rep, err := check.File(context.Background(), bytes.NewReader(data), path, check.Options{})
		if err != nil || len(rep.Rejected) > 0 || rep.Rules == 0 {
			t.Errorf("%s: %+v, %v", path, rep, err)
			continue
		}
		changed, n := otherLaws(t, data)
		rep, err = check.File(context.Background(), bytes.NewReader(changed), path, check.Options{})
		if err != nil || rep.Rules > 0 || len(rep.Rejected) != n || n == 0 {
			t.Errorf("%s, %d entries with the proof of another: %+v, %v", path, n, rep, err)
		}
	}
	if len(formats) < 2 {
		t.Errorf("files of formats %v", formats)
	}
}

// otherLaws gives each rule of a file the proof of the next one, and returns their number. A rule
// is left out if its proof and the next one are of different kinds.
func otherLaws(t *testing.T, data []byte) ([]byte, int) {
	t.Helper()
	var f struct{ Rules []map[string]json.RawMessage }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	head, _, ok := bytes.Cut(data, []byte("\n\"rules\":["))
	if !ok {
		t.Fatal("no line begins with the rules")
	}
	var entries []string
	for i, r := range f.Rules {
		next := f.Rules[(i+1)%len(f.Rules)]
		for _, kind := range []string{"proof", "meaning"} {
			if r[kind] == nil || next[kind] == nil || bytes.Equal(r[kind], next[kind]) {
				continue
			}
			nodes := ""
			if r["nodes"] != nil {
				nodes = fmt.Sprintf(`"nodes":%s,`, r["nodes"])
			}
			entries = append(entries, fmt.Sprintf(`{"id":%s,%s"law":%s,"%s":%s}`, r["id"], nodes, r["law"], kind, next[kind]))
		}
	}
	return fmt.Appendf(nil, "%s\n\"rules\":[\n%s]}\n", head, strings.Join(entries, ",\n")), len(entries)
}
