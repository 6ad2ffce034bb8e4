package enumerate

import "slices"

// A pair needs no law of its own if it follows from proved ones. Whether it
// does is decided cheaply, because all smaller terms are settled: every one is
// a representative or linked to one that it was proved equal to. So a term
// whose operands are representatives has, up to congruence, only the
// neighbours that a rule makes at its root; with the operands of each
// neighbour replaced by their representatives, neighbours are again such
// terms, and a short breadth-first search connects most terms of a bucket.

// explainer searches for connections in one store.
type explainer struct {
	v     *view
	st    *store
	rw    *rewriter
	sem   bool // also by laws of the true relu and maximum
	loose bool // also by laws that hold only for some strides, paddings or kernels
	level int
	memo  map[tid]tid
	queue []tid
	seen  map[tid]bool
	found []tid
}

func newExplainer(v *view, st *store, rw *rewriter, loose bool) *explainer {
	return &explainer{v: v, st: st, rw: rw, loose: loose, level: v.level, memo: map[tid]tid{}, seen: map[tid]bool{}}
}

// index finds a term of an earlier level; perm receives the store's input for
// each of its inputs.
func (e *explainer) index(t tid, perm *[32]uint8) (int32, bool) {
	tt := &e.st.tensors[t]
	if int(tt.size) >= e.level {
		return 0, false
	}
	i, ok := e.v.terms.at[e.code(t, perm)]
	return i, ok
}

// code is the encoding of t, or the zero code if t has operators that the
// universe does not have.
func (e *explainer) code(t tid, perm *[32]uint8) code {
	tt := &e.st.tensors[t]
	if tt.size > maxOps {
		return code{}
	}
	for _, id := range tt.nodes[:tt.size] {
		if int(e.st.apps[id].inst) >= len(e.v.u.insts) {
			return code{}
		}
	}
	return e.st.encode(t, perm)
}

// settle replaces every settled part of t by its representative. Links go to
// earlier terms, and one is followed only if it leads to an earlier term after
// its operands are settled too, so that this ends.
func (e *explainer) settle(t tid) tid {
	if e.st.tensors[t].app == 0 {
		return t
	}
	if r, ok := e.memo[t]; ok {
		return r
	}
	cur := e.settleOperands(t)
	for {
		var perm [32]uint8
		i, ok := e.index(cur, &perm)
		if !ok {
			break
		}
		l, ok := e.v.links.of(i, e.loose, e.sem)
		if !ok {
			if syms := e.v.links.syms[i]; len(syms) > 0 {
				cur = e.leastNaming(cur, i, &perm, syms)
			}
			break
		}
		var ren [32]uint8
		for k := range ren {
			ren[k] = perm[l.ren[k]]
		}
		d := e.st.decode(e.v.terms.code(l.to), &ren)
		if d == 0 {
			break
		}
		next := e.settleOperands(d)
		if e.st.tensors[next].app == 0 {
			cur = next
			break
		}
		if k, ok := e.index(next, &perm); !ok || k >= i {
			break
		}
		cur = next
	}
	e.memo[t] = cur
	return cur
}

// settleOperands is t with its operands settled.
func (e *explainer) settleOperands(t tid) tid {
	tt := e.st.tensors[t]
	if tt.app == 0 {
		return t
	}
	a := e.st.apps[tt.app]
	x, y := a.args[0], a.args[1]
	if x != 0 {
		x = e.settle(x)
	}
	if y != 0 {
		y = e.settle(y)
	}
	if x == a.args[0] && y == a.args[1] {
		return t
	}
	if e.st.insts[a.inst].op.Commutative && e.st.less(y, x) {
		x, y = y, x
	}
	if id := e.st.apply(a.inst, x, y); id != noApp {
		return e.st.apps[id].outs[tt.out]
	}
	return t
}

// leastNaming picks one of the namings under which a symmetric term is the same.
func (e *explainer) leastNaming(t tid, i int32, perm *[32]uint8, syms [][32]uint8) tid {
	best := *perm
	for _, ren := range syms {
		var p [32]uint8
		e.st.eachInput(e.v.terms.code(i), func(k uint8) { p[k] = perm[ren[k]] })
		if slices.Compare(p[:], best[:]) < 0 {
			best = p
		}
	}
	if best == *perm {
		return t
	}
	if d := e.st.decode(e.v.terms.code(i), &best); d != 0 {
		return d
	}
	return t
}

// maxSeen is the most neighbours that are looked at.
const maxSeen = 40

// search visits terms equal to x, nearest first, until goal accepts one.
// members says to look also behind the representatives of operands.
func (e *explainer) search(x tid, members bool, goal func(tid) bool) bool {
	clear(e.seen)
	e.queue = append(e.queue[:0], x)
	e.seen[x] = true
	for i := 0; i < len(e.queue); i++ {
		e.found = e.found[:0]
		e.neighbours(e.queue[i], members)
		for _, u := range slices.Clone(e.found) {
			v := e.settle(u)
			if e.seen[v] || e.st.tensors[v].shape != e.st.tensors[x].shape {
				continue
			}
			e.seen[v] = true
			if goal(v) {
				return true
			}
			if int(e.st.tensors[v].size) <= e.level && len(e.queue) < maxSeen {
				e.queue = append(e.queue, v)
			}
		}
	}
	return false
}

// neighbours appends to found what rules make of t at its root.
func (e *explainer) neighbours(t tid, members bool) {
	tt := e.st.tensors[t]
	if tt.app == 0 {
		return
	}
	a := e.st.apps[tt.app]
	e.found = e.rw.root(t, &a, e.found)
	if !members {
		return
	}
	for pos, arg := range [2]tid{a.args[0], a.args[1]} {
		if arg == 0 || e.st.tensors[arg].app == 0 {
			continue
		}
		var perm [32]uint8
		i, ok := e.index(arg, &perm)
		if !ok {
			continue
		}
		for _, m := range e.v.links.members[i] {
			ren, ok := e.inverse(m, &perm)
			if !ok {
				continue
			}
			other := e.st.decode(e.v.terms.code(m), &ren)
			if other == 0 || other == arg {
				continue
			}
			x, y := a.args[0], a.args[1]
			if pos == 0 {
				x = other
			} else {
				y = other
			}
			if e.st.insts[a.inst].op.Commutative && e.st.less(y, x) {
				x, y = y, x
			}
			if id := e.st.apply(a.inst, x, y); id != noApp {
				b := e.st.apps[id]
				e.found = e.rw.root(b.outs[tt.out], &b, e.found)
			}
		}
	}
}

// inverse names the inputs of a term m so that the term it is linked to has the
// inputs perm. ok is false if m has inputs that the other does not have.
func (e *explainer) inverse(m int32, perm *[32]uint8) (ren [32]uint8, ok bool) {
	const none = 255
	for k := range ren {
		ren[k] = none
	}
	l := e.v.links.equal[m]
	e.st.eachInput(e.v.terms.code(l.to), func(k uint8) { ren[l.ren[k]] = perm[k] })
	ok = true
	e.st.eachInput(e.v.terms.code(m), func(k uint8) { ok = ok && ren[k] != none })
	return ren, ok
}

// reaches reports whether x and y are connected.
func (e *explainer) reaches(x, y tid) bool {
	x, y = e.settle(x), e.settle(y)
	if x == y {
		return true
	}
	goal := func(v tid) bool { return v == y }
	return e.search(x, false, goal) || e.search(x, true, goal)
}
