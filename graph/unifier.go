package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Unifier is what shape inference may use and what it leaves to be shown.
//
// Sizes are at least 1, as laws take them. Only in inference for the tensors of a
// graph ([InferSizes]) they may be 0: such a tensor is empty.
//
// In check mode (the zero value) two sizes agree only if they are the same
// polynomial. In solve mode ([Solver]) an equation between sizes is solved for
// a variable where that is possible, which yields principal typings; equations
// that cannot be solved yet are kept and tried again.
//
// Inequalities and divisibility that neither hold nor fail for all sizes are
// collected in Needs: they are the condition under which the term is defined.
type Unifier struct {
	Needs []Need

	solving bool
	empty   bool   // sizes may be 0
	exact   bool   // nothing is equated that need not be equal
	lazy    bool   // sizes are written as multiples when all equations are known
	later   []Need // divisibility put off until then
	sub     map[string]Dim
	attrs   map[string]Value
	pending []equation

	quotients []string        // variables made by Quotient
	known     map[string]bool // names of variables that were reserved or made
}

// Need is a condition on sizes: Left Rel Right with Rel one of "<=" and
// "divides" (Left divides Right).
type Need struct {
	Left  Dim
	Rel   string
	Right Dim
}

// String is the condition in words.
func (n Need) String() string { return n.Left.String() + " " + n.Rel + " " + n.Right.String() }

type equation struct{ a, b Dim }

// Solver returns Unifier in solve mode.
func Solver() *Unifier {
	return &Unifier{solving: true, sub: map[string]Dim{}, attrs: map[string]Value{}}
}

// LazySolver is a [Solver] that writes a size as a multiple of another only in
// [Unifier.Settle]: until then equations may determine it otherwise.
func LazySolver() *Unifier {
	f := Solver()
	f.lazy = true
	return f
}

// ExactSolver is a [LazySolver] that equates only what has to be equal. What it
// cannot solve so stays in [Unifier.Pending].
func ExactSolver() *Unifier {
	f := LazySolver()
	f.exact = true
	return f
}

// Settle requires the divisibility that a [LazySolver] has put off.
func (f *Unifier) Settle() error {
	later := f.later
	f.later, f.lazy = nil, false
	for _, n := range later {
		if err := f.Divides(n.Left, n.Right); err != nil {
			return err
		}
		f.retry()
	}
	return nil
}

// Solution is the substitution found so far (solve mode), fully applied.
func (f *Unifier) Solution() *Substitution {
	b := &Substitution{Dims: map[string]Dim{}, Attrs: f.attrs}
	for v, d := range f.sub {
		b.Dims[v] = f.norm(d)
	}
	return b
}

// Pending lists the equations that could not be solved, as "a == b".
func (f *Unifier) Pending() [][2]Dim {
	f.retry()
	var out [][2]Dim
	for _, e := range f.pending {
		out = append(out, [2]Dim{f.norm(e.a), f.norm(e.b)})
	}
	return out
}

// norm applies the solution to d until nothing changes.
func (f *Unifier) norm(d Dim) Dim {
	if !f.solving || (len(f.sub) == 0 && len(f.attrs) == 0) {
		return d
	}
	b := &Substitution{Dims: f.sub, Attrs: f.attrs}
	for i := 0; i < 64; i++ {
		e := d.Subst(b)
		if e == d {
			return d
		}
		d = e
	}
	return d
}

// Norm applies the solution to d (the identity in check mode).
func (f *Unifier) Norm(d Dim) Dim { return f.norm(d) }

// NormShape applies the solution to s.
func (f *Unifier) NormShape(s Shape) Shape {
	t := s.Clone()
	for i := range t {
		if t[i].AxisRun == "" {
			t[i].Dim = f.norm(t[i].Dim)
		}
	}
	return t
}

// Eq requires a == b.
func (f *Unifier) Eq(a, b Dim) error {
	if a == b && !a.TooLarge() {
		return nil
	}
	a, b = f.norm(a), f.norm(b)
	if err := fits(a, b); err != nil {
		return err
	}
	if a == b {
		return nil
	}
	d := a.Sub(b)
	if err := fits(d); err != nil {
		return err
	}
	if !f.solving || d.p == nil || d.NonZero() {
		return &SizeError{a, b}
	}
	if f.solve(d) {
		f.retry()
		return nil
	}
	f.pending = append(f.pending, equation{a, b})
	return nil
}

// SizeError says that two sizes are not the same for all values of their variables.
type SizeError struct{ A, B Dim }

// Error names the sizes.
func (e *SizeError) Error() string { return fmt.Sprintf("size %s is not %s", e.A, e.B) }

// fits requires sizes that are not too large.
func fits(ds ...Dim) error {
	for _, d := range ds {
		if d.TooLarge() {
			return ErrTooLarge
		}
	}
	return nil
}

// NonZero reports that d is never 0 for sizes >= 1: sound, not complete.
func (d Dim) NonZero() bool {
	return d.Sub(Int(1)).NonNegative() || d.Neg().Sub(Int(1)).NonNegative()
}

// solve finds a variable v with coefficient +-1 such that v = rest has only
// non-negative coefficients (so that the solution is a size) and binds it.
func (f *Unifier) solve(d Dim) bool {
	d = d.Reduced()
	if d.p == nil {
		return false
	}
	for _, t := range d.p.terms {
		if len(t.atoms) != 1 || t.atoms[0].Kind != AtomVar || (t.coef != 1 && t.coef != -1) {
			continue
		}
		v := t.atoms[0].Name
		rest := d.Sub(Var(v).Scale(t.coef)).Scale(-t.coef)
		if rest.mentions(v) || !rest.Sub(Int(1)).NonNegative() || rest.negative() {
			continue
		}
		f.sub[v] = rest
		return true
	}
	if v, k, ok := d.ratio(); ok {
		f.sub[v] = Int(k)
		return true
	}
	// Two values of one function: equal arguments are enough. (Not necessary:
	// it makes the typing less general, never wrong.)
	if !f.exact && d.c == 0 && len(d.p.terms) == 2 {
		s, t := d.p.terms[0], d.p.terms[1]
		if len(s.atoms) == 1 && len(t.atoms) == 1 && s.coef == -t.coef {
			a, b := s.atoms[0], t.atoms[0]
			if a.Kind == AtomFunc && b.Kind == AtomFunc && a.Name == b.Name && len(a.Args) == len(b.Args) {
				for i := range a.Args {
					if f.EqValue(a.Args[i], b.Args[i]) != nil {
						return false
					}
				}
				return true
			}
		}
	}
	return false
}

// ratio solves d = 0 where d is v*B - k*B for a variable v, a number k >= 1 and
// B that is at least 1: then v is k.
func (d Dim) ratio() (v string, k int64, ok bool) {
	if d.p == nil {
		return "", 0, false
	}
	for _, a := range d.p.terms[0].atoms {
		v, k, ok = d.ratioOf(a)
		if ok {
			return v, k, true
		}
	}
	for _, a := range d.p.terms[len(d.p.terms)-1].atoms {
		if v, k, ok = d.ratioOf(a); ok {
			return v, k, true
		}
	}
	return "", 0, false
}

func (d Dim) ratioOf(a Atom) (v string, k int64, ok bool) {
	if a.Kind != AtomVar {
		return "", 0, false
	}
	factor, rest, ok := d.Linear(a.Name)
	if !ok {
		return "", 0, false
	}
	if factor.Neg().Sub(Int(1)).NonNegative() {
		factor, rest = factor.Neg(), rest.Neg()
	}
	if !factor.Sub(Int(1)).NonNegative() {
		return "", 0, false
	}
	// factor*v + rest = 0
	for k = 1; k <= 4; k++ {
		if factor.Scale(k).Add(rest) == Int(0) {
			return a.Name, k, true
		}
	}
	return "", 0, false
}

// Reduced divides d by what all its terms have in common: a number, and
// variables and function values, which are not 0.
func (d Dim) Reduced() Dim {
	if d.p == nil {
		return d
	}
	g := d.c
	for _, t := range d.p.terms {
		g = GCD(g, t.coef)
	}
	if g > 1 {
		d, _ = d.divExact(g)
	}
	if d.c != 0 {
		return d
	}
	terms := append([]monomial(nil), d.p.terms...)
	changed := false
	for _, a := range d.p.terms[0].atoms {
		if a.Kind == AtomAxisRun {
			continue
		}
		rest := make([]monomial, 0, len(terms))
		for _, t := range terms {
			if atoms, ok := withoutAtoms(t.atoms, []Atom{a}); ok {
				rest = append(rest, monomial{coef: t.coef, atoms: atoms})
			}
		}
		if len(rest) == len(terms) {
			terms, changed = rest, true
		}
	}
	if !changed {
		return d
	}
	out := Dim{}
	for _, t := range terms {
		out = out.Add(productOf(t.coef, t.atoms))
	}
	if out.p == nil {
		return d
	}
	return out
}

func (d Dim) mentions(v string) bool {
	found := false
	d.Walk(func(a Atom) { found = found || a.Kind == AtomVar && a.Name == v })
	return found
}

func (d Dim) negative() bool {
	if d.p != nil {
		for _, t := range d.p.terms {
			if t.coef < 0 {
				return true
			}
		}
	}
	return d.c < 0
}

func (f *Unifier) retry() {
	for again := true; again; {
		again = false
		old := f.pending
		f.pending = nil
		for _, e := range old {
			d := f.norm(e.a).Sub(f.norm(e.b))
			switch {
			case d.p == nil && d.c == 0:
				again = true
			case d.p != nil && f.solve(d):
				again = true
			default:
				f.pending = append(f.pending, e)
			}
		}
	}
}

// EqValue requires two attribute values to agree.
func (f *Unifier) EqValue(a, b Value) error {
	if a == b {
		return nil
	}
	if da, ok := a.Dim(); ok {
		if db, ok := b.Dim(); ok {
			return f.Eq(da, db)
		}
	}
	return fmt.Errorf("%s is not %s", a, b)
}

// EqShape requires two shapes to agree, axis by axis.
func (f *Unifier) EqShape(a, b Shape) error {
	if len(a) != len(b) {
		return fmt.Errorf("shape %s is not %s", a, b)
	}
	for i := range a {
		if a[i].AxisRun != b[i].AxisRun {
			return fmt.Errorf("shape %s is not %s", a, b)
		}
		if a[i].AxisRun == "" {
			if err := f.Eq(a[i].Dim, b[i].Dim); err != nil {
				return fmt.Errorf("shape %s is not %s: %w", f.NormShape(a), f.NormShape(b), err)
			}
		}
	}
	return nil
}

// Le requires a <= b. An inequality that depends on the sizes is noted in
// Needs.
func (f *Unifier) Le(a, b Dim) error {
	a, b = f.norm(a), f.norm(b)
	d := b.Sub(a)
	if err := fits(d); err != nil {
		return err
	}
	if d.NonNegative() {
		return nil
	}
	if d.Neg().Sub(Int(1)).NonNegative() {
		return fmt.Errorf("%s is more than %s", a, b)
	}
	f.need(Need{a, "<=", b})
	return nil
}

// Least is the least size of an axis: 1, or 0 where tensors may be empty.
func (f *Unifier) Least() Dim {
	if f.empty {
		return Int(0)
	}
	return Int(1)
}

// checkShape refuses sizes that are too large, and empty tensors where sizes are at
// least 1.
func (f *Unifier) checkShape(s Shape) error {
	for _, it := range s {
		switch {
		case it.Dim.TooLarge():
			return ErrTooLarge
		case !f.empty && it.AxisRun == "" && it.Dim.p == nil && it.Dim.c < 1:
			return fmt.Errorf("shape %s: a tensor without elements; sizes are at least 1 here", s)
		}
	}
	return nil
}

// Empty reports whether one of the sizes is the number 0, where tensors may be empty.
func (f *Unifier) Empty(s Shape) bool {
	return f.empty && slices.ContainsFunc(s, func(it Item) bool { return it.AxisRun == "" && f.norm(it.Dim) == Int(0) })
}

// Divides requires k to divide d.
func (f *Unifier) Divides(k, d Dim) error {
	k, d = f.norm(k), f.norm(d)
	if err := fits(k, d); err != nil {
		return err
	}
	if k == Int(1) || k == d {
		return nil
	}
	kc, kok := k.Const()
	dc, dok := d.Const()
	if kok && dok {
		if kc > 0 && dc%kc == 0 {
			return nil
		}
		return fmt.Errorf("%s does not divide %s", k, d)
	}
	if kok && kc > 0 {
		if _, ok := d.divExact(kc); ok {
			return nil
		}
	}
	if k.c == 0 && k.p != nil && len(k.p.terms) == 1 {
		if _, ok := d.Quo(k); ok && d != (Dim{}) {
			return nil
		}
	}
	if kok && kc <= 0 {
		return fmt.Errorf("%s does not divide a size", k)
	}
	if v, ok := d.IsVar(); ok && f.solving && !k.mentions(v) && k.Sub(Int(1)).NonNegative() {
		if f.lazy {
			f.later = append(f.later, Need{k, "divides", d})
			return nil
		}
		// A size that is a multiple of k is written as one.
		f.sub[v] = k.Mul(Var(f.fresh(v+"m", d, k)))
		return nil
	}
	f.need(Need{k, "divides", d})
	return nil
}

// Quotient requires k to divide d for all sizes, and is the size that k times makes d.
// In solve mode it may be a new variable.
func (f *Unifier) Quotient(d, k Dim) (Dim, error) {
	d, k = f.norm(d), f.norm(k)
	if err := fits(k, d); err != nil {
		return Dim{}, err
	}
	if n, ok := d.Quo(k); ok && n.Sub(Int(1)).NonNegative() {
		return n, nil
	}
	if !f.solving {
		return Dim{}, fmt.Errorf("%s is not %s times a size", d, k)
	}
	name := f.fresh(fmt.Sprintf("q%dm", len(f.quotients)+1), d, k)
	f.quotients = append(f.quotients, name)
	n := Var(name)
	if err := f.Eq(d, k.Mul(n)); err != nil {
		return Dim{}, fmt.Errorf("%s is not %s times a size: %w", d, k, err)
	}
	return f.norm(n), nil
}

// Quotients are the variables that [Unifier.Quotient] has made.
func (f *Unifier) Quotients() []string { return f.quotients }

// Reserve notes the variables that walk visits, such as [Shape.Walk]: no variable that f makes
// has the name of one of them. Variables of what f was asked already need not be reserved; those
// that come later must be.
func (f *Unifier) Reserve(walk func(func(Atom))) {
	if !f.solving {
		return // nothing is made
	}
	if f.known == nil {
		f.known = map[string]bool{}
	}
	walk(func(a Atom) {
		if a.Kind == AtomVar {
			f.known[a.Name] = true
		}
	})
}

// fresh is a name that no variable has: the given one, or it with more at the end. The variables
// are those known to f and those of ds.
func (f *Unifier) fresh(name string, ds ...Dim) string {
	for v, d := range f.sub {
		ds = append(ds, Var(v), d)
	}
	for _, e := range f.pending {
		ds = append(ds, e.a, e.b)
	}
	for _, n := range slices.Concat(f.Needs, f.later) {
		ds = append(ds, n.Left, n.Right)
	}
	for _, d := range ds {
		f.Reserve(d.Walk)
	}
	for f.known[name] {
		name += "m"
	}
	f.known[name] = true
	return name
}

func (f *Unifier) need(n Need) {
	for _, o := range f.Needs {
		if o == n {
			return
		}
	}
	f.Needs = append(f.Needs, n)
}

// NeedsString joins conditions for messages.
func NeedsString(ns []Need) string {
	parts := make([]string, len(ns))
	for i, n := range ns {
		parts[i] = n.String()
	}
	return strings.Join(parts, " and ")
}
