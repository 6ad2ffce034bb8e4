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
		if _, _, err := s.Level(context.Background(), lv); err != nil {
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
		w := newRewriter(s, nil)
		var x [3]tid
		for i := range x {
			x[i] = randomTerm(t, s, 3)
		}
		sign := func(a, b tid) int {
			switch c := w.compare(a, b); {
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

// A normal form is no larger than the term, is its own normal form, and has
// the same value; and terms that join have one value.
func TestRewritingIsSound(t *testing.T) {
	for _, names := range rewriteUniverses {
		u := universe(t, 2, names...)
		sess := ruled(t, 2, u)
		smaller, joined, apart := 0, 0, 0
		rapid.Check(t, func(t *rapid.T) {
			s := newStore(u, 1)
			loose, strict := newRewriter(s, sess.allRule), newRewriter(s, sess.rules)
			var byShape [][]tid
			for range 4 {
				x := randomTerm(t, s, 3)
				for _, w := range []*rewriter{strict, loose} {
					if !w.meets(x, x) {
						t.Fatal("a term does not meet itself")
					}
					n := w.normal(x)
					if c := w.compare(n, x); c > 0 || (c == 0) != (n == x) {
						t.Fatalf("normal form %s of %s is larger", naiveText(s, n, namings1(s)), naiveText(s, x, namings1(s)))
					}
					if n != x {
						smaller++
					}
					if w.normal(n) != n {
						t.Fatalf("%s is no normal form", naiveText(s, n, namings1(s)))
					}
					if s.tensors[n].shape != s.tensors[x].shape || !slices.Equal(s.value(n), s.value(x)) {
						t.Fatalf("normal form %s of %s has another value", naiveText(s, n, namings1(s)), naiveText(s, x, namings1(s)))
					}
				}
				i := slices.IndexFunc(byShape, func(l []tid) bool { return s.tensors[l[0]].shape == s.tensors[x].shape })
				if i < 0 {
					byShape = append(byShape, []tid{x})
					continue
				}
				byShape[i] = append(byShape[i], x)
			}
			for _, l := range byShape {
				for _, x := range l {
					for _, y := range l {
						if x == y {
							continue
						}
						same := slices.Equal(s.value(x), s.value(y))
						switch {
						case !loose.joins(x, y):
							apart++
						case same:
							joined++
						default:
							t.Fatalf("%s and %s join, but differ", naiveText(s, x, namings1(s)), naiveText(s, y, namings1(s)))
						}
					}
				}
			}
		})
		if smaller < 20 || apart < 20 {
			t.Errorf("%v: %d terms were rewritten, %d pairs joined, %d not", names, smaller, joined, apart)
		}
	}
}

// Equalities that follow from smaller ones are recognized.
func TestJoinsWhatFollows(t *testing.T) {
	u := universe(t, 3, "matmul", "ewadd", "transpose")
	sess := ruled(t, 2, u)
	s := newStore(u, 1)
	w := newRewriter(s, sess.rules)
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
		if !w.joins(p[0], p[1]) {
			t.Errorf("pair %d does not join", i)
		}
	}
	for i, p := range [][2]tid{
		{add(x, y), add(x, z)},
		{mul(a, b), mul(b, a)},
		{turn(mul(a, b)), mul(turn(a), turn(b))},
		{add(x, x), x},
	} {
		if w.joins(p[0], p[1]) {
			t.Errorf("pair %d joins, but is false", i)
		}
	}
}
