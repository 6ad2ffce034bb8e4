package eval

import (
	"fmt"
	"slices"
)

// undefined says why an application has no value at all.
type undefined string

func (u undefined) Error() string { return string(u) }

func undef(format string, args ...any) error { return undefined(fmt.Sprintf(format, args...)) }

// attrs are the attributes of one application by name.
type attrs map[string]Attr

// functions are the operators that apply a function of one element, with their
// parameters in order.
var functions = map[string][]string{
	"abs": nil, "relu": nil, "sigmoid": nil, "gelu": nil, "erf": nil, "exp": nil, "log": nil,
	"sqrt": nil, "reciprocal": nil, "hardswish": nil, "neg": nil, "step": nil,
	"leakyrelu": {"alpha"}, "elu": {"alpha"}, "clip": {"lo", "hi"}, "hardsigmoid": {"alpha", "beta"},
	"rsqrt": {"eps"}, "floor": nil, "ceil": nil, "round": nil, "sign": nil, "isnan": nil, "isinf": nil,
	"sin": nil, "cos": nil, "tan": nil, "asin": nil, "acos": nil, "atan": nil,
	"sinh": nil, "cosh": nil, "tanh": nil, "asinh": nil, "acosh": nil, "atanh": nil,
}

// activation says whether a name is a value of act.
func activation(name string) bool {
	params, ok := functions[name]
	return name == "none" || ok && len(params) == 0 && name != "neg"
}

func sizesAtLeastOne(s []int64) error {
	for _, n := range s {
		if n < 1 {
			return undef("size %d", n)
		}
	}
	return nil
}

func wantRank(s []int64, n int) error {
	if len(s) != n {
		return undef("shape %v: want %d axes", s, n)
	}
	return nil
}

func axisOf(a attrs, s []int64) (int, error) {
	n := a["axis"].N
	if n < 0 || n >= int64(len(s)) {
		return 0, undef("axis %d of shape %v", n, s)
	}
	return int(n), nil
}

func without(s []int64, axis int) []int64 {
	return append(append([]int64{}, s[:axis]...), s[axis+1:]...)
}

func with(s []int64, axis int, n int64) []int64 {
	t := slices.Clone(s)
	t[axis] = n
	return t
}

// windows checks the geometry of a window over the last two axes of x and
// returns its numbers of places.
func windows(x []int64, kh, kw int64, stride, pad Attr) ([]int64, error) {
	if len(stride.Tuple) != 2 || stride.Tuple[0] < 1 || stride.Tuple[1] < 1 {
		return nil, undef("stride %s", stride)
	}
	out := make([]int64, 2)
	for i, k := range []int64{kh, kw} {
		if k < 1 {
			return nil, undef("kernel of %d cells", k)
		}
		if pad.Tuple != nil {
			if len(pad.Tuple) != 4 {
				return nil, undef("padding %s", pad)
			}
			for _, p := range []int64{pad.Tuple[i], pad.Tuple[i+2]} {
				if p < 0 || p >= k {
					return nil, undef("pad %d with a kernel of %d cells", p, k)
				}
			}
		}
		n, err := windowSize(x[2+i], k, stride.Tuple[i], pad, int64(i))
		if err != nil {
			return nil, err
		}
		if n < 1 {
			return nil, undef("a window of %d cells over %d", k, x[2+i])
		}
		out[i] = n
	}
	return out, nil
}

// pads is how many cells stand before the image along an axis.
func padBefore(h, k, stride int64, pad Attr, axis int) int64 {
	if pad.Tuple != nil {
		return pad.Tuple[axis]
	}
	if pad.Name == "valid" {
		return 0
	}
	places := -floor(-h, stride)
	total := max((places-1)*stride+k-h, 0)
	if pad.Name == "same_lower" {
		return total - total/2
	}
	return total / 2
}

// shapesOf is the shapes of the outputs of an operator; an error of type
// undefined where it is not defined.
func shapesOf(op string, a attrs, in [][]int64) ([][]int64, error) {
	if _, ok := functions[op]; ok {
		return in[:1], nil
	}
	one := func(s []int64) ([][]int64, error) { return [][]int64{s}, nil }
	if of, ok := eachOf(op); ok {
		return eachShapes(of, a, in)
	}
	if len(in) == 1 {
		if s, ok, err := layoutShape(op, a, in[0]); ok {
			return [][]int64{s}, err
		}
	}
	switch op {
	case "ewadd", "ewsub", "ewmul", "ewdiv", "ewmax", "ewmin", "ewless", "ewlessequal", "ewequal", "ewpow", "ewint", "ewwhere":
		for _, s := range in[1:] {
			if !slices.Equal(in[0], s) {
				return nil, undef("%s of %v", op, in)
			}
		}
		if fn := a["fn"].Name; op == "ewint" && wholes[fn] == nil {
			return nil, undef("ewint %s", fn)
		}
		return one(in[0])
	case "resize":
		return resizeShape(a, in[0])
	case "smul":
		if len(in[1]) != 0 {
			return nil, undef("smul by %v", in[1])
		}
		return one(in[0])
	case "cast":
		return one(in[0])
	case "matmul":
		x, y, r := in[0], in[1], len(in[0])
		if r < 2 || len(y) != r || x[r-1] != y[r-2] || !slices.Equal(x[:r-2], y[:r-2]) {
			return nil, undef("matmul of %v and %v", x, y)
		}
		return one(with(x, r-1, y[r-1]))
	case "concat":
		x, y := in[0], in[1]
		i, err := axisOf(a, x)
		if err != nil {
			return nil, err
		}
		if len(x) != len(y) || !slices.Equal(without(x, i), without(y, i)) {
			return nil, undef("concat of %v and %v along %d", x, y, i)
		}
		n, err := add(x[i], y[i])
		if err != nil {
			return nil, err
		}
		return one(with(x, i, n))
	case "slice":
		i, err := axisOf(a, in[0])
		if err != nil {
			return nil, err
		}
		lo, hi := a["lo"].N, a["hi"].N
		if lo < 0 || hi <= lo || hi > in[0][i] {
			return nil, undef("slice %d to %d of %v along %d", lo, hi, in[0], i)
		}
		return one(with(in[0], i, hi-lo))
	case "split":
		i, err := axisOf(a, in[0])
		if err != nil {
			return nil, err
		}
		at := a["at"].N
		if at < 1 || at >= in[0][i] {
			return nil, undef("split at %d of %v along %d", at, in[0], i)
		}
		return [][]int64{with(in[0], i, at), with(in[0], i, in[0][i]-at)}, nil
	case "transpose":
		return transposed(in[0], a["perm"].Tuple)
	case "reverse":
		for _, i := range a["axes"].Tuple {
			if i < 0 || i >= int64(len(in[0])) {
				return nil, undef("reverse of %v along %d", in[0], i)
			}
		}
		return one(in[0])
	case "scatteradd":
		i, r := a["axis"].N, int64(len(in[1]))
		if i < 0 || i+r > int64(len(in[0])) || !slices.Equal(in[0][i:i+r], in[1]) || a["n"].N < 1 {
			return nil, undef("scatteradd of %v to %v at axis %d, size %d", in[0], in[1], i, a["n"].N)
		}
		return one(slices.Concat(in[0][:i], []int64{a["n"].N}, in[0][i+r:]))
	case "topk":
		i, err := axisOf(a, in[0])
		if err != nil {
			return nil, err
		}
		if k, s := a["k"].N, a["smallest"].N; k < 1 || k > in[0][i] || s != 0 && s != 1 {
			return nil, undef("topk of %v: %d along %d, smallest %d", in[0], k, i, s)
		}
		return one(with(in[0], i, a["k"].N))
	case "pick":
		x, keys := in[0], in[1]
		if len(x) == 0 || !slices.Equal(x[:1], keys) || a["n"].N < 1 {
			return nil, undef("pick of %v with keys %v of %d", x, keys, a["n"].N)
		}
		return one(slices.Concat(in[2], x[1:]))
	case "iota":
		return one2(a["n"].N)
	case "fill":
		if a["den"].N < 1 {
			return nil, undef("fill over %d", a["den"].N)
		}
		if err := sizesAtLeastOne(a["shape"].Shape); err != nil {
			return nil, err
		}
		return one(a["shape"].Shape)
	case "reshape", "broadcast", "one":
		to := a["shape"].Shape
		if err := sizesAtLeastOne(to); err != nil {
			return nil, err
		}
		if op == "reshape" && !sameProduct(in[0], to) {
			return nil, undef("reshape of %v to %v", in[0], to)
		}
		if op == "broadcast" && !broadcasts(in[0], to) {
			return nil, undef("broadcast of %v to %v", in[0], to)
		}
		return one(to)
	case "imatmul":
		n := a["n"].N
		return one2(n, n)
	case "iconv":
		return one2(a["c"].N, a["c"].N, a["kh"].N, a["kw"].N)
	case "cpool":
		return one2(a["c"].N, 1, a["kh"].N, a["kw"].N)
	case "enlarge":
		if err := wantRank(in[0], 4); err != nil {
			return nil, err
		}
		kh, kw := a["kh"].N, a["kw"].N
		if kh < in[0][2] || kw < in[0][3] {
			return nil, undef("enlarge of %v to %d by %d", in[0], kh, kw)
		}
		return one(with(with(in[0], 2, kh), 3, kw))
	case "conv2d":
		return convShape(a, in[0], in[1])
	case "poolmax", "poolavg":
		if err := wantRank(in[0], 4); err != nil {
			return nil, err
		}
		n, err := windows(in[0], a["kh"].N, a["kw"].N, a["stride"], a["pad"])
		if err != nil {
			return nil, err
		}
		return one(append(slices.Clone(in[0][:2]), n...))
	case "pad":
		before, after := a["before"].Tuple, a["after"].Tuple
		if len(before) != len(in[0]) || len(after) != len(in[0]) {
			return nil, undef("pads %v and %v of %v", before, after, in[0])
		}
		out := slices.Clone(in[0])
		for i := range out {
			if before[i] < 0 || after[i] < 0 {
				return nil, undef("pads %v and %v", before, after)
			}
			out[i] += before[i] + after[i]
		}
		return one(out)
	case "gather":
		i, err := axisOf(a, in[0])
		if err != nil {
			return nil, err
		}
		return one(slices.Concat(in[0][:i], in[1], in[0][i+1:]))
	case "reducesum", "reducemean", "reducemax":
		return reduced(a, in[0])
	case "softmax":
		if _, err := axisOf(a, in[0]); err != nil {
			return nil, err
		}
		return one(in[0])
	case "layernorm":
		i, err := axisOf(a, in[0])
		if err != nil {
			return nil, err
		}
		if !slices.Equal(in[1], in[0][i:]) || !slices.Equal(in[2], in[0][i:]) {
			return nil, undef("layernorm of %v with %v and %v", in[0], in[1], in[2])
		}
		return one(in[0])
	case "batchnorm":
		if len(in[0]) < 2 {
			return nil, undef("batchnorm of %v", in[0])
		}
		for _, s := range in[1:] {
			if !slices.Equal(s, in[0][1:2]) {
				return nil, undef("batchnorm of %v with %v", in[0], s)
			}
		}
		return one(in[0])
	}
	return nil, errUnjudged("operator " + op)
}

func one2(sizes ...int64) ([][]int64, error) {
	if err := sizesAtLeastOne(sizes); err != nil {
		return nil, err
	}
	return [][]int64{sizes}, nil
}

func transposed(x, perm []int64) ([][]int64, error) {
	if len(perm) != len(x) {
		return nil, undef("transpose %v of %v", perm, x)
	}
	out, seen := make([]int64, len(x)), make([]bool, len(x))
	for i, p := range perm {
		if p < 0 || p >= int64(len(x)) || seen[p] {
			return nil, undef("transpose %v of %v", perm, x)
		}
		out[i], seen[p] = x[p], true
	}
	return [][]int64{out}, nil
}

func broadcasts(x, to []int64) bool {
	front := len(to) - len(x)
	if front < 0 {
		return false
	}
	for i, n := range x {
		if n != 1 && n != to[front+i] {
			return false
		}
	}
	return true
}

func convShape(a attrs, x, w []int64) ([][]int64, error) {
	if len(x) != 4 || len(w) != 4 {
		return nil, undef("conv2d of %v and %v", x, w)
	}
	g := a["groups"].N
	if g < 1 {
		return nil, undef("conv2d in %d groups", g)
	}
	c, err := mul(g, w[1])
	if err != nil {
		return nil, err
	}
	if x[1] != c || w[0]%g != 0 {
		return nil, undef("conv2d of %v and %v in %d groups", x, w, g)
	}
	if act := a["act"].Name; !activation(act) {
		return nil, undef("activation %s", act)
	}
	d := a["dilation"].Tuple
	if len(d) != 2 || d[0] < 1 || d[1] < 1 || w[2] < 1 || w[3] < 1 {
		return nil, undef("conv2d of %v and %v with dilation %v", x, w, d)
	}
	n, err := windows(x, (w[2]-1)*d[0]+1, (w[3]-1)*d[1]+1, a["stride"], a["pad"])
	if err != nil {
		return nil, err
	}
	return [][]int64{{x[0], w[0], n[0], n[1]}}, nil
}

func reduced(a attrs, x []int64) ([][]int64, error) {
	axes, keep := a["axes"].Tuple, a["keep"].N
	if len(axes) == 0 || keep != 0 && keep != 1 {
		return nil, undef("reduction along %v, keep %d", axes, keep)
	}
	folded := make([]bool, len(x))
	last := int64(-1)
	for _, i := range axes {
		if i <= last || i >= int64(len(x)) {
			return nil, undef("reduction of %v along %v", x, axes)
		}
		folded[i], last = true, i
	}
	out := []int64{}
	for i, n := range x {
		switch {
		case !folded[i]:
			out = append(out, n)
		case keep == 1:
			out = append(out, 1)
		}
	}
	return [][]int64{out}, nil
}
