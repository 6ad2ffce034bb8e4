package bench

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
)

// Sets of laws compared on a small model: by axioms alone it costs more than by the
// default, of which the row says that it is as dear as itself, and no generated rule that
// is added is an instance of a law that is there.
func TestRuleSets(t *testing.T) {
	rep, err := generate(context.Background(), &Env{Workers: 1}, genrules.Options{MaxOps: 2, Ops: []string{"matmul", "concat", "split"}, SemanticOps: -1})
	if err != nil {
		t.Fatal(err)
	}
	g := generatedSet("generated", rep.Set)
	if len(g.laws) == 0 || len(g.laws) != len(g.proofs) {
		t.Fatalf("%d rules, %d proofs", len(g.laws), len(g.proofs))
	}
	sets, err := ruleSets([]ruleSet{g})
	if err != nil {
		t.Fatal(err)
	}
	all, err := optimize.DefaultLaws(false)
	if err != nil {
		t.Fatal(err)
	}
	added := sets[len(sets)-1].laws
	if !slices.EqualFunc(added[:len(all)], all, law.Same) || len(added) > len(all)+len(g.laws) {
		t.Errorf("%d laws, of which %d are the default", len(added), len(all))
	}
	// An instance of an axiom, and an axiom with other names, are nothing new.
	known, err := law.Parse("known", []byte("rule a\n  given X : [P..], Y : [P..]\n  then  ewadd(X, Y) == ewadd(Y, X)\n"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := law.Parse("more", []byte("rule b\n  given U : [Q..], V : [Q..]\n  then  ewadd(U, V) == ewadd(V, U)\n\n"+
		"rule c\n  given X : [n], Y : [n]\n  then  ewadd(relu(X), Y) == ewadd(Y, relu(X))\n\n"+
		"rule d\n  given X : [n]\n  then  relu(relu(X)) == relu(X)\n"))
	if err != nil {
		t.Fatal(err)
	}
	if n := news(known, more); len(n) != 1 || n[0].Name != "d" {
		t.Errorf("news: %v", n)
	}

	rec, err := rulesCompared(context.Background(), &Env{Models: []string{"squeezenet-tiny"}}, sets, 300)
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range rec.Tables {
		if err := tab.check(); err != nil {
			t.Error(err)
		}
	}
	sum := rec.Tables[0]
	if len(sum.Rows) != len(sets) || len(rec.Tables) != 3 {
		t.Fatalf("%d rows of %d sets, %d tables", len(sum.Rows), len(sets), len(rec.Tables))
	}
	for i, s := range sets {
		beside := number(t, sum, i, "cost vs default, auto")
		if s.name == defaultSet && beside != 0 || s.name == "axioms" && beside <= 0 {
			t.Errorf("%s: %v %% beside the default's", s.name, beside)
		}
		if got := sum.Rows[i].Cells[0].show(""); !strings.Contains(got, s.name) {
			t.Errorf("row %q, want %q", got, s.name)
		}
	}
}
