package axioms_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// The embedded proofs are those that are found now, one for every axiom and lemma;
// -update writes them.
func TestProofs(t *testing.T) {
	found := map[string][]int64{}
	var names []string
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		p, err := sums.Certify(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			t.Errorf("%s %s has no proof", l.Kind, l.Name)
			continue
		}
		names = append(names, l.Name)
		found[l.Name] = p
	}
	golden.Equal(t, "proofs.txt", axioms.FormatProofs(names, func(name string) []int64 { return found[name] }))
}

// Every axiom and lemma has an embedded proof, which is accepted, of that law and not
// of one in another order.
func TestProofsHold(t *testing.T) {
	n := 0
	for _, l := range axioms.Default() {
		p, ok := axioms.Proof(l.Name)
		if ok != (l.Kind != law.Refute) {
			t.Errorf("%s %s: a proof: %v", l.Kind, l.Name, ok)
		}
		if !ok {
			continue
		}
		n++
		if _, err := meaning.Check(l, p); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
	if n == 0 {
		t.Error("no proofs")
	}
}

func TestReadProofs(t *testing.T) {
	for text, want := range map[string]string{
		"a 1 2\nb\n\n# c\nd -3":     "map[a:[1 2] b:[] d:[-3]]",
		"a 1\na 2":                  "line 2: law a stands twice",
		"a 1\n\nb x":                "line 3: law b: number 1",
		"a 1 9223372036854775808":   "line 1: law a: number 2",
		"a 1.0":                     "line 1: law a: number 1",
		"a -9223372036854775808 +1": "map[a:[-9223372036854775808 1]]",
	} {
		m, err := axioms.ReadProofs(text)
		got := fmt.Sprint(m)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzReadProofs: what is read is written and read again as the same.
func FuzzReadProofs(f *testing.F) {
	f.Add("a 1 2\nb -3\n# c\n")
	f.Add("a\na")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := axioms.ReadProofs(text)
		if err != nil {
			return
		}
		var names []string
		for n := range m {
			names = append(names, n)
		}
		slices.Sort(names)
		again, err := axioms.ReadProofs(axioms.FormatProofs(names, func(n string) []int64 { return m[n] }))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(m) {
			t.Errorf("%q: %v, and again %v: %v", text, m, again, err)
		}
	})
}

func ExampleProof() {
	p, ok := axioms.Proof("ewadd_comm")
	fmt.Println(p, ok)
	for _, l := range axioms.ByKind(law.Axiom) {
		if l.Name == "ewadd_comm" {
			fmt.Println(meaning.Check(l, p))
		}
	}
	// Output:
	// [1 1 1 0 1 1 0 1 0 0] true
	// {true true true} <nil>
}

func ExampleReadProofs() {
	m, err := axioms.ReadProofs("ewadd_comm 1 1 1\n")
	fmt.Println(m, err)
	// Output: map[ewadd_comm:[1 1 1]] <nil>
}

func ExampleFormatProofs() {
	text := axioms.FormatProofs([]string{"a"}, func(string) []int64 { return []int64{1, 0} })
	fmt.Println(strings.Split(text, "\n")[2])
	// Output: a 1 0
}
