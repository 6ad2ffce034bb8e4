// Package lawtext reads tables of laws for tests: one law a line.
package lawtext

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// Read reads laws written in one line each:
//
//	name tag | given | where | then
//
// Empty lines are skipped.
func Read(t testing.TB, text string) []*law.Law {
	t.Helper()
	var out []*law.Law
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		part := strings.Split(line, "|")
		if len(part) != 4 {
			t.Fatalf("%q: want 4 parts", line)
		}
		name, tag, _ := strings.Cut(strings.TrimSpace(part[0]), " ")
		if tag != "" {
			tag = "[" + tag + "]"
		}
		where := strings.TrimSpace(part[2])
		if where != "" {
			where = "where " + where
		}
		l, err := law.ParseLaw(fmt.Sprintf("axiom %s %s\n given %s\n %s\n then %s\n", name, tag, part[1], where, part[3]))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, l)
	}
	return out
}

// File reads a file of such lines.
func File(t testing.TB, path string) []*law.Law {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Read(t, string(text))
}
