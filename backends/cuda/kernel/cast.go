package kernel

import (
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Supports is nil if there are kernels for a node, otherwise a *[backends.Unsupported].
// Elements lie as [lower.Wide] says, and those that are held as float32 are computed
// with; integers, truth values and float64 are moved, are positions, and are cast.
func Supports(g *graph.Graph, id graph.NodeID) error {
	if err := backends.Known("cuda", g, id, func(t graph.DType) bool { return lower.Wide(t) == graph.Float32 }); err != nil {
		return err
	}
	if op := g.Op(id); op != nil && op.Name == "cast" {
		from, to := g.DType(g.Operands(id)[0]), g.DType(id.Out(0))
		if !lower.Keeps(from, to) && (narrow(to) && rounded[to] == "" || to == graph.Uint64 && from.IsFloat()) {
			return &backends.Unsupported{Backend: "cuda", Node: g.Name(id), Op: op.Name, Why: fmt.Sprintf("there is no kernel that makes %s of %s", to, from)}
		}
	}
	return nil
}

// narrow reports whether a type is held as float32 and is not float32.
func narrow(t graph.DType) bool { return t != graph.Float32 && lower.Wide(t) == graph.Float32 }

// rounded are the functions that round a float to a number of a type.
var rounded = map[graph.DType]string{graph.Float16: half, graph.BFloat16: bfloat}

// half rounds to 11 bits, below 2^-14 to multiples of 2^-24, and to infinity from half a
// unit above 65504 on.
const half = `static __device__ float rounded(float x) {
	const float a = fabsf(x);
	if (!(a < 65520.0f)) return x != x ? x : x * __int_as_float(0x7f800000);
	if (a < 6.103515625e-05f) return rintf(x * 16777216.0f) * 5.9604644775390625e-08f;
	const int b = __float_as_int(x);
	return __int_as_float((b + 0xfff + (b >> 13 & 1)) & ~0x1fff);
}
`

// bfloat rounds to 8 bits; what carries beyond the largest is an infinity.
const bfloat = `static __device__ float rounded(float x) {
	const int b = __float_as_int(x);
	return x != x ? x : __int_as_float((b + 0x7fff + (b >> 16 & 1)) & ~0xffff);
}
`

// bindCast converts between element types: to an integer towards 0 and modulo 2 to the
// number of its bits, to a truth value whether it is not 0, to a narrow float by rounding.
func bindCast(b *binder, k *lower.Kernel) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	s := b.source(k.In[0], k.Out[0])
	n := y.Elements()
	s.each(n)
	at := "i"
	if !x.Dense() {
		at = s.place(s.unravel("i", y.Sizes), x.Strides, 0)
	}
	p, t, err := s.reads(k.In[0])
	if err != nil {
		return err
	}
	e := term{code: p + "[" + at + "]", typ: t}
	if x.Type == graph.Uint64 && !y.Type.IsInt() {
		e = term{code: "(unsigned long long)" + e.code, typ: "unsigned long long"}
	}
	switch to := y.Type; {
	case to == graph.Bool:
		e = term{code: "(" + e.code + " != 0)", typ: int32s}
	case to.IsInt() && to.Bits() < 64:
		left := 64 - to.Bits()
		unsigned := "(unsigned long long)" + enclosed(e.as(int64s))
		e = term{code: fmt.Sprintf("(long long)(%s << %d >> %d)", unsigned, left, left), typ: int64s}
		if to.IsSigned() {
			e.code = fmt.Sprintf("(long long)(%s << %d) >> %d", unsigned, left, left)
		}
	case narrow(to):
		if rounded[to] == "" {
			return b.unsupported("there is no kernel that makes %s of %s", to, x.Type)
		}
		s.helper(rounded[to])
		e = term{code: "rounded(" + e.as(float) + ")", typ: float}
	}
	return b.stored(s, k, k.Out[0], e, n)
}
