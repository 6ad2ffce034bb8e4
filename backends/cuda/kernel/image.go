package kernel

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/lower"
)

// window is a window that slides over images.
type window struct {
	b, c, h, w int // of the images
	oh, ow     int // places
	kh, kw     int
	sh, sw     int // strides
	dh, dw     int // dilation
	top, left  int // rows above and columns left of the image
}

func (b *binder) window(a lower.Attrs, x, y []int, kh, kw int) (window, error) {
	stride, _ := a.Get("stride")
	st, ok := stride.Tuple()
	if !ok || len(st) != 2 {
		return window{}, fmt.Errorf("stride %s is not a pair", stride)
	}
	top, left, err := lower.Pads(a, x, kh, kw)
	if err != nil {
		return window{}, err
	}
	dh, dw, err := lower.Dilation(a)
	if err != nil {
		return window{}, err
	}
	g := window{b: x[0], c: x[1], h: x[2], w: x[3], oh: y[2], ow: y[3], kh: kh, kw: kw, sh: int(st[0]), sw: int(st[1])}
	g.dh, g.top = lower.Closer(kh, dh, top, g.h, (g.oh-1)*g.sh)
	g.dw, g.left = lower.Closer(kw, dw, left, g.w, (g.ow-1)*g.sw)
	return g, nil
}

// reach is how many rows and columns there are from the first to the last of a window.
func (g *window) reach() (h, w int) { return (g.kh-1)*g.dh + 1, (g.kw-1)*g.dw + 1 }

// seen is the size of an image of which the windows see each cell, the padding on all
// sides included.
func (g *window) seen() (h, w int) {
	h, w = g.reach()
	return (g.oh-1)*g.sh + h, (g.ow-1)*g.sw + w
}

// outside says whether some window sees padding above or below, left or right.
func (g *window) outside() (rows, cols bool) {
	h, w := g.seen()
	return g.top > 0 || h-g.top > g.h, g.left > 0 || w-g.left > g.w
}

// even says whether a library that pads equally on both sides has as many windows. One
// that is larger than the padded image has no place there, whatever the quotient says.
func (g *window) even() bool {
	h, w := g.reach()
	h, w = g.h+2*g.top-h, g.w+2*g.left-w
	return h >= 0 && w >= 0 && h/g.sh+1 == g.oh && w/g.sw+1 == g.ow
}

// corner declares where in the image the window at (y, x) begins, and returns the names;
// "" is 0.
func (s *source) corner(g *window, y, x string) (row, col string) {
	begin := func(at string, stride, before int) string {
		e := s.place([]string{at}, []int{stride}, 0)
		if before != 0 {
			e += fmt.Sprintf(" - %d", before)
		}
		if e == "0" {
			return ""
		}
		v := s.name()
		s.line("const %s %s = %s;", s.index, v, e)
		return v
	}
	return begin(y, g.sh, g.top), begin(x, g.sw, g.left)
}

// inside are the conditions under which a cell of the image is there.
func (g *window) inside(row, col string) []string {
	rows, cols := g.outside()
	var out []string
	add := func(open bool, at string, n int) {
		if open && at != "" {
			out = append(out, fmt.Sprintf("%s >= 0 && %s < %d", at, at, n))
		}
	}
	add(rows, row, g.h)
	add(cols, col, g.w)
	return out
}

// sum is the sum of two indices, of which "" is 0.
func (s *source) sum(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	v := s.name()
	s.line("const %s %s = %s + %s;", s.index, v, a, b)
	return v
}

// times is n times an index, of which "" is 0.
func (s *source) times(at string, n int) string {
	if at == "" {
		return ""
	}
	return s.place([]string{at}, []int{n}, 0)
}

// slide begins a kernel with one thread for each element of a result [b, channels, oh, ow],
// and visits the cells of its window: first writes what comes before, with the channel's
// number in all images, and cell what is done with the cell at place, the window's number tap.
func (s *source) slide(g *window, channels int, first func(image, channel string), cell func(place, tap string)) int {
	n := g.b * channels * g.oh * g.ow
	s.each(n)
	idx := s.unravel("i", []int{g.b, channels, g.oh, g.ow})
	row, col := s.corner(g, idx[2], idx[3])
	first(idx[0], idx[1])
	depth := s.depth
	over := func(name string, n int) string {
		if n == 1 {
			return ""
		}
		if n <= 8 {
			s.line("#pragma unroll")
		}
		s.open("for (int %s = 0; %s < %d; %s++)", name, name, n, name)
		return name
	}
	rows, cols := g.outside()
	r := over("r", g.kh)
	y := s.sum(row, s.times(r, g.dh))
	if in := g.inside(y, ""); rows && len(in) > 0 {
		s.line("if (!(%s)) continue;", strings.Join(in, " && "))
	}
	q := over("q", g.kw)
	x := s.sum(col, s.times(q, g.dw))
	if in := g.inside("", x); cols && len(in) > 0 {
		s.line("if (!(%s)) continue;", strings.Join(in, " && "))
	}
	cell(s.place([]string{y, x}, []int{g.w, 1}, 0), s.place([]string{r, q}, []int{g.kw, 1}, 0))
	for s.depth > depth {
		s.closed()
	}
	return n
}
