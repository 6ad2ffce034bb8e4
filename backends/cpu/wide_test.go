package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The kernels for elements of 8 bytes give what the plain ones give, at all lengths, also
// in place, for the largest integers and what is not a number.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	special := []uint64{0, 1, math.MaxUint64, 1 << 63, 1<<63 - 1, math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()), math.Float64bits(-2.5)}
	block := func(n int) (ptr, []uint64) {
		b, err := newBlock(8 * n)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.free)
		xs := all[uint64](b.p, n)
		for i := range xs {
			if xs[i] = r.Uint64(); i%3 == 0 {
				xs[i] = special[r.IntN(len(special))]
			} else if i%3 == 1 {
				xs[i] = math.Float64bits(r.Float64() - 0.5)
			}
		}
		return b.p, xs
	}
	same := func(typ wideType, a, b uint64) bool {
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		return a == b || typ == wideDouble && (x == y || x != x && y != y)
	}
	for _, tab := range allTables() {
		for n := 1; n <= 40; n++ {
			x, xs := block(n)
			p, _ := block(n)
			y, ys := block(n)
			z, zs := block(n)
			for typ := wideSigned; typ <= wideDouble; typ++ {
				for _, code := range []int32{opAdd, opSub, opRSub, opMul, opMax, opMin, opDiv, opRDiv} {
					if typ != wideDouble && (code == opDiv || code == opRDiv) {
						continue
					}
					for _, single := range []bool{false, true} {
						goTable{}.zip(y, x, p, n, single, typ, code)
						tab.zip(z, x, p, n, single, typ, code)
						for i := range ys {
							if !same(typ, ys[i], zs[i]) {
								t.Fatalf("%s: %d elements, type %d, code %d, single %t: element %d is %x, want %x", tab.name(), n, typ, code, single, i, zs[i], ys[i])
							}
						}
						copy(zs, xs)
						tab.zip(z, z, p, n, single, typ, code)
						for i := range ys {
							if !same(typ, ys[i], zs[i]) {
								t.Fatalf("%s: %d elements in place, type %d, code %d: element %d", tab.name(), n, typ, code, i)
							}
						}
					}
				}
			}
		}
		for range 60 {
			m, n, k := 1+r.IntN(9), 1+r.IntN(70), 1+r.IntN(20)
			a, as := block(m * k)
			b, bs := block(k * n)
			y, ys := block(m * n)
			z, zs := block(m * n)
			goTable{}.product(y, a, b, m, n, k, k, 1, wideSigned)
			tab.product(z, a, b, m, n, k, k, 1, wideSigned)
			for i := range ys {
				if ys[i] != zs[i] {
					t.Fatalf("%s: product %d %d %d: element %d is %x, want %x", tab.name(), m, n, k, i, zs[i], ys[i])
				}
			}
			for _, xs := range [][]uint64{as, bs} {
				for i := range xs {
					xs[i] = math.Float64bits(r.Float64() - 0.5)
				}
			}
			goTable{}.product(y, a, b, m, n, k, 1, m, wideDouble) // the first one transposed
			tab.product(z, a, b, m, n, k, 1, m, wideDouble)
			for i := range ys {
				if math.Abs(math.Float64frombits(ys[i])-math.Float64frombits(zs[i])) > 1e-14 {
					t.Fatalf("%s: product %d %d %d: element %d", tab.name(), m, n, k, i)
				}
			}
		}
	}
}
