package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// lowerCenterCrop: what is too long is cut at both ends, and what is too short gets zeros
// there; of an odd number the end has one more.
func lowerCenterCrop(c *call) {
	in, im := c.need(2, 2), c.im
	x := in[0]
	axes := axesOrAll(c.ints("axes"), x.rank())
	to := c.knownInts(1, "shape")
	if len(to) != len(axes) {
		must.Failf("%d sizes for %d axes", len(to), len(axes))
	}
	before, after := make([]int, x.rank()), make([]int, x.rank())
	for i, a := range axes {
		if to[i] < 1 || to[i] > graph.MaxSize {
			must.Failf("a size of %d", to[i])
		}
		switch d := x.sizes()[a] - to[i]; {
		case d > 0:
			x = im.slice(x, a, d/2, d/2+to[i])
		case d < 0:
			before[a] = -d / 2
			after[a] = -d - before[a]
		}
	}
	c.set(im.pad(x, before, after, 0))
}

// maxSummed bounds the places that sums of elements have.
const maxSummed = 1 << 22

// summed are sums of columns of [rows, columns]: of each number of the result, which columns.
func (im *importer) summed(x *value, columns [][]int) *value {
	most := 1
	for _, list := range columns {
		most = max(most, len(list))
	}
	rows, n := x.sizes()[0], x.sizes()[1]
	if graph.Product(most, len(columns)) > maxSummed {
		must.Do(unsupported("%d sums of %d elements are too many", len(columns), most))
	}
	at, some := newConstant(graph.Int64, len(columns), most), false
	for i, list := range columns {
		for j := range most {
			if at.ints[i*most+j] = int64(n); j < len(list) {
				at.ints[i*most+j] = int64(list[j])
			} else {
				some = true
			}
		}
	}
	if some { // a column of zeros
		x = im.pad(x, []int{0, 0}, []int{0, 1}, 0)
	}
	if most == 1 {
		at.sizes = at.sizes[:1]
	}
	y := im.apply("gather", attrs{"axis": graph.IntValue(1)}, x, valueOf(at))
	if most == 1 {
		return y
	}
	return im.reshape(im.reduce("reducesum", y, []int{2}, false), rows, len(columns))
}

// lowerCol2Im: each cell of the image is the sum of what blocks have there.
func lowerCol2Im(c *call) {
	in, im := c.need(3, 3), c.im
	x := in[0]
	c.arithmetic("ewadd", x)
	image, block := c.knownInts(1, "image's shape"), c.knownInts(2, "block's shape")
	n := len(image)
	if x.rank() != 3 || len(block) != n || n < 1 {
		must.Failf("input %s does not fit block shape %v and image shape %v", x, block, image)
	}
	for i := range n {
		if block[i] < 1 || image[i] < 1 || block[i] > graph.MaxSize || image[i] > graph.MaxSize {
			must.Failf("block shape %v does not fit image shape %v", block, image)
		}
	}
	win := c.window(len(image), block)
	blocks := win.windows(image, win.explicit(image))
	cells, many := graph.Product(block...), graph.Product(blocks...)
	pixels := graph.Product(image...)
	if graph.Product(slices.Concat(block, blocks)...) > maxSummed || pixels > maxSummed {
		must.Do(unsupported("an image of %d elements with %d blocks of %d elements is too large", pixels, many, cells))
	}
	if int64(x.sizes()[1])%cells != 0 || int64(x.sizes()[2]) != many {
		must.Failf("input %s does not fit %v blocks of shape %v", x, blocks, block)
	}
	columns, step := make([][]int, pixels), graph.Strides(image)
	graph.Each(block, func(cell int, at []int) {
		graph.Each(blocks, func(number int, of []int) {
			pixel := 0
			for i := range n {
				p := of[i]*win.stride[i] - win.before[i] + at[i]*win.dilation[i]
				if p < 0 || p >= image[i] {
					return
				}
				pixel += p * step[i]
			}
			columns[pixel] = append(columns[pixel], cell*int(many)+number)
		})
	})
	channels := x.sizes()[1] / int(cells)
	y := im.summed(im.reshape(x, x.sizes()[0]*channels, int(cells*many)), columns)
	c.set(im.reshape(y, append([]int{x.sizes()[0], channels}, image...)...))
}

// lowerAffineGrid: the product of matrices with the places of an image, which are from -1
// to 1 along each axis, the last axis first.
func lowerAffineGrid(c *call) {
	in, im := c.need(2, 2), c.im
	theta := in[0]
	c.arithmetic("", theta)
	size := c.knownInts(1, "size")
	n := len(size) - 2
	if n != 2 && n != 3 || !slices.Equal(theta.sizes(), []int{size[0], n, n + 1}) {
		must.Failf("matrices %s do not fit size %v", theta, size)
	}
	image, corners := size[2:], c.flag("align_corners")
	for _, s := range image {
		if s < 1 || s > graph.MaxSize {
			must.Failf("sizes %v", size)
		}
		if corners && s == 1 {
			must.Do(unsupported("align_corners with an axis of size 1 is not supported"))
		}
	}
	cells := graph.Product(image...)
	if cells > maxConstant/4 {
		must.Do(unsupported("a grid of %d points is too large", cells))
	}
	at := newConstant(theta.dtype, int(cells), n+1) // its transpose, as the result is
	graph.Each(image, func(cell int, idx []int) {
		for i, p := range idx {
			x := (2*float64(p)+1)/float64(image[i]) - 1
			if corners {
				x = 2*float64(p)/float64(image[i]-1) - 1
			}
			at.floats[cell*(n+1)+n-1-i] = model.Round(at.dtype, x)
		}
		at.floats[cell*(n+1)+n] = 1
	})
	y := im.product(valueOf(at), im.transpose(theta, 0, 2, 1))
	c.set(im.reshape(y, append(append([]int{size[0]}, image...), n)...))
}
