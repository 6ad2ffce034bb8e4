package cpu

import (
	"math"
	"time"
	"unsafe"
)

// goTable is the kernels in Go: for programs built without cgo, and the plain
// statement of what the others do. Packing keeps matrices as they are.
type goTable struct{}

func (goTable) name() string              { return "go" }
func (goTable) gemmScratch() int          { return 0 }
func (goTable) packedA(m, k int) int      { return m * k }
func (goTable) packedB(n, k int) int      { return n * k }
func (goTable) convScratch(*conv) int     { return 0 }
func (goTable) windowScratch(*window) int { return 0 }

func (goTable) packA(to, a ptr, m, k, ars, acs int) {
	t := f32(to, m*k)
	for i := range m {
		for l := range k {
			t[i*k+l] = f32(at(a, i*ars+l*acs), 1)[0]
		}
	}
}

func (g goTable) packB(to, b ptr, n, k, brs, bcs int) { g.packA(to, b, k, n, brs, bcs) }

// start fills a result with what a product is added to.
func (t *tail) start(y []float32, off int) {
	clear(y)
	if t.init != nil {
		copy(y, f32(at(t.init, off), len(y)))
	}
}

// end does the rest of a tail to row i, columns from 0, of a result.
func (t *tail) end(y []float32, i int) {
	for j := range y {
		v := y[j]
		if t.rowScale != nil {
			v *= f32(t.rowScale, i+1)[i]
		}
		if t.rowBias != nil {
			v += f32(t.rowBias, i+1)[i]
		}
		if t.colBias != nil {
			v += f32(t.colBias, j+1)[j]
		}
		if t.clamp {
			v = min(max(v, t.lo), t.hi)
		}
		y[j] = v
	}
	applyOps(y, y, t.ops, t.nops, t.row0+i, t.off0+i*t.rowLen)
}

func (goTable) gemm(g *gemm) {
	a, ars, acs := g.a, g.ars, g.acs
	if g.ap != nil {
		a, ars, acs = g.ap, g.k, 1
	}
	b, brs, bcs := g.b, g.brs, g.bcs
	if g.bp != nil {
		b, brs, bcs = g.bp, g.n, 1
	}
	for i := range g.m {
		y := f32(at(g.c, i*g.ldc), g.n)
		g.tail.start(y, i*g.ldc)
		for l := range g.k {
			x := f32(at(a, i*ars+l*acs), 1)[0]
			if bcs == 1 {
				for j, w := range f32(at(b, l*brs), g.n) {
					y[j] += x * w
				}
				continue
			}
			for j := range y {
				y[j] += x * f32(at(b, l*brs+j*bcs), 1)[0]
			}
		}
		g.tail.end(y, i)
	}
}

func (goTable) conv(g *conv) {
	n := g.oh * g.ow
	for o := range g.o {
		y := f32(at(g.y, o*n), n)
		g.tail.start(y, o*n)
		for c := range g.c {
			for kh := range g.kh {
				for kw := range g.kw {
					w := f32(at(g.w, ((o*g.c+c)*g.kh+kh)*g.kw+kw), 1)[0]
					for i := range g.oh {
						x := at(g.x, (c*g.xh+i*g.sh+kh*g.dh)*g.xw+kw*g.dw)
						row := y[i*g.ow:][:g.ow]
						from := f32(x, (g.ow-1)*g.sw+1)
						for j := range row {
							row[j] += w * from[j*g.sw]
						}
					}
				}
			}
		}
		g.tail.end(y, o)
	}
}

func (goTable) weave(y, x ptr, planes, rows, n, step, per, plane, line int) {
	for c := range planes {
		for r := range rows {
			to := f32(at(y, c*plane+r*line), n)
			for j := range to {
				p := j % step
				m := (n - p + step - 1) / step
				to[j] = f32(at(x, p*per+(c*rows+r)*m+j/step), 1)[0]
			}
		}
	}
}

// goCalls are calls in Go, which nothing is gained by making together.
type goCalls struct {
	t     goTable
	calls []call
	took  []int64
}

func (t goTable) together(calls []call) (together, error) {
	return &goCalls{t, calls, make([]int64, len(calls))}, nil
}

func (g *goCalls) run() {
	for i, c := range g.calls {
		start := time.Now()
		c.make(g.t)
		g.took[i] = int64(time.Since(start))
	}
}

func (g *goCalls) ticks(i int) int64 { return g.took[i] }
func (g *goCalls) free()             {}

func (goTable) window(g *window) {
	n := g.oh * g.ow
	for c := range g.c {
		x, y := f32(at(g.x, c*g.h*g.w), g.h*g.w), f32(at(g.y, c*n), n)
		for i := range g.oh {
			for j := range g.ow {
				v, count := float32(0), 0
				for kh := range g.kh {
					for kw := range g.kw {
						r, s := i*g.sh+kh*g.dh-g.top, j*g.sw+kw*g.dw-g.left
						if r < 0 || r >= g.h || s < 0 || s >= g.w {
							continue
						}
						e := x[r*g.w+s]
						switch {
						case g.kind == depthwise:
							v += e * f32(at(g.k, (c*g.kh+kh)*g.kw+kw), 1)[0]
						case g.kind == poolMax && count == 0:
							v = e
						case g.kind == poolMax:
							v = max(v, e)
						default:
							v += e
						}
						count++
					}
				}
				switch g.kind {
				case poolAvg:
					v /= float32(g.kh * g.kw)
				case poolAvgInside:
					v /= float32(count)
				}
				y[i*g.ow+j] = v
			}
		}
		if g.tail.init != nil {
			for j, v := range f32(at(g.tail.init, c*n), n) {
				y[j] += v
			}
		}
		g.tail.end(y, c)
	}
}

func (goTable) dots(y, x, k ptr, rows, n int, tail *tail) {
	for r := range rows {
		to, w, sum := f32(at(y, r), 1), f32(at(k, r*n), n), float32(0)
		for i, v := range f32(at(x, r*n), n) {
			sum += v * w[i]
		}
		to[0] = sum
		tail.end(to, r)
	}
}

func (goTable) padImage(to, x ptr, c, h, w, top, left, xh, xw int) {
	t := f32(to, c*xh*xw)
	clear(t)
	for i := range c * h {
		copy(t[((i/h)*xh+top+i%h)*xw+left:], f32(at(x, i*w), w))
	}
}

func (goTable) chain(y, x ptr, rows, n, rowMod int, ops ptr, nops int) {
	for r := range rows {
		applyOps(f32(at(y, r*n), n), f32(at(x, r*n), n), ops, nops, r%rowMod, r*n)
	}
}

// applyOps applies a chain to one row: row is the row's number, off the place
// of its first element in the tensor.
func applyOps(y, x []float32, ops ptr, nops, row, off int) {
	copy(y, x)
	if nops == 0 {
		return
	}
	for _, o := range unsafe.Slice((*chainOp)(ops), nops) {
		for j, v := range y {
			var p float32
			switch o.mode {
			case modeScalar:
				p = *(*float32)(o.p)
			case modeRow:
				p = f32(o.p, row+1)[row]
			case modeCol:
				p = f32(o.p, j+1)[j]
			case modeFull:
				p = f32(at(o.p, off), j+1)[j]
			case modeRows:
				p = f32(at(o.p, (off+j)/o.n*o.apart+(off+j)%o.n), 1)[0]
			}
			if o.code == opAffine {
				at := 0
				if o.mode == modeRow {
					at = row
				}
				y[j] = v*p + f32(o.q, at+1)[at]
				continue
			}
			y[j] = compute(o, v, p)
		}
	}
}

func truth(is bool) float32 {
	if is {
		return 1
	}
	return 0
}

// compute is one operation on one element.
func compute(o chainOp, x, p float32) float32 {
	f := float64(x)
	switch o.code {
	case opRelu:
		return max(x, 0)
	case opSigmoid:
		return float32(1 / (1 + math.Exp(-f)))
	case opTanh:
		return float32(math.Tanh(f))
	case opGelu:
		return float32(f / 2 * (1 + math.Erf(f/math.Sqrt2)))
	case opExp:
		return float32(math.Exp(f))
	case opSqrt:
		return float32(math.Sqrt(f))
	case opErf:
		return float32(math.Erf(f))
	case opReciprocal:
		return 1 / x
	case opNeg:
		return -x
	case opAbs:
		return float32(math.Abs(f))
	case opLog:
		return float32(math.Log(f))
	case opHardSwish:
		return x * min(max(x/6+0.5, 0), 1)
	case opStep:
		if x > 0 {
			return 1
		}
		return 0
	case opSin:
		return float32(math.Sin(f))
	case opCos:
		return float32(math.Cos(f))
	case opFloor:
		return float32(math.Floor(f))
	case opCeil:
		return float32(math.Ceil(f))
	case opRound:
		return float32(math.RoundToEven(f))
	case opSign:
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	case opIsNaN:
		return truth(x != x)
	case opIsInf:
		return truth(math.IsInf(f, 0))
	case opLess:
		return truth(x < p)
	case opLessEqual:
		return truth(x <= p)
	case opMore:
		return truth(x > p)
	case opMoreEqual:
		return truth(x >= p)
	case opTake:
		return p
	case opEqual:
		return truth(x == p)
	case opWhole:
		return x + 0
	case opLeakyRelu:
		if x < 0 {
			return o.a * x
		}
		return x
	case opElu:
		if x < 0 {
			return float32(float64(o.a) * math.Expm1(f))
		}
		return x
	case opClip:
		return min(max(x, o.a), o.b)
	case opHardSigmoid:
		return min(max(o.a*x+o.b, 0), 1)
	case opRsqrt:
		return float32(1 / math.Sqrt(f+float64(o.a)))
	case opAdd:
		return x + p
	case opMul:
		return x * p
	case opSub:
		return x - p
	case opRSub:
		return p - x
	case opDiv:
		return x / p
	case opRDiv:
		return p / x
	case opMax:
		return max(x, p)
	case opMin:
		return min(x, p)
	}
	return x
}

func (goTable) softmax(y, x ptr, outer, n, inner int) {
	for i := range outer * inner {
		first := i/inner*n*inner + i%inner
		from, to := f32(at(x, first), (n-1)*inner+1), f32(at(y, first), (n-1)*inner+1)
		m, sum := from[0], float64(0)
		for l := 1; l < n; l++ {
			m = max(m, from[l*inner])
		}
		for l := range n {
			e := math.Exp(float64(from[l*inner] - m))
			to[l*inner] = float32(e)
			sum += e
		}
		for l := range n {
			to[l*inner] = float32(float64(to[l*inner]) / sum)
		}
	}
}

func (goTable) layerNorm(y, x, scale, bias ptr, rows, n int, eps float32) {
	s, b := f32(scale, n), f32(bias, n)
	for r := range rows {
		from, to := f32(at(x, r*n), n), f32(at(y, r*n), n)
		mean, variance := 0.0, 0.0
		for _, v := range from {
			mean += float64(v)
		}
		mean /= float64(n)
		for _, v := range from {
			variance += (float64(v) - mean) * (float64(v) - mean)
		}
		inv := 1 / math.Sqrt(variance/float64(n)+float64(eps))
		for j, v := range from {
			to[j] = float32((float64(v)-mean)*inv)*s[j] + b[j]
		}
	}
}

func (goTable) reduce(y, x ptr, outer, n, inner int, kind int32) {
	to := f32(y, outer*inner)
	for i := range to {
		first := i/inner*n*inner + i%inner
		from := f32(at(x, first), (n-1)*inner+1)
		m, sum := from[0], float64(0)
		for l := range n {
			m = max(m, from[l*inner])
			sum += float64(from[l*inner])
		}
		switch kind {
		case reduceSum:
			to[i] = float32(sum)
		case reduceMean:
			to[i] = float32(sum / float64(n))
		default:
			to[i] = m
		}
	}
}

func (goTable) lerp(y, x ptr, outer, n, m, inner int, i0, i1, t ptr) {
	lo, hi, w := i32(i0, m), i32(i1, m), f32(t, m)
	for o := range outer {
		from, to := f32(at(x, o*n*inner), n*inner), f32(at(y, o*m*inner), m*inner)
		for j := range m {
			a, b := from[int(lo[j])*inner:][:inner], from[int(hi[j])*inner:][:inner]
			row := to[j*inner:][:inner]
			copy(row, a)
			if w[j] == 0 {
				continue
			}
			for k := range row {
				row[k] = a[k] + (b[k]-a[k])*w[j]
			}
		}
	}
}

func (g goTable) move(to, from ptr, bytes int, axes []axis) {
	if len(axes) > 0 {
		a := axes[0]
		for i := range a.n {
			g.move(bytesPtr(to, i*a.to*bytes), bytesPtr(from, i*a.from*bytes), bytes, axes[1:])
		}
		return
	}
	copy(bytesAt(to, bytes), bytesAt(from, bytes))
}
