package eval

import (
	"errors"
	"slices"
)

// errWork says that cells depend on more cells than are worth evaluating.
var errWork = errors.New("too many cells")

// node is a term at a point.
type node struct {
	id     int
	tensor string // a given tensor
	fn     string // a function variable, which at zero is zero if keeps
	keeps  bool
	op     string
	a      attrs
	args   []*node
	out    int
	shape  []int64
}

// machine evaluates cells of nodes.
type machine[V any] struct {
	f     field[V]
	seed  uint64
	whole bool // given tensors hold integers
	work  int  // cells and summands that may still be evaluated
	err   error
	memo  []table[V] // by id of the node
}

// table remembers the cells of a node: all of a small one by place, those that
// were met of a large one.
type table[V any] struct {
	hash  uint64 // of the name, of a given tensor
	known []bool
	cells []V
	met   map[int64]V
}

// smallTable is how many cells are remembered by place.
const smallTable = 2048

func (t *table[V]) get(flat int64) (v V, ok bool) {
	if flat < int64(len(t.known)) {
		return t.cells[flat], t.known[flat]
	}
	v, ok = t.met[flat]
	return v, ok
}

func (t *table[V]) put(n *node, flat int64, v V) {
	if t.known == nil && t.met == nil {
		if c, ok := product(n.shape); ok && c <= smallTable {
			t.known, t.cells = make([]bool, c), make([]V, c)
		} else {
			t.met = map[int64]V{}
		}
	}
	if t.known != nil {
		t.known[flat], t.cells[flat] = true, v
		return
	}
	t.met[flat] = v
}

// at is a cell. It is a bad number once an error is set.
func (m *machine[V]) at(n *node, idx []int64) V {
	if m.err != nil {
		return m.f.Inv(m.f.Int(0))
	}
	if n.tensor != "" {
		h := m.memo[n.id].hash
		if h == 0 {
			h = mixText(m.seed, n.tensor)
			m.memo[n.id].hash = h
		}
		for _, i := range idx {
			h = mix(h, uint64(i))
		}
		return m.f.Random(h, m.whole)
	}
	if n.op == member {
		return m.at(n.args[0], slices.Concat(n.a["at"].Tuple, idx))
	}
	if m.work--; m.work < 0 {
		m.err = errWork
		return m.f.Inv(m.f.Int(0))
	}
	flat, fits := int64(0), true
	for i, x := range idx {
		var e1, e2 error
		if flat, e1 = mul(flat, n.shape[i]); e1 == nil {
			flat, e2 = add(flat, x)
		}
		fits = fits && e1 == nil && e2 == nil
	}
	if fits {
		if v, ok := m.memo[n.id].get(flat); ok {
			return v
		}
	}
	v := m.compute(n, idx)
	if fits && m.err == nil {
		m.memo[n.id].put(n, flat, v)
	}
	return v
}

func (m *machine[V]) neg(x V) V    { return m.f.Mul(m.f.Int(-1), x) }
func (m *machine[V]) sub(a, b V) V { return m.f.Add(a, m.neg(b)) }

// each calls f for every index below the sizes, the last one fastest.
func (m *machine[V]) each(sizes []int64, f func(at []int64)) {
	for _, n := range sizes {
		if n < 1 {
			return
		}
	}
	at := make([]int64, len(sizes))
	for {
		if m.work--; m.work < 0 {
			m.err = errWork
		}
		if m.err != nil {
			return
		}
		f(at)
		i := len(sizes) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < sizes[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// apply is a function with the parameters that an application gives it.
func (m *machine[V]) apply(name string, a attrs, x V) V {
	var params []string
	for _, p := range functions[name] {
		params = append(params, a[p].Number)
	}
	return m.f.Func(name, params, x)
}

func (m *machine[V]) compute(n *node, idx []int64) V {
	arg := func(i int, at []int64) V { return m.at(n.args[i], at) }
	if n.fn != "" {
		return m.f.Table(mixText(m.seed, "f:"+n.fn), n.keeps, arg(0, idx))
	}
	if _, ok := functions[n.op]; ok {
		return m.apply(n.op, n.a, arg(0, idx))
	}
	if one, ok := eachOf(n.op); ok {
		return m.eachMember(one, n, idx)
	}
	if v, ok := m.layout(n, idx); ok {
		return v
	}
	if v, ok := m.several(n, idx); ok {
		return v
	}
	switch n.op {
	case "ewadd":
		return m.f.Add(arg(0, idx), arg(1, idx))
	case "ewsub":
		return m.sub(arg(0, idx), arg(1, idx))
	case "ewmul":
		return m.f.Mul(arg(0, idx), arg(1, idx))
	case "ewdiv":
		return m.f.Mul(arg(0, idx), m.f.Inv(arg(1, idx)))
	case "ewmax":
		return m.f.Larger(arg(0, idx), arg(1, idx))
	case "ewmin":
		return m.neg(m.f.Larger(m.neg(arg(0, idx)), m.neg(arg(1, idx))))
	case "smul":
		return m.f.Mul(arg(0, idx), arg(1, nil))
	case "matmul":
		r, sum := len(idx), m.f.Int(0)
		m.each(n.args[0].shape[r-1:], func(k []int64) {
			x, y := with(idx, r-1, k[0]), with(idx, r-2, k[0])
			sum = m.f.Add(sum, m.f.Mul(arg(0, x), arg(1, y)))
		})
		return sum
	case "concat":
		axis := n.a["axis"].N
		if first := n.args[0].shape[axis]; idx[axis] >= first {
			return arg(1, with(idx, int(axis), idx[axis]-first))
		}
		return arg(0, idx)
	case "slice", "split":
		axis, from := n.a["axis"].N, n.a["lo"].N
		if n.op == "split" && n.out == 1 {
			from = n.a["at"].N
		}
		return arg(0, with(idx, int(axis), idx[axis]+from))
	case "transpose":
		from := make([]int64, len(idx))
		for i, p := range n.a["perm"].Tuple {
			from[p] = idx[i]
		}
		return arg(0, from)
	case "reshape":
		return arg(0, relabel(n.shape, n.args[0].shape, idx))
	case "broadcast":
		x := n.args[0].shape
		from := slices.Clone(idx[len(idx)-len(x):])
		for i, s := range x {
			if s == 1 {
				from[i] = 0
			}
		}
		return arg(0, from)
	case "one":
		return m.f.Int(1)
	case "fill":
		return m.f.Mul(m.number(n.a["value"].Number), m.f.Inv(m.f.Int(n.a["den"].N)))
	case "reverse":
		from := slices.Clone(idx)
		for _, i := range n.a["axes"].Tuple {
			from[i] = n.shape[i] - 1 - idx[i]
		}
		return arg(0, from)
	case "scatteradd":
		return m.scatter(n, idx)
	case "pick":
		return m.pick(n, idx)
	case "topk":
		return m.topk(n, idx)
	case "iota":
		return m.f.Int(idx[0])
	case "imatmul":
		return m.truth(idx[0] == idx[1])
	case "iconv":
		return m.truth(idx[0] == idx[1] && idx[2] == n.shape[2]/2 && idx[3] == n.shape[3]/2)
	case "cpool":
		return m.f.Inv(m.f.Mul(m.f.Int(n.shape[2]), m.f.Int(n.shape[3])))
	case "enlarge":
		from := slices.Clone(idx)
		x := n.args[0].shape
		for i := 2; i < 4; i++ {
			if from[i] -= (n.shape[i] - x[i]) / 2; from[i] < 0 || from[i] >= x[i] {
				return m.f.Int(0)
			}
		}
		return arg(0, from)
	case "conv2d":
		return m.conv(n, idx)
	case "poolmax", "poolavg":
		return m.pool(n, idx)
	case "pad":
		from, before := slices.Clone(idx), n.a["before"].Tuple
		for i, s := range n.args[0].shape {
			if from[i] -= before[i]; from[i] < 0 || from[i] >= s {
				return m.number(n.a["value"].Number)
			}
		}
		return arg(0, from)
	case "gather":
		return m.gather(n, idx)
	case "cast":
		return m.f.Func(castPrefix+n.a["to"].Name+" "+n.a["mode"].Name, nil, arg(0, idx))
	case "resize":
		return m.resize(n, idx)
	case "reducesum", "reducemean", "reducemax":
		return m.reduce(n, idx)
	case "softmax":
		axis := int(n.a["axis"].N)
		sum := m.f.Int(0)
		m.each(n.shape[axis:axis+1], func(k []int64) {
			sum = m.f.Add(sum, m.f.Func("exp", nil, arg(0, with(idx, axis, k[0]))))
		})
		return m.f.Mul(m.f.Func("exp", nil, arg(0, idx)), m.f.Inv(sum))
	case "layernorm":
		return m.layernorm(n, idx)
	case "batchnorm":
		at := idx[1:2]
		x := m.sub(arg(0, idx), arg(3, at))
		x = m.f.Mul(x, m.f.Func("rsqrt", []string{n.a["eps"].Number}, arg(4, at)))
		return m.f.Add(m.f.Mul(x, arg(1, at)), arg(2, at))
	}
	m.err = errUnjudged("operator " + n.op)
	return m.f.Int(0)
}

func (m *machine[V]) truth(b bool) V {
	if b {
		return m.f.Int(1)
	}
	return m.f.Int(0)
}

// number is a real number as it is written.
func (m *machine[V]) number(s string) V {
	q, _ := decimal(s)
	if q.den == 0 {
		return m.f.Inv(m.f.Int(0))
	}
	return m.f.Mul(m.f.Int(q.num), m.f.Inv(m.f.Int(q.den)))
}

func (m *machine[V]) conv(n *node, idx []int64) V {
	x, w := n.args[0].shape, n.args[1].shape
	stride, pad, apart := n.a["stride"].Tuple, n.a["pad"], n.a["dilation"].Tuple
	group := idx[1] / (w[0] / n.a["groups"].N)
	top := idx[2]*stride[0] - padBefore(x[2], (w[2]-1)*apart[0]+1, stride[0], pad, 0)
	left := idx[3]*stride[1] - padBefore(x[3], (w[3]-1)*apart[1]+1, stride[1], pad, 1)
	sum := m.f.Int(0)
	m.each(w[1:], func(k []int64) {
		r, s := top+k[1]*apart[0], left+k[2]*apart[1]
		if r < 0 || r >= x[2] || s < 0 || s >= x[3] {
			return
		}
		sum = m.f.Add(sum, m.f.Mul(m.at(n.args[0], []int64{idx[0], group*w[1] + k[0], r, s}),
			m.at(n.args[1], []int64{idx[1], k[0], k[1], k[2]})))
	})
	if act := n.a["act"].Name; act != "none" {
		return m.apply(act, nil, sum)
	}
	return sum
}

func (m *machine[V]) pool(n *node, idx []int64) V {
	x := n.args[0].shape
	kernel := []int64{n.a["kh"].N, n.a["kw"].N}
	stride, pad := n.a["stride"].Tuple, n.a["pad"]
	top := idx[2]*stride[0] - padBefore(x[2], kernel[0], stride[0], pad, 0)
	left := idx[3]*stride[1] - padBefore(x[3], kernel[1], stride[1], pad, 1)
	inside := int64(0)
	var acc V
	m.each(kernel, func(k []int64) {
		r, s := top+k[0], left+k[1]
		if r < 0 || r >= x[2] || s < 0 || s >= x[3] {
			return
		}
		v := m.at(n.args[0], []int64{idx[0], idx[1], r, s})
		switch {
		case inside == 0:
			acc = v
		case n.op == "poolmax":
			acc = m.f.Larger(acc, v)
		default:
			acc = m.f.Add(acc, v)
		}
		inside++
	})
	if inside == 0 {
		return m.f.Inv(m.f.Int(0)) // no window lies outside where pads are below the kernel
	}
	if n.op == "poolmax" {
		return acc
	}
	count := inside
	if n.a["border"].Name != "excluded" {
		count = kernel[0] * kernel[1]
	}
	return m.f.Mul(acc, m.f.Inv(m.f.Int(count)))
}

func (m *machine[V]) gather(n *node, idx []int64) V {
	axis, x, rank := int(n.a["axis"].N), n.args[0].shape, len(n.args[1].shape)
	k, ok := m.f.Integer(m.at(n.args[1], idx[axis:axis+rank]))
	if k < 0 {
		k += x[axis]
	}
	if !ok || k < 0 || k >= x[axis] {
		return m.f.Inv(m.f.Int(0))
	}
	return m.at(n.args[0], slices.Concat(idx[:axis], []int64{k}, idx[axis+rank:]))
}

// pick adds the rows whose key is the position.
func (m *machine[V]) pick(n *node, idx []int64) V {
	at, all, sum := len(n.args[2].shape), n.a["n"].N, m.f.Int(0)
	k, ok := m.f.Integer(m.at(n.args[2], idx[:at]))
	if !ok || k < -all || k >= all {
		return m.f.Inv(m.f.Int(0))
	}
	for row := range n.args[1].shape[0] {
		key := m.at(n.args[1], []int64{row})
		if m.f.IsBad(key) {
			return key
		}
		if q, ok := m.f.Integer(key); ok && (q == k || q == k+all) {
			sum = m.f.Add(sum, m.at(n.args[0], slices.Concat([]int64{row}, idx[at:])))
		}
	}
	return sum
}

// topk takes the best element of a line away as often as the place says; the first of
// equal ones is the best.
func (m *machine[V]) topk(n *node, idx []int64) V {
	axis := int(n.a["axis"].N)
	size := n.args[0].shape[axis]
	// What is taken away is looked for among all.
	if cost, err := mul(size, idx[axis]+1); err != nil || cost > int64(m.work) {
		m.err = errWork
		return m.f.Inv(m.f.Int(0))
	} else {
		m.work -= int(cost)
	}
	line := make([]V, size)
	for i := range line {
		v := m.at(n.args[0], with(idx, axis, int64(i)))
		if m.f.IsBad(v) {
			return v
		}
		if n.a["smallest"].N == 1 {
			v = m.neg(v)
		}
		line[i] = v
	}
	best, taken := 0, make([]bool, len(line))
	for range idx[axis] + 1 {
		best = -1
		for i, v := range line {
			if taken[i] {
				continue
			}
			if best < 0 {
				best = i
				continue
			}
			larger := m.f.Larger(v, line[best])
			if m.f.IsBad(larger) {
				return larger
			}
			if !m.f.Same(larger, line[best]) {
				best = i
			}
		}
		taken[best] = true
	}
	return m.f.Int(int64(best))
}

// scatter adds the parts whose place is idx's.
func (m *machine[V]) scatter(n *node, idx []int64) V {
	axis, sum := int(n.a["axis"].N), m.f.Int(0)
	size := n.shape[axis]
	m.each(n.args[1].shape, func(at []int64) {
		k, ok := m.f.Integer(m.at(n.args[1], slices.Clone(at)))
		if k < 0 {
			k += size
		}
		switch {
		case !ok || k < 0 || k >= size:
			sum = m.f.Inv(m.f.Int(0))
		case k == idx[axis]:
			sum = m.f.Add(sum, m.at(n.args[0], slices.Concat(idx[:axis], at, idx[axis+1:])))
		}
	})
	return sum
}

func (m *machine[V]) reduce(n *node, idx []int64) V {
	x, axes := n.args[0].shape, n.a["axes"].Tuple
	from, next := make([]int64, len(x)), 0
	sizes := make([]int64, len(axes))
	for i := range x {
		if j := slices.Index(axes, int64(i)); j >= 0 {
			sizes[j] = x[i]
			next += int(n.a["keep"].N)
			continue
		}
		from[i] = idx[next]
		next++
	}
	count := int64(0)
	var acc V
	m.each(sizes, func(k []int64) {
		at := slices.Clone(from)
		for j, i := range axes {
			at[i] = k[j]
		}
		v := m.at(n.args[0], at)
		switch {
		case count == 0:
			acc = v
		case n.op == "reducemax":
			acc = m.f.Larger(acc, v)
		default:
			acc = m.f.Add(acc, v)
		}
		count++
	})
	if n.op == "reducemean" {
		acc = m.f.Mul(acc, m.f.Inv(m.f.Int(count)))
	}
	return acc
}

func (m *machine[V]) layernorm(n *node, idx []int64) V {
	first, x := int(n.a["axis"].N), n.args[0]
	average := func(of func(V) V) V {
		sum, count := m.f.Int(0), int64(0)
		m.each(x.shape[first:], func(k []int64) {
			sum = m.f.Add(sum, of(m.at(x, slices.Concat(idx[:first], k))))
			count++
		})
		return m.f.Mul(sum, m.f.Inv(m.f.Int(count)))
	}
	mean := average(func(v V) V { return v })
	variance := average(func(v V) V { d := m.sub(v, mean); return m.f.Mul(d, d) })
	d := m.f.Mul(m.sub(m.at(x, idx), mean), m.f.Func("rsqrt", []string{n.a["eps"].Number}, variance))
	return m.f.Add(m.f.Mul(d, m.at(n.args[1], idx[first:])), m.at(n.args[2], idx[first:]))
}
