//go:build cgo

package dl

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// memory lays out operands in one block of device memory, with a gap between.
type memory struct {
	data []float32
	rng  *rand.Rand
}

// add appends n random numbers in steps of 1/8, which all modes but bfloat16 keep,
// and returns their place.
func (m *memory) add(n int) Ref {
	for len(m.data)%64 != 0 {
		m.data = append(m.data, float32(math.NaN()))
	}
	at := len(m.data)
	for range n {
		m.data = append(m.data, float32(m.rng.IntN(33)-16)/8)
	}
	return At(0, int64(4*at))
}

func (m *memory) at(r Ref, i int) float64 { return float64(m.data[int(r.Offset)/4+i]) }

// product is what a Matmul is, by its definition.
func product(m *memory, p Matmul, round func(float64) float64) []float64 {
	out := make([]float64, 0, p.Batch*p.M*p.N)
	for b := range p.Batch {
		for i := range p.M {
			for j := range p.N {
				sum := 0.0
				for k := range p.K {
					x, y := b*int(p.StrideA)+i*int(p.LDA)+k, b*int(p.StrideB)+k*int(p.LDB)+j
					if p.TransA {
						x = b*int(p.StrideA) + k*int(p.LDA) + i
					}
					if p.TransB {
						y = b*int(p.StrideB) + j*int(p.LDB) + k
					}
					sum += round(m.at(p.A, x)) * round(m.at(p.B, y))
				}
				if p.C.Base >= 0 {
					sum += m.at(p.C, b*int(p.StrideC)+i*int(p.LDC)+j)
				}
				if p.Bias.Base >= 0 {
					sum += m.at(p.Bias, j)
				}
				if p.Relu {
					sum = max(sum, 0)
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

// dense is a product of matrices without gaps.
func dense(m *memory, rows, cols, inner, batch int, ta, tb bool) Matmul {
	p := Matmul{M: rows, N: cols, K: inner, Batch: batch, TransA: ta, TransB: tb, C: None, Bias: None}
	p.LDA, p.LDB, p.LDC, p.LDD = int64(inner), int64(cols), int64(cols), int64(cols)
	if ta {
		p.LDA = int64(rows)
	}
	if tb {
		p.LDB = int64(inner)
	}
	p.StrideA, p.StrideB, p.StrideD = int64(rows*inner), int64(inner*cols), int64(rows*cols)
	p.StrideC = p.StrideD
	p.A, p.B, p.D = m.add(batch*rows*inner), m.add(batch*inner*cols), m.add(batch*rows*cols)
	return p
}

// put uploads the operands and runs a plan of one call on them, by each algorithm;
// result returns what is at a place.
func each(t *testing.T, d *Device, m *memory, add func(p *Plan) error, check func(choice int, result func(r Ref, i int) float32)) {
	t.Helper()
	p, err := d.NewPlan(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if err := add(p); err != nil {
		t.Fatal(err)
	}
	n, _, err := p.Choices(0)
	if err != nil || n < 1 {
		t.Fatalf("%d choices, %v", n, err)
	}
	for c := range n {
		base := upload(t, d, m.data...)
		if err := p.Choose(0, c); err != nil {
			t.Fatal(err)
		}
		if err := p.Run([]Ptr{base}); err != nil {
			t.Fatal(err)
		}
		got := download(t, d, base, len(m.data))
		check(c, func(r Ref, i int) float32 { return got[int(r.Offset)/4+i] })
		if err := d.Free(base); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMatmul(t *testing.T) {
	d, _ := onFake(t)
	for _, sizes := range [][4]int{{1, 1, 1, 1}, {4, 8, 12, 1}, {7, 5, 3, 1}, {3, 1, 17, 2}, {8, 16, 4, 3}} {
		for flags := range 32 {
			m := &memory{rng: rand.New(rand.NewPCG(1, uint64(flags)))}
			p := dense(m, sizes[0], sizes[1], sizes[2], sizes[3], flags&1 != 0, flags&2 != 0)
			if flags&4 != 0 {
				p.C = m.add(p.Batch * p.M * p.N)
			}
			if flags&8 != 0 {
				p.Bias = m.add(p.N)
			}
			p.Relu = flags&16 != 0
			want := product(m, p, func(x float64) float64 { return x })
			each(t, d, m, func(plan *Plan) error { return plan.Matmul(p) }, func(choice int, result func(r Ref, i int) float32) {
				for i, w := range want {
					if got := result(p.D, i); math.Abs(float64(got)-w) > 1e-5 {
						t.Fatalf("%+v by %d: result %d is %v, want %v", p, choice, i, got, w)
					}
				}
			})
		}
	}
}

// Strided and shared operands.
func TestMatmulStrides(t *testing.T) {
	d, _ := onFake(t)
	m := &memory{rng: rand.New(rand.NewPCG(1, 2))}
	p := Matmul{M: 3, N: 4, K: 5, Batch: 2, C: None, Bias: None, LDA: 9, LDB: 6, LDD: 7, StrideA: 40, StrideB: 0, StrideD: 30}
	p.A, p.B, p.D = m.add(80), m.add(30), m.add(60)
	want := product(m, p, func(x float64) float64 { return x })
	each(t, d, m, func(plan *Plan) error { return plan.Matmul(p) }, func(choice int, result func(r Ref, i int) float32) {
		for b := range p.Batch {
			for i := range p.M {
				for j := range int(p.LDD) {
					at := b*int(p.StrideD) + i*int(p.LDD) + j
					w := m.at(p.D, at)
					if j < p.N {
						w = want[(b*p.M+i)*p.N+j]
					} else if at >= (p.Batch-1)*int(p.StrideD)+(p.M-1)*int(p.LDD)+p.N {
						continue
					}
					if got := result(p.D, at); float64(got) != w {
						t.Fatalf("by %d: [%d, %d, %d] is %v, want %v", choice, b, i, j, got, w)
					}
				}
			}
		}
	})
}

// bits rounds to so many bits of mantissa.
func bits(n int) func(float64) float64 {
	return func(x float64) float64 {
		f, e := math.Frexp(x)
		return math.Ldexp(math.RoundToEven(math.Ldexp(f, n+1)), e-n-1)
	}
}

// Each math mode rounds operands as it says.
func TestMath(t *testing.T) {
	d, _ := onFake(t)
	for math_, round := range map[Math]func(float64) float64{
		Float32: func(x float64) float64 { return x }, TF32: bits(10), Float16: bits(10), BFloat16: bits(7),
	} {
		m := &memory{rng: rand.New(rand.NewPCG(3, 4))}
		p := dense(m, 4, 4, 8, 1, false, false)
		c := image(m, 2, 4, 6, 6, 4, 3, 3, 1)
		c.PadH, c.PadW = 0, 0
		c.OutH, c.OutW = 4, 4
		for i := range m.data {
			m.data[i] = float32(m.rng.NormFloat64())
		}
		p.Math, c.Math = math_, math_
		want, other := product(m, p, round), product(m, p, func(x float64) float64 { return x })
		far := 0.0
		each(t, d, m, func(plan *Plan) error { return plan.Matmul(p) }, func(choice int, result func(r Ref, i int) float32) {
			for i, w := range want {
				got := float64(result(p.D, i))
				far = max(far, math.Abs(got-other[i]))
				if math.Abs(got-w) > 1e-5 {
					t.Fatalf("%q by %d: result %d is %v, want %v", math_, choice, i, got, w)
				}
			}
		})
		if exact := far < 1e-5; exact != (math_ == Float32) {
			t.Errorf("%q is %v from the exact product", math_, far)
		}
		if math_ == BFloat16 {
			round = bits(10) // cuDNN has no other
		}
		sum := convolution(m, c, round)
		each(t, d, m, func(plan *Plan) error { return plan.Conv(c) }, func(choice int, result func(r Ref, i int) float32) {
			for i, w := range sum {
				if got := float64(result(c.Y, i)); math.Abs(got-w) > 1e-5 {
					t.Fatalf("convolution in %q by %d: result %d is %v, want %v", math_, choice, i, got, w)
				}
			}
		})
	}
}

// image is a convolution with padding that keeps the size, stride 1.
func image(m *memory, n, c, h, w, k, r, s, groups int) Conv {
	v := Conv{N: n, C: c, H: h, W: w, K: k, R: r, S: s, OutH: h, OutW: w, PadH: r / 2, PadW: s / 2, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
		Groups: groups, Bias: None, Z: None}
	v.X, v.Filter, v.Y = m.add(n*c*h*w), m.add(k*c/groups*r*s), m.add(n*k*h*w)
	return v
}

// convolution is what a Conv is, by its definition.
func convolution(m *memory, c Conv, round func(float64) float64) []float64 {
	var out []float64
	per, each := c.C/c.Groups, c.K/c.Groups
	for n := range c.N {
		for k := range c.K {
			for i := range c.OutH {
				for j := range c.OutW {
					sum := 0.0
					for ch := range per {
						for r := range c.R {
							for s := range c.S {
								h, w := i*c.StrideH-c.PadH+r*c.DilationH, j*c.StrideW-c.PadW+s*c.DilationW
								if h >= 0 && h < c.H && w >= 0 && w < c.W {
									x := ((n*c.C+k/each*per+ch)*c.H+h)*c.W + w
									sum += round(m.at(c.X, x)) * round(m.at(c.Filter, ((k*per+ch)*c.R+r)*c.S+s))
								}
							}
						}
					}
					if c.Bias.Base >= 0 {
						sum += m.at(c.Bias, k)
					}
					if c.Z.Base >= 0 {
						sum += m.at(c.Z, len(out))
					}
					if c.Relu {
						sum = max(sum, 0)
					}
					out = append(out, sum)
				}
			}
		}
	}
	return out
}

func TestConv(t *testing.T) {
	d, _ := onFake(t)
	for kind, change := range []func(c *Conv){
		func(c *Conv) {},
		func(c *Conv) { c.StrideH, c.StrideW, c.OutH, c.OutW = 2, 3, (c.H+1)/2, (c.W+2)/3 },
		func(c *Conv) { c.PadH, c.OutH, c.DilationW, c.PadW = 0, c.H-c.R+1, 2, 2*(c.S/2) },
	} {
		for _, s := range [][8]int{{1, 1, 3, 3, 1, 1, 1, 1}, {2, 4, 5, 7, 6, 3, 3, 2}, {1, 6, 5, 5, 6, 5, 5, 6}, {2, 3, 4, 6, 5, 1, 3, 1}} {
			for flags := range 8 {
				m := &memory{rng: rand.New(rand.NewPCG(1, uint64(flags)))}
				c := image(m, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])
				change(&c)
				if flags&1 != 0 {
					c.Bias = m.add(c.K)
				}
				if flags&2 != 0 {
					c.Z = m.add(c.N * c.K * c.OutH * c.OutW)
				}
				c.Relu = flags&4 != 0
				want := convolution(m, c, func(x float64) float64 { return x })
				each(t, d, m, func(plan *Plan) error { return plan.Conv(c) }, func(choice int, result func(r Ref, i int) float32) {
					for i, w := range want {
						if got := result(c.Y, i); math.Abs(float64(got)-w) > 1e-4 {
							t.Fatalf("kind %d, %+v by %d: result %d is %v, want %v", kind, c, choice, i, got, w)
						}
					}
				})
			}
		}
	}
}

// What a library cannot do is told apart, in one line, and leaves the plan as it was.
func TestRefused(t *testing.T) {
	d, c := onFake(t)
	p, err := d.NewPlan(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{rng: rand.New(rand.NewPCG(1, 1))}
	good := dense(m, 2, 3, 4, 1, false, false)
	narrow := good
	narrow.LDB = 2
	nothing := good
	nothing.K = 0
	conv := image(m, 1, 2, 4, 4, 2, 3, 3, 1)
	wrong := conv
	wrong.OutH = 5
	shifted := conv
	shifted.Y.Offset += 4
	odd := conv
	odd.Groups = 3
	before := d.Live()
	for name, err := range map[string]error{
		"narrow":  p.Matmul(narrow),
		"nothing": p.Matmul(nothing),
		"no base": p.Matmul(Matmul{M: 1, N: 1, K: 1, A: None}),
		"math":    p.Matmul(Matmul{M: 1, N: 1, K: 1, Math: "int3"}),
		"output":  p.Conv(wrong),
		"groups":  p.Conv(odd),
		"aligned": p.Conv(shifted),
	} {
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	after := d.Live()
	before.Handles = after.Handles // they stay
	if before != after {
		t.Errorf("live before %+v, after %+v", before, after)
	}
	if p.Len() != 0 {
		t.Errorf("%d calls in the plan", p.Len())
	}
	// The only algorithm of a fused call without relu wants a workspace that is not there.
	small, err := d.NewPlan(0)
	if err != nil {
		t.Fatal(err)
	}
	conv.Bias = m.add(2)
	err = small.Conv(conv)
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "convolution of [1, 2, 4, 4] by [2, 2, 3, 3]: ") {
		t.Errorf("no workspace: %v", err)
	}
	if problems := c.Problems(); problems != nil {
		t.Error(problems)
	}
}

// Without the libraries, products and convolutions are not supported, and nothing else is lost.
func TestWithoutLibraries(t *testing.T) {
	d, _ := onFake(t, fake.Options{Without: []string{"cuBLASLt", "cuDNN"}})
	p, err := d.NewPlan(0)
	if err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"product: no cuBLASLt":  p.Matmul(Matmul{M: 1, N: 1, K: 1}),
		"convolution: no cuDNN": p.Conv(Conv{Groups: 1}),
	} {
		if !errors.Is(err, ErrUnsupported) || !strings.HasPrefix(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
