package cpu

import (
	"fmt"
	"testing"
)

// BenchmarkRow times products of a few rows with a packed matrix, as steps of recurrent
// layers are.
func BenchmarkRow(b *testing.B) {
	for _, t := range tables()[:2] {
		for _, s := range [][3]int{{1, 128, 512}, {1, 512, 1024}, {1, 64, 64}, {1, 100, 130}, {2, 128, 512}, {4, 128, 512}} {
			m, k, n := s[0], s[1], s[2]
			block := func(n int) ptr {
				m, err := newBlock(4 * n)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(m.free)
				return m.p
			}
			g := gemm{m: m, n: n, k: k, a: block(m * k), ars: k, acs: 1, bp: block(t.packedB(n, k)), c: block(m * n), ldc: n, scratch: block(t.gemmScratch())}
			b.Run(fmt.Sprintf("%s/%dx%dx%d", t.name(), m, k, n), func(b *testing.B) {
				for b.Loop() {
					t.gemm(&g)
				}
				b.ReportMetric(4e-9*float64(k*n)*float64(b.N)/b.Elapsed().Seconds(), "GB/s")
			})
		}
	}
}
