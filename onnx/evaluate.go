package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// The evaluator for what models compute with shapes: small tensors, mostly of
// integers, that may have no elements. Other operators on constants are
// evaluated by the interpreter of graphs, see fold.go.

func init() {
	for op, f := range map[string]func(a, b float64) float64{
		"Add": func(a, b float64) float64 { return a + b },
		"Sub": func(a, b float64) float64 { return a - b },
		"Mul": func(a, b float64) float64 { return a * b },
		"Div": func(a, b float64) float64 { return a / b },
		"Max": math.Max, "Min": math.Min, "Pow": math.Pow,
		"Equal": nil, "Less": nil, "Greater": nil, "LessOrEqual": nil, "GreaterOrEqual": nil, "Mod": nil,
		"And": nil, "Or": nil, "Xor": nil,
	} {
		evaluators[op] = arithmetic(op, f)
	}
	for op, f := range map[string]func(x float64) float64{
		"Floor": math.Floor, "Ceil": math.Ceil, "Round": math.RoundToEven, "Sqrt": math.Sqrt,
		"Neg": func(x float64) float64 { return -x }, "Abs": math.Abs, "Not": func(x float64) float64 { return 1 - x },
		"Sign": func(x float64) float64 {
			switch {
			case x > 0:
				return 1
			case x < 0:
				return -1
			}
			return x
		},
	} {
		evaluators[op] = each(f)
	}
	evaluators["Cast"] = evalCast
	evaluators["Reshape"] = resized((*call).reshapeSizes)
	evaluators["Flatten"] = resized((*call).flattenSizes)
	evaluators["Squeeze"] = resized((*call).squeezeSizes)
	evaluators["Unsqueeze"] = resized((*call).unsqueezeSizes)
	evaluators["Expand"] = evalExpand
	evaluators["Tile"] = evalTile
	evaluators["Transpose"] = evalTranspose
	evaluators["Slice"] = evalSlice
	evaluators["Split"] = evalSplit
	evaluators["Concat"] = evalConcat
	evaluators["Gather"] = evalGather
	evaluators["ConstantOfShape"] = evalFilled
	evaluators["Range"] = evalRange
	evaluators["Where"] = evalWhere
	evaluators["NonZero"] = evalNonZero
	for _, op := range []string{"ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin"} {
		evaluators[op] = evalReduce(op)
	}
}

// pick makes a constant whose element at an index is element from(index) of k.
func (k *constant) pick(sizes []int, from func(idx []int) int) (*constant, error) {
	if graph.Product(sizes...) > maxConstant {
		return nil, errNotFolded
	}
	out := newConstant(k.dtype, sizes...)
	graph.Each(sizes, func(flat int, idx []int) {
		p := from(idx)
		if k.dtype.IsFloat() {
			out.floats[flat] = k.floats[p]
		} else {
			out.ints[flat] = k.ints[p]
		}
	})
	return out, nil
}

func one(k *constant, err error) ([]*constant, error) {
	if err != nil {
		return nil, err
	}
	return []*constant{k}, nil
}

// spread is where element idx of the joint sizes lies in a tensor that is
// broadcast.
func spread(sizes, idx []int) int {
	p, n := 0, 1
	for i := len(sizes) - 1; i >= 0; i-- {
		if sizes[i] > 1 {
			p += idx[len(idx)-len(sizes)+i] * n
		}
		n *= sizes[i]
	}
	return p
}

// arithmetic folds an operator of two operands that broadcast; for Max and Min
// of any number. Integers are computed as such; f is for the others.
func arithmetic(op string, f func(a, b float64) float64) evaluator {
	return func(c *call, in []*constant) ([]*constant, error) {
		if len(in) == 0 || slices.Contains(in, nil) || len(in) != 2 && op != "Max" && op != "Min" {
			return nil, errNotFolded
		}
		fmod, err := c.int("fmod", 0)
		if err != nil {
			return nil, err
		}
		op := op
		if op == "Mod" && fmod != 0 {
			op = "fmod"
		}
		acc := in[0]
		for _, k := range in[1:] {
			if c.im.opset < 7 && !slices.Equal(acc.sizes, k.sizes) {
				return nil, errNotFolded // axes were paired otherwise then
			}
			sizes, err := joint(&value{sizes: acc.sizes}, &value{sizes: k.sizes})
			if err != nil {
				return nil, err
			}
			if graph.Product(sizes...) > maxConstant || acc.dtype != k.dtype {
				return nil, errNotFolded
			}
			compares := slices.Contains([]string{"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}, op)
			t := acc.dtype
			if compares {
				t = graph.Bool
			}
			out := newConstant(t, sizes...)
			x, y := acc, k
			var failed error
			graph.Each(sizes, func(flat int, idx []int) {
				i, j := spread(x.sizes, idx), spread(y.sizes, idx)
				switch {
				case compares:
					out.ints[flat] = truth(compare(op, x, y, i, j))
				case x.dtype.IsFloat():
					if f == nil {
						failed = errNotFolded
						return
					}
					out.floats[flat] = round(t, f(x.floats[i], y.floats[j]))
				default:
					v, err := integer(op, x.ints[i], y.ints[j])
					if err != nil {
						failed = err
					}
					out.ints[flat] = wrap(t, v)
				}
			})
			if failed != nil {
				return nil, failed
			}
			acc = out
		}
		return []*constant{acc}, nil
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func compare(op string, x, y *constant, i, j int) bool {
	less, equal := false, false
	if x.dtype.IsFloat() {
		less, equal = x.floats[i] < y.floats[j], x.floats[i] == y.floats[j]
	} else {
		less, equal = x.ints[i] < y.ints[j], x.ints[i] == y.ints[j]
	}
	switch op {
	case "Equal":
		return equal
	case "Less":
		return less
	case "LessOrEqual":
		return less || equal
	case "Greater":
		return !less && !equal
	}
	return !less
}

func integer(op string, a, b int64) (int64, error) {
	switch op {
	case "Add":
		return a + b, nil
	case "Sub":
		return a - b, nil
	case "Mul":
		return a * b, nil
	case "Max":
		return max(a, b), nil
	case "Min":
		return min(a, b), nil
	case "And":
		return a & b, nil
	case "Or":
		return a | b, nil
	case "Xor":
		return a ^ b, nil
	case "Div":
		if b == 0 {
			return 0, errors.New("division by zero")
		}
		return a / b, nil
	case "fmod":
		if b == 0 {
			return 0, errors.New("division by zero")
		}
		return a % b, nil
	case "Mod":
		if b == 0 {
			return 0, errors.New("division by zero")
		}
		if m := a % b; m != 0 && (m < 0) != (b < 0) {
			return m + b, nil
		}
		return a % b, nil
	case "Pow":
		x := math.Pow(float64(a), float64(b))
		if math.Abs(x) < 1<<53 {
			return int64(x), nil
		}
	}
	return 0, errNotFolded
}

// each folds an operator that looks at one element.
func each(f func(x float64) float64) evaluator {
	return func(c *call, in []*constant) ([]*constant, error) {
		if len(in) != 1 || in[0] == nil {
			return nil, errNotFolded
		}
		out := newConstant(in[0].dtype, in[0].sizes...)
		for i := range in[0].len() {
			x := in[0].number(i)
			if in[0].dtype.IsFloat() {
				out.floats[i] = round(out.dtype, f(x))
				continue
			}
			if math.Abs(x) >= 1<<53 {
				return nil, errNotFolded
			}
			out.ints[i] = wrap(out.dtype, int64(f(x)))
		}
		return []*constant{out}, nil
	}
}

func evalCast(c *call, in []*constant) ([]*constant, error) {
	to, err := c.int("to", 0)
	if err != nil {
		return nil, err
	}
	t, err := dtypeOf(elem(to))
	if err != nil || len(in) != 1 {
		return nil, errNotFolded
	}
	out := newConstant(t, in[0].sizes...)
	for i := range in[0].len() {
		switch {
		case t.IsFloat():
			out.floats[i] = round(t, in[0].number(i))
		case !in[0].dtype.IsFloat():
			out.ints[i] = wrap(t, in[0].ints[i])
		case t == graph.Bool:
			out.ints[i] = truth(in[0].floats[i] != 0)
		default:
			x := in[0].floats[i]
			if !(math.Abs(x) < 1<<62) {
				return nil, errNotFolded
			}
			out.ints[i] = wrap(t, int64(x))
		}
	}
	return []*constant{out}, nil
}

// resized folds an operator that changes sizes only.
func resized(f func(c *call) ([]int, error)) evaluator {
	return func(c *call, in []*constant) ([]*constant, error) {
		sizes, err := f(c)
		if err != nil {
			return nil, err
		}
		k := *in[0]
		k.sizes = sizes
		return []*constant{&k}, nil
	}
}

func evalExpand(c *call, in []*constant) ([]*constant, error) {
	sizes, err := c.expandSizes()
	if err != nil {
		return nil, err
	}
	return one(in[0].pick(sizes, func(idx []int) int { return spread(in[0].sizes, idx) }))
}

func evalTile(c *call, in []*constant) ([]*constant, error) {
	rep, err := c.repeats()
	if err != nil {
		return nil, err
	}
	sizes := slices.Clone(in[0].sizes)
	for i, r := range rep {
		sizes[i] *= r
	}
	st := graph.Strides(in[0].sizes)
	return one(in[0].pick(sizes, func(idx []int) int {
		p := 0
		for i, n := range in[0].sizes {
			p += idx[i] % n * st[i]
		}
		return p
	}))
}

func evalTranspose(c *call, in []*constant) ([]*constant, error) {
	perm, err := c.perm()
	if err != nil {
		return nil, err
	}
	sizes, st := make([]int, len(perm)), graph.Strides(in[0].sizes)
	for i, p := range perm {
		sizes[i] = in[0].sizes[p]
	}
	return one(in[0].pick(sizes, func(idx []int) int {
		at := 0
		for i, p := range perm {
			at += idx[i] * st[p]
		}
		return at
	}))
}

func evalSlice(c *call, in []*constant) ([]*constant, error) {
	runs, err := c.runs()
	if err != nil {
		return nil, err
	}
	sizes, st := make([]int, len(runs)), graph.Strides(in[0].sizes)
	for i, r := range runs {
		sizes[i] = r.count
	}
	return one(in[0].pick(sizes, func(idx []int) int {
		at := 0
		for i, r := range runs {
			at += (r.start + idx[i]*r.step) * st[i]
		}
		return at
	}))
}

func evalSplit(c *call, in []*constant) ([]*constant, error) {
	a, parts, err := c.splitSizes()
	if err != nil {
		return nil, err
	}
	st := graph.Strides(in[0].sizes)
	var outs []*constant
	lo := 0
	for _, n := range parts {
		sizes := slices.Clone(in[0].sizes)
		sizes[a] = n
		k, err := in[0].pick(sizes, func(idx []int) int {
			at := lo * st[a]
			for i := range idx {
				at += idx[i] * st[i]
			}
			return at
		})
		if err != nil {
			return nil, err
		}
		outs = append(outs, k)
		lo += n
	}
	return outs, nil
}

func evalConcat(c *call, in []*constant) ([]*constant, error) {
	if slices.Contains(in, nil) {
		return nil, errors.New("an input is missing")
	}
	a, err := c.axisAttr(0, in[0].rank())
	if err != nil {
		return nil, err
	}
	sizes := slices.Clone(in[0].sizes)
	sizes[a] = 0
	for _, k := range in {
		same := slices.Clone(k.sizes)
		if len(same) == len(sizes) {
			same[a] = sizes[a]
		}
		if !slices.Equal(same, sizes) || k.dtype != in[0].dtype {
			return nil, fmt.Errorf("%s%v does not fit %s%v", k.dtype, k.sizes, in[0].dtype, in[0].sizes)
		}
		sizes[a] += k.sizes[a]
	}
	if graph.Product(sizes...) > maxConstant {
		return nil, errNotFolded
	}
	out := newConstant(in[0].dtype, sizes...)
	st, lo := graph.Strides(sizes), 0
	for _, k := range in {
		graph.Each(k.sizes, func(flat int, idx []int) {
			at := lo * st[a]
			for i := range idx {
				at += idx[i] * st[i]
			}
			if out.dtype.IsFloat() {
				out.floats[at] = k.floats[flat]
			} else {
				out.ints[at] = k.ints[flat]
			}
		})
		lo += k.sizes[a]
	}
	return []*constant{out}, nil
}

func evalGather(c *call, in []*constant) ([]*constant, error) {
	if len(in) != 2 || slices.Contains(in, nil) {
		return nil, errNotFolded
	}
	x, pos := in[0], in[1]
	if pos.dtype.IsFloat() {
		return nil, fmt.Errorf("indices of type %s", pos.dtype)
	}
	a, err := c.axisAttr(0, x.rank())
	if err != nil {
		return nil, err
	}
	n := int64(x.sizes[a])
	for _, p := range pos.ints {
		if p < -n || p >= n {
			return nil, fmt.Errorf("index %d of an axis of size %d", p, n)
		}
	}
	sizes := slices.Concat(x.sizes[:a], pos.sizes, x.sizes[a+1:])
	st, pst := graph.Strides(x.sizes), graph.Strides(pos.sizes)
	return one(x.pick(sizes, func(idx []int) int {
		p := 0
		for i, s := range pst {
			p += idx[a+i] * s
		}
		at := int((pos.ints[p] + n) % n * int64(st[a]))
		for i := range a {
			at += idx[i] * st[i]
		}
		for i := a + 1; i < x.rank(); i++ {
			at += idx[i-1+len(pst)] * st[i]
		}
		return at
	}))
}

func evalFilled(c *call, _ []*constant) ([]*constant, error) {
	x, sizes, err := c.filled()
	if err != nil {
		return nil, err
	}
	return one(x.pick(sizes, func([]int) int { return 0 }))
}

func evalRange(c *call, in []*constant) ([]*constant, error) {
	if len(in) != 3 || slices.Contains(in, nil) || in[0].len() != 1 || in[1].len() != 1 || in[2].len() != 1 {
		return nil, errNotFolded
	}
	step := in[2].number(0)
	n := math.Max(0, math.Ceil((in[1].number(0)-in[0].number(0))/step))
	if !(n <= maxConstant) {
		return nil, errNotFolded
	}
	out := newConstant(in[0].dtype, int(n))
	for i := range int(n) {
		if out.dtype.IsFloat() {
			out.floats[i] = round(out.dtype, in[0].floats[0]+float64(i)*step)
		} else {
			out.ints[i] = in[0].ints[0] + int64(i)*in[2].ints[0]
		}
	}
	return []*constant{out}, nil
}

func evalWhere(c *call, in []*constant) ([]*constant, error) {
	if len(in) != 3 || slices.Contains(in, nil) || in[1].dtype != in[2].dtype || in[0].dtype.IsFloat() {
		return nil, errNotFolded
	}
	sizes, err := joint(&value{sizes: in[0].sizes}, &value{sizes: in[1].sizes}, &value{sizes: in[2].sizes})
	if err != nil {
		return nil, err
	}
	if graph.Product(sizes...) > maxConstant {
		return nil, errNotFolded
	}
	out := newConstant(in[1].dtype, sizes...)
	graph.Each(sizes, func(flat int, idx []int) {
		k := in[2]
		if in[0].ints[spread(in[0].sizes, idx)] != 0 {
			k = in[1]
		}
		if p := spread(k.sizes, idx); k.dtype.IsFloat() {
			out.floats[flat] = k.floats[p]
		} else {
			out.ints[flat] = k.ints[p]
		}
	})
	return []*constant{out}, nil
}

func evalNonZero(c *call, in []*constant) ([]*constant, error) {
	var at [][]int
	graph.Each(in[0].sizes, func(flat int, idx []int) {
		if in[0].number(flat) != 0 {
			at = append(at, slices.Clone(idx))
		}
	})
	out := newConstant(graph.Int64, in[0].rank(), len(at))
	for j, idx := range at {
		for i, x := range idx {
			out.ints[i*len(at)+j] = int64(x)
		}
	}
	return []*constant{out}, nil
}

func evalReduce(op string) evaluator {
	return func(c *call, in []*constant) ([]*constant, error) {
		x, axes, keep, err := c.reduction()
		if err != nil {
			return nil, err
		}
		if x.dtype.IsFloat() || x.empty() {
			return nil, errNotFolded
		}
		kept, sizes := slices.Clone(x.sizes), []int{}
		for i, n := range x.sizes {
			if slices.Contains(axes, i) {
				kept[i] = 1
				if !keep {
					continue
				}
				n = 1
			}
			sizes = append(sizes, n)
		}
		out := newConstant(x.dtype, sizes...)
		seen := make([]bool, len(out.ints))
		graph.Each(x.sizes, func(flat int, idx []int) {
			p, v := spread(kept, idx), in[0].ints[flat]
			switch {
			case !seen[p]:
				out.ints[p] = v
			case op == "ReduceProd":
				out.ints[p] *= v
			case op == "ReduceSum":
				out.ints[p] += v
			case op == "ReduceMax":
				out.ints[p] = max(out.ints[p], v)
			default:
				out.ints[p] = min(out.ints[p], v)
			}
			seen[p] = true
			out.ints[p] = wrap(out.dtype, out.ints[p])
		})
		return []*constant{out}, nil
	}
}
