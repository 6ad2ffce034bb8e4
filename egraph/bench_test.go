package egraph

import "testing"

// BenchmarkMillionAdds adds a million binary nodes and looks each up again.
func BenchmarkMillionAdds(b *testing.B) {
	b.ReportAllocs()
	const leaves, nodes = 1000, 1_000_000
	for b.Loop() {
		g := NewGraph(Options{})
		for i := range uint32(leaves) {
			mustAdd(b, g, i)
		}
		for pass := range 2 {
			x := uint32(1)
			for i := range uint32(nodes) {
				x = x*1664525 + 1013904223
				l := NodeID(1 + (x>>8)%(leaves+i/2))
				r := NodeID(1 + i%(leaves+i/2))
				mustAdd(b, g, 5000+i%7, l, r)
			}
			if pass == 0 && g.Len() < nodes*9/10 {
				b.Fatalf("only %d distinct nodes", g.Len())
			}
		}
	}
}
