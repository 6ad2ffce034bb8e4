package enumerate

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// ruled is a session whose rules are those of its first levels.
func ruled(t testing.TB, n int, u *Universe) *Session {
	t.Helper()
	s := NewSession(Options{Universe: u, Seed: 1})
	for lv := 1; lv <= n; lv++ {
		if _, _, err := level(context.Background(), s, lv, how{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

var rewriteUniverses = [][]string{
	{"matmul", "ewadd", "smul", "transpose", "concat", "split"},
	{"conv2d", "conv2d_relu", "poolavg", "relu", "enlarge", "iconv", "cpool", "concat"},
	nil,
}

// The term order is total, and a term gets smaller with an operand.
func TestTermOrder(t *testing.T) {
	u := universe(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		s := newStore(u, 1)
		var x [3]tid
		for i := range x {
			x[i] = randomTerm(t, s, 3)
		}
		sign := func(a, b tid) int {
			switch c := s.compare(a, b); {
			case c < 0:
				return -1
			case c > 0:
				return 1
			}
			return 0
		}
		for _, a := range x {
			for _, b := range x {
				if sign(a, b) != -sign(b, a) || (sign(a, b) == 0) != (a == b) {
					t.Fatalf("order of %d and %d: %d and %d", a, b, sign(a, b), sign(b, a))
				}
				for _, c := range x {
					if sign(a, b) < 0 && sign(b, c) < 0 && sign(a, c) >= 0 {
						t.Fatalf("%d < %d < %d, but not the first < the last", a, b, c)
					}
				}
			}
		}
		a, b := x[0], x[1]
		for ti := range u.tmpls {
			tm := &u.tmpls[ti]
			if tm.arity == 0 || s.tensors[a].shape != s.tensors[b].shape {
				continue
			}
			for _, other := range []tid{0, x[2]} {
				if (tm.arity == 2) != (other != 0) {
					continue
				}
				for _, in := range tm.insts(s.sizes(a), s.sizes(x[2]), s.tensors[a].seams) {
					p, q := s.apply(in, a, other), s.apply(in, b, other)
					if p == noApp || q == noApp {
						continue
					}
					if got, want := sign(s.apps[p].outs[0], s.apps[q].outs[0]), sign(a, b); got != want {
						t.Fatalf("%s: order %d of the terms, %d of the operands", tm.op.Name, got, want)
					}
				}
			}
		}
	})
}

// settled is a session after level n, ready for terms of one operator more.
func settled(t testing.TB, n int, u *Universe) *Session {
	t.Helper()
	s := ruled(t, n, u)
	if err := s.settle(); err != nil {
		t.Fatal(err)
	}
	return s
}

// explainers search by unconditional laws and by all.
func explainers(sess *Session, s *store) (strict, loose *explainer) {
	strict = newExplainer(sess.view(), s, newRewriter(s, sess.laws.strict), false)
	loose = newExplainer(sess.view(), s, newRewriter(s, sess.laws.loose), true)
	strict.level, loose.level = sess.Next(), sess.Next()
	return strict, loose
}

// Every term is linked to an earlier representative that has its value.
func TestLinks(t *testing.T) {
	for _, names := range rewriteUniverses {
		u := universe(t, 2, names...)
		sess := settled(t, 2, u)
		st := newStore(u, 77) // another seed
		linked, loose := 0, 0
		check := func(i int32, l *link) {
			ren := l.ren
			x, y := st.decode(sess.codes[i], nil), st.decode(sess.codes[l.to], &ren)
			if y == 0 || st.tensors[x].shape != st.tensors[y].shape || !slices.Equal(st.value(x), st.value(y)) {
				t.Errorf("%s is linked to %s", naiveText(st, x, namings1(st)), naiveText(st, y, namings1(st)))
			}
			if l.to >= i {
				t.Errorf("term %d is linked to %d, which is not earlier", i, l.to)
			}
		}
		for i := range sess.links.rep {
			if l, ok := sess.links.equal[int32(i)]; ok {
				linked++
				check(int32(i), &l)
				if sess.links.rep[i] {
					t.Errorf("%s is a representative and linked", naiveText(st, st.decode(sess.codes[i], nil), namings1(st)))
				}
			} else if !sess.links.rep[i] {
				t.Errorf("%s is neither a representative nor linked", naiveText(st, st.decode(sess.codes[i], nil), namings1(st)))
			}
		}
		for i, l := range sess.links.loose {
			loose++
			check(i, l)
		}
		if linked < 10 {
			t.Errorf("%v: only %d links", names, linked)
		}
		t.Logf("%v: %d links, %d conditional", names, linked, loose)
	}
}

// What the search connects is equal: settled forms, terms visited and pairs
// that reach each other have one value.
func TestExplainerIsSound(t *testing.T) {
	for _, names := range rewriteUniverses {
		u := universe(t, 2, names...)
		sess := settled(t, 2, u)
		changed, visited, apart := 0, 0, 0
		rapid.Check(t, func(t *rapid.T) {
			s := newStore(u, 1)
			strict, loose := explainers(sess, s)
			text := func(x tid) string { return naiveText(s, x, namings1(s)) }
			var terms []tid
			for range 4 {
				terms = append(terms, randomTerm(t, s, 3))
			}
			for _, e := range []*explainer{strict, loose} {
				for _, x := range terms {
					same := func(y tid) bool {
						return s.tensors[x].shape == s.tensors[y].shape && slices.Equal(s.value(x), s.value(y))
					}
					y := e.settle(x)
					if !same(y) {
						t.Fatalf("%s settles to %s", text(x), text(y))
					}
					if e.settle(y) != y {
						t.Fatalf("%s settles to %s and that to %s", text(x), text(y), text(e.settle(y)))
					}
					if y != x {
						changed++
					}
					e.search(y, true, func(v tid) bool {
						visited++
						if !same(v) {
							t.Fatalf("the search connects %s with %s", text(x), text(v))
						}
						return false
					})
					if !e.reaches(x, x) {
						t.Fatalf("%s does not reach itself", text(x))
					}
					for _, z := range terms {
						if !e.reaches(x, z) {
							apart++
						} else if !same(z) {
							t.Fatalf("%s reaches %s", text(x), text(z))
						}
					}
				}
			}
		})
		if changed == 0 || visited < 10 || apart < 10 {
			defer t.Errorf("%v: %d terms changed, %d visited, %d pairs apart", names, changed, visited, apart)
		}
	}
}

// Equalities that follow from smaller ones are recognized.
func TestReachesWhatFollows(t *testing.T) {
	u := universe(t, 3, "matmul", "ewadd", "transpose")
	sess := settled(t, 2, u)
	s := newStore(u, 1)
	e, _ := explainers(sess, s)
	inst := func(name string) uint16 {
		return uint16(slices.IndexFunc(s.insts, func(in inst) bool { return in.op.Name == name }))
	}
	op := func(name string, a, b tid) tid {
		if s.insts[inst(name)].op.Commutative && s.less(b, a) {
			a, b = b, a
		}
		return s.apps[s.apply(inst(name), a, b)].outs[0]
	}
	add := func(a, b tid) tid { return op("ewadd", a, b) }
	mul := func(a, b tid) tid { return op("matmul", a, b) }
	turn := func(a tid) tid { return op("transpose", a, 0) }
	x, y, z := s.inputs[0], s.inputs[1], s.inputs[2]
	a, b, c := s.inputs[3], s.inputs[4], s.inputs[5]
	for i, p := range [][2]tid{
		{add(x, add(y, add(z, x))), add(add(x, x), add(y, z))},
		{turn(turn(add(x, y))), add(x, y)},
		{mul(a, mul(b, mul(c, a))), mul(mul(a, b), mul(c, a))},
		{add(turn(turn(x)), y), add(y, x)},
	} {
		if !e.reaches(p[0], p[1]) {
			t.Errorf("pair %d is not connected", i)
		}
	}
	for i, p := range [][2]tid{
		{add(x, y), add(x, z)},
		{mul(a, b), mul(b, a)},
		{turn(mul(a, b)), mul(turn(a), turn(b))},
		{add(x, x), x},
	} {
		if e.reaches(p[0], p[1]) {
			t.Errorf("pair %d is connected, but differs", i)
		}
	}
}
