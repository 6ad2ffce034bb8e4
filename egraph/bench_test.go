package egraph

import "testing"

// BenchmarkMillionAdds adds a million binary nodes and looks each up again.
func BenchmarkMillionAdds(b *testing.B) {
	b.ReportAllocs()
	const leaves, nodes = 1000, 1_000_000
	for b.Loop() {
		g := NewGraph(Options{HeadOf: func(sym uint32) uint32 { return max(sym, 4999) - 4999 }})
		for i := range uint32(leaves) {
			if _, err := g.Add(i); err != nil {
				b.Fatal(err)
			}
		}
		for pass := range 2 {
			x := uint32(1)
			for i := range uint32(nodes) {
				x = x*1664525 + 1013904223
				l := NodeID(1 + (x>>8)%(leaves+i/2))
				r := NodeID(1 + i%(leaves+i/2))
				if _, err := g.Add(5000+i%7, l, r); err != nil {
					b.Fatal(err)
				}
			}
			if pass == 0 && g.Len() < nodes*9/10 {
				b.Fatalf("only %d distinct nodes", g.Len())
			}
		}
	}
}

// BenchmarkEMatch searches all sums of eight leaves (6,058 nodes in 255 classes)
// for ((x + y) + z).
func BenchmarkEMatch(b *testing.B) {
	g := NewGraph(Options{})
	sum := mustAdd(b, g, 0)
	for i := uint32(1); i < 8; i++ {
		sum = mustAdd(b, g, plus, sum, mustAdd(b, g, i))
	}
	if ok, err := new(rewriter).run(g, acRules(b), enough, nil); err != nil || !ok {
		b.Fatal(ok, err)
	}
	benchSearch(b, g, mustCompile(b, PatternSpec{Roots: []*Pat{P(plus, P(plus, V(0), V(1)), V(2))}}))
}

// BenchmarkSaturate saturates the sums of seven leaves.
func BenchmarkSaturate(b *testing.B) {
	b.ReportAllocs()
	g := NewGraph(Options{})
	r := &rewriter{}
	rules := acRules(b)
	for b.Loop() {
		g.Reset()
		r.why = 0
		sum := mustAddQuiet(b, g, 0)
		for i := uint32(1); i < 7; i++ {
			sum = mustAddQuiet(b, g, plus, sum, mustAddQuiet(b, g, i))
		}
		if ok, err := r.run(g, rules, enough, nil); err != nil || !ok {
			b.Fatal(ok, err)
		}
	}
	b.ReportMetric(float64(g.live), "nodes")
}

// BenchmarkEMatchJoin searches for two roots that share a variable.
func BenchmarkEMatchJoin(b *testing.B) {
	g := randomGraph(b, 20000, 500)
	p := mustCompile(b, PatternSpec{Roots: []*Pat{P(6, V(0), V(1)), P(4, P(7, V(0), V(2)))}})
	benchSearch(b, g, p)
}

func benchSearch(b *testing.B, g *Graph, p *Pattern) {
	b.ReportAllocs()
	mt := NewMatcher(p)
	total := 0
	for b.Loop() {
		n, err := mt.Search(g, 0, func(*Match) bool { return true })
		if err != nil {
			b.Fatal(err)
		}
		total += n
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "matches/s")
	b.ReportMetric(float64(total)/float64(b.N), "matches/op")
}

// BenchmarkSmallProof is one small equality: empty the graph, build 50 nodes,
// saturate three iterations with 20 rules, collect the reasons of the goal.
func BenchmarkSmallProof(b *testing.B) {
	b.ReportAllocs()
	const add, mul, neg = 50, 51, 52
	r := &rewriter{}
	x, y, z := V(0), V(1), V(2)
	var rules []*rewrite
	both := func(l, rhs *Pat) { rules = append(rules, rule(b, l, rhs), rule(b, rhs, l)) }
	rules = append(rules,
		rule(b, P(add, x, y), P(add, y, x)),
		rule(b, P(mul, x, y), P(mul, y, x)))
	both(P(add, P(add, x, y), z), P(add, x, P(add, y, z)))
	both(P(mul, P(mul, x, y), z), P(mul, x, P(mul, y, z)))
	both(P(mul, x, P(add, y, z)), P(add, P(mul, x, y), P(mul, x, z)))
	both(P(neg, P(add, x, y)), P(add, P(neg, x), P(neg, y)))
	both(P(neg, P(mul, x, y)), P(mul, P(neg, x), y))
	rules = append(rules, rule(b, P(neg, P(neg, x)), x))
	for i := uint32(60); len(rules) < 20; i++ { // rules that find nothing
		both(P(i, P(add, x, y)), P(add, P(i, x), P(i, y)))
	}
	g := NewGraph(Options{})
	var reasons []Reason
	for b.Loop() {
		g.Reset()
		r.why = 0
		var leaf [8]NodeID
		for i := range leaf {
			leaf[i] = mustAddQuiet(b, g, uint32(i))
		}
		left := mustAddQuiet(b, g, mul, leaf[0], mustAddQuiet(b, g, add, leaf[1], leaf[2]))
		right := mustAddQuiet(b, g, add, mustAddQuiet(b, g, mul, leaf[2], leaf[0]), mustAddQuiet(b, g, mul, leaf[1], leaf[0]))
		for i := range NodeID(37) {
			at := NodeID(g.Len())
			mustAddQuiet(b, g, []uint32{add, mul}[i%2], 1+i*7%at, 1+i*i%at)
		}
		if _, err := r.run(g, rules, 3, nil); err != nil {
			b.Fatal(err)
		}
		var err error
		reasons, err = g.Reasons(reasons[:0], left, right)
		if err != nil || len(reasons) == 0 {
			b.Fatalf("not proved: %v, %v", reasons, err)
		}
	}
	b.ReportMetric(float64(g.Len()), "nodes")
	b.ReportMetric(float64(g.nclass), "classes")
	b.ReportMetric(float64(len(reasons)), "reasons")
}

func mustAddQuiet(b *testing.B, g *Graph, sym uint32, kids ...NodeID) NodeID {
	n, err := g.Add(sym, kids...)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
