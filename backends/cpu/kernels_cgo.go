//go:build cgo

package cpu

// #cgo CFLAGS: -O3
// #cgo LDFLAGS: -lm
// #include <stdlib.h>
// #include <string.h>
// #include "kernels.h"
// #ifdef __linux__
// #include <sys/mman.h>
// #endif
// static void taso_huge_pages(void *p, size_t bytes) {
// #ifdef MADV_HUGEPAGE
//   madvise(p, bytes, MADV_HUGEPAGE); // a wish; without it pages are small
// #endif
// }
// #ifdef __GLIBC__
// #include <malloc.h>
// static void taso_trim(void) { malloc_trim(0); }
// #else
// static void taso_trim(void) {}
// #endif
import "C"

import (
	"fmt"
	"unsafe"
)

// tables are the kernels that this processor can run, best first.
func tables() []table {
	var ts []table
	for _, t := range []*C.taso_table{C.taso_table_avx512(), C.taso_table_avx2(), C.taso_table_plain()} {
		if t != nil {
			ts = append(ts, cTable{t})
		}
	}
	return append(ts, goTable{})
}

// cTable is a table of C kernels.
type cTable struct{ t *C.taso_table }

func fp(p ptr) *C.float   { return (*C.float)(p) }
func n64(n int) C.int64_t { return C.int64_t(n) }

func (t tail) c() C.taso_tail {
	c := C.taso_tail{
		init: fp(t.init), rowscale: fp(t.rowScale), rowbias: fp(t.rowBias), colbias: fp(t.colBias),
		lo: C.float(t.lo), hi: C.float(t.hi),
		ops: (*C.taso_op)(t.ops), nops: n64(t.nops),
		row0: n64(t.row0), off0: n64(t.off0), rowlen: n64(t.rowLen),
	}
	if t.clamp {
		c.clamp = 1
	}
	return c
}

func (t cTable) name() string     { return C.GoString(t.t.name) }
func (t cTable) gemmScratch() int { return int(C.taso_gemm_scratch(t.t)) }
func (t cTable) packedA(m, k int) int {
	return int(C.taso_packed_a(t.t, n64(m), n64(k)))
}
func (t cTable) packedB(n, k int) int {
	return int(C.taso_packed_b(t.t, n64(n), n64(k)))
}
func (t cTable) packA(to, a ptr, m, k, ars, acs int) {
	C.taso_pack_a(t.t, fp(to), fp(a), n64(m), n64(k), n64(ars), n64(acs))
}
func (t cTable) packB(to, b ptr, n, k, brs, bcs int) {
	C.taso_pack_b(t.t, fp(to), fp(b), n64(n), n64(k), n64(brs), n64(bcs))
}

func (g *gemm) c64() C.taso_gemm {
	return C.taso_gemm{
		m: n64(g.m), n: n64(g.n), k: n64(g.k),
		a: fp(g.a), ars: n64(g.ars), acs: n64(g.acs), ap: fp(g.ap),
		b: fp(g.b), brs: n64(g.brs), bcs: n64(g.bcs), bp: fp(g.bp),
		c: fp(g.c), ldc: n64(g.ldc), tail: g.tail.c(), scratch: fp(g.scratch),
	}
}

func (t cTable) gemm(g *gemm) {
	c := g.c64()
	C.taso_run_gemm(t.t, &c)
}

func (g *conv) c64() C.taso_conv {
	c := C.taso_conv{
		o: n64(g.o), c: n64(g.c), kh: n64(g.kh), kw: n64(g.kw),
		oh: n64(g.oh), ow: n64(g.ow), sh: n64(g.sh), sw: n64(g.sw), dh: n64(g.dh), dw: n64(g.dw),
		x: fp(g.x), xh: n64(g.xh), xw: n64(g.xw), w: fp(g.w), y: fp(g.y),
		tail: g.tail.c(), scratch: fp(g.scratch), way: C.int32_t(g.way),
	}
	return c
}

func (t cTable) convScratch(g *conv) int {
	c := g.c64()
	return int(C.taso_conv_scratch(t.t, &c))
}

func (t cTable) conv(g *conv) {
	c := g.c64()
	C.taso_run_conv(t.t, &c)
}

func (g *window) c64() C.taso_window {
	return C.taso_window{
		c: n64(g.c), h: n64(g.h), w: n64(g.w), oh: n64(g.oh), ow: n64(g.ow),
		kh: n64(g.kh), kw: n64(g.kw), sh: n64(g.sh), sw: n64(g.sw), dh: n64(g.dh), dw: n64(g.dw), top: n64(g.top), left: n64(g.left),
		x: fp(g.x), k: fp(g.k), y: fp(g.y), kind: C.int32_t(g.kind),
		tail: g.tail.c(), scratch: fp(g.scratch),
	}
}

func (t cTable) windowScratch(g *window) int {
	c := g.c64()
	return int(C.taso_window_scratch(t.t, &c))
}

func (t cTable) window(g *window) {
	c := g.c64()
	C.taso_run_window(t.t, &c)
}

func (t cTable) dots(y, x, k ptr, rows, n int, tail *tail) {
	c := tail.c()
	C.taso_dots(t.t, fp(y), fp(x), fp(k), n64(rows), n64(n), &c)
}

func (t cTable) padImage(to, x ptr, c, h, w, top, left, xh, xw int) {
	C.taso_pad_image(t.t, fp(to), fp(x), n64(c), n64(h), n64(w), n64(top), n64(left), n64(xh), n64(xw))
}

func (t cTable) weave(y, x ptr, planes, rows, n, step, per, plane, line int) {
	C.taso_weave(t.t, fp(y), fp(x), n64(planes), n64(rows), n64(n), n64(step), n64(per), n64(plane), n64(line))
}

func (t cTable) chain(y, x ptr, rows, n, rowMod int, ops ptr, nops int) {
	C.taso_chain(t.t, fp(y), fp(x), n64(rows), n64(n), n64(rowMod), (*C.taso_op)(ops), n64(nops))
}

func (t cTable) softmax(y, x ptr, outer, n, inner int) {
	C.taso_softmax(t.t, fp(y), fp(x), n64(outer), n64(n), n64(inner))
}

func (t cTable) layerNorm(y, x, scale, bias ptr, rows, n int, eps float32) {
	C.taso_layernorm(t.t, fp(y), fp(x), fp(scale), fp(bias), n64(rows), n64(n), C.float(eps))
}

func (t cTable) reduce(y, x ptr, outer, n, inner int, kind int32) {
	C.taso_reduce(t.t, fp(y), fp(x), n64(outer), n64(n), n64(inner), C.int32_t(kind))
}

func (t cTable) lerp(y, x ptr, outer, n, m, inner int, i0, i1, w ptr) {
	C.taso_lerp(t.t, fp(y), fp(x), n64(outer), n64(n), n64(m), n64(inner), (*C.int32_t)(i0), (*C.int32_t)(i1), fp(w))
}

func (t cTable) move(to, from ptr, bytes int, axes []axis) {
	var m C.taso_move
	setMove(&m, bytes, axes)
	C.taso_run_move(t.t, to, from, &m)
}

func setMove(m *C.taso_move, bytes int, axes []axis) {
	m.rank, m.bytes = C.int32_t(len(axes)), C.int32_t(bytes)
	for i, a := range axes {
		m.size[i], m.from[i], m.to[i] = n64(a.n), n64(a.from), n64(a.to)
	}
}

// cCalls are calls in C memory, the moves behind them.
type cCalls struct {
	t     cTable
	calls []C.taso_call
	block *block
}

func (t cTable) together(calls []call) (together, error) {
	moves := 0
	for _, c := range calls {
		if c.bytes > 0 {
			moves++
		}
	}
	head := len(calls) * int(unsafe.Sizeof(C.taso_call{}))
	b, err := newBlock(head + moves*int(unsafe.Sizeof(C.taso_move{})))
	if err != nil {
		return nil, err
	}
	cs := unsafe.Slice((*C.taso_call)(b.p), len(calls))
	ms := unsafe.Slice((*C.taso_move)(bytesPtr(b.p, head)), moves)
	for i, c := range calls {
		cs[i] = C.taso_call{y: fp(c.y), x: fp(c.x), rows: n64(c.rows), n: n64(c.n), rowmod: n64(c.rowMod),
			ops: (*C.taso_op)(c.ops), nops: n64(c.nops)}
		if c.bytes > 0 {
			setMove(&ms[0], c.bytes, c.axes)
			cs[i].move, ms = &ms[0], ms[1:]
		}
	}
	return &cCalls{t, cs, b}, nil
}

func (c *cCalls) run()              { C.taso_together(c.t.t, &c.calls[0], n64(len(c.calls))) }
func (c *cCalls) ticks(i int) int64 { return int64(c.calls[i].ticks) }
func (c *cCalls) free()             { c.block.free() }

func (t cTable) zip(y, x, p ptr, n int, single bool, typ wideType, code int32) {
	one := C.int32_t(0)
	if single {
		one = 1
	}
	C.taso_zip(t.t, y, x, p, n64(n), one, C.int32_t(typ), C.int32_t(code))
}

func (t cTable) product(c, a, b ptr, m, n, k, ars, acs int, typ wideType) {
	C.taso_product(t.t, c, a, b, n64(m), n64(n), n64(k), n64(ars), n64(acs), C.int32_t(typ))
}

// hugePage is the size of the pages that large blocks ask for, in bytes.
const hugePage = 2 << 20

// allocate returns bytes of memory, aligned to a page. Blocks that fill a large
// page ask for large ones: a network's weights are read once a run, and
// with small pages looking up their addresses takes as long as reading them.
func allocate(bytes int) (ptr, error) {
	page := 4096
	if bytes >= hugePage {
		page = hugePage
	}
	var p unsafe.Pointer
	if C.posix_memalign(&p, C.size_t(page), C.size_t(bytes)) != 0 {
		return nil, fmt.Errorf("allocate %d bytes: out of memory", bytes)
	}
	if page == hugePage {
		C.taso_huge_pages(p, C.size_t(bytes))
	}
	return p, nil
}

func clearBytes(p ptr, bytes int) { C.memset(p, 0, C.size_t(bytes)) }

func release(p ptr) { C.free(p) }

// trim gives what was released back to the system: glibc keeps blocks of some megabytes,
// as weights are, for who asks next, and the next plan's may not fit.
func trim() { C.taso_trim() }
