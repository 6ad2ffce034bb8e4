package enumerate

import (
	"context"
	"testing"
)

// level2 is a session of the default universe after level 2.
func level2(b *testing.B) *Session {
	b.Helper()
	return settled(b, 2, Default())
}

// The walk over the terms of three operators, one goroutine.
func BenchmarkGraphsPerSecond(b *testing.B) {
	s := level2(b)
	s.opt.Workers = 1
	b.ResetTimer()
	var visits uint64
	for b.Loop() {
		v, err := s.generate(context.Background(), 3)
		if err != nil {
			b.Fatal(err)
		}
		visits += v.visits
		v.close()
	}
	b.ReportMetric(float64(visits)/b.Elapsed().Seconds(), "graphs/s")
}

// Evaluating and hashing terms of three operators.
func BenchmarkFingerprint(b *testing.B) {
	s := level2(b)
	codes := walked(b, s, 3)
	st := newStore(s.u, 1)
	var scratch []uint64
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		_, scratch = st.rootHash(codes[i%len(codes)], nil, scratch)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "terms/s")
}

// Deciding whether a term of three operators is equal by the laws to another
// of its bucket.
func BenchmarkExplain(b *testing.B) {
	s := level2(b)
	if _, _, err := level(context.Background(), s, 3, how{}); err != nil {
		b.Fatal(err)
	}
	st := newStore(s.u, 1)
	var pairs [][2]tid
	for i := s.starts[3]; i < s.starts[4] && len(pairs) < 10000; i++ {
		if l, ok := s.links.equal[int32(i)]; ok {
			x, y := st.decode(s.codes[i], nil), st.decode(s.codes[l.to], &l.ren)
			pairs = append(pairs, [2]tid{x, y})
		}
	}
	if len(pairs) == 0 {
		b.Fatal("no pairs")
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += len(pairs) {
		e := newExplainer(s.view(), st, newRewriter(st, s.laws.loose), true)
		for _, p := range pairs[:min(len(pairs), b.N-i)] {
			e.reaches(p[0], p[1])
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}

// All graphs of up to three operators with any number of outputs.
func BenchmarkCountGraphs3(b *testing.B) {
	var graphs int
	for b.Loop() {
		g, err := CountGraphs(context.Background(), Options{}, 3)
		if err != nil {
			b.Fatal(err)
		}
		graphs += g.Graphs
	}
	b.ReportMetric(float64(graphs)/b.Elapsed().Seconds(), "graphs/s")
}
