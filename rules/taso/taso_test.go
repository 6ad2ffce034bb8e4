package taso

import (
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/tasopb"
)

func sharedFile(t testing.TB, name string) *tasopb.RuleCollection {
	t.Helper()
	c, err := tasopb.Unmarshal(golden.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parseLaw(t testing.TB, src string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(src)
	if err != nil {
		t.Fatalf("law %s: %v", src, err)
	}
	return l
}

func ruleOf(t testing.TB, src string) *rules.Rule {
	t.Helper()
	r, err := rules.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPublishedRules(t *testing.T) {
	for _, name := range []string{"taso_graph_subst.pb", "taso_depth3.pb"} {
		c := sharedFile(t, name)
		for _, r := range []Reading{{}, {Same: "same_lower"}, {Same: AnySame}, {Grouped: true}} {
			n := 0
			for i, tr := range From(c, r) {
				if tr.Err != nil {
					t.Logf("%v: %s", tr.Err, c.Rules[i].String())
					continue
				}
				if _, err := law.ParseLaw(law.Format(tr.Law)); err != nil {
					t.Errorf("rule %d: %v", i, err)
				}
				n++
			}
			t.Logf("%s, reading %+v: %d of %d rules have laws", name, r, n, len(c.Rules))
			if n != len(c.Rules) {
				t.Errorf("%s, reading %+v: %d of %d rules have laws", name, r, n, len(c.Rules))
			}
		}
	}
}
