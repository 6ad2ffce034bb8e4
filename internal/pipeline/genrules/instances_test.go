package genrules

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

var enlarging = once(Options{MaxOps: 3, Ops: []string{"conv2d", "enlarge"}, Workers: 2, Seed: 1})

// No rule is an instance of another, and all read differently.
func TestEachRuleOnce(t *testing.T) {
	for name, rep := range map[string]*Report{"all operators": twoOperators(t), "conv2d and enlarge": enlarging(t)} {
		var laws []*law.Law
		for _, r := range rep.Set.Rules {
			laws = append(laws, r.Law)
		}
		_, pruned := rules.Subsume(laws)
		for _, p := range pruned {
			t.Errorf("%s: %s\nis an instance of\n%s", name, law.Format(p.Law), law.Format(p.By))
		}
		read := map[string]string{}
		titles := rep.Set.Titles()
		for _, r := range rep.Set.Rules {
			if other := read[titles[r.ID()]]; other != "" {
				t.Errorf("%s: rules %s and %s read alike: %s", name, r.ID(), other, titles[r.ID()])
			}
			read[titles[r.ID()]] = r.ID()
		}
	}
}

// One rule is about kernels of all odd sizes.
func TestOddKernels(t *testing.T) {
	set := enlarging(t).Set
	titles := set.Titles()
	var found []string
	for _, r := range set.Rules {
		if l := r.Law; law.Size(l.LHS...)+law.Size(l.RHS...) == 3 && l.LHS[0].Op.Name == "conv2d" && l.RHS[0].Op.Name == "conv2d" {
			found = append(found, titles[r.ID()])
		}
	}
	want := []string{"conv2d[pad=p, act=r](A, enlarge[kh=i, kw=j](B)) == conv2d[pad=p, act=r](A, B)" +
		" where g % 2 == 1 and g <= i and h % 2 == 1 and h <= j and i % 2 == 1 and j % 2 == 1"}
	if !slices.Equal(found, want) {
		t.Errorf("%q, want %q", found, want)
	}
}
