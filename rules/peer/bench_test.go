package peer_test

import (
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/rules/peer"
)

// The published files, read from memory.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"taso_graph_subst.pb", "taso_verifier_equations.txt", "tensat_converted.txt", "flexflow_graph_subst_3_v2.json"} {
		b.Run(name, func(b *testing.B) {
			path, data := name, golden.Data(b, name)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := peer.Read(path, data, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
