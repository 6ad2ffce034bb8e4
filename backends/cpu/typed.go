package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Elements that are not held as float32: float64, and int64 for integers and truth
// values. Integers are computed modulo 2^64 and wrapped to their type behind each
// operation. What is not here runs by its definition.

// numeric is what such kernels compute with; uint64 is of integers whose order is that of
// 64 bits without a sign.
type numeric interface{ int64 | uint64 | float64 }

// all is the memory at p as n elements.
func all[T any](p ptr, n int) []T { return unsafe.Slice((*T)(p), n) }

// elements are those of a dense value.
func elements[T any](v *value) []T { return all[T](v.ptr(), v.Elements()) }

// typed is the binding of the kernel of that name for elements of a type that is not
// held as float32, nil if there is none.
func typed(as string, held, t graph.DType) binding {
	switch {
	case held == graph.Float64:
		return typedFloat[as]
	case t == graph.Uint64:
		return typedUint[as]
	}
	return typedInt[as]
}

var (
	typedInt   = typedKernels[int64]()
	typedUint  = typedKernels[uint64]()
	typedFloat = typedKernels[float64]()
)

func init() { // of float64 alone
	typedFloat["softmax"], typedFloat["layernorm"], typedFloat["affine"] = bindTypedSoftmax, bindTypedLayerNorm, prepareTypedAffine
}

func typedKernels[T numeric]() map[string]binding {
	return map[string]binding{
		"chain":     bindTypedChain[T],
		"reducesum": bindTypedReduce[T], "reducemean": bindTypedReduce[T], "reducemax": bindTypedReduce[T],
		"matmul": bindTypedMatMul[T],
		"conv2d": bindTypedConv[T], "depthwise": bindTypedConv[T], "dots": bindTypedConv[T],
	}
}

// wrap brings integers back into their type.
func wrap[T numeric](t graph.DType, ys []T) {
	xs, ok := any(ys).([]int64)
	if !ok || t.Bits() == 64 {
		return
	}
	left := 64 - t.Bits()
	switch {
	case t.IsSigned():
		for i, x := range xs {
			xs[i] = x << left >> left
		}
	case t.IsUnsigned():
		for i, x := range xs {
			xs[i] = int64(uint64(x) << left >> left)
		}
	default:
		for i, x := range xs {
			xs[i] = model.Wrap(t, x)
		}
	}
}

// bindTypedReduce adds up, averages or takes the largest. A mean of integers must be
// one.
func bindTypedReduce[T numeric](b *binder, k *lower.Kernel, s *step) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	outer, n, inner := k.Span[0], k.Span[1], k.Span[2]
	largest, mean := k.As == "reducemax", k.As == "reducemean"
	s.run = func(ptr) error {
		from, to := all[T](x.ptr(), outer*n*inner), all[T](y.ptr(), outer*inner)
		for o := range outer {
			row := to[o*inner:][:inner]
			copy(row, from[o*n*inner:])
			for j := 1; j < n; j++ {
				next := from[(o*n+j)*inner:][:inner]
				if largest {
					for i, v := range next {
						row[i] = max(row[i], v)
					}
					continue
				}
				for i, v := range next {
					row[i] += v
				}
			}
		}
		if mean {
			for i, sum := range to {
				if to[i] = sum / T(n); x.DType == graph.Int64 && to[i]*T(n) != sum {
					return fmt.Errorf("the mean %v/%d is no integer", sum, n)
				}
			}
		}
		wrap(y.Type, to)
		return nil
	}
	return nil
}

func bindTypedMatMul[T numeric](b *binder, k *lower.Kernel, s *step) error {
	kern, x, w, y := b.t, b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	p := newProduct(x.Value, w.Value)
	m, n, depth := p.a.rows, p.b.cols, p.a.cols
	s.run = func(ptr) error {
		var copied []T // of a second matrix that is not row-major
		for i, first := range p.a.first {
			right := bytesPtr(w.ptr(), 8*p.b.first[i])
			if p.b.cs != 1 || p.b.rs != n {
				if copied == nil || !p.b.one {
					copied = rowMajor(copied, right, p.b)
				}
				right = ptr(unsafe.SliceData(copied))
			}
			kern.product(bytesPtr(y.ptr(), 8*i*m*n), bytesPtr(x.ptr(), 8*first), right, m, n, depth, p.a.rs, p.a.cs, wideOf[T]())
		}
		wrap(y.Type, elements[T](y))
		return nil
	}
	return nil
}

// wideOf is the type as the kernels name it.
func wideOf[T numeric]() wideType {
	switch any(T(0)).(type) {
	case int64:
		return wideSigned
	case uint64:
		return wideUnsigned
	}
	return wideDouble
}

// rowMajor is the matrix at p, copied to to.
func rowMajor[T numeric](to []T, p ptr, m matrices) []T {
	if to == nil {
		to = make([]T, m.rows*m.cols)
	}
	for r := range m.rows {
		for c := range m.cols {
			to[r*m.cols+c] = *(*T)(bytesPtr(p, 8*(r*m.rs+c*m.cs)))
		}
	}
	return to
}

// addScaled adds c times x to y.
func addScaled[T numeric](y, x []T, c T) {
	x = x[:len(y)]
	for i := range y {
		y[i] += c * x[i]
	}
}

// bindTypedConv is a convolution, with any groups.
func bindTypedConv[T numeric](b *binder, k *lower.Kernel, s *step) error {
	x, w, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	a := b.attrs(k.Node)
	groups, err := a.Int("groups")
	if err != nil {
		return err
	}
	g, err := newGeometry(x.Sizes, y.Sizes, w.Sizes[2], w.Sizes[3], a)
	if err != nil {
		return err
	}
	og, cg := g.o/groups, g.c/groups
	s.run = func(ptr) error {
		image, kernel, to := elements[T](x), elements[T](w), elements[T](y)
		clear(to)
		padded := make([]T, g.padH*g.padW)
		for n := range g.b {
			for c := range g.c {
				from := image[(n*g.c+c)*g.h*g.w:]
				for r := range g.h {
					copy(padded[(g.top+r)*g.padW+g.left:], from[r*g.w:][:g.w])
				}
				for o := c / cg * og; o < (c/cg+1)*og; o++ {
					out, ker := to[(n*g.o+o)*g.oh*g.ow:], kernel[(o*cg+c%cg)*g.kh*g.kw:]
					for kr := range g.kh {
						for kc := range g.kw {
							f := ker[kr*g.kw+kc]
							for r := range g.oh {
								line, at := out[r*g.ow:][:g.ow], padded[(r*g.sh+kr*g.dh)*g.padW+kc*g.dw:]
								if g.sw == 1 {
									addScaled(line, at, f)
									continue
								}
								for i := range line {
									line[i] += f * at[i*g.sw]
								}
							}
						}
					}
				}
			}
		}
		wrap(y.Type, to)
		return nil
	}
	return nil
}

func bindTypedSoftmax(b *binder, k *lower.Kernel, s *step) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	outer, n, inner := k.Span[0], k.Span[1], k.Span[2]
	s.run = func(ptr) error {
		from, to := elements[float64](x), elements[float64](y)
		for o := range outer {
			for i := range inner {
				at := func(j int) int { return (o*n+j)*inner + i }
				most, sum := math.Inf(-1), 0.0
				for j := range n {
					most = max(most, from[at(j)])
				}
				for j := range n {
					e := math.Exp(from[at(j)] - most)
					to[at(j)] = e
					sum += e
				}
				for j := range n {
					to[at(j)] /= sum
				}
			}
		}
		return nil
	}
	return nil
}

func bindTypedLayerNorm(b *binder, k *lower.Kernel, s *step) error {
	eps, err := b.attrs(k.Node).Real("eps")
	if err != nil {
		return err
	}
	in, y := b.values(k.In), b.value(k.Out[0])
	rows, n := k.Span[0], k.Span[1]
	s.run = func(ptr) error {
		scale, bias := all[float64](in[1].ptr(), n), all[float64](in[2].ptr(), n)
		for r := range rows {
			x, to := all[float64](in[0].ptr(), rows*n)[r*n:][:n], all[float64](y.ptr(), rows*n)[r*n:][:n]
			var mean, variance float64
			for _, v := range x {
				mean += v / float64(n)
			}
			for _, v := range x {
				variance += (v - mean) * (v - mean) / float64(n)
			}
			f := 1 / math.Sqrt(variance+eps)
			for i, v := range x {
				to[i] = (v-mean)*f*scale[i] + bias[i]
			}
		}
		return nil
	}
	return nil
}

// prepareTypedAffine is prepareAffine for float64.
func prepareTypedAffine(b *binder, k *lower.Kernel, s *step) error {
	eps, err := b.attrs(k.Node).Real("eps")
	if err != nil {
		return err
	}
	params, st := b.values(k.In), b.value(k.Out[0])
	n := st.Elements() / 2
	s.run = func(ptr) error {
		var p [4][]float64 // scale, bias, mean, variance
		for i := range p {
			p[i] = all[float64](params[i].ptr(), n)
		}
		to := elements[float64](st)
		for i := range n {
			to[i] = p[0][i] / math.Sqrt(p[3][i]+eps)
			to[n+i] = p[1][i] - p[2][i]*to[i]
		}
		return nil
	}
	return nil
}
