package search_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/check"
)

func envInt(n string, d int) int {
	if v, err := strconv.Atoi(os.Getenv(n)); err == nil {
		return v
	}
	return d
}

func TestDescendTmp(t *testing.T) {
	names := strings.Fields(os.Getenv("NETS"))
	rs := rules(t)
	if os.Getenv("VAR") != "" {
		laws, err := law.Parse("variants.rules", models.VariantRules)
		if err != nil {
			t.Fatal(err)
		}
		laws = append(laws, axioms.ByKind(law.Axiom)...)
		laws = append(laws, axioms.ByKind(law.Lemma)...)
		if os.Getenv("VAR") == "2" {
			laws, _ = law.Parse("variants.rules", models.VariantRules)
		}
		rs, _, err = search.NewRules(laws)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := search.NewNetwork(m.Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		n.SwapBy(rules(t))
		r := search.NewRewriter(n.Net, rs)
		p := search.NewPricer(n.Net, lower.CPU(), prices)
		tr := search.NewTrail(r, p)
		before := p.Cost()
		t.Logf("%s: %d moves, cost %d us", name, tr.Moves.Len(), before/1e6)
		start := time.Now()
		if bt := envInt("BT", 0); bt > 0 {
			path, best, done := tr.Backtrack(context.Background(), search.BacktrackOptions{Tries: bt})
			t.Logf("%s: backtrack cost %d -> %d us (%.2f %%), %d moves, %d tried, done %v, %v", name, before/1e6, best/1e6, 100*(1-float64(best)/float64(before)), len(path), tr.Tried, done, time.Since(start))
			tr.Tried = 0
			start = time.Now()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		used := map[string]int{}
		kept, done := tr.Descend(ctx, search.DescendOptions{Depth: envInt("DEPTH", 3), Each: envInt("EACH", 200), Worse: float64(envInt("WORSE", 20)) / 1000, Improved: func(c int64, ch []search.Move) {
			s := ""
			for _, m := range ch {
				s += m.Direction.Law.Law.Name
				if m.Direction.Backward {
					s += "<"
				}
				s += " "
			}
			used[s]++
		}})
		cancel()
		if os.Getenv("BT") != "" {
			_ = kept
		}
		t.Logf("%s: cost %d -> %d us (%.2f %%), %d kept, %d tried, done %v, %v", name, before/1e6, p.Cost()/1e6, 100*(1-float64(p.Cost())/float64(before)), len(kept), tr.Tried, done, time.Since(start))
		for s, n := range used {
			t.Logf("   %d x %s", n, s)
		}
	}
	_ = check.Rule
}
