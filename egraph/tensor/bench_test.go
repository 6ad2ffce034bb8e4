package tensor

import (
	"context"
	"testing"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/law"
)

var benchLaws = []string{
	`axiom ewadd_comm given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`,
	`axiom ewadd_assoc given X : [P..], Y : [P..], Z : [P..] then ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)`,
	`axiom matmul_ewadd given X : [B.., m, k], Y : [B.., k, n], Z : [B.., k, n]
	  then matmul(X, ewadd(Y, Z)) == ewadd(matmul(X, Y), matmul(X, Z))`,
	`axiom matmul_assoc given X : [B.., m, k], Y : [B.., k, l], Z : [B.., l, n]
	  then matmul(X, matmul(Y, Z)) == matmul(matmul(X, Y), Z)`,
	`axiom matmul_concat given X : [B.., m, k], Y : [B.., k, a], Z : [B.., k, b]
	  then matmul(X, concat[axis=#B+1](Y, Z)) == concat[axis=#B+1](matmul(X, Y), matmul(X, Z))`,
	`axiom pointwise_concat given f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..]
	  then f(concat[axis=#P](X, Y)) == concat[axis=#P](f(X), f(Y))`,
}

const benchGoal = `rule g
	given A : [n, n], B : [n, n], C : [n, n], D : [n, n], E : [n, n]
	then matmul(A, ewadd(A, ewadd(B, ewadd(C, ewadd(D, ewadd(E, matmul(D, relu(E))))))))
	  == matmul(ewadd(A, B), matmul(C, ewadd(D, E)))`

// benchGraph is a graph grown until it has so many nodes.
func benchGraph(b *testing.B, nodes int) (*Graph, []*Rule) {
	tab := NewTable()
	var rules []*Rule
	for _, src := range benchLaws {
		rs, _, err := tab.Rules(parse(b, src))
		if err != nil {
			b.Fatal(err)
		}
		rules = append(rules, rs...)
	}
	g := NewGraph(tab)
	fill(b, g, rules, nodes)
	return g, rules
}

func fill(b *testing.B, g *Graph, rules []*Rule, nodes int) {
	goal, err := law.ParseLaw(benchGoal)
	if err != nil {
		b.Fatal(err)
	}
	g.Reset()
	for _, t := range []*law.Term{goal.LHS[0], goal.RHS[0]} {
		if _, err := g.Add(t, ScopeOf(goal)); err != nil {
			b.Fatal(err)
		}
	}
	defer func() {
		if g.e.Len() < nodes {
			b.Fatalf("the graph has %d nodes, want %d", g.e.Len(), nodes)
		}
	}()
	lim := Limits{Nodes: nodes, Iters: 20, Level: Growing}
	if _, _, err := g.Run(context.Background(), rules, lim, func() bool { return false }); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSearch finds all matches of six laws, both ways, in a graph of 1500
// nodes, deciding for each whether the law applies.
func BenchmarkSearch(b *testing.B) {
	g, rules := benchGraph(b, 1500)
	matches := 0
	b.ReportAllocs()
	for b.Loop() {
		g.queue, g.arena, g.seams = g.queue[:0], g.arena[:0], g.seams[:0]
		for _, r := range rules {
			n, err := r.matcher.Search(g.e, 0, func(m *egraph.Match) bool {
				g.consider(r, m, nil)
				return true
			})
			if err != nil {
				b.Fatal(err)
			}
			matches += n
		}
	}
	b.ReportMetric(float64(matches)/b.Elapsed().Seconds(), "matches/s")
}

// BenchmarkSaturate grows a graph to 1500 nodes, again and again.
func BenchmarkSaturate(b *testing.B) {
	g, rules := benchGraph(b, 1500)
	nodes := 0
	b.ReportAllocs()
	for b.Loop() {
		fill(b, g, rules, 1500)
		nodes += g.e.Len()
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

// BenchmarkRules compiles the laws.
func BenchmarkRules(b *testing.B) {
	var laws []*law.Law
	for _, src := range benchLaws {
		laws = append(laws, parse(b, src))
	}
	for b.Loop() {
		tab := NewTable()
		for _, l := range laws {
			if _, _, err := tab.Rules(l); err != nil {
				b.Fatal(err)
			}
		}
	}
}
