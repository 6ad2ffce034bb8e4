package enumerate

import "math/bits"

// walker lists graphs as sequences of operator applications. A sequence is
// visited only if no application could move before an independent one of a
// greater instance (the lexicographic normal form of a trace), inputs are
// named by first use, and commutative operands are ordered. What little is
// still met twice is removed by the terms' encodings.
type walker struct {
	s     *store
	want  int                // operators in the finished graph
	data  bool               // images of convolutions and pools depend on data
	plain bool               // without inputs of terms of few operators only
	ok    func(t tid) bool   // may this tensor be an operand?
	emit  func(app appID)    // a finished one-output graph: the last application
	all   func(apps []appID) // or: every graph, with any number of outputs
	stop  func() bool        // asked now and then
	halt  bool
	seen  uint64 // sequences visited
	split int    // the number of applications after which work is shared out
	turns int    // applications met there
	steps uint64 // graphs extended

	apps  [maxOps]appID
	n     int
	used  [16]uint8 // inputs used of each type
	avail []tid     // outputs of the applications so far
	open  uint32    // applications without a reader, as a bit set
}

// run visits the graphs of one of parts shares of the work. Shares are by the first
// application, or by the first two, which makes more and more equal ones.
func (w *walker) run(part, parts int) {
	w.step(part, parts)
}

func (w *walker) step(part, parts int) {
	d := w.n
	if w.halt || d == w.want {
		return
	}
	if w.steps++; w.steps&0xff == 0 && w.stop != nil && w.stop() {
		w.halt = true
		return
	}
	last := d+1 == w.want && w.all == nil
	for ti := range w.s.u.tmpls {
		tm := &w.s.u.tmpls[ti]
		w.operands(tm, last, func(a, b tid) {
			if d == w.split && parts > 1 {
				w.turns++
				if w.turns%parts != part {
					return
				}
			}
			var sa, sb []int
			var seams seamSet
			if a != 0 {
				sa, seams = w.s.sizes(a), w.s.tensors[a].seams
			}
			if b != 0 {
				sb = w.s.sizes(b)
			}
			for _, in := range tm.insts(sa, sb, seams) {
				w.try(in, a, b, last, part, parts)
			}
		})
	}
}

// operands calls f for every choice of operands that the naming of inputs
// allows, but for some of those that fits refuses.
func (w *walker) operands(tm *template, last bool, f func(a, b tid)) {
	comm := tm.op.Commutative
	switch tm.arity {
	case 0:
		if !last || w.n == 0 {
			f(0, 0)
		}
	case 1:
		w.each(w.used, func(a tid, _ [16]uint8) {
			if tm.image && w.data && !w.s.tensors[a].data || !w.fits(w.reads(a), 0) {
				return
			}
			f(a, 0)
		})
	case 2:
		conv := tm.op.Name == "conv2d"
		w.each(w.used, func(a tid, used [16]uint8) {
			reads := w.reads(a)
			if x := &w.s.tensors[a]; conv && x.weight || tm.image && w.data && !x.data || !w.fits(reads, 1) {
				return
			}
			if !w.fits(reads, 0) {
				// The other operand is an application's output.
				for _, b := range w.avail {
					if w.fits(reads|w.reads(b), 0) && !(comm && w.s.less(b, a)) {
						f(a, b)
					}
				}
				return
			}
			w.each(used, func(b tid, _ [16]uint8) {
				if comm && w.s.less(b, a) {
					return
				}
				f(a, b)
			})
		})
	}
}

// fits says whether a graph can have one output after an application that reads these ones, and
// so many more: each application still to come joins at most one pair of loose ends.
func (w *walker) fits(reads uint32, more int) bool {
	return w.all != nil || bits.OnesCount32(w.open&^reads)-more <= w.want-w.n-1
}

// each calls f for the used inputs, the next unused one of each type, and all
// outputs so far.
func (w *walker) each(used [16]uint8, f func(t tid, used [16]uint8)) {
	for ti, ty := range w.s.u.Types {
		if ty.Most > 0 && (w.want > ty.Most || w.plain) {
			continue
		}
		first := w.s.first[ti]
		for k := uint8(0); k < used[ti]; k++ {
			f(w.s.inputs[first+k], used)
		}
		if int(used[ti]) < ty.Count {
			next := used
			next[ti]++
			f(w.s.inputs[first+used[ti]], next)
		}
	}
	for _, t := range w.avail {
		f(t, used)
	}
}

func (w *walker) try(in uint16, a, b tid, last bool, part, parts int) {
	s := w.s
	reads := w.reads(a) | w.reads(b)
	open := w.open &^ reads
	if !w.fits(reads, 0) {
		return
	}
	// Normal form: look back over the applications this one does not read.
	for j := w.n - 1; j >= 0; j-- {
		if reads&(1<<j) != 0 {
			break
		}
		if s.apps[w.apps[j]].inst > in {
			return
		}
	}
	for j := 0; j < w.n; j++ {
		if x := &s.apps[w.apps[j]]; x.inst == in && x.args == [2]tid{a, b} {
			return
		}
	}
	if last {
		if id := s.top(in, a, b); id != noApp {
			w.seen++
			w.emit(id)
			s.drop(id)
		}
		return
	}
	id := s.apply(in, a, b)
	if id == noApp {
		return
	}
	if w.n >= w.split || part == 0 {
		w.seen++ // what all shares begin with is counted in one
	}
	outs := s.apps[id].outs
	oldUsed, oldOpen, oldAvail := w.used, w.open, len(w.avail)
	for _, t := range outs {
		if t != 0 && w.ok(t) {
			w.avail = append(w.avail, t)
		}
	}
	if len(w.avail) == oldAvail {
		return // nothing of it may be extended
	}
	w.use(a)
	w.use(b)
	w.open = open | 1<<w.n
	w.apps[w.n] = id
	w.n++
	if w.all != nil {
		w.all(w.apps[:w.n])
	}
	w.step(part, parts)
	w.n--
	w.used, w.open, w.avail = oldUsed, oldOpen, w.avail[:oldAvail]
}

func (w *walker) use(t tid) {
	if t == 0 {
		return
	}
	if in := w.s.tensors[t].input; in != 0 {
		ty := w.s.typeOf[in-1]
		if k := in - w.s.first[ty]; k > w.used[ty] {
			w.used[ty] = k
		}
	}
}

// reads is the application that yields t, as a bit of the sequence.
func (w *walker) reads(t tid) uint32 {
	if t == 0 || w.s.tensors[t].app == 0 {
		return 0
	}
	for j := 0; j < w.n; j++ {
		if w.apps[j] == w.s.tensors[t].app {
			return 1 << j
		}
	}
	return 0
}
