package law_test

import (
	"testing"

	"github.com/taso-go/taso/axioms"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Every axiom and lemma about an operator that is lifted has a form about each member,
// which is well typed and reads back as the same law.
func TestEach(t *testing.T) {
	changed := 0
	for _, l := range axioms.Default() {
		m := law.Each(l)
		if m == l {
			continue
		}
		changed++
		back, err := law.ParseLaw(law.Format(m))
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		if law.ID(back) != law.ID(m) {
			t.Errorf("%s: read back as another law:\n%s\n%s", l.Name, law.Format(m), law.Format(back))
		}
		if law.ID(m) == law.ID(l) {
			t.Errorf("%s: the same law", l.Name)
		}
	}
	if changed < 300 {
		t.Errorf("%d laws changed", changed)
	}
}

// A law about each member is lifted once more, over no axes too.
func TestEachOfEach(t *testing.T) {
	for text, want := range map[string]string{
		"rule r\n  given X : [g, n]\n  then  each_reverse[over=[g], axes=(0)](X) == X\n": "each_reverse[over=[M.., g], axes=(0)](X)",
		"rule r\n  given X : [n]\n  then  each_reverse[over=[], axes=(0)](X) == X\n":     "each_reverse[over=[M..], axes=(0)](X)",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := law.FormatOutputs(law.Each(l).LHS); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
