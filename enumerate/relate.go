package enumerate

import (
	"slices"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// finding is what the comparison of one bucket yields.
type finding struct {
	cands   []*statement
	open    []int32  // terms that stay representatives
	links   []linked // terms equal to others by proved laws
	answers []answer
	syms    []linked // renamings of a term proved to change nothing
	loose   []linked // by laws that hold only for some strides, paddings or kernels
	pairs   int
	joined  int
	false   int
	untyped []Untyped
}

// classWorker compares the terms of buckets, one after the other.
type classWorker struct {
	v      *view
	own    *ownTerms // those of the bucket, if the session does not have them
	st     *store
	strict *explainer          // by unconditional laws
	loose  *explainer          // by all
	derive func(*law.Law) bool // nil: no pair is derived
	test   general.Tester
	buf    []uint64
	local  map[code]int32 // the bucket's terms that others can be linked to
}

func newClassWorker(v *view, with tools) *classWorker {
	st, test := newStore(v.u, v.seed), v.tester()
	test.Known = with.known
	return &classWorker{v: v, st: st, derive: with.derive,
		strict: newExplainer(v, st, newRewriter(st, v.laws.strict), false),
		loose:  newExplainer(v, st, newRewriter(st, v.laws.loose), true),
		test:   test,
		local:  map[code]int32{}}
}

// full says that the worker's store, of so many applications at most, is large enough to begin
// another.
func (w *classWorker) full(most int) bool { return len(w.st.apps) > min(most, 1<<18) }

// code is the encoding of a term, of the session or of the bucket.
func (w *classWorker) code(t int32) code {
	if w.own != nil && int(t) >= w.own.base {
		return w.own.codes[int(t)-w.own.base]
	}
	return w.v.terms.code(t)
}

// hash is the fingerprint of a term.
func (w *classWorker) hash(t int32) fingerprint.Hash {
	if w.own != nil && int(t) >= w.own.base {
		return w.own.hashes[int(t)-w.own.base]
	}
	return w.v.terms.hash(t)
}

// symmetric are the renamings that do not change a term of the level in the case.
func (w *classWorker) symmetric(t int32) [][32]uint8 {
	if w.own != nil {
		return w.own.syms[int(t)-w.own.base]
	}
	return w.v.symmetric[t]
}

func (w *classWorker) bucket(b *bucket, f *finding) {
	clear(w.local)
	for _, r := range b.reps {
		w.local[w.code(r)] = r
	}
	reps := append([]int32(nil), b.reps...)
	for _, t := range b.news {
		x := w.st.decode(w.code(t), nil)
		w.symmetries(t, x, f)
		if len(w.local) == 0 {
			w.open(t, f)
			reps = append(reps, t)
			continue
		}
		f.pairs++
		if l, ok := w.connect(w.strict, x); ok && !w.v.last {
			f.joined++
			f.links = append(f.links, linked{t, l})
			w.local[w.code(t)] = t
			continue
		} else if ok {
			f.joined++
			w.local[w.code(t)] = t
			continue
		}
		if l, ok := w.connect(w.loose, x); ok {
			f.joined++
			// It takes laws that hold only for some strides, paddings or
			// kernels; with others the terms may differ.
			f.loose = append(f.loose, linked{t, l})
			w.open(t, f)
			continue
		}
		if !w.relate(t, reps, f) {
			w.open(t, f)
			reps = append(reps, t)
		}
		w.local[w.code(t)] = t
	}
}

func (w *classWorker) open(t int32, f *finding) {
	f.open = append(f.open, t)
	w.local[w.code(t)] = t
}

// connect searches a term of the bucket that x is equal to by proved laws.
func (w *classWorker) connect(e *explainer, x tid) (link, bool) {
	var l link
	goal := func(v tid) bool {
		var perm [32]uint8
		i, ok := w.local[e.code(v, &perm)]
		if !ok {
			return false
		}
		l = link{to: i, ren: perm}
		return true
	}
	if y := e.settle(x); y != x && goal(y) {
		return l, true
	}
	return l, e.search(x, false, goal) || e.search(x, true, goal)
}

// relate states a new term's equality with one of the representatives. It
// reports whether the term is equal to it on all instances, if that is proved.
func (w *classWorker) relate(t int32, reps []int32, f *finding) bool {
	for _, r := range reps {
		x, y, l, ok := w.align(t, r)
		if !ok {
			continue
		}
		how, c := w.judge(w.pairOf(x, y), f)
		switch how {
		case wholly:
			f.joined++
			f.links = append(f.links, linked{t, l})
			return true
		case special:
			f.joined++
			f.loose = append(f.loose, linked{t, l})
			continue
		}
		if c == nil {
			w.fails(x, y, f)
			continue
		}
		c.merged = []linked{{t, l}}
		f.cands = append(f.cands, c)
		if !c.Conditional {
			return true
		}
	}
	return false
}

// align finds renamings under which the two terms have equal elements, and the
// link from the first to the second.
func (w *classWorker) align(t, r int32) (x, y tid, l link, ok bool) {
	ct, cr := w.code(t), w.code(r)
	hash := func(c code, ren *[32]uint8) fingerprint.Hash {
		var h fingerprint.Hash
		h, w.buf = w.st.rootHash(c, ren, w.buf)
		return h
	}
	l.to = r
	for k := range l.ren {
		l.ren[k] = uint8(k)
	}
	ht, hr := w.hash(t), w.hash(r)
	if ht == hr {
		x, y, ok = w.confirm(w.st.decode(ct, nil), w.st.decode(cr, nil))
		return x, y, l, ok
	}
	eachRenaming(w.st, ct, func(ren *[32]uint8) bool {
		if hash(ct, ren) == hr {
			if x, y, ok = w.confirm(w.st.decode(ct, ren), w.st.decode(cr, nil)); ok {
				for k, to := range ren {
					l.ren[to] = uint8(k)
				}
			}
		}
		return !ok
	})
	if !ok {
		eachRenaming(w.st, cr, func(ren *[32]uint8) bool {
			if hash(cr, ren) == ht {
				if x, y, ok = w.confirm(w.st.decode(ct, nil), w.st.decode(cr, ren)); ok {
					l.ren = *ren
				}
			}
			return !ok
		})
	}
	return x, y, l, ok
}

// confirm compares the tensors element by element: equal hashes may collide.
func (w *classWorker) confirm(x, y tid) (tid, tid, bool) {
	if w.st.tensors[x].shape != w.st.tensors[y].shape {
		return x, y, false
	}
	return x, y, slices.Equal(w.st.value(x), w.st.value(y))
}

// symmetries states that a term does not change when its inputs are renamed.
func (w *classWorker) symmetries(t int32, x tid, f *finding) {
	c := w.code(t)
	for _, ren := range w.symmetric(t) {
		y := w.st.decode(c, &ren)
		if x == y {
			continue
		}
		if _, _, ok := w.confirm(x, y); !ok {
			continue
		}
		f.pairs++
		sym := linked{t, link{to: t, ren: ren}}
		if w.strict.reaches(x, y) {
			f.joined++
			f.syms = append(f.syms, sym)
			continue
		}
		if w.loose.reaches(x, y) {
			f.joined++
			continue
		}
		how, cand := w.judge(w.pairOf(x, y), f)
		switch {
		case how != not:
			f.joined++
			if how == wholly {
				f.syms = append(f.syms, sym)
			}
		case cand != nil:
			cand.syms = []linked{sym}
			f.cands = append(f.cands, cand)
		default:
			w.fails(x, y, f)
		}
	}
}

// fails records a pair that is no law: it has no general form, or is false in
// general.
func (w *classWorker) fails(x, y tid, f *finding) {
	p := w.pairOf(x, y)
	l, err := p.Law(p.Least())
	if err == nil {
		_, err = general.WriteOut(l)
	}
	if err != nil {
		f.untyped = append(f.untyped, Untyped{Pair: p.String(), Reason: err.Error()})
		return
	}
	f.false++
}
