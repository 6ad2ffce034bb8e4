package law_test

import (
	"flag"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

var update = flag.Bool("update", false, "write the golden files")

// All faults of a text are reported at once, each at its place.
func TestErrorsGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.axioms")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		laws, err := law.Parse(filepath.Base(file), src)
		if err != nil {
			got = err.Error() + "\n"
		} else {
			got = law.Lint(laws, instance.Mismatch).Error() + "\n"
		}
		golden := strings.TrimSuffix(file, ".axioms") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%swant\n%s", file, got, want)
		}
	}
}

// The laws without a fault are returned beside the errors.
func TestParseKeepsGoodLaws(t *testing.T) {
	laws, err := law.Parse("x", []byte("axiom a given X : [n] then relu(X) == nope(X)\naxiom b given X : [n] then relu(X) == X\naxiom c given X [n]\nsection \"S\"\naxiom d given X : [n] then relu(X) == X\n"))
	if err == nil || len(laws) != 2 || laws[0].Name != "b" || laws[1].Name != "d" || laws[1].Section != "S" {
		t.Errorf("laws %v, error %v", laws, err)
	}
	want := "x:1:39: unknown operator nope\nx:3:17: given X: found \"[\", want \":\""
	if err != nil && err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestErrorsSort(t *testing.T) {
	at := func(file string, line, col int, msg string) law.Error {
		return law.Error{Pos: law.Pos{File: file, Line: line, Col: col}, Msg: msg}
	}
	es := law.Errors{at("b", 1, 1, "m"), at("a", 2, 1, "m"), at("a", 1, 2, "m"), at("a", 1, 1, "n"), at("a", 1, 1, "m")}
	es.Sort()
	if want := "a:1:1: m\na:1:1: n\na:1:2: m\na:2:1: m\nb:1:1: m"; es.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", es.Error(), want)
	}
	if !sort.SliceIsSorted(es, func(i, j int) bool { return es[i].Error() < es[j].Error() }) {
		t.Error("not sorted")
	}
}
