package kernel_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/lower"
)

// What the libraries are asked for, computed in float64 by the definition, with every
// access inside of its array.

// floats32 are the numbers from a pointer on; nil where it points at nothing.
type floats32 struct {
	b []byte
}

func (f floats32) at(i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(f.b[4*i:])))
}

func (f floats32) set(i int, x float64) {
	binary.LittleEndian.PutUint32(f.b[4*i:], math.Float32bits(float32(x)))
}

// at is the memory from a pointer on.
func (r *run) at(a kernel.Ref, scratch []byte) floats32 {
	switch a.Value {
	case lower.None:
		return floats32{}
	case kernel.Scratch:
		return floats32{scratch[a.Offset:]}
	}
	v := &r.p.Values[a.Value]
	return floats32{r.bufs[v.Buffer][int64(v.Offset*v.DType.Bytes())+a.Offset:]}
}

// ended is what an epilogue makes of a sum.
func ended(sum float64, full floats32, at int, bias floats32, place int, relu bool) float64 {
	if full.b != nil {
		sum += full.at(at)
	}
	if bias.b != nil {
		sum += bias.at(place)
	}
	if relu {
		sum = math.Max(sum, 0)
	}
	return sum
}

func (r *run) matmul(m *kernel.Matmul, scratch []byte) error {
	// What cuBLASLt wants of the matrices as they are stored.
	if m.M < 1 || m.N < 1 || m.K < 1 || m.Batch < 1 || m.LDD < m.N {
		return fmt.Errorf("a product of %+v", *m)
	}
	if row := map[bool]int{false: m.K, true: m.M}[m.TransA]; m.LDA < row {
		return fmt.Errorf("rows of %d in a first matrix with %d to a row", row, m.LDA)
	}
	if row := map[bool]int{false: m.N, true: m.K}[m.TransB]; m.LDB < row {
		return fmt.Errorf("rows of %d in a second matrix with %d to a row", row, m.LDB)
	}
	a, b, c, d, bias := r.at(m.A, scratch), r.at(m.B, scratch), r.at(m.C, scratch), r.at(m.D, scratch), r.at(m.Bias, scratch)
	place := func(trans bool, ld, row, col int) int {
		if trans {
			row, col = col, row
		}
		return row*ld + col
	}
	for z := range m.Batch {
		for i := range m.M {
			for j := range m.N {
				sum := 0.0
				for q := range m.K {
					sum += a.at(z*m.StrideA+place(m.TransA, m.LDA, i, q)) * b.at(z*m.StrideB+place(m.TransB, m.LDB, q, j))
				}
				at := z*m.StrideD + i*m.LDD + j
				d.set(at, ended(sum, c, at, bias, j, m.Relu))
			}
		}
	}
	return nil
}

func (r *run) conv(c *kernel.Conv, scratch []byte) error {
	for i := range 2 {
		if n := (c.X[2+i]+2*c.Pad[i]-(c.W[2+i]-1)*c.Dilation[i]-1)/c.Stride[i] + 1; n != c.Y[2+i] || c.Pad[i] < 0 {
			return fmt.Errorf("%d windows along axis %d of %+v", n, 2+i, *c)
		}
	}
	if c.X[0] != c.Y[0] || c.W[0] != c.Y[1] || c.X[1] != c.Groups*c.W[1] || c.W[0]%c.Groups != 0 {
		return fmt.Errorf("a convolution of %+v", *c)
	}
	x, w, z, y, bias := r.at(c.Image, scratch), r.at(c.Kernel, scratch), r.at(c.Z, scratch), r.at(c.Out, scratch), r.at(c.Bias, scratch)
	at := 0
	for b := range c.Y[0] {
		for o := range c.Y[1] {
			first := o / (c.W[0] / c.Groups) * c.W[1]
			for i := range c.Y[2] {
				for j := range c.Y[3] {
					sum := 0.0
					for q := range c.W[1] {
						for u := range c.W[2] {
							for v := range c.W[3] {
								row, col := i*c.Stride[0]-c.Pad[0]+u*c.Dilation[0], j*c.Stride[1]-c.Pad[1]+v*c.Dilation[1]
								if row < 0 || row >= c.X[2] || col < 0 || col >= c.X[3] {
									continue
								}
								sum += x.at(((b*c.X[1]+first+q)*c.X[2]+row)*c.X[3]+col) * w.at(((o*c.W[1]+q)*c.W[2]+u)*c.W[3]+v)
							}
						}
					}
					y.set(at, ended(sum, z, at, bias, o, c.Relu))
					at++
				}
			}
		}
	}
	return nil
}

// library does a call of a library by the definition. In the first run of a graph its fallback
// has to give the same.
func (r *run) library(c kernel.Call, k *lower.Kernel, scratch []byte) error {
	if len(c.Fallback) == 0 {
		return errors.New("a call without a fallback")
	}
	var err error
	to := r.at(kernel.Ref{Value: k.Out[0]}, scratch)
	before := slices.Clone(to.b)
	if c.Matmul != nil {
		err = r.matmul(c.Matmul, scratch)
	} else {
		err = r.conv(c.Conv, scratch)
	}
	if err != nil {
		return err
	}
	if r.known {
		return nil
	}
	done := slices.Clone(to.b)
	want := make([]float64, r.p.Values[k.Out[0]].Elements())
	for i := range want {
		want[i] = to.at(i)
	}
	copy(to.b, before)
	for _, f := range c.Fallback {
		if err := r.launch(f, k, scratch); err != nil {
			return err
		}
	}
	for i, w := range want {
		if v := to.at(i); v != w && !(math.IsNaN(v) && math.IsNaN(w)) && !(math.Abs(v-w) <= 1e-5*(1+math.Abs(w))) {
			return fmt.Errorf("element %d is %v by the library, %v by the fallback", i, w, v)
		}
	}
	copy(to.b, done)
	return nil
}
