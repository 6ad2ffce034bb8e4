package axioms

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed mutants.txt
var mutantsText string

var trueMutants = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	reason := ""
	for line := range strings.Lines(mutantsText) {
		line = strings.TrimSpace(line)
		if r, ok := strings.CutPrefix(line, "because "); ok {
			reason = r
		} else if line != "" && line[0] != '#' {
			out[line] = reason
		}
	}
	return out
})

// TrueMutant says why a mutant of an axiom or lemma is a true law itself, by the
// names of the law and of the mutant (package law/mutate); false if nobody says
// that it is.
func TrueMutant(law, mutant string) (why string, ok bool) {
	why, ok = trueMutants()[law+": "+mutant]
	return why, ok
}

// TrueMutants lists the mutants that are known to be true, as "law: mutant",
// sorted.
func TrueMutants() []string { return slices.Sorted(maps.Keys(trueMutants())) }
