package audit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/rules/tasopb"
)

// This file evaluates rules of TASO's and FlexFlow's operators at given tensors, straight
// from the file and in a reading: without laws, types, interpreter or anything else that
// an audit uses. Counterexamples are held against it.

// array is a tensor. joined is where it was last joined along an axis, as a tree of sizes.
// A constant whose size follows from its use has no shape yet.
type array struct {
	shape  []int
	data   []float64
	joined []*cutAt
	open   string // "iconv", "cpool", "one" or "imatmul"
	window [2]int // of an open kernel
	pool   bool   // a kernel with a channel for each group
}

type cutAt struct {
	at          int
	left, right *cutAt
}

var (
	errNot   = errors.New("not defined")
	errOther = errors.New("not evaluated here")
)

func not(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errNot, fmt.Sprintf(format, args...))
}

func count(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// fill makes a tensor of what each element is.
func fill(shape []int, f func(at []int) float64) array {
	a := array{shape: slices.Clone(shape), data: make([]float64, count(shape)), joined: make([]*cutAt, len(shape))}
	at := make([]int, len(shape))
	for i := range a.data {
		a.data[i] = f(at)
		for k := len(at) - 1; k >= 0; k-- {
			if at[k]++; at[k] < shape[k] {
				break
			}
			at[k] = 0
		}
	}
	return a
}

func (a array) at(at ...int) float64 {
	p := 0
	for k, i := range at {
		p = p*a.shape[k] + i
	}
	return a.data[p]
}

// straight evaluates operators in a reading.
type straight struct {
	same      string // same_upper or same_lower
	excluded  bool   // averages leave the border out
	grouped   bool
	broadcast bool
	replica0  bool // linear reads the first replica
}

// side evaluates one side of a rule.
func (e *straight) side(ops []tasopb.Operator, in map[int32]array) ([][]array, error) {
	out := make([][]array, len(ops))
	for i := range ops {
		var args []array
		for _, x := range ops[i].Inputs {
			if x.OpID < 0 {
				args = append(args, in[x.OpID])
			} else {
				args = append(args, out[x.OpID][x.TsID])
			}
		}
		var err error
		if out[i], err = e.apply(&ops[i], args); err != nil {
			return nil, fmt.Errorf("operator %d, %s: %w", i, ops[i].Type, err)
		}
	}
	return out, nil
}

func (e *straight) apply(o *tasopb.Operator, in []array) ([]array, error) {
	get := func(k tasopb.ParamKey) int { v, _ := o.Param(k); return int(v) }
	one := func(a array, err error) ([]array, error) {
		if err != nil {
			return nil, err
		}
		return []array{activate(a, get(tasopb.ParamActi))}, nil
	}
	for _, x := range in {
		if x.open != "" && o.Type != tasopb.OpConv2D && o.Type != tasopb.OpEwAdd && o.Type != tasopb.OpEwMul && o.Type != tasopb.OpMatmul {
			return nil, errOther
		}
	}
	switch o.Type {
	case tasopb.OpRelu, tasopb.OpSigmoid, tasopb.OpTanh:
		return []array{activate(in[0], map[tasopb.OpType]int{tasopb.OpSigmoid: 1, tasopb.OpRelu: 2, tasopb.OpTanh: 3}[o.Type])}, nil
	case tasopb.OpEwAdd, tasopb.OpEwMul:
		return one(e.pair(o.Type == tasopb.OpEwMul, in[0], in[1]))
	case tasopb.OpMul:
		if len(in[1].shape) != 0 {
			return nil, not("a factor of %d axes", len(in[1].shape))
		}
		a := fill(in[0].shape, func(at []int) float64 { return in[0].at(at...) * in[1].data[0] })
		a.joined, a.pool = in[0].joined, in[0].pool
		return []array{a}, nil
	case tasopb.OpMatmul:
		return one(matmul(in[0], in[1]))
	case tasopb.OpLinear:
		return one(e.linear(in[0], in[1]))
	case tasopb.OpConcat:
		out := in[0]
		for _, x := range in[1:] {
			var err error
			if out, err = concat(out, x, get(tasopb.ParamAxis), o); err != nil {
				return nil, err
			}
		}
		return []array{out}, nil
	case tasopb.OpSplit:
		return split(in[0], get(tasopb.ParamAxis))
	case tasopb.OpTranspose:
		n, code := get(tasopb.ParamNumDim), get(tasopb.ParamPerm)
		perm := make([]int, n)
		for i := n - 1; i >= 0; i-- {
			perm[i], code = code%n, code/n
		}
		return one(transpose(in[0], perm))
	case tasopb.OpConv2D:
		return one(e.conv(o, in[0], in[1]))
	case tasopb.OpPool2DAvg, tasopb.OpPool2DMax:
		return one(e.pool(o, in[0]))
	case tasopb.OpEnlarge:
		if len(in) != 1 {
			return nil, errOther
		}
		return one(enlarge(in[0], get(tasopb.ParamKernelH), get(tasopb.ParamKernelW)))
	case tasopb.OpConstantIconv, tasopb.OpConstantPool:
		name := map[bool]string{true: "iconv", false: "cpool"}[o.Type == tasopb.OpConstantIconv]
		return []array{{open: name, window: [2]int{get(tasopb.ParamKernelH), get(tasopb.ParamKernelW)}}}, nil
	case tasopb.OpConstantImm:
		return []array{{open: "imatmul"}}, nil
	case tasopb.OpConstantOne:
		return []array{{open: "one"}}, nil
	}
	if o.Type.Parallel() {
		return one(parts(o.Type, in[0], get(tasopb.ParamParallelDim), get(tasopb.ParamParallelDegree)))
	}
	return nil, errOther
}

func identity(n int) array {
	return fill([]int{n, n}, func(at []int) float64 { return indicator(at[0] == at[1]) })
}

func matmul(x, w array) (array, error) {
	switch {
	case x.open == "imatmul" && w.open == "" && len(w.shape) == 2:
		x = identity(w.shape[0])
	case w.open == "imatmul" && x.open == "" && len(x.shape) == 2:
		w = identity(x.shape[1])
	case x.open != "" || w.open != "":
		return array{}, errOther
	}
	if len(x.shape) != 2 || len(w.shape) != 2 || x.shape[1] != w.shape[0] {
		return array{}, not("matmul of %v and %v", x.shape, w.shape)
	}
	a := fill([]int{x.shape[0], w.shape[1]}, func(at []int) (s float64) {
		for k := range x.shape[1] {
			s += x.at(at[0], k) * w.at(k, at[1])
		}
		return s
	})
	a.joined = []*cutAt{x.joined[0], w.joined[1]}
	return a, nil
}

// linear is x [r, b, i] times a weight [r, o, i].
func (e *straight) linear(x, w array) (array, error) {
	if len(x.shape) != 3 || len(w.shape) != 3 || x.shape[2] != w.shape[2] || !e.replica0 && x.shape[0] != w.shape[0] {
		return array{}, not("linear of %v and %v", x.shape, w.shape)
	}
	r := x.shape[0]
	if e.replica0 {
		r = 1
	}
	a := fill([]int{r, x.shape[1], w.shape[1]}, func(at []int) (s float64) {
		for k := range x.shape[2] {
			s += x.at(at[0], at[1], k) * w.at(at[0], at[2], k)
		}
		return s
	})
	a.joined = []*cutAt{meet(x.joined[0], w.joined[0]), x.joined[1], w.joined[1]}
	if e.replica0 {
		a.joined[0] = nil
	}
	return a, nil
}

// parts are FlexFlow's four operators, on the value that the parts make together.
func parts(op tasopb.OpType, x array, dim, k int) (array, error) {
	if dim >= len(x.shape) || k < 1 || op != tasopb.OpReplicate && x.shape[dim]%k != 0 {
		return array{}, not("%d parts of dimension %d of %v", k, dim, x.shape)
	}
	shape, from := slices.Clone(x.shape), func(at []int) float64 { return x.at(at...) }
	joined := slices.Clone(x.joined)
	switch n := x.shape[dim]; op {
	case tasopb.OpReplicate:
		shape[dim] = n * k
		from = func(at []int) float64 { b := slices.Clone(at); b[dim] %= n; return x.at(b...) }
		joined[dim] = nil
	case tasopb.OpReduce:
		shape[dim] = n / k
		from = func(at []int) (s float64) {
			b := slices.Clone(at)
			for range k {
				s += x.at(b...)
				b[dim] += n / k
			}
			return s
		}
		joined[dim] = nil
	}
	a := fill(shape, from)
	a.joined = joined
	return a, nil
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// pair adds or multiplies.
func (e *straight) pair(times bool, x, y array) (array, error) {
	if x.open != "" || y.open != "" {
		var err error
		if x, y, err = e.sized(x, y); err != nil {
			return array{}, err
		}
	}
	rank := max(len(x.shape), len(y.shape))
	size := func(s []int, k int) int {
		if k += len(s) - rank; k >= 0 {
			return s[k]
		}
		return 1
	}
	shape := make([]int, rank)
	joined := make([]*cutAt, rank)
	for k := range shape {
		a, b := size(x.shape, k), size(y.shape, k)
		if a != b && !(e.broadcast && (a == 1 || b == 1)) || len(x.shape) != len(y.shape) && !e.broadcast {
			return array{}, not("%v and %v", x.shape, y.shape)
		}
		shape[k] = max(a, b)
		if i, j := k+len(x.shape)-rank, k+len(y.shape)-rank; i >= 0 && j >= 0 {
			joined[k] = meet(x.joined[i], y.joined[j])
		}
	}
	read := func(a array, at []int) float64 {
		b := slices.Clone(at[rank-len(a.shape):])
		for k := range b {
			if a.shape[k] == 1 {
				b[k] = 0
			}
		}
		return a.at(b...)
	}
	out := fill(shape, func(at []int) float64 {
		if times {
			return read(x, at) * read(y, at)
		}
		return read(x, at) + read(y, at)
	})
	out.joined, out.pool = joined, x.pool || y.pool
	return out, nil
}

// sized gives a constant the shape of what it meets.
func (e *straight) sized(x, y array) (array, array, error) {
	if x.open != "" && y.open != "" {
		return x, y, errOther
	}
	c, by := &x, y
	if y.open != "" {
		c, by = &y, x
	}
	s := by.shape
	switch c.open {
	case "one":
		*c = fill(s, func([]int) float64 { return 1 })
	case "imatmul":
		if len(s) != 2 || s[0] != s[1] {
			if e.broadcast {
				return x, y, errOther // it may have a size with which it fits
			}
			return x, y, not("a unit matrix of %v", s)
		}
		*c = identity(s[0])
	default:
		if len(s) != 4 || s[2] != c.window[0] || s[3] != c.window[1] || c.open == "cpool" && s[1] != 1 || c.open == "iconv" && s[0] != s[1] {
			if e.broadcast {
				return x, y, errOther
			}
			return x, y, not("%s of %v", c.open, s)
		}
		*c = c.kernel(s[0])
	}
	return x, y, nil
}

// kernel is an open kernel for a number of channels.
func (a array) kernel(c int) array {
	h, w := a.window[0], a.window[1]
	if a.open == "cpool" {
		k := fill([]int{c, 1, h, w}, func([]int) float64 { return 1 / float64(h*w) })
		k.pool = true
		return k
	}
	return fill([]int{c, c, h, w}, func(at []int) float64 {
		return indicator(at[0] == at[1] && at[2] == (h-1)/2 && at[3] == (w-1)/2)
	})
}
