package fingerprint

import (
	"math/bits"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Kernel is a program prepared for fast evaluation modulo P. It computes what
// interp.Run with Zp computes, which a test checks. A Kernel is read-only and
// may be shared.
type Kernel struct {
	m     *graph.Program
	scale []uint64   // num/den of each step
	fn    []uint64   // function key of each step
	fixed [][]uint64 // of each step of constants
	zero  []bool
	z     Zp
	quick bool // one step, one output
}

// Compile prepares a program with lists.
func (z Zp) Compile(m *graph.Program) *Kernel {
	k := &Kernel{m: m, z: z, quick: len(m.Steps) == 1 && len(m.Outs) == 1}
	k.scale = make([]uint64, len(m.Steps))
	k.fn = make([]uint64, len(m.Steps))
	k.zero = make([]bool, len(m.Steps))
	k.fixed = make([][]uint64, len(m.Steps))
	for i := range m.Steps {
		st := &m.Steps[i]
		if st.Den != 0 {
			k.scale[i] = z.Rat(st.Num, st.Den)
		}
		if st.Kind == graph.StepMap {
			k.fn[i], k.zero[i] = z.fnKey(st.Fn)
		}
		if st.Kind == graph.StepTake {
			k.fn[i], _ = z.fnKey(graph.IsZero)
		}
		if st.Kind == graph.StepConst {
			k.fixed[i] = make([]uint64, st.N)
			for j := range k.fixed[i] {
				k.fixed[i][j] = interp.Const[uint64](z, st, j)
			}
		}
	}
	return k
}

var _ interp.Ring[uint64] = Zp{}

// Program is what the kernel computes.
func (k *Kernel) Program() *graph.Program { return k.m }

// Len is the number of elements of output i.
func (k *Kernel) Len(i int) int { return k.m.Steps[k.m.Outs[i]].N }

// Run evaluates the kernel; it returns one slice per output.
func (k *Kernel) Run(in ...[]uint64) [][]uint64 {
	tmp := make([][]uint64, len(k.m.Steps))
	for i := range k.m.Steps {
		tmp[i] = make([]uint64, k.m.Steps[i].N)
		k.step(i, tmp[i], in, tmp)
	}
	out := make([][]uint64, len(k.m.Outs))
	for i, o := range k.m.Outs {
		out[i] = tmp[o]
	}
	return out
}

// Into evaluates output o into dst, which has its length, without allocating
// when the program has a single step.
func (k *Kernel) Into(dst []uint64, o int, in ...[]uint64) {
	if k.quick {
		k.step(0, dst, in, nil)
		return
	}
	want := k.m.Outs[o]
	tmp := make([][]uint64, len(k.m.Steps))
	for i := 0; i <= want; i++ {
		if i == want {
			tmp[i] = dst
		} else {
			tmp[i] = make([]uint64, k.m.Steps[i].N)
		}
		k.step(i, tmp[i], in, tmp)
	}
}

func (k *Kernel) step(si int, out []uint64, in, tmp [][]uint64) {
	st := &k.m.Steps[si]
	get := func(o graph.Operand) []uint64 {
		if o >= 0 {
			return in[o]
		}
		return tmp[-1-o]
	}
	switch st.Kind {
	case graph.StepGather:
		k.gather(st, si, out, get)
	case graph.StepSumProd:
		x, y := get(st.X), get(st.Y)
		c := k.scale[si]
		for i := range out {
			out[i] = sumProd(x, y, st.A[st.Start[i]:st.Start[i+1]], st.B[st.Start[i]:st.Start[i+1]])
			if c != 1 {
				out[i] = MulMod(out[i], c)
			}
		}
	case graph.StepSum:
		x := get(st.X)
		c := k.scale[si]
		for i := range out {
			var hi, lo, carry uint64
			for _, a := range st.A[st.Start[i]:st.Start[i+1]] {
				lo, carry = bits.Add64(lo, x[a], 0)
				hi += carry
			}
			out[i] = fold128(hi, lo)
			if c != 1 {
				out[i] = MulMod(out[i], c)
			}
		}
	case graph.StepMax:
		x := get(st.X)
		for i := range out {
			cells := st.A[st.Start[i]:st.Start[i+1]]
			best := x[cells[0]]
			rank := k.z.rank(best)
			for _, a := range cells[1:] {
				if r := k.z.rank(x[a]); r > rank {
					best, rank = x[a], r
				}
			}
			out[i] = best
		}
	case graph.StepAdd:
		x, y := get(st.X), get(st.Y)
		for i := range out {
			s := x[i] + y[i]
			if s >= P {
				s -= P
			}
			out[i] = s
		}
	case graph.StepMul:
		x, y := get(st.X), get(st.Y)
		for i := range out {
			out[i] = MulMod(x[i], y[i])
		}
	case graph.StepScale:
		x, y := get(st.X), get(st.Y)
		c := y[0]
		for i := range out {
			out[i] = MulMod(x[i], c)
		}
	case graph.StepMap:
		x := get(st.X)
		key, zero := k.fn[si], k.zero[si]
		for i := range out {
			out[i] = applyFn(key, zero, x[i])
		}
	case graph.StepConst:
		copy(out, k.fixed[si])
	case graph.StepShift:
		clear(out)
	case graph.StepDirect:
		copy(out, get(st.X))
	case graph.StepTake:
		x, y := get(st.X), get(st.Y)
		for i := range out {
			out[i] = 0
			for j := range int(st.Den) {
				front := applyFn(k.fn[si], false, k.z.Add(y[st.B[i]], k.z.Rat(int64(-j), 1)))
				is := k.z.Add(front, applyFn(k.fn[si], false, k.z.Add(y[st.B[i]], k.z.Rat(st.Den-int64(j), 1))))
				out[i] = k.z.Add(out[i], MulMod(is, x[int(st.A[i])+int(st.Num)*j]))
			}
		}
	}
}

func (k *Kernel) gather(st *graph.Step, si int, out []uint64, get func(graph.Operand) []uint64) {
	var x []uint64
	if len(st.A) > 0 && (st.Src != nil || hasInput(st.A)) {
		x = get(st.X)
	}
	for i, p := range st.A {
		switch {
		case p == -1:
			out[i] = 0
		case p == -2:
			out[i] = k.scale[si]
		case st.Src == nil || st.Src[i] == 0:
			out[i] = x[p]
		case st.Src[i] == 1:
			out[i] = get(st.Y)[p]
		default:
			out[i] = get(st.More[st.Src[i]-2])[p]
		}
	}
}

func hasInput(a []int32) bool {
	for _, p := range a {
		if p >= 0 {
			return true
		}
	}
	return false
}

// sumProd is the sum of x[a[j]]*y[b[j]]. Products are below 2^122, so that 64
// of them fit into 128 bits; the sum is reduced once per 32.
func sumProd(x, y []uint64, a, b []int32) uint64 {
	var acc uint64
	b = b[:len(a)]
	for len(a) > 0 {
		n := min(len(a), 32)
		var hi, lo, carry uint64
		for j := 0; j < n; j++ {
			h, l := bits.Mul64(x[a[j]], y[b[j]])
			lo, carry = bits.Add64(lo, l, 0)
			hi += h + carry
		}
		// hi < 32 * 2^58 = 2^63: one more fold before fold128.
		r := fold128(hi&(1<<61-1), lo) + reduce(hi>>61<<3)
		acc = reduce(acc + reduce(r))
		a, b = a[n:], b[n:]
	}
	return acc
}
