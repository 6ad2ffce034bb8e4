package builtin_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/builtin"
)

// The laws that are instances of axioms or lemmas are those that doc.go lists, with what
// they are instances of.
func TestInstances(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+) +(\w+)$`).FindAllSubmatch(doc, -1) {
		listed = append(listed, string(m[1])+" "+string(m[2]))
	}
	all, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	given := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	// Only what is an instance of another law of both lists can be one of l and those given.
	_, some := rules.Subsume(append(slices.Clone(given), all...))
	suspect := map[*law.Law]bool{}
	for _, p := range some {
		suspect[p.Law] = true
	}
	for _, l := range all {
		near := slices.DeleteFunc(slices.Clone(given), func(g *law.Law) bool {
			return !(suspect[l] && rules.Instance(g, l)) && !(suspect[g] && rules.Instance(l, g))
		})
		_, pruned := rules.Subsume(append(near, l))
		for _, p := range pruned {
			switch {
			case p.By == nil:
				t.Errorf("law %s says that something equals itself", p.Law.Name)
			case p.Law == l:
				found = append(found, l.Name+" "+p.By.Name)
			case p.By == l && !slices.Contains([]string{"lift_function slice_pointwise", "lift_sum slice_ewadd"}, l.Name+" "+p.Law.Name):
				t.Errorf("%s is an instance of %s", p.Law.Name, l.Name)
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(found)
	if !slices.Equal(listed, found) {
		t.Errorf("doc.go lists %q; instances are %q", listed, found)
	}
}
