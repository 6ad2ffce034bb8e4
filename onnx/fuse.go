package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Exporters spell out layer normalization, GELU and hard swish in smaller
// operators. They are recognized at their last one, by looking back; the
// smaller ones then serve nothing else and vanish.

// fuse is the operator that a node which combines x and y completes, or nil.
func (c *call) fuse(own string, x, y *value) *value {
	im := c.im
	if im.inFold || im.own || im.opt.KeepDecomposed {
		return nil
	}
	switch own {
	case "ewadd":
		for _, p := range [][2]*value{{x, y}, {y, x}} {
			if v := im.layerNorm(p[0], p[1]); v != nil {
				im.report.Fused["layernorm"]++
				return v
			}
		}
	case "ewmul", "ewdiv":
		f := &factors{number: 1}
		f.add(x, 0)
		if own == "ewmul" {
			f.add(y, 0)
		} else if n, ok := number(y); ok && n != 0 {
			f.number /= n
		} else {
			return nil
		}
		for _, name := range []string{"gelu", "hardswish"} {
			if v := f.argument(name); v != nil {
				if out, err := im.apply(name, nil, v); err == nil {
					im.report.Fused[name]++
					return out
				}
			}
		}
	}
	return nil
}

// from is the step of the given operator that makes a value, or nil.
func from(v *value, op string) *step {
	if v != nil && v.step != nil && v.step.op != nil && v.step.op.Name == op {
		return v.step
	}
	return nil
}

// unspread is the value that v is broadcast from, or v.
func unspread(v *value) *value {
	if s := from(v, "broadcast"); s != nil {
		return s.in[0]
	}
	return v
}

// number is the one number that a value consists of.
func number(v *value) (float64, bool) {
	v = unspread(v)
	if !v.fixed() || v.elements() != 1 || !v.dtype.IsFloat() {
		return 0, false
	}
	k, err := v.constant()
	if err != nil || k == nil {
		return 0, false
	}
	return k.floats[0], true
}

// close reports whether two numbers are the same but for float32 rounding.
func close(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// factors are those of a product: a number, and tensors.
type factors struct {
	number  float64
	tensors []*value
}

// maxFactors bounds how deep a product is looked into.
const maxFactors = 4

func (f *factors) add(v *value, depth int) {
	if n, ok := number(v); ok {
		f.number *= n
		return
	}
	if depth < maxFactors {
		if s := from(v, "ewmul"); s != nil {
			f.add(s.in[0], depth+1)
			f.add(s.in[1], depth+1)
			return
		}
		for _, op := range []string{"smul", "ewdiv"} {
			if s := from(v, op); s != nil {
				if n, ok := number(s.in[1]); ok && n != 0 {
					if op == "ewdiv" {
						n = 1 / n
					}
					f.number *= n
					f.add(s.in[0], depth+1)
					return
				}
			}
		}
	}
	f.tensors = append(f.tensors, v)
}

// argument is x if the product is that of gelu(x) or hardswish(x).
func (f *factors) argument(name string) *value {
	if len(f.tensors) != 2 {
		return nil
	}
	for i, x := range f.tensors {
		other := f.tensors[1-i]
		switch name {
		case "gelu":
			// 1/2 * x * (1 + erf(x / sqrt 2))
			u := plus(other, 1)
			e := from(u, "erf")
			if e == nil || !close(f.number, 0.5) {
				continue
			}
			in := &factors{number: 1}
			in.add(e.in[0], 0)
			if len(in.tensors) == 1 && in.tensors[0] == x && close(in.number, math.Sqrt2/2) {
				return x
			}
		case "hardswish":
			// 1/6 * x * clip[0, 6](x + 3), or x * hardsigmoid[1/6, 1/2](x)
			if s := from(other, "clip"); s != nil && close(f.number, 1.0/6) && attrNumber(s, "lo") == 0 && attrNumber(s, "hi") == 6 && plus(s.in[0], 3) == x {
				return x
			}
			if s := from(other, "hardsigmoid"); s != nil && close(f.number, 1) && close(attrNumber(s, "alpha"), 1.0/6) &&
				attrNumber(s, "beta") == 0.5 && s.in[0] == x {
				return x
			}
		}
	}
	return nil
}

func attrNumber(s *step, name string) float64 {
	x, _ := s.attrs[s.op.ParamIndex(name)].Number()
	return x
}

// plus is u if v is u + n, or nil.
func plus(v *value, n float64) *value {
	s := from(v, "ewadd")
	if s == nil {
		return nil
	}
	for i := range 2 {
		if m, ok := number(s.in[1-i]); ok && close(m, n) {
			return s.in[i]
		}
	}
	return nil
}

// layerNorm is the normalization that product + bias completes:
//
//	(x - mean) / sqrt(mean((x - mean)²) + eps) * scale + bias
func (im *importer) layerNorm(product, bias *value) *value {
	p := from(product, "ewmul")
	if p == nil {
		return nil
	}
	for i := range 2 {
		x, axis, eps, ok := normalized(p.in[i])
		if !ok {
			continue
		}
		scale, sizes := unspread(p.in[1-i]), x.sizes[axis:]
		if !slices.Equal(scale.sizes, sizes) || !slices.Equal(bias.sizes, sizes) {
			continue
		}
		v, err := im.apply("layernorm", attrs{"axis": intAttr(axis), "eps": graph.NumberValue(eps)}, x, scale, bias)
		if err == nil {
			return v
		}
	}
	return nil
}

// normalized finds x if v is (x - mean) / sqrt(variance + eps) over the axes
// from axis on.
func normalized(v *value) (x *value, axis int, eps float64, ok bool) {
	var d, root *value
	if s := from(v, "ewdiv"); s != nil {
		d, root = s.in[0], unspread(s.in[1])
	} else if s := from(v, "ewmul"); s != nil {
		for i := range 2 {
			if r := from(unspread(s.in[i]), "reciprocal"); r != nil {
				d, root = s.in[1-i], r.in[0]
			}
		}
	}
	s := from(root, "sqrt")
	if s == nil {
		return nil, 0, 0, false
	}
	var variance *value
	if a := from(s.in[0], "ewadd"); a != nil {
		for i := range 2 {
			if n, ok := number(a.in[i]); ok {
				eps, variance = shortest(float32(n)), unspread(a.in[1-i])
			}
		}
	}
	x, axis, ok = centered(d)
	m := from(variance, "reducemean")
	if !ok || m == nil || eps < 0 {
		return nil, 0, 0, false
	}
	square := from(m.in[0], "ewmul")
	if square == nil || square.in[0] != square.in[1] {
		return nil, 0, 0, false
	}
	x2, axis2, ok := centered(square.in[0])
	if !ok || x2 != x || axis2 != axis || !tail(m, x.rank(), axis) {
		return nil, 0, 0, false
	}
	return x, axis, eps, true
}

// centered finds x if v is x - mean(x) over the axes from axis on.
func centered(v *value) (x *value, axis int, ok bool) {
	s := from(v, "ewsub")
	if s == nil {
		return nil, 0, false
	}
	m := from(unspread(s.in[1]), "reducemean")
	if m == nil || m.in[0] != s.in[0] {
		return nil, 0, false
	}
	x = s.in[0]
	axes, _ := m.attrs[m.op.ParamIndex("axes")].Tuple()
	if len(axes) == 0 || !tail(m, x.rank(), int(axes[0])) {
		return nil, 0, false
	}
	return x, int(axes[0]), true
}

// tail reports whether a reduction is over all axes from the given one on, and
// keeps them.
func tail(m *step, rank, axis int) bool {
	axes, _ := m.attrs[m.op.ParamIndex("axes")].Tuple()
	keep, _ := m.attrs[m.op.ParamIndex("keep")].Dim()
	if k, _ := keep.Const(); k != 1 || len(axes) != rank-axis {
		return false
	}
	for i, a := range axes {
		if int(a) != axis+i {
			return false
		}
	}
	return true
}
