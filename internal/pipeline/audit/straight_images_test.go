package audit

import (
	"math"
	"slices"

	"github.com/taso-go/taso/rules/tasopb"
)

func activate(a array, fn int) array {
	f := map[int]func(float64) float64{
		1: func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
		2: func(x float64) float64 { return max(x, 0) },
		3: math.Tanh,
	}[fn]
	if f == nil {
		return a
	}
	a.data = slices.Clone(a.data)
	for i, x := range a.data {
		a.data[i] = f(x)
	}
	return a
}

func meet(a, b *cutAt) *cutAt {
	if a == nil || b == nil || a.at != b.at || !alike(a, b) {
		return nil
	}
	return &cutAt{a.at, meet(a.left, b.left), meet(a.right, b.right)}
}

func alike(a, b *cutAt) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return alike(a.left, b.left) && alike(a.right, b.right)
}

func concat(x, y array, axis int, o *tasopb.Operator) (array, error) {
	if n, ok := o.Param(tasopb.ParamNumDim); ok && len(x.shape) != int(n) || len(x.shape) != len(y.shape) || axis >= len(x.shape) {
		return array{}, not("concat of %v and %v", x.shape, y.shape)
	}
	shape := slices.Clone(x.shape)
	shape[axis] += y.shape[axis]
	joined := make([]*cutAt, len(shape))
	for k := range shape {
		if k == axis {
			joined[k] = &cutAt{x.shape[k], x.joined[k], y.joined[k]}
			continue
		}
		if x.shape[k] != y.shape[k] {
			return array{}, not("concat of %v and %v", x.shape, y.shape)
		}
		joined[k] = meet(x.joined[k], y.joined[k])
	}
	out := fill(shape, func(at []int) float64 {
		if at[axis] < x.shape[axis] {
			return x.at(at...)
		}
		b := slices.Clone(at)
		b[axis] -= x.shape[axis]
		return y.at(b...)
	})
	out.joined, out.pool = joined, axis != 1 && (x.pool || y.pool)
	return out, nil
}

func split(x array, axis int) ([]array, error) {
	if axis >= len(x.shape) || x.joined[axis] == nil {
		return nil, not("a split of what was not joined")
	}
	c := x.joined[axis]
	var out []array
	for k, n := range []int{c.at, x.shape[axis] - c.at} {
		shape := slices.Clone(x.shape)
		shape[axis] = n
		a := fill(shape, func(at []int) float64 {
			b := slices.Clone(at)
			b[axis] += k * c.at
			return x.at(b...)
		})
		a.joined = slices.Clone(x.joined)
		a.joined[axis] = []*cutAt{c.left, c.right}[k]
		out = append(out, a)
	}
	return out, nil
}

func transpose(x array, perm []int) (array, error) {
	if len(x.shape) != len(perm) {
		return array{}, not("%d axes in another order, of %v", len(perm), x.shape)
	}
	shape, joined := make([]int, len(perm)), make([]*cutAt, len(perm))
	for k, p := range perm {
		shape[k], joined[k] = x.shape[p], x.joined[p]
	}
	a := fill(shape, func(at []int) float64 {
		b := make([]int, len(at))
		for k, p := range perm {
			b[p] = at[k]
		}
		return x.at(b...)
	})
	a.joined = joined
	return a, nil
}

func enlarge(x array, h, w int) (array, error) {
	if len(x.shape) != 4 || x.shape[2] > h || x.shape[3] > w {
		return array{}, not("%v made %d by %d", x.shape, h, w)
	}
	top, left := (h-x.shape[2])/2, (w-x.shape[3])/2
	a := fill([]int{x.shape[0], x.shape[1], h, w}, func(at []int) float64 {
		i, j := at[2]-top, at[3]-left
		if i < 0 || j < 0 || i >= x.shape[2] || j >= x.shape[3] {
			return 0
		}
		return x.at(at[0], at[1], i, j)
	})
	copy(a.joined, x.joined[:2])
	a.pool = x.pool
	return a, nil
}

// windows are where the cells of a window begin along an axis, and how many windows there
// are.
func (e *straight) windows(o *tasopb.Operator, n, k int, key tasopb.ParamKey) (first, many int, err error) {
	step := 1
	if s, ok := o.Param(key); ok {
		step = int(s)
	}
	if pad, _ := o.Param(tasopb.ParamPad); pad == 1 {
		if k > n {
			return 0, 0, not("a window of %d in %d", k, n)
		}
		return 0, (n-k)/step + 1, nil
	}
	many = (n + step - 1) / step
	total := max((many-1)*step+k-n, 0)
	first = total / 2
	if e.same == "same_lower" {
		first = (total + 1) / 2
	}
	return -first, many, nil
}

func (e *straight) conv(o *tasopb.Operator, x, w array) (array, error) {
	if x.open != "" || w.open == "one" || w.open == "imatmul" || len(x.shape) != 4 {
		return array{}, errOther
	}
	if w.open != "" {
		w = w.kernel(x.shape[1])
	}
	if len(w.shape) != 4 || x.shape[1]%w.shape[1] != 0 {
		return array{}, not("a convolution of %v and %v", x.shape, w.shape)
	}
	for axis, key := range []tasopb.ParamKey{tasopb.ParamKernelH, tasopb.ParamKernelW} {
		if k, ok := o.Param(key); ok && w.shape[2+axis] != int(k) {
			return array{}, not("a kernel of %v where %s is %d", w.shape, key, k)
		}
	}
	groups := x.shape[1] / w.shape[1]
	if groups != 1 && !e.grouped && !w.pool || w.shape[0]%groups != 0 || w.pool && w.shape[0] != groups {
		return array{}, not("%d groups of %v and %v", groups, x.shape, w.shape)
	}
	top, h, err := e.windows(o, x.shape[2], w.shape[2], tasopb.ParamStrideH)
	if err != nil {
		return array{}, err
	}
	left, v, err := e.windows(o, x.shape[3], w.shape[3], tasopb.ParamStrideW)
	if err != nil {
		return array{}, err
	}
	sh, _ := o.Param(tasopb.ParamStrideH)
	sw, _ := o.Param(tasopb.ParamStrideW)
	a := fill([]int{x.shape[0], w.shape[0], h, v}, func(at []int) (s float64) {
		c0 := at[1] / (w.shape[0] / groups) * w.shape[1]
		for c := range w.shape[1] {
			for i := range w.shape[2] {
				for j := range w.shape[3] {
					y, z := at[2]*int(sh)+top+i, at[3]*int(sw)+left+j
					if y >= 0 && z >= 0 && y < x.shape[2] && z < x.shape[3] {
						s += x.at(at[0], c0+c, y, z) * w.at(at[1], c, i, j)
					}
				}
			}
		}
		return s
	})
	a.joined[0], a.joined[1] = x.joined[0], w.joined[0]
	e.keep(o, &a, x)
	return a, nil
}

// keep notes that a window of stride 1 and SAME padding keeps where an image was joined.
func (e *straight) keep(o *tasopb.Operator, a *array, x array) {
	sh, _ := o.Param(tasopb.ParamStrideH)
	sw, _ := o.Param(tasopb.ParamStrideW)
	if pad, _ := o.Param(tasopb.ParamPad); pad == 0 && sh == 1 && sw == 1 {
		copy(a.joined[2:], x.joined[2:])
	}
}

func (e *straight) pool(o *tasopb.Operator, x array) (array, error) {
	if len(x.shape) != 4 {
		return array{}, not("a window on %v", x.shape)
	}
	kh, _ := o.Param(tasopb.ParamKernelH)
	kw, _ := o.Param(tasopb.ParamKernelW)
	top, h, err := e.windows(o, x.shape[2], int(kh), tasopb.ParamStrideH)
	if err != nil {
		return array{}, err
	}
	left, v, err := e.windows(o, x.shape[3], int(kw), tasopb.ParamStrideW)
	if err != nil {
		return array{}, err
	}
	sh, _ := o.Param(tasopb.ParamStrideH)
	sw, _ := o.Param(tasopb.ParamStrideW)
	a := fill([]int{x.shape[0], x.shape[1], h, v}, func(at []int) float64 {
		sum, largest, n := 0.0, math.Inf(-1), 0
		for i := range int(kh) {
			for j := range int(kw) {
				y, z := at[2]*int(sh)+top+i, at[3]*int(sw)+left+j
				if y >= 0 && z >= 0 && y < x.shape[2] && z < x.shape[3] {
					c := x.at(at[0], at[1], y, z)
					sum, largest, n = sum+c, max(largest, c), n+1
				}
			}
		}
		switch {
		case o.Type == tasopb.OpPool2DMax:
			return largest
		case e.excluded:
			return sum / float64(n)
		}
		return sum / float64(kh*kw)
	})
	a.joined[0] = x.joined[0]
	e.keep(o, &a, x)
	return a, nil
}
