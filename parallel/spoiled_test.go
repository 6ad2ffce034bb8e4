package parallel

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// Devices of a network that was laid out, of which one sends what is not right: something
// else comes out, or a device waits for a message that does not come.
func TestSpoiledLaying(t *testing.T) {
	g := parse(t, `
x : float32[8, 8]
w : weight float32[8, 8]
v : weight float32[8, 8]
h = matmul(x, w)
r = relu(h)
y = matmul(r, v)
return y`)
	in := residues(g, 3)
	want, err := evalGraph(g, in)
	if err != nil {
		t.Fatal(err)
	}
	spoils := []struct {
		what string
		how  func(m *message[uint64])
	}{
		{"wrong numbers", func(m *message[uint64]) { m.data[0]++ }},
		{"parts in another order", func(m *message[uint64]) { slices.Reverse(m.data) }},
		{"zeros", func(m *message[uint64]) { clear(m.data) }},
		{"a part is missing", func(m *message[uint64]) { m.data = m.data[1:] }},
		{"for another device", func(m *message[uint64]) { m.to = m.from }},
		{"of another step", func(m *message[uint64]) { m.step++ }},
	}
	rng := rand.New(rand.NewPCG(4, 14))
	s := NewStrategies()
	spoiled := 0
	for i := range 12 {
		l := layOut(t, g, s, rng, 2, 2)
		p := pcgOf(t, l.Graph())
		agrees(t, p, g)
		for _, x := range spoils {
			var done atomic.Bool
			got, err := runOn(context.Background(), p, ring, in, func(n int) *network[uint64] {
				net := newNetwork[uint64](n)
				net.spoil = func(m *message[uint64]) {
					was := slices.Clone(m.data)
					if m.from != 1 || len(m.data) == 0 || slices.Max(m.data) == 0 { // a lifted tensor's zeros stay zeros
						return
					}
					x.how(m)
					if len(was) != len(m.data) || !slices.Equal(was, m.data) || m.to == m.from || x.what == "of another step" {
						done.Store(true)
					}
				}
				return net
			})
			if !done.Load() {
				continue
			}
			spoiled++
			if err == nil && equal(got.Outputs, want) {
				t.Errorf("layout %d: %s: nobody notices\n%s", i, x.what, l.Graph())
			}
		}
	}
	if spoiled < 12 {
		t.Errorf("%d runs were spoiled", spoiled)
	}
}
