package graph

import "fmt"

// Inequalities between sizes, for all sizes in the ranges of a [Sizing].

// unbounded is a bound that bounds nothing.
const unbounded = int64(1) << 62

// NonNegative reports whether x is 0 or more for all sizes in the ranges. It may miss that it
// is. Unlike [Dim.NonNegative] it takes nothing for granted of size functions: the output of a
// window that does not fit is 0 or less. Without variables, s may be nil.
func (s *Sizing) NonNegative(x Dim) bool {
	if x.TooLarge() {
		return false
	}
	x = s.divided(x)
	if lo, _ := s.Bounds(x); lo >= 0 {
		return true
	}
	if x.functions() == 0 && x.NonNegative() {
		return true
	}
	y, t := s.shifted(x)
	if y, ok := t.relaxed(y); ok && y.NonNegative() {
		return true
	}
	y, _ = s.shifted(s.lifted(x))
	return y.functions() == 0 && y.NonNegative()
}

// lifted is x with a variable of its own for each function value that is known to be at least a
// number: what holds for all values from that number on holds for those.
func (s *Sizing) lifted(x Dim) Dim {
	terms, c := x.Terms()
	out, names := Int(c), map[Dim]string{}
	for _, t := range terms {
		d := Int(t.Coef)
		for _, a := range t.Atoms {
			of := a.Dim()
			if lo, _ := s.atomBounds(a); a.Kind == AtomFunc && lo > -unbounded {
				if names[of] == "" {
					names[of] = fmt.Sprintf("function %d", len(names))
				}
				of = Var(names[of]).Add(Int(lo - 1))
			}
			d = d.Mul(of)
		}
		out = out.Add(d)
	}
	return out
}

// divided is y-1 for x = v*y-1, v being a variable: sizes are 1 or more, so that x is 0 or more
// just where y-1 is. It is x if there is no such variable.
func (s *Sizing) divided(x Dim) Dim {
	for _, v := range s.Vars() {
		if factor, rest, ok := x.Linear(v.Name); ok && rest == Int(-1) && factor != Int(0) && !factor.TooLarge() {
			return s.divided(factor.Sub(Int(1)))
		}
	}
	return x
}

// Bounds are numbers between which x lies for all sizes in the ranges; -1<<62 and 1<<62 where
// no bound is known.
func (s *Sizing) Bounds(x Dim) (lo, hi int64) {
	if x.TooLarge() {
		return -unbounded, unbounded
	}
	terms, c := x.Terms()
	lo, hi = clampBound(c), clampBound(c)
	for _, t := range terms {
		l, h := clampBound(t.Coef), clampBound(t.Coef)
		for _, a := range t.Atoms {
			p, q := s.atomBounds(a)
			l, h = mulBounds(l, h, p, q)
		}
		lo, hi = addLower(lo, l), addUpper(hi, h)
	}
	return lo, hi
}

func (s *Sizing) atomBounds(a Atom) (lo, hi int64) {
	switch a.Kind {
	case AtomVar:
		if s != nil {
			if r, ok := s.ranges[a.Name]; ok {
				return r.Lo, r.Hi
			}
		}
		return 1, unbounded
	case AtomAxisRun:
		return 0, unbounded
	}
	w, ok := a.quotient()
	if !ok {
		return -unbounded, unbounded
	}
	lo, hi = s.Bounds(w.num)
	if lo > -unbounded {
		lo = FloorDiv(lo, w.by)
	}
	if hi < unbounded {
		hi = FloorDiv(hi, w.by)
	}
	return lo, hi
}

// Simplify puts numbers in the place of function values that are the same for all sizes in the
// ranges, such as that of a window over an image that has room for one.
func (s *Sizing) Simplify(x Dim) Dim {
	if x.TooLarge() || x.functions() == 0 {
		return x
	}
	terms, c := x.Terms()
	out := Int(c)
	for _, t := range terms {
		d := Int(t.Coef)
		for _, a := range t.Atoms {
			if lo, hi := s.atomBounds(a); a.Kind == AtomFunc && lo == hi && lo > -unbounded && hi < unbounded {
				d = d.Scale(lo)
			} else {
				d = d.Mul(a.Dim())
			}
		}
		out = out.Add(d)
	}
	return out
}

// quotient is a function value as num/by, rounded down.
type quotient struct {
	num Dim
	by  int64
}

// quotient is the form of the size functions of windows with numbers for kernel and stride.
func (a Atom) quotient() (quotient, bool) {
	if a.Kind != AtomFunc || a.Name != fnWindow && a.Name != fnStrided {
		return quotient{}, false
	}
	h, _ := a.Args[0].Dim()
	if a.Name == fnStrided {
		axis, ok := axisArg(a.Args[2])
		if !ok {
			return quotient{}, false
		}
		by, ok := strideOf(a.Args[1], axis)
		return quotient{h.Add(Int(by - 1)), by}, ok && by >= 1
	}
	k, _ := a.Args[1].Dim()
	axis, ok := axisArg(a.Args[4])
	if name, valid := a.Args[3].Name(); !ok || !valid || name != Valid {
		return quotient{}, false
	}
	by, ok := strideOf(a.Args[2], axis)
	return quotient{h.Sub(k).Add(Int(by)), by}, ok && by >= 1
}

// functions is the number of terms with function values.
func (d Dim) functions() (n int) {
	terms, _ := d.Terms()
	for _, t := range terms {
		for _, a := range t.Atoms {
			if a.Kind == AtomFunc {
				n++
				break
			}
		}
	}
	return n
}

// shifted writes x with variables that are at least 1, each in the place of one that is at
// least the lower end of its range.
func (s *Sizing) shifted(x Dim) (Dim, *Sizing) {
	b, t := &Substitution{Dims: map[string]Dim{}}, &Sizing{ranges: map[string]Range{}}
	if s != nil {
		for v, r := range s.ranges {
			t.ranges[v] = Range{Lo: 1, Hi: r.Hi - r.Lo + 1}
			if r.Lo > 1 {
				b.Dims[v] = Var(v).Add(Int(r.Lo - 1))
			}
		}
	}
	return x.Subst(b), t
}

// relaxed is a polynomial without function values that is not above a positive multiple of x.
func (s *Sizing) relaxed(x Dim) (Dim, bool) {
next:
	for range 32 {
		terms, _ := x.Terms()
		for _, t := range terms {
			for i, a := range t.Atoms {
				w, ok := a.quotient()
				if !ok {
					continue
				}
				rest := productOf(1, append(append([]Atom(nil), t.Atoms[:i]...), t.Atoms[i+1:]...))
				if lo, _ := s.Bounds(rest); lo < 0 {
					return Dim{}, false
				}
				// num-by+1 <= by*(num/by) <= num
				bound := w.num
				if t.Coef > 0 {
					bound = w.num.Sub(Int(w.by - 1))
				}
				x = x.Sub(t.Dim()).Scale(w.by).Add(bound.Mul(rest).Scale(t.Coef))
				continue next
			}
		}
		return x, x.functions() == 0 && !x.TooLarge()
	}
	return Dim{}, false
}

// Least solves x >= 0, where that is linear in one variable that grows with x: it holds just
// where the variable is at least a number. The variable may be under size functions of
// windows, which are inverted.
func (s *Sizing) Least(x Dim) (name string, least int64, ok bool) {
	x = s.divided(x)
	for range 64 {
		terms, c := x.Terms()
		if x.TooLarge() || len(terms) != 1 || len(terms[0].Atoms) != 1 || terms[0].Coef < 1 {
			return "", 0, false
		}
		a, m := terms[0].Atoms[0], -FloorDiv(c, terms[0].Coef)
		if a.Kind == AtomVar {
			return a.Name, m, true
		}
		w, ok := a.quotient()
		if !ok {
			return "", 0, false
		}
		x = w.num.Sub(Int(m).Scale(w.by)) // num/by >= m
	}
	return "", 0, false
}

func clampBound(n int64) int64 { return min(max(n, -unbounded), unbounded) }

func addLower(a, b int64) int64 {
	if a <= -unbounded || b <= -unbounded {
		return -unbounded
	}
	return clampBound(a + b)
}

func addUpper(a, b int64) int64 {
	if a >= unbounded || b >= unbounded {
		return unbounded
	}
	return clampBound(a + b)
}

func mulBound(a, b int64) int64 {
	if n, ok := MulInt(a, b); ok {
		return clampBound(n)
	}
	if a < 0 != (b < 0) {
		return -unbounded
	}
	return unbounded
}

func mulBounds(a, b, c, d int64) (lo, hi int64) {
	ps := [4]int64{mulBound(a, c), mulBound(a, d), mulBound(b, c), mulBound(b, d)}
	lo, hi = ps[0], ps[0]
	for _, p := range ps[1:] {
		lo, hi = min(lo, p), max(hi, p)
	}
	return lo, hi
}
