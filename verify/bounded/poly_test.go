package bounded

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph/interp"
	"pgregory.net/rapid"
)

// expr is a random expression, evaluated over two rings.
type expr struct {
	op   string
	kids []*expr
	x    int
	c    interp.Q
}

func drawExpr(t *rapid.T, depth int) *expr {
	ops := []string{"x", "c", "+", "*", "relu", "max", "f", "z"}
	if depth == 0 {
		ops = ops[:2]
	}
	e := &expr{op: rapid.SampledFrom(ops).Draw(t, "op")}
	kids := 0
	switch e.op {
	case "x":
		e.x = rapid.IntRange(0, 2).Draw(t, "x")
	case "c":
		e.c = number.Rat(rapid.Int64Range(-3, 3).Draw(t, "num"), rapid.Int64Range(1, 3).Draw(t, "den"))
	case "+", "*":
		kids = 2
	case "max":
		kids = rapid.IntRange(1, 3).Draw(t, "kids")
	default:
		kids = 1
	}
	for range kids {
		e.kids = append(e.kids, drawExpr(t, depth-1))
	}
	return e
}

func eval[T any](r interp.Ring[T], e *expr, xs []T) T {
	kids := make([]T, len(e.kids))
	for i, k := range e.kids {
		kids[i] = eval(r, k, xs)
	}
	switch e.op {
	case "x":
		return xs[e.x]
	case "c":
		return r.Rat(e.c.Num, e.c.Den)
	case "+":
		return r.Add(kids[0], kids[1])
	case "*":
		return r.Mul(kids[0], kids[1])
	case "relu":
		return r.Fn("relu", kids[0])
	case "max":
		return r.Max(kids)
	case "f":
		return r.Fn("any:f", kids[0])
	}
	return r.Fn("zero:z", kids[0])
}

// at is the value of a polynomial at a point.
func (s *space) at(p *poly, r interp.Ring[interp.Q], xs []interp.Q) interp.Q {
	sum := zeroQ
	for _, t := range p.terms {
		v := t.c
		for _, a := range s.monos[t.m] {
			in := &s.atoms[a]
			args := make([]interp.Q, len(in.args))
			for i, q := range in.args {
				args[i] = s.at(q, r, xs)
			}
			switch in.kind {
			case atomInput:
				v = r.Mul(v, xs[in.index])
			case atomFn:
				v = r.Mul(v, r.Fn(in.name, args[0]))
			default:
				v = r.Mul(v, r.Max(args))
			}
		}
		sum = r.Add(sum, v)
	}
	return sum
}

// A canonical form has the value of what it came from, whatever rules it went
// through, and what is believed nowhere negative is not.
func TestFormsKeepTheValue(t *testing.T) {
	said, positive := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpr(t, 4)
		s := newSpace()
		s.reset(rapid.Bool().Draw(t, "ordered"))
		p := eval(interp.Ring[*poly](symbolic{s}), e, s.input("X", 3))
		if p.bad {
			return
		}
		for try := range 6 {
			xs := make([]interp.Q, 3)
			for i := range xs {
				xs[i] = interp.Q{Num: rapid.Int64Range(-3, 3).Draw(t, "value"), Den: 1}
			}
			r := &exact{key: uint64(try)}
			want, got := eval(interp.Ring[interp.Q](r), e, xs), s.at(p, r, xs)
			if want.IsBad() || got.IsBad() {
				continue
			}
			said++
			if want != got {
				t.Fatalf("at %v: %s, and the form %s gives %s", xs, formatQ(want), s.text(p, 300), formatQ(got))
			}
			if s.ordered && s.nonneg(p) {
				if positive++; got.Num < 0 {
					t.Fatalf("at %v: %s is %s", xs, s.text(p, 300), formatQ(got))
				}
			}
		}
	})
	if said < 100 || positive < 10 {
		t.Errorf("%d values, %d of them of forms that are nowhere negative", said, positive)
	}
}

// Two ways to write one polynomial have one form: sums and products in any
// order, products multiplied out.
func TestFormsAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSpace()
		s.reset(false)
		r := interp.Ring[*poly](symbolic{s})
		xs := s.input("X", 3)
		a, b, c := eval(r, drawExpr(t, 3), xs), eval(r, drawExpr(t, 3), xs), eval(r, drawExpr(t, 3), xs)
		same := func(what string, x, y *poly) {
			if !x.bad && !y.bad && !x.equal(y) {
				t.Fatalf("%s: %s and %s", what, s.text(x, 300), s.text(y, 300))
			}
		}
		same("a+b", r.Add(a, b), r.Add(b, a))
		same("a*b", r.Mul(a, b), r.Mul(b, a))
		same("a+(b+c)", r.Add(a, r.Add(b, c)), r.Add(r.Add(a, b), c))
		same("a*(b*c)", r.Mul(a, r.Mul(b, c)), r.Mul(r.Mul(a, b), c))
		same("a*(b+c)", r.Mul(a, r.Add(b, c)), r.Add(r.Mul(a, b), r.Mul(a, c)))
		same("max", r.Max([]*poly{a, r.Max([]*poly{b, c})}), r.Max([]*poly{c, b, a, b}))
		same("a-a", r.Add(a, r.Mul(r.Rat(-1, 1), a)), r.Rat(0, 1))
	})
}

func TestOrderedForms(t *testing.T) {
	s := newSpace()
	var r symbolic
	build := func(ordered bool) (x, y, a *poly) {
		s.reset(ordered)
		r = symbolic{s}
		in := s.input("X", 3)
		return in[0], in[1], in[2]
	}
	relu := func(p *poly) *poly { return r.Fn("relu", p) }
	max := func(ps ...*poly) *poly { return r.Max(ps) }
	neg := func(p *poly) *poly { return r.Mul(r.Rat(-1, 1), p) }
	two := func() *poly { return r.Rat(2, 1) }
	for _, c := range []struct {
		what string
		f    func(x, y, a *poly) (left, right *poly)
		any  bool // also without the rules
		ok   bool
	}{
		{"relu relu", func(x, _, _ *poly) (l, r *poly) { return relu(relu(x)), relu(x) }, false, true},
		{"square", func(x, _, _ *poly) (l, q *poly) { return relu(r.Mul(x, x)), r.Mul(x, x) }, false, true},
		{"negative square", func(x, _, _ *poly) (l, q *poly) { return relu(neg(r.Mul(x, x))), r.Rat(0, 1) }, false, true},
		{"factor", func(x, y, _ *poly) (l, q *poly) { return relu(r.Mul(x, relu(y))), r.Mul(relu(x), relu(y)) }, false, true},
		{"content", func(x, y, _ *poly) (l, q *poly) {
			return relu(r.Add(r.Mul(two(), x), r.Mul(two(), y))), r.Mul(two(), relu(r.Add(x, y)))
		}, false, true},
		{"self", func(x, _, _ *poly) (l, q *poly) { return r.Mul(x, relu(x)), r.Mul(relu(x), relu(x)) }, false, true},
		{"minus self", func(x, _, _ *poly) (l, q *poly) {
			return r.Mul(x, relu(neg(x))), neg(r.Mul(relu(neg(x)), relu(neg(x))))
		}, false, true},
		{"both signs", func(x, _, _ *poly) (l, q *poly) { return r.Mul(relu(x), relu(neg(x))), r.Rat(0, 1) }, false, true},
		{"relu max", func(x, y, _ *poly) (l, q *poly) { return relu(max(x, y)), max(relu(x), relu(y)) }, false, true},
		{"max factor", func(x, y, a *poly) (l, q *poly) {
			return max(r.Mul(x, relu(a)), r.Mul(y, relu(a))), r.Mul(max(x, y), relu(a))
		}, false, true},
		{"max zero", func(x, _, _ *poly) (l, q *poly) { return max(x, r.Rat(0, 1)), relu(x) }, false, true},
		{"max of constants", func(_, _, _ *poly) (l, q *poly) { return max(r.Rat(1, 2), r.Rat(1, 3)), r.Rat(1, 2) }, false, true},
		{"max of negative constants", func(_, _, _ *poly) (l, q *poly) { return max(r.Rat(-1, 2), r.Rat(-1, 3)), r.Rat(-1, 3) }, false, true},
		{"max once", func(x, _, _ *poly) (l, q *poly) { return max(x, x), x }, true, true},
		{"relu zero", func(_, _, _ *poly) (l, q *poly) { return relu(r.Rat(0, 1)), r.Rat(0, 1) }, true, true},
		{"sum", func(x, y, _ *poly) (l, q *poly) { return relu(r.Add(x, y)), r.Add(relu(x), relu(y)) }, false, false},
		{"any factor", func(x, y, _ *poly) (l, q *poly) { return relu(r.Mul(x, y)), r.Mul(relu(x), relu(y)) }, false, false},
		{"max any factor", func(x, y, a *poly) (l, q *poly) { return max(r.Mul(x, a), r.Mul(y, a)), r.Mul(max(x, y), a) }, false, false},
	} {
		for _, ordered := range []bool{false, true} {
			l, q := c.f(build(ordered))
			want := c.ok && (ordered || c.any)
			if l.equal(q) != want {
				t.Errorf("%s, ordered %v: %s and %s", c.what, ordered, s.text(l, 300), s.text(q, 300))
			}
		}
	}
}

// Bad polynomials stay bad and are equal to nothing.
func TestBad(t *testing.T) {
	s := newSpace()
	for _, ordered := range []bool{false, true} {
		s.reset(ordered)
		r := symbolic{s}
		x := s.input("X", 1)[0]
		huge := r.Rat(1<<62, 1)
		bad := r.Mul(huge, huge)
		for i, p := range []*poly{bad, r.Add(bad, x), r.Mul(x, bad), r.Max([]*poly{x, bad}), r.Fn("relu", bad),
			r.Fn("any:f", bad), r.Add(r.Mul(huge, x), r.Mul(huge, x))} {
			if !p.bad || p.equal(p) {
				t.Errorf("ordered %v, %d: %s", ordered, i, s.text(p, 100))
			}
		}
		var many *poly = r.Rat(0, 1)
		for i, y := range s.input("Y", maxTerms+1) {
			if many.bad {
				t.Fatalf("bad after %d terms", i)
			}
			many = r.Add(many, y)
		}
		if !many.bad {
			t.Error("no bound on the terms")
		}
	}
}

func TestText(t *testing.T) {
	s := newSpace()
	s.reset(false)
	r := symbolic{s}
	xs := s.input("X", 2)
	p := r.Add(r.Mul(r.Rat(-1, 2), r.Mul(xs[0], xs[1])), r.Fn("any:f", r.Max([]*poly{xs[0], xs[1]})))
	p = r.Add(r.Rat(3, 1), p)
	if got, want := s.text(p, 100), "3 - 1/2*X0*X1 + f(max(X0, X1))"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := s.text(p, 1), "3 - 1/2*X0*X1 + 1 more terms"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.text(r.Mul(r.Rat(-1, 1), xs[0]), 9); got != "-X0" {
		t.Error(got)
	}
}

func BenchmarkMul(b *testing.B) {
	s := newSpace()
	s.reset(false)
	xs := s.input("X", 16)
	sum := constant(zeroQ)
	for _, x := range xs {
		sum = s.add(sum, x)
	}
	for b.Loop() {
		s.mul(sum, sum)
	}
	b.ReportMetric(float64(len(s.mul(sum, sum).terms)), "terms")
}

func ExampleDefaultScope() {
	s := DefaultScope()
	fmt.Println(s.MaxSize, s.Strides, s.Pads, s.Acts, len(s.Runs))
	// Output: 4 [(1, 1) (2, 2) (1, 2) (2, 1)] [valid same_upper same_lower (1, 0, 0, 1)] [none any_activation relu] 8
}
