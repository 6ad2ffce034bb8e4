package tasowalk

// This file is TASO's generator's arithmetic: which operands its operators
// accept, how results lie in memory, where it would cut a concatenation, and
// the values.

type tasoKind int8

const (
	tasoMatmul tasoKind = iota
	tasoAdd
	tasoMul
	tasoConv
	tasoPoolSum
	tasoPoolMax
	tasoOnes
	tasoIconv
	tasoIdentity
	tasoEnlarge
	tasoScale
	tasoRelu
	tasoConcat
	tasoSplit
	tasoTranspose
)

// tasoOp is an operator of TASO's list.
type tasoOp struct {
	kind       tasoKind
	h, w       int  // of kernels
	relu       bool // fused
	rank       int  // of concat
	axis       int  // of concat and split
	shuffle    bool // transpose writes its result anew
	dims       []int
	constant   bool
	unary      bool
	rising     bool // the second operand comes after the first in the list of tensors
	commutes   bool
	inputsOnly bool
}

// tasoOps are TASO's operators in its order.
var tasoOps = []tasoOp{
	{kind: tasoMatmul},
	{kind: tasoAdd, rising: true, commutes: true},
	{kind: tasoMul, rising: true, commutes: true},
	{kind: tasoConv, h: 3, w: 3},
	{kind: tasoConv, h: 3, w: 3, relu: true},
	{kind: tasoConv, h: 1, w: 1}, // no tensor is a kernel for it
	{kind: tasoConv, h: 1, w: 1, relu: true},
	{kind: tasoConv, h: 1, w: 3},
	{kind: tasoConv, h: 1, w: 3, relu: true},
	{kind: tasoPoolSum, h: 3, w: 3, unary: true},
	{kind: tasoPoolMax, h: 3, w: 3, unary: true},
	{kind: tasoOnes, dims: []int{4, 1, 3, 3}, constant: true},
	{kind: tasoIconv, dims: []int{4, 4, 3, 3}, constant: true},
	{kind: tasoIdentity, dims: []int{4, 4}, constant: true},
	{kind: tasoOnes, dims: []int{2, 4, 5, 5}, constant: true},
	{kind: tasoEnlarge, h: 3, w: 3, unary: true, inputsOnly: true},
	{kind: tasoScale},
	{kind: tasoRelu, unary: true},
	{kind: tasoConcat, rank: 2, axis: 1, rising: true},
	{kind: tasoConcat, rank: 2, axis: 0, rising: true},
	{kind: tasoConcat, rank: 4, axis: 1, rising: true},
	{kind: tasoConcat, rank: 4, axis: 0, rising: true},
	{kind: tasoSplit, axis: 1, unary: true},
	{kind: tasoSplit, axis: 0, unary: true},
	{kind: tasoTranspose, unary: true},
	{kind: tasoTranspose, unary: true, shuffle: true},
}

// tasoShape is the shape of an input; first is the first input of that shape
// and role.
type tasoShape struct {
	first  int
	weight bool // its name starts with w
	dims   []int
}

var tasoShapes = func() (out [tasoInputs]tasoShape) {
	at := 0
	add := func(n int, weight bool, dims ...int) {
		for i := range n {
			out[at+i] = tasoShape{at, weight, dims}
		}
		at += n
	}
	add(3, false, 2, 4)
	add(3, true, 4, 4)
	add(3, false, 2, 4, 5, 5)
	add(3, true, 4, 4, 3, 3)
	add(3, true, 4, 4, 1, 3)
	add(3, true, 4, 4, 3, 1)
	add(1, true, 4, 1, 3, 3)
	add(1, false)
	return out
}()

const (
	tasoMaxSize = 512 // elements
	tasoBatch   = 2   // not an inner size of matmul
	tasoMaxCuts = 4
)

// tasoCuts are the positions at which an axis was joined, the last join last.
type tasoCuts struct {
	n   int
	pos [tasoMaxCuts]int
}

// with appends the cuts of what is joined at offset, and offset.
func (c tasoCuts) with(offset int, next tasoCuts) tasoCuts {
	for i := range next.n {
		c.pos[c.n] = offset + next.pos[i]
		c.n++
	}
	c.pos[c.n] = offset
	c.n++
	return c
}

// common is c if both are the same and none otherwise.
func (c tasoCuts) common(d tasoCuts) tasoCuts {
	if c != d {
		return tasoCuts{}
	}
	return c
}

// cut divides at the last join. What lies right of it keeps positions counted
// from the old origin, as in TASO.
func (c tasoCuts) cut() (left, right tasoCuts, at int) {
	at = c.pos[c.n-1]
	i := 0
	for ; i < c.n && c.pos[i] < at; i++ {
		left.pos[left.n] = c.pos[i]
		left.n++
	}
	for ; i < c.n-1; i++ {
		right.pos[right.n] = c.pos[i]
		right.n++
	}
	return left, right, at
}

// tasoLayout is all of a tensor but its values.
type tasoLayout struct {
	rank   int
	dim    [4]int
	stride [4]int
	cuts   [4]tasoCuts
}

func (l *tasoLayout) size() int {
	n := 1
	for i := range l.rank {
		n *= l.dim[i]
	}
	return n
}

// pack sets the strides of a row-major tensor.
func (l *tasoLayout) pack() {
	n := 1
	for i := l.rank - 1; i >= 0; i-- {
		l.stride[i] = n
		n *= l.dim[i]
	}
}

// unpack is the index of the element at offset of a row-major tensor.
func (l *tasoLayout) unpack(offset int) (at [4]int) {
	if offset == 0 {
		return at
	}
	for i := range l.rank {
		at[i] = offset / l.stride[i]
		offset %= l.stride[i]
	}
	return at
}

type tasoTensor struct {
	layout int     // in tasoMachine.layouts
	data   []int32 // by offset; nil if not computed
}

// tasoExpr is an output of an operator, of which single elements can be computed.
type tasoExpr struct {
	op, out, layout int
	a, b            *tasoTensor
}

// tasoMachine interns layouts and remembers what operators make of them.
type tasoMachine struct {
	layouts []tasoLayout
	number  map[tasoLayout]int
	results [][][][]int // [op][layout of a + 1][layout of b + 1], nil if not known
}

func newTASOMachine() *tasoMachine {
	return &tasoMachine{number: map[tasoLayout]int{}, results: make([][][][]int, len(tasoOps))}
}

func (m *tasoMachine) intern(l tasoLayout) int {
	n, ok := m.number[l]
	if !ok {
		n = len(m.layouts)
		m.layouts = append(m.layouts, l)
		m.number[l] = n
	}
	return n
}

// inputs are TASO's, with the values of its C library's generator from its
// default seed, less half the greatest value.
func (m *tasoMachine) inputs() []tasoTensor {
	random := glibcRandom(1)
	out := make([]tasoTensor, tasoInputs)
	for i, s := range tasoShapes {
		l := tasoLayout{rank: len(s.dims)}
		copy(l.dim[:], s.dims)
		l.pack()
		out[i] = tasoTensor{m.intern(l), make([]int32, l.size())}
		for k := range out[i].data {
			out[i].data[k] = random() - (1<<31-1)/2
		}
	}
	return out
}

// glibcRandom is the additive feedback generator behind rand of the GNU C
// library: r(i) = r(i-3) + r(i-31) modulo 2^32, filled by r(i) = 16807 r(i-1)
// modulo 2^31-1, the first 310 dropped, the lowest bit cut off.
func glibcRandom(seed int64) func() int32 {
	var r [34]uint32
	x := seed
	for i := range 31 {
		r[i] = uint32(x)
		x = x * 16807 % (1<<31 - 1)
	}
	var ring [31]uint32
	copy(ring[:], r[:31])
	at := 0 // ring[at] is r(i-31)
	step := func() uint32 {
		v := ring[at] + ring[(at+28)%31]
		ring[at] = v
		at = (at + 1) % 31
		return v
	}
	// r(31), r(32), r(33) repeat r(0), r(1), r(2).
	at = 3
	for range 310 {
		step()
	}
	return func() int32 { return int32(step() >> 1) }
}

// layoutsOf are the layouts of an operator's outputs; none if it refuses.
func (m *tasoMachine) layoutsOf(op int, a, b *tasoTensor) []int {
	i, j := 0, 0
	if a != nil {
		i = a.layout + 1
	}
	if b != nil {
		j = b.layout + 1
	}
	rows := m.results[op]
	for len(rows) <= i {
		rows = append(rows, nil)
		m.results[op] = rows
	}
	row := rows[i]
	for len(row) <= j {
		row = append(row, nil)
		rows[i] = row
	}
	if row[j] == nil {
		var la, lb tasoLayout
		if a != nil {
			la = m.layouts[a.layout]
		}
		if b != nil {
			lb = m.layouts[b.layout]
		}
		res := []int{}
		for _, l := range tasoOps[op].layout(&la, &lb) {
			res = append(res, m.intern(l))
		}
		row[j] = res
	}
	return row[j]
}

// layout is what the operator makes of operands, none if it refuses them.
func (o *tasoOp) layout(a, b *tasoLayout) []tasoLayout {
	switch o.kind {
	case tasoMatmul:
		if a.rank != 2 || b.rank != 2 || a.dim[1] != b.dim[0] || b.dim[0] == tasoBatch {
			return nil
		}
		l := tasoLayout{rank: 2, dim: [4]int{a.dim[0], b.dim[1]}, cuts: [4]tasoCuts{a.cuts[0], b.cuts[1]}}
		l.pack()
		return []tasoLayout{l}
	case tasoAdd, tasoMul:
		if a.rank != b.rank || a.dim != b.dim || a.stride != b.stride {
			return nil
		}
		l := *a
		for i := range l.rank {
			l.cuts[i] = a.cuts[i].common(b.cuts[i])
		}
		return []tasoLayout{l}
	case tasoConv:
		if a.rank != 4 || b.rank != 4 || b.dim[2] != o.h || b.dim[3] != o.w || a.dim[1]%b.dim[1] != 0 || b.dim[0]%(a.dim[1]/b.dim[1]) != 0 {
			return nil
		}
		l := *a
		l.dim[1], l.cuts[1] = b.dim[0], b.cuts[0]
		return l.bounded()
	case tasoPoolSum, tasoPoolMax:
		if a.rank != 4 {
			return nil
		}
		l := *a
		l.cuts[1] = tasoCuts{}
		return l.bounded()
	case tasoOnes, tasoIconv, tasoIdentity:
		l := tasoLayout{rank: len(o.dims)}
		copy(l.dim[:], o.dims)
		return l.bounded()
	case tasoEnlarge:
		if a.rank != 4 || a.dim[2] > o.h || a.dim[3] > o.w || a.dim[2] == o.h && a.dim[3] == o.w {
			return nil
		}
		l := *a
		l.dim[2], l.dim[3] = o.h, o.w
		l.cuts[2], l.cuts[3] = tasoCuts{}, tasoCuts{}
		return l.bounded()
	case tasoScale:
		if b.rank != 0 {
			return nil
		}
		return []tasoLayout{*a}
	case tasoRelu:
		return []tasoLayout{*a}
	case tasoConcat:
		if a.rank != o.rank || b.rank != o.rank {
			return nil
		}
		l := *a
		for i := range l.rank {
			switch {
			case i == o.axis:
				l.cuts[i] = a.cuts[i].with(a.dim[i], b.cuts[i])
				l.dim[i] += b.dim[i]
			case a.dim[i] != b.dim[i]:
				return nil
			default:
				l.cuts[i] = a.cuts[i].common(b.cuts[i])
			}
		}
		return l.bounded()
	case tasoSplit:
		if a.rank <= o.axis || a.cuts[o.axis].n == 0 {
			return nil
		}
		l, r := *a, *a
		left, right, at := a.cuts[o.axis].cut()
		l.dim[o.axis], l.cuts[o.axis] = at, left
		r.dim[o.axis], r.cuts[o.axis] = a.dim[o.axis]-at, right
		l.pack()
		r.pack()
		return []tasoLayout{l, r}
	case tasoTranspose:
		if a.rank != 2 {
			return nil
		}
		l := *a
		l.dim[0], l.dim[1] = a.dim[1], a.dim[0]
		l.cuts[0], l.cuts[1] = a.cuts[1], a.cuts[0]
		l.stride[0], l.stride[1] = a.stride[1], a.stride[0]
		if o.shuffle {
			l.pack()
		}
		return []tasoLayout{l}
	}
	return nil
}

// bounded packs a layout; none if TASO has no room for it.
func (l tasoLayout) bounded() []tasoLayout {
	if l.size() > tasoMaxSize {
		return nil
	}
	l.pack()
	return []tasoLayout{l}
}

func (m *tasoMachine) evaluate(e *tasoExpr) []int32 {
	out := make([]int32, m.layouts[e.layout].size())
	for i := range out {
		out[i] = m.element(e, i)
	}
	return out
}

// equal reports whether e has the values of y, which has its layout; x is e's
// tensor, with or without values.
func (m *tasoMachine) equal(e *tasoExpr, x, y *tasoTensor) bool {
	for i, v := range y.data {
		switch {
		case x.data != nil:
			if x.data[i] != v {
				return false
			}
		case m.element(e, i) != v:
			return false
		}
	}
	return true
}

func tasoActivate(x int32) int32 { return x*(x+1) + 1 }

// element is the value at an offset.
func (m *tasoMachine) element(e *tasoExpr, offset int) int32 {
	o, l := &tasoOps[e.op], &m.layouts[e.layout]
	var la, lb *tasoLayout
	if e.a != nil {
		la = &m.layouts[e.a.layout]
	}
	if e.b != nil {
		lb = &m.layouts[e.b.layout]
	}
	var v int32
	switch o.kind {
	case tasoMatmul:
		at := l.unpack(offset)
		for k := range la.dim[1] {
			v += e.a.data[at[0]*la.stride[0]+k*la.stride[1]] * e.b.data[k*lb.stride[0]+at[1]*lb.stride[1]]
		}
	case tasoAdd:
		v = e.a.data[offset] + e.b.data[offset]
	case tasoMul:
		v = e.a.data[offset] * e.b.data[offset]
	case tasoScale:
		v = e.a.data[offset] * e.b.data[0]
	case tasoRelu:
		v = tasoActivate(e.a.data[offset])
	case tasoOnes:
		v = 1
	case tasoIdentity:
		if at := l.unpack(offset); at[0] == at[1] {
			v = 1
		}
	case tasoIconv:
		if at := l.unpack(offset); at[0] == at[1] && at[2] == l.dim[2]/2 && at[3] == l.dim[3]/2 {
			v = 1
		}
	case tasoConv:
		at := l.unpack(offset)
		per := lb.dim[1]
		group := at[1] / (lb.dim[0] / (la.dim[1] / per))
		for c := range per {
			plane := at[0]*la.stride[0] + (group*per+c)*la.stride[1]
			kernel := at[1]*lb.stride[0] + c*lb.stride[1]
			for h := range o.h {
				y := at[2] + h - (o.h-1)/2
				if y < 0 || y >= la.dim[2] {
					continue
				}
				for w := range o.w {
					x := at[3] + w - (o.w-1)/2
					if x < 0 || x >= la.dim[3] {
						continue
					}
					v += e.a.data[plane+y*la.stride[2]+x*la.stride[3]] * e.b.data[kernel+h*lb.stride[2]+w*lb.stride[3]]
				}
			}
		}
		if o.relu {
			v = tasoActivate(v)
		}
	case tasoPoolSum, tasoPoolMax:
		at := l.unpack(offset)
		plane := at[0]*la.stride[0] + at[1]*la.stride[1]
		for y := max(at[2]-1, 0); y <= min(at[2]+1, la.dim[2]-1); y++ {
			for x := max(at[3]-1, 0); x <= min(at[3]+1, la.dim[3]-1); x++ {
				if z := e.a.data[plane+y*la.stride[2]+x*la.stride[3]]; o.kind == tasoPoolSum {
					v += z
				} else {
					v = max(v, z)
				}
			}
		}
	case tasoEnlarge:
		at := l.unpack(offset)
		y, x := at[2]-(o.h-la.dim[2])/2, at[3]-(o.w-la.dim[3])/2
		if y >= 0 && x >= 0 && y < la.dim[2] && x < la.dim[3] {
			v = e.a.data[at[0]*la.stride[0]+at[1]*la.stride[1]+y*la.stride[2]+x*la.stride[3]]
		}
	case tasoConcat:
		at, from, x := l.unpack(offset), la, e.a
		if at[o.axis] >= la.dim[o.axis] {
			at[o.axis] -= la.dim[o.axis]
			from, x = lb, e.b
		}
		v = x.data[from.offset(at)]
	case tasoSplit:
		at := l.unpack(offset)
		if e.out == 1 {
			at[o.axis] += la.dim[o.axis] - l.dim[o.axis]
		}
		v = e.a.data[la.offset(at)]
	case tasoTranspose:
		if !o.shuffle {
			return e.a.data[offset]
		}
		at := l.unpack(offset)
		v = e.a.data[at[1]*la.stride[0]+at[0]*la.stride[1]]
	}
	return v
}

func (l *tasoLayout) offset(at [4]int) (n int) {
	for i := range l.rank {
		n += at[i] * l.stride[i]
	}
	return n
}
