package axioms

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:generate go test . -count=1 -run TestProofs$ -update

//go:embed proofs.txt
var proofsText string

var proofs = sync.OnceValue(func() map[string][]int64 {
	m, err := ReadProofs(proofsText)
	if err != nil {
		panic("axioms: embedded proofs are broken (a test excludes this): " + err.Error())
	}
	return m
})

// Proof is a proof of an axiom or lemma from what its operators compute, as package
// verify/meaning checks it; false if there is none. It is shared and must not be
// changed.
func Proof(name string) ([]int64, bool) {
	p, ok := proofs()[name]
	return p, ok
}

// ReadProofs reads proofs from what operators compute, one a line: the name of a law and
// the numbers of its proof, apart by spaces. Lines that begin with # are comments. The
// error names the line.
func ReadProofs(text string) (map[string][]int64, error) {
	out := map[string][]int64{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if out[f[0]] != nil {
			return nil, fmt.Errorf("line %d: law %s stands twice", n, f[0])
		}
		p := make([]int64, len(f)-1)
		for i, s := range f[1:] {
			k, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: law %s: number %d: %w", n, f[0], i+1, err)
			}
			p[i] = k
		}
		out[f[0]] = p
	}
	return out, nil
}

// FormatProofs writes proofs as ReadProofs reads them, in the order of the names.
func FormatProofs(names []string, proof func(name string) []int64) string {
	var b strings.Builder
	b.WriteString("# Proofs of the axioms and lemmas from what their operators compute, as package\n" +
		"# verify/meaning reads them; \"go generate ./axioms\" writes them.\n")
	for _, name := range names {
		b.WriteString(name)
		for _, k := range proof(name) {
			b.WriteByte(' ')
			b.WriteString(strconv.FormatInt(k, 10))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
