package cpu

import (
	"math/rand/v2"
	"testing"
)

// TestIntegers: products of whole numbers are the exact sums, rounded once to float32, for
// each way in which they may be packed: bytes with and without sign, rows and columns that
// must be moved to be bytes, such that are none, and numbers of 16 bits; for lengths beside
// the widths of vectors, at the ends of the types, where two or four products are most, and
// for sums close to 2^31.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := [][2]int{{0, 255}, {-128, 127}, {-255, 0}, {-255, 255}, {-3, 252}, {127, 382}, {-1, 255}, {0, 0}}
	check := func(tab table, m, n, k int, a, b [2]int, ends bool, ars, acs int) {
		draw := func(of [2]int) float32 {
			if ends || r.IntN(4) == 0 {
				return float32(of[r.IntN(2)])
			}
			return float32(of[0] + r.IntN(of[1]-of[0]+1))
		}
		block := func(n int) ptr {
			x, err := newBlock(4 * n)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(x.free)
			return x.p
		}
		x, w, y := block(m*k), block(k*n), block(m*n+8)
		packed, scratch := block(tab.packedInts(n, k)), block(tab.intsScratch(k)+1)
		xs, ws, ys := f32(x, m*k), f32(w, k*n), f32(y, m*n+8)
		for i := range xs {
			xs[i] = draw(a)
		}
		for i := range ws {
			ws[i] = draw(b)
		}
		for i := range 8 {
			ys[m*n+i] = 7
		}
		tab.packInts(packed, w, n, k, n, 1)
		tab.ints(&gemm{m: m, n: n, k: k, a: x, ars: ars, acs: acs, bp: packed, c: y, ldc: n, scratch: scratch})
		for i := range m {
			for j := range n {
				sum := int64(0)
				for l := range k {
					sum += int64(xs[i*ars+l*acs]) * int64(ws[l*n+j])
				}
				if want := float32(sum); ys[i*n+j] != want {
					t.Fatalf("%s: %d x %d x %d of %v and %v: [%d, %d] is %v, want %v", tab.name(), m, n, k, a, b, i, j, ys[i*n+j], want)
				}
			}
		}
		for i := range 8 {
			if ys[m*n+i] != 7 {
				t.Fatalf("%s: %d x %d x %d: written behind the result", tab.name(), m, n, k)
			}
		}
	}
	for _, tab := range allTables() {
		for _, a := range kinds {
			for _, b := range kinds {
				for range 6 {
					m, n, k := 1+r.IntN(20), 1+r.IntN(70), 1+r.IntN(70)
					check(tab, m, n, k, a, b, false, k, 1)
					check(tab, m, n, k, a, b, true, 1, m) // the first one transposed
				}
			}
		}
		check(tab, 130, 65, 257, [2]int{0, 255}, [2]int{-128, 127}, true, 257, 1)
		check(tab, 3, 3, 33000, [2]int{254, 255}, [2]int{254, 255}, true, 33000, 1)
		check(tab, 3, 3, 33000, [2]int{-255, -254}, [2]int{254, 255}, true, 33000, 1)
		check(tab, 3, 33, 2, [2]int{-32767, 32767}, [2]int{-32767, 32766}, true, 2, 1)
	}
}
