package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Fourier transforms are products with constant matrices, of a frame after another
// convolutions with constant kernels.

func signalOperators() []*operator {
	return []*operator{
		{name: "DFT", versions: "17 20", attrs: "axis inverse onesided", lower: lowerDFT},
		{name: "STFT", versions: "17", attrs: "onesided", lower: lowerSTFT},
		{name: "HannWindow", versions: "17", attrs: "output_datatype periodic", fold: evalWindow(0.5, 0.5, 0)},
		{name: "HammingWindow", versions: "17", attrs: "output_datatype periodic", fold: evalWindow(25.0/46, 21.0/46, 0)},
		{name: "BlackmanWindow", versions: "17", attrs: "output_datatype periodic", fold: evalWindow(0.42, 0.5, 0.08)},
		{name: "MelWeightMatrix", versions: "17", attrs: "output_datatype", fold: evalMel},
		{name: "TfIdfVectorizer", versions: "9", lower: lowerTfIdf,
			attrs: "max_gram_length max_skip_count min_gram_length mode ngram_counts ngram_indexes pool_int64s pool_strings weights"},
	}
}

// scalarInt is a single integer, cut to 40 bits.
func scalarInt(k *constant, what string) int {
	if k.len() != 1 || !k.dtype.IsInt() {
		must.Failf("%s is %s%v", what, k.dtype, k.sizes)
	}
	return cut(k.ints)[0]
}

// maxFourier bounds the elements of a matrix of a transform.
const maxFourier = 1 << 23

// fourier is a discrete Fourier transform of a given length of n numbers, of which those
// beyond the length do not count and missing ones are zero.
type fourier struct {
	length, n int
	parts     int // of a number that is read: 1 is real, 2 complex
	inverse   bool
	onesided  bool
}

// rows, columns and parts of a number that comes out.
func (f fourier) sizes() (in, out, parts int) {
	in, out, parts = min(f.n, f.length), f.length, 2
	switch half := f.length/2 + 1; {
	case f.onesided && f.inverse:
		in, parts = min(in, half), 1
	case f.onesided:
		out = half
	}
	return in, out, parts
}

// matrix is [rows*parts that are read, columns*parts that come out].
func (f fourier) matrix(t graph.DType) *constant {
	in, out, parts := f.sizes()
	if n := graph.Product(in, f.parts, out, parts); n > maxFourier {
		must.Do(unsupported("its matrix would have %d elements, at most %d are supported", n, maxFourier))
	}
	k := newConstant(t, in*f.parts, out*parts)
	cos, sin := make([]float64, f.length), make([]float64, f.length)
	for i := range f.length {
		sin[i], cos[i] = math.Sincos(2 * math.Pi * float64(i) / float64(f.length))
		if 2*i%f.length == 0 {
			sin[i] = 0
		}
		if f.inverse {
			cos[i] /= float64(f.length)
			sin[i] /= -float64(f.length)
		}
	}
	for i := range in {
		weight := 1.0
		if f.onesided && f.inverse && i > 0 && 2*i != f.length {
			weight = 2 // it stands for its mirror image, too
		}
		for j := range out {
			a := i * j % f.length
			// (re + i im) (cos - i sin)
			at := func(p, q int) *float64 { return &k.floats[(i*f.parts+p)*out*parts+j*parts+q] }
			*at(0, 0) = model.Round(t, weight*cos[a])
			if parts == 2 {
				*at(0, 1) = model.Round(t, -weight*sin[a])
			}
			if f.parts == 2 {
				if *at(1, 0) = model.Round(t, weight*sin[a]); parts == 2 {
					*at(1, 1) = model.Round(t, weight*cos[a])
				}
			}
		}
	}
	return k
}

// lowerDFT: the axis is an attribute before operator set 20 and an input since.
func lowerDFT(c *call) {
	in, im := c.need(1, 3), c.im
	x := in[0]
	c.arithmetic("", x)
	r := x.rank()
	f := fourier{inverse: c.bit("inverse", 0), onesided: c.bit("onesided", 0)}
	if r < 2 || x.sizes()[r-1] > 2 {
		must.Failf("%s: want one number or two on the last axis", x)
	}
	f.parts = x.sizes()[r-1]
	a := 1
	if im.opset < 20 {
		a = c.axisAttr(1, r)
	} else {
		a = r - 2
		if k := c.known(2, "axis"); k != nil {
			a = axis(scalarInt(k, "its axis"), r)
		}
	}
	if a == r-1 {
		must.Failf("axis %d of %s holds real and imaginary parts", a, x)
	}
	switch {
	case f.onesided && !f.inverse && f.parts == 2:
		must.Do(unsupported("onesided = 1 with complex input is not supported"))
	case f.onesided && f.inverse && f.parts == 1:
		must.Do(unsupported("onesided = 1 and inverse = 1 with real input is not supported"))
	}
	f.n = x.sizes()[a]
	f.length = f.n
	if f.onesided && f.inverse {
		f.length = 2 * (f.n - 1)
	}
	if k := c.known(1, "length"); k != nil {
		f.length = scalarInt(k, "its length")
	}
	if f.length < 1 || f.length > maxFourier {
		must.Failf("a transform of length %d", f.length)
	}
	rows, out, parts := f.sizes()
	m := f.matrix(x.dtype)
	x = im.slice(x, a, 0, rows)
	perm := append(append(upTo(0, a), upTo(a+1, r-1)...), a, r-1)
	x = im.transpose(x, perm...)
	lead := slices.Clone(x.sizes()[:r-2])
	y := im.do("matmul", im.reshape(x, graph.NumElements(lead), rows*f.parts), valueOf(m))
	y = im.reshape(y, append(lead, out, parts)...)
	back := make([]int, r)
	for i, p := range perm {
		back[p] = i
	}
	c.set(im.transpose(y, back...))
}

// lowerSTFT: a convolution, whose kernels are the columns of the matrix of a transform
// under a window.
func lowerSTFT(c *call) {
	in, im := c.need(2, 4), c.im
	x, window := in[0], in[2]
	c.arithmetic("", x)
	if x.rank() != 3 || x.sizes()[2] > 2 {
		must.Failf("%s: want [batch, length, 1 or 2]", x)
	}
	step := scalarInt(c.known(1, "step"), "its step")
	f := fourier{parts: x.sizes()[2], onesided: c.bit("onesided", 1)}
	long := c.known(3, "length of a frame")
	switch {
	case long != nil:
		f.length = scalarInt(long, "its length of a frame")
	case window != nil && window.rank() == 1:
		f.length = window.sizes()[0]
	default:
		f.length = x.sizes()[1]
	}
	if step < 1 || f.length < 1 || f.length > x.sizes()[1] || window != nil && (window.rank() != 1 || window.sizes()[0] != f.length || window.dtype != x.dtype) {
		must.Failf("frames of %d, each %d behind another, of %s under a window %v", f.length, step, x, window)
	}
	if f.onesided && f.parts == 2 {
		must.Do(unsupported("onesided = 1 with complex input is not supported"))
	}
	f.n = f.length
	_, out, parts := f.sizes()
	m := f.matrix(x.dtype)
	// [length, parts, out*parts] as [out*parts, parts, length]
	kernel := newConstant(x.dtype, out*parts, f.parts, f.length)
	graph.Each([]int{f.length, f.parts, out * parts}, func(flat int, idx []int) {
		kernel.floats[(idx[2]*f.parts+idx[1])*f.length+idx[0]] = m.floats[flat]
	})
	w := valueOf(kernel)
	if window != nil {
		w = im.do("ewmul", w, im.broadcast(im.reshape(window, 1, 1, f.length), kernel.sizes...))
	}
	y := im.convolve(im.transpose(x, 0, 2, 1), w, strided(f.length, step), 1)
	frames := y.sizes()[2]
	c.set(im.reshape(im.transpose(y, 0, 2, 1), x.sizes()[0], frames, out, parts))
}

// strided is a window of n cells along one axis, without pads.
func strided(n, step int) *window {
	return &window{kernel: []int{n}, stride: []int{step}, dilation: []int{1}, before: []int{0}, after: []int{0}, valid: true}
}
