package kernel

import (
	"fmt"
	"strings"
)

// tiles is a batch of products of matrices, [m, k] times [k, n], which blocks of threads
// compute tile by tile: a strip of each operand goes through shared memory, step by step
// along k, and each thread keeps some elements of the tile in registers. Elements are
// sums in the order of k.
//
//	for k0 in steps of deep:   as = a[tile's rows, k0..]   bs = b[k0.., tile's columns]
//	    for kk:                acc[i][j] += as[kk][row i] * bs[kk][column j]
type tiles struct {
	m, n, k, batch int
	// begin writes what depends on product z.
	begin func(z string)
	a, b  side
	// store writes what is done with v, the element of a row and a column of product
	// number z.
	store func(v, z, row, col string) error
}

// side is one of the two operands of a product.
type side struct {
	// alongK: memory runs along k, so neighbouring threads read along k. Otherwise it
	// runs along the rows of a, or the columns of b.
	alongK bool
	// fixed writes what depends on the row of a, or column of b; it may be nil.
	fixed func(at string)
	// element is the element there and at k, and the conditions under which it is not 0;
	// it may write lines before.
	element func(at, k string) (code string, inside []string)
}

// A block is side by side threads, which go along k in steps of deep.
const (
	across      = 16
	deep        = 16
	tileThreads = across * across
)

// tileSides are how many rows and columns a tile has: as many as there are, up to
// what keeps a thread's registers busy, and less where there would be few tiles.
func tileSides(m, n, batch int) (rows, cols int) {
	side := func(n int) int {
		switch {
		case n <= 16:
			return 16
		case n <= 32:
			return 32
		}
		return 64
	}
	if m >= 128 && n >= 128 && ceil(m, 128)*ceil(n, 128)*batch >= 128 {
		return 128, 128
	}
	return side(m), side(n)
}

func ceil(n, by int) int { return (n + by - 1) / by }

// tiled writes the kernel of such products and adds its launch; s has nothing but
// declarations so far.
func (b *binder) tiled(s *source, p *tiles, t ctype) error {
	rows, cols := tileSides(p.m, p.n, p.batch)
	tilesM, tilesN := ceil(p.m, rows), ceil(p.n, cols)
	I := s.index
	s.line("__shared__ %s as[%d][%d], bs[%d][%d];", t, deep, rows+1, deep, cols+1)
	s.line("const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * %d + tx;", across)
	idx := s.unravel("blockIdx.x", []int{p.batch, tilesM, tilesN})
	for i := range idx {
		if idx[i] == "" {
			idx[i] = "0"
		}
	}
	z := idx[0]
	s.line("const %s m0 = %s * %d, n0 = %s * %d;", I, idx[1], rows, idx[2], cols)
	s.line("%s acc[%d][%d] = {};", t, rows/across, cols/across)
	p.begin(z)
	s.ahead(&p.a, "a", "m0", rows)
	s.ahead(&p.b, "b", "n0", cols)
	s.open("for (%s k0 = 0; k0 < %d; k0 += %d)", I, p.k, deep)
	s.fill(&p.a, "a", "m0", rows, p.m, p.k)
	s.fill(&p.b, "b", "n0", cols, p.n, p.k)
	s.line("__syncthreads();")
	s.line("#pragma unroll")
	s.open("for (int kk = 0; kk < %d; kk++)", deep)
	s.line("%s x[%d], y[%d];", t, rows/across, cols/across)
	s.line("#pragma unroll")
	s.line("for (int i = 0; i < %d; i++) x[i] = as[kk][ty + i * %d];", rows/across, across)
	s.line("#pragma unroll")
	s.line("for (int j = 0; j < %d; j++) y[j] = bs[kk][tx + j * %d];", cols/across, across)
	s.line("#pragma unroll")
	s.line("for (int i = 0; i < %d; i++)", rows/across)
	s.line("#pragma unroll")
	s.line("\tfor (int j = 0; j < %d; j++) acc[i][j] += x[i] * y[j];", cols/across)
	s.closed()
	s.line("__syncthreads();")
	s.closed()
	s.line("#pragma unroll")
	s.open("for (int i = 0; i < %d; i++)", rows/across)
	s.line("#pragma unroll")
	s.open("for (int j = 0; j < %d; j++)", cols/across)
	s.line("const %s row = m0 + ty + i * %d, col = n0 + tx + j * %d;", I, across, across)
	var inside []string
	if p.m%rows != 0 {
		inside = append(inside, fmt.Sprintf("row < %d", p.m))
	}
	if p.n%cols != 0 {
		inside = append(inside, fmt.Sprintf("col < %d", p.n))
	}
	if len(inside) > 0 {
		s.line("if (!(%s)) continue;", strings.Join(inside, " && "))
	}
	if err := p.store("acc[i][j]", z, "row", "col"); err != nil {
		return err
	}
	s.closed()
	s.closed()
	b.launch(s, [3]int{p.batch * tilesM * tilesN, 1, 1}, [3]int{across, across, 1})
	return nil
}

// ahead writes what a thread knows of its row or column before it goes along k.
func (s *source) ahead(o *side, name, first string, size int) {
	if !o.alongK {
		s.line("const int at_%s = tid %% %d;", name, size)
		s.line("const %s my_%s = %s + at_%s;", s.index, name, first, name)
		if o.fixed != nil {
			o.fixed("my_" + name)
		}
	}
}

// fill writes how a strip of an operand gets into shared memory; what is outside is 0.
func (s *source) fill(o *side, name, first string, size, n, k int) {
	at, step := "my_"+name, tileThreads/size
	if o.alongK {
		step = tileThreads / deep
		s.open("for (int r = tid / %d; r < %d; r += %d)", deep, size, step)
		s.line("const int kk = tid %% %d;", deep)
		s.line("const %s k = k0 + kk, my_%s = %s + r;", s.index, name, first)
		if o.fixed != nil {
			o.fixed(at)
		}
	} else {
		s.open("for (int kk = tid / %d; kk < %d; kk += %d)", size, deep, step)
		s.line("const int r = at_%s;", name)
		s.line("const %s k = k0 + kk;", s.index)
	}
	var inside []string
	if n%size != 0 {
		inside = append(inside, fmt.Sprintf("%s < %d", at, n))
	}
	if k%deep != 0 {
		inside = append(inside, fmt.Sprintf("k < %d", k))
	}
	code, more := o.element(at, "k")
	if inside = append(inside, more...); len(inside) > 0 {
		code = strings.Join(inside, " && ") + " ? " + code + " : 0"
	}
	s.line("%ss[kk][r] = %s;", name, code)
	s.closed()
}
