package sets

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"

	_ "github.com/taso-go/taso/graph/op"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Each line of the manifest is true of its files, and each file has a line.
func TestManifest(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range list {
		want = append(want, s.Name+".cert.gz", s.Name+".rules.gz")
		text, cert := read(t, Prefix+s.Name), read(t, rules.CertPath(Prefix+s.Name)) // their hashes are right
		if n := bytes.Count(text, []byte("\nrule ")); n != s.Rules {
			t.Errorf("%s: %d rules, the manifest has %d", s.Name, n, s.Rules)
		}
		if head := `{"format":"` + s.CertFormat + `"`; !bytes.HasPrefix(cert, []byte(head)) {
			t.Errorf("%s: the certificates do not begin with %s", s.Name, head)
		}
		if s.Version < 1 {
			t.Errorf("%s: version %d", s.Name, s.Version)
		}
	}
	got, err := fs.Glob(files, "*.gz")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

// Every preset has a set. That of preset taso is the default one.
func TestPresets(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range enumerate.Presets() {
		// Presets about settings of operators are small: their runs take seconds.
		settings := slices.ContainsFunc(p.Ops, func(o string) bool { return strings.Contains(o, "[") })
		if p.Name != "taso" && !settings && !slices.ContainsFunc(list, func(s Set) bool { return strings.HasSuffix(s.Command, " --ops "+p.Name) }) {
			t.Errorf("no set for the preset %s", p.Name)
		}
	}
}

// The checker accepts a certificate for each rule of each set. make test has the smaller sets.
func TestChecked(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	most := sweep.Size(250, 1<<30)
	for _, s := range list {
		if s.Rules > most {
			continue
		}
		set, err := rules.Load(Prefix+s.Name, rules.LoadOptions{Open: Open})
		if err != nil {
			t.Error(err)
			continue
		}
		cert := rules.CertPath(Prefix + s.Name)
		rep, err := check.File(context.Background(), bytes.NewReader(read(t, cert)), cert, check.Options{ID: law.ID})
		if err != nil || len(rep.Rejected) > 0 || rep.Rules != s.Rules || set.Len() != s.Rules {
			t.Errorf("%s: %d rules in the set, %v, %v", s.Name, set.Len(), rep, err)
		}
	}
}

// A file that was changed is refused.
func TestChanged(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	packed, err := files.ReadFile("slices.cert.gz")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s Set) bool { return s.Name == "slices" })
	data, err := unpack(packed, list[i].CertSHA256)
	if err != nil {
		t.Fatal(err)
	}
	pack := func(data []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(data) // a Buffer takes everything
		z.Close()
		return b.Bytes()
	}
	if _, err := unpack(pack(data), list[i].CertSHA256); err != nil {
		t.Errorf("compressed again: %v", err)
	}
	data[len(data)/2] ^= 1
	for _, bad := range [][]byte{pack(data), packed[:len(packed)/2], nil, data} {
		if _, err := unpack(bad, list[i].CertSHA256); err == nil {
			t.Error("a changed file was accepted")
		}
	}
}

func TestUnknownName(t *testing.T) {
	for path, want := range map[string]string{
		"@bret":       "@bret: no shipped rule set has this name; did you mean @bert?; there are @default, @default-4, @bert, ",
		"@":           "there are @default, ",
		"@bert.rules": "there are @default, ",
		"@../bert":    "there are @default, ",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"# comment\nbert 1 2 a b c": "manifest:2: found 6 fields, want 7",
		"bert x 2 a b c d":          `manifest:1: version "x" is not a number`,
		"bert 1 x a b c d":          `manifest:1: number of rules "x" is not a number`,
	} {
		if _, err := parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# comment\n\nbert 1 2 a b c gen-rules --ops bert\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parse(text)
		if err != nil && list != nil {
			t.Errorf("%v and %v", list, err)
		}
	})
}
