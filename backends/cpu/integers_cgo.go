//go:build cgo

package cpu

// #include "kernels.h"
import "C"

func (t cTable) packedInts(n, k int) int { return int(C.taso_packed_ints(t.t, n64(n), n64(k))) }
func (t cTable) intsScratch(k int) int   { return int(C.taso_ints_scratch(t.t, n64(k))) }

func (t cTable) packInts(to, b ptr, n, k, brs, bcs int) {
	C.taso_pack_ints(t.t, fp(to), fp(b), n64(n), n64(k), n64(brs), n64(bcs))
}

func (t cTable) ints(g *gemm) {
	c := g.c64()
	C.taso_run_ints(t.t, &c)
}
