package bench

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
)

// Rules about meshes, and laws of the true relu and maximum, are left out of what models are
// optimized by; operands may be exchanged.
func TestOneDevice(t *testing.T) {
	s, err := oneDevice("some", []string{"@slices", "@mesh-shape", "@slices"})
	if err != nil {
		t.Fatal(err)
	}
	exchanged := false
	names := map[string]bool{}
	for _, l := range s.laws {
		if len(layoutsOf(l)) > 0 || l.HasTag(law.TagOrdered) || names[l.Name] {
			t.Errorf("law %s should be left out", l.Name)
		}
		names[l.Name] = true
		own := strings.HasPrefix(l.Name, "exchange_")
		if exchanged = exchanged || own; !own && s.proofs[l.Name] == nil {
			t.Errorf("law %s has no proof", l.Name)
		}
	}
	if len(s.laws) < 50 || len(s.laws) > 250 || !exchanged {
		t.Errorf("%d laws, operands exchanged: %t", len(s.laws), exchanged)
	}
	if _, err := oneDevice("none", []string{"@none"}); err == nil {
		t.Error("a set that is not there is read")
	}
}

// Sets of laws on a few random networks: some of these cost more by the laws about slices alone.
func TestGeneratedNetworks(t *testing.T) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	c := &compared{env: &Env{}, base: optimize.Options{Cost: m, CostName: "v100", Target: lower.CPU()}}
	if c.sets[hand].laws, err = optimize.DefaultLaws(false); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{plain, wide} {
		if c.sets[i], err = oneDevice("slices", []string{"@slices"}); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := c.random(context.Background(), 6)
	if err != nil {
		t.Fatal(err)
	}
	tab := rec.Tables[0]
	for i := range tab.Rows {
		if n := number(t, tab, i, "certificates accepted"); n != 6 {
			t.Errorf("%v certificates of 6 networks", n)
		}
	}
	if less := number(t, tab, wide, "more expensive"); less < 1 || strings.Contains(rec.Notes[0], "save less: none") {
		t.Errorf("%v networks cost more by the laws about slices: %s", less, rec.Notes[0])
	}
	if got := tallied(map[string]int{"a": 1, "b": 2, "c": 1}); got != "`b` (2), `a` (1), `c` (1)" {
		t.Errorf("tallied: %s", got)
	}
}
