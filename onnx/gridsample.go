package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Images read at places that a grid holds. Of each place come the cells around it and
// their weights by axis; the cells are gathered, and what is outside may be a cell of a
// border of zeros around the image.

// sight is a cell beside each of many places along an axis, and its weight; nil is 1.
type sight struct{ at, weight *value }

// sampled is what reads along an axis of a number of cells.
type sampled struct {
	im      *importer
	cells   int
	outside string // zeros, border or reflection
	corners bool   // -1 and 1 are middles of cells
}

func lowerGridSample(c *call) {
	in, im := c.need(2, 2), c.im
	x, grid := in[0], in[1]
	n := x.rank() - 2
	if n < 1 || grid.rank() != x.rank() || grid.sizes()[0] != x.sizes()[0] || grid.sizes()[n+1] != n || !grid.dtype.IsFloat() {
		must.Failf("input %s and grid %s do not fit", x, grid)
	}
	mode := c.text("mode", "linear")
	switch mode {
	case "bilinear":
		mode = "linear"
	case "bicubic":
		mode = "cubic"
	case "linear", "nearest", "cubic":
	default:
		must.Failf("mode is %q", clip(mode))
	}
	if mode != "nearest" {
		c.arithmetic("", x)
	}
	if n > 3 || mode == "cubic" && n > 2 {
		must.Do(unsupported("%d spatial axes in mode %s are not supported", n, mode))
	}
	outside := c.text("padding_mode", "zeros")
	if outside != "zeros" && outside != "border" && outside != "reflection" {
		must.Failf("padding_mode is %q", clip(outside))
	}
	if grid.dtype == graph.Float16 || grid.dtype == graph.BFloat16 {
		grid = im.cast(grid, graph.Float32)
	}
	axes := make([][]sight, n)
	for i := range n {
		s := sampled{im, x.sizes()[2+i], outside, c.flag("align_corners")}
		at := im.slice(grid, n+1, n-1-i, n-i)
		axes[i] = s.sights(s.place(im.reshape(at, at.elements())), mode)
	}
	if outside == "zeros" {
		around := append([]int{0, 0}, ones(n)...)
		x = im.pad(x, around, around, 0)
	}
	y := im.weighed(x, axes)
	c.set(im.reshape(y, append(slices.Clone(x.sizes()[:2]), grid.sizes()[1:n+1]...)...))
}

// plus adds a number.
func (im *importer) plus(v *value, x float64) *value { return im.do("ewadd", v, im.scalar(v, x)) }

// clipped is v between two numbers.
func (im *importer) clipped(v *value, lo, hi float64) *value {
	return im.apply("clip", attrs{"lo": graph.NumberValue(lo), "hi": graph.NumberValue(hi)}, v)
}

// place is a number from -1 to 1 as one of cells, of which 0 is the middle of the first.
func (s sampled) place(v *value) *value {
	im, n := s.im, float64(s.cells)
	v = im.plus(v, 1)
	if s.corners {
		return im.scale(im.scale(v, 0.5), n-1)
	}
	return im.scale(im.plus(im.scale(v, n), -1), 0.5)
}

// borders are the ends of the axis, outside of which places are moved.
func (s sampled) borders() (lo, hi float64) {
	if s.corners {
		return 0, float64(s.cells - 1)
	}
	return -0.5, float64(s.cells) - 0.5
}

// reflected is v thrown back at the borders until it is within: lo + w - |r - w|, where w is
// how far they are apart and r what |v - lo| leaves of the double of that.
func (s sampled) reflected(v *value) *value {
	im := s.im
	lo, hi := s.borders()
	w := hi - lo
	if w == 0 {
		return im.scalar(v, lo)
	}
	far := im.do("abs", im.plus(v, -lo))
	r := im.do("ewsub", far, im.scale(im.do("floor", im.scale(far, 1/(2*w))), 2*w))
	return im.plus(im.do("neg", im.do("abs", im.plus(r, -w))), lo+w)
}

// cell is the number of a cell of the image, or of the border of zeros.
func (s sampled) cell(v *value) *value {
	im, last := s.im, float64(s.cells-1)
	if s.outside == "zeros" {
		return im.cast(im.plus(im.clipped(v, -1, last+1), 1), graph.Int64)
	}
	return im.cast(im.clipped(v, 0, last), graph.Int64)
}

func (s sampled) sights(v *value, mode string) []sight {
	im, last := s.im, float64(s.cells-1)
	if mode == "nearest" {
		v = im.do("round", v)
		if s.outside == "reflection" {
			v = s.reflected(v)
		}
		return []sight{{s.cell(v), nil}}
	}
	switch {
	case s.outside == "reflection":
		v = s.reflected(v)
	case s.outside == "border" && mode == "linear":
		v = im.clipped(v, 0, last)
	default:
		// Beyond, all cells that count are the same. With a border, a cubic's cells are
		// moved one by one, as PyTorch and ONNX Runtime do and ONNX's reference does not.
		v = im.clipped(v, -3, last+3)
	}
	first := im.do("floor", v)
	t := im.do("ewsub", v, first)
	if mode == "linear" {
		return []sight{{s.cell(first), im.plus(im.do("neg", t), 1)}, {s.cell(im.plus(first, 1)), t}}
	}
	// Keys' cubic convolution with a = -3/4, by powers of t from the third down.
	const a = -0.75
	var out []sight
	for i, k := range [][4]float64{{a, -2 * a, a, 0}, {a + 2, -a - 3, 0, 1}, {-a - 2, 2*a + 3, -a, 0}, {-a, a, 0, 0}} {
		w := im.scale(t, k[0])
		for j, x := range k[1:] {
			if x != 0 {
				w = im.plus(w, x)
			}
			if j < 2 {
				w = im.do("ewmul", w, t)
			}
		}
		at := im.plus(first, float64(i-1))
		if s.outside == "reflection" {
			at = s.reflected(at)
		}
		out = append(out, sight{s.cell(at), w})
	}
	return out
}

// corner is a cell of an image beside each of many places, by its number, and its weight;
// nil is 1.
type corner struct{ at, weight *value }

// corners are the combinations of what places see along each axis of an image.
func (im *importer) corners(image []int, axes [][]sight) (all []corner) {
	var visit func(i int, c corner)
	visit = func(i int, c corner) {
		if i == len(image) {
			all = append(all, c)
			return
		}
		for _, t := range axes[i] {
			next := corner(t)
			if c.at != nil {
				next.at = im.do("ewadd", im.do("ewmul", c.at, im.whole(image[i], t.at.sizes()...)), t.at)
			}
			if c.weight != nil {
				next.weight = im.do("ewmul", c.weight, t.weight)
			}
			visit(i+1, next)
		}
	}
	visit(0, corner{})
	return all
}

// cellsOf are the cells of images [batch, channels, …], image after image: [cells, channels].
func (im *importer) cellsOf(x *value) *value {
	batch, channels, cells := x.sizes()[0], x.sizes()[1], graph.NumElements(x.sizes()[2:])
	return im.reshape(im.transpose(im.reshape(x, batch, channels, cells), 0, 2, 1), batch*cells, channels)
}

// weighed sums the cells of an image [batch, channels, …] at places, of which each sample
// has as many, by what they see along each axis: [batch, channels, places].
func (im *importer) weighed(x *value, axes [][]sight) *value {
	batch, channels, cells := x.sizes()[0], x.sizes()[1], graph.NumElements(x.sizes()[2:])
	all := axes[0][0].at.elements()
	// Cells are columns of the image, or rows of all images: of many channels, a row is read
	// faster.
	from, axis, column := x, 1, []int{1, all}
	base, columns := newConstant(graph.Int64, all), batch == 1 && channels < 8
	if columns {
		from = im.reshape(x, channels, cells)
	} else {
		from, axis, column = im.cellsOf(x), 0, []int{all, 1}
		for i := range all {
			base.ints[i] = int64(i / (all / batch) * cells)
		}
	}
	var sum *value
	for _, k := range im.corners(x.sizes()[2:], axes) {
		if batch > 1 {
			k.at = im.do("ewadd", k.at, valueOf(base))
		}
		y := im.apply("gather", attrs{"axis": graph.IntValue(axis)}, from, k.at)
		if k.weight != nil {
			y = im.do("ewmul", y, im.broadcastTo(im.reshape(im.cast(k.weight, x.dtype), column...), y.dims()))
		}
		if sum == nil {
			sum = y
		} else {
			sum = im.do("ewadd", sum, y)
		}
	}
	if columns {
		return im.reshape(sum, 1, channels, all)
	}
	return im.transpose(im.reshape(sum, batch, all/batch, channels), 0, 2, 1)
}
