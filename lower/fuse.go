package lower

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Fusion. An elementwise node whose operand was just computed, for it alone,
// becomes one more step of the tail of the kernel that computed it. Both operands
// of a binary one may be such; the later kernel takes it, since then the other
// operand is there. So conv2d + bias + residual + relu is one kernel.

// accepts reports whether an operand's layout suits the kernel, and how the kernel sees
// it; it chooses the kernel's row length if that is open.
func (t *Tail) accepts(mode Mode, n, mod int) (Mode, bool) {
	if mode != Row && mode != Col {
		return mode, true
	}
	if t.N == 0 {
		t.N, t.Mod = n, mod
		return mode, true
	}
	if mode == Col && t.N == 1 && t.Mod == n {
		// Rows of one element: what repeats after n elements repeats after n rows, as
		// a bias of images of one cell does in a batch.
		return Row, true
	}
	if mode == Row && t.Mod == 0 && t.N == n && !slices.ContainsFunc(t.Steps, func(s Step) bool { return s.Mode == Row }) {
		t.Mod = mod
	}
	return mode, t.N == n && (mode == Col || t.Mod == mod)
}

// elementwise applies a function to v: fused into the kernel that computes v, or
// as a chain of its own. p and q are operands, None if there are none; p's
// kernel may take the step instead.
func (l *lowerer) elementwise(fn string, v, p, q ValueID, t graph.TensorType) ValueID {
	x, y := v, p
	s := Step{Node: l.node, Fn: fn}
	if p != None && q == None && (l.madeAt(p) > l.madeAt(v) && l.fits(p, t) || !l.fits(v, t) && (l.fits(p, t) || !l.apart(v))) {
		// The later kernel takes the step, or the one that can.
		x, y, s.Reversed = p, v, true
	}
	mode, n, mod := l.operand(fn, y, t.Sizes)
	if mode == Full {
		y = l.dense(y)
	}
	s.Mode, s.Args = mode, [2]ValueID{y, q}
	if k := l.fusable(x, t, y, q); k != nil {
		if seen, ok := k.Tail.accepts(mode, n, mod); ok {
			s.Mode = seen
			k.Tail.Steps = append(k.Tail.Steps, s)
			if k.Node != l.node {
				l.Into[l.node] = k.Node
				l.readers[l.Values[x].Buffer] = 0
			}
			l.behind(l.madeAt(x), y, q)
			return x
		}
	}
	if !l.apart(x) {
		x = l.dense(x)
	}
	return l.add(Kernel{Kind: Chain, As: "chain", In: []ValueID{x}, Tail: &Tail{Steps: []Step{s}, N: n, Mod: mod}}, t)[0]
}

// apart reports whether steps read a value that is in rows as it lies.
func (l *lowerer) apart(v ValueID) bool {
	x := &l.Values[v]
	_, _, ok := x.Rows()
	return ok && l.t.TakesStep(x)
}

// operand says how the operand of a step lies under a tensor, see
// [Value.Spread]. One that fits no mode is to be made dense.
func (l *lowerer) operand(fn string, y ValueID, sizes []int) (mode Mode, n, mod int) {
	switch {
	case y == None:
		return NoOperand, 0, 0
	case fn == "affine": // by channels, whatever their number
		return Row, graph.NumElements(sizes[2:]), sizes[1]
	}
	mode, n, mod, ok := l.Values[y].Spread()
	switch {
	case ok:
		return mode, n, mod
	case l.apart(y):
		return Rows, 0, 0
	}
	return Full, 0, 0
}

// fits reports whether a value has the result's sizes without broadcasting, so
// that it can be what a step starts from.
func (l *lowerer) fits(v ValueID, t graph.TensorType) bool {
	mode, _, _, ok := l.Values[v].Spread()
	return ok && (mode == Full || l.Values[v].Elements() == 1 && graph.NumElements(t.Sizes) == 1)
}

// madeAt is the kernel of Run that computes a value, -1 for constants and
// inputs.
func (l *lowerer) madeAt(v ValueID) int { return l.maker[l.Values[v].Buffer] }

// behind makes a kernel run after those that compute what its last step reads. Nothing waits
// for it, for nobody but that step reads what it computes.
func (l *lowerer) behind(at int, read ...ValueID) {
	if !slices.ContainsFunc(read, func(v ValueID) bool { return v != None && l.madeAt(v) > at }) {
		return
	}
	k := l.Run[at]
	l.Run = append(slices.Delete(l.Run, at, at+1), k)
	for b, m := range l.maker {
		switch {
		case m == at:
			l.maker[b] = len(l.Run) - 1
		case m > at:
			l.maker[b]--
		}
	}
}

// readBehind reports whether a kernel behind one reads a buffer.
func (l *lowerer) readBehind(at int, b BufferID) (read bool) {
	for i := at + 1; i < len(l.Run) && !read; i++ {
		l.Run[i].Reads(func(v ValueID) { read = read || l.Values[v].Buffer == b })
	}
	return read
}

// fusable is the kernel that computes v, if a step that also reads the others
// may join its tail, or nil. A node's own step may join in any case.
func (l *lowerer) fusable(v ValueID, t graph.TensorType, others ...ValueID) *Kernel {
	at := l.madeAt(v)
	if at < 0 {
		return nil
	}
	k, x := &l.Run[at], &l.Values[v]
	// A reshape may lie in between: rows are counted in elements.
	if k.Tail == nil || !l.Whole(v) || x.Buffer != l.Values[k.Out[0]].Buffer || !slices.Equal(x.Sizes, t.Sizes) {
		return nil
	}
	if n := l.t.Longest; k.Node != l.node && n > 0 && len(k.Tail.Steps) >= n {
		return nil
	}
	// Nobody else may want the value as it is, nor a view of it.
	if k.Node != l.node && (l.opt.NoFuse || l.opt.KeepAll || l.readers[x.Buffer] != 1) {
		return nil
	}
	for _, o := range others {
		if o != None && (l.madeAt(o) == at || l.madeAt(o) > at && l.readBehind(at, x.Buffer)) {
			return nil
		}
	}
	return k
}
