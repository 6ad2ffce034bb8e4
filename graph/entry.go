package graph

import (
	"sort"
	"strconv"
)

// What an operator computes is said once: as its output entry at a symbolic
// index, for all sizes. Programs for given sizes are made from it ([Op.Program]),
// and equality of tensor terms for all sizes is decided from it (package
// verify/sums).

// Sym is an unknown integer of a [Space]: a size, an index, a bound variable of
// a sum, or a named function of others such as floor(e/2). 0 is none.
type Sym int32

// Index is a linear expression c + k1*s1 + k2*s2 ... over the unknowns of one
// Space. The zero Index is 0. An Index does not change. Arithmetic that leaves
// 63 bits panics with [ErrTooLarge]: whoever builds expressions from laws that
// others wrote recovers with [CatchTooLarge].
type Index struct {
	c int64
	t []indexTerm // by sym, coefficients not 0
}

type indexTerm struct {
	sym Sym
	k   int64
}

// IndexInt is the constant n.
func IndexInt(n int64) Index { return Index{c: n} }

// Index is the expression that is s alone.
func (s Sym) Index() Index { return Index{t: []indexTerm{{s, 1}}} }

// Const reports the value of an expression without unknowns.
func (e Index) Const() (int64, bool) { return e.c, len(e.t) == 0 }

// Constant is the constant term.
func (e Index) Constant() int64 { return e.c }

// Len is the number of unknowns; Term is the i-th with its coefficient, in the
// order of their numbers.
func (e Index) Len() int { return len(e.t) }

// Term is the i-th unknown and its coefficient.
func (e Index) Term(i int) (Sym, int64) { return e.t[i].sym, e.t[i].k }

// Coef is the coefficient of s.
func (e Index) Coef(s Sym) int64 {
	for _, t := range e.t {
		if t.sym == s {
			return t.k
		}
	}
	return 0
}

// IsSym reports whether e is a single unknown.
func (e Index) IsSym() (Sym, bool) {
	if e.c == 0 && len(e.t) == 1 && e.t[0].k == 1 {
		return e.t[0].sym, true
	}
	return 0, false
}

// Add is e + f.
func (e Index) Add(f Index) Index { return e.addScaled(f, 1) }

// Sub is e - f.
func (e Index) Sub(f Index) Index { return e.addScaled(f, -1) }

// AddInt is e + n.
func (e Index) AddInt(n int64) Index { return Index{c: sum(e.c, n), t: e.t} }

// AddScaled is e + k*f.
func (e Index) AddScaled(f Index, k int64) Index { return e.addScaled(f, k) }

func (e Index) addScaled(f Index, k int64) Index {
	if k == 0 {
		return e
	}
	if len(f.t) == 0 {
		return Index{c: sum(e.c, product(k, f.c)), t: e.t}
	}
	out := Index{c: sum(e.c, product(k, f.c)), t: make([]indexTerm, 0, len(e.t)+len(f.t))}
	i, j := 0, 0
	for i < len(e.t) || j < len(f.t) {
		switch {
		case j == len(f.t) || i < len(e.t) && e.t[i].sym < f.t[j].sym:
			out.t = append(out.t, e.t[i])
			i++
		case i == len(e.t) || f.t[j].sym < e.t[i].sym:
			out.t = append(out.t, indexTerm{f.t[j].sym, product(k, f.t[j].k)})
			j++
		default:
			if c := sum(e.t[i].k, product(k, f.t[j].k)); c != 0 {
				out.t = append(out.t, indexTerm{e.t[i].sym, c})
			}
			i++
			j++
		}
	}
	return out
}

// Scale is k*e.
func (e Index) Scale(k int64) Index { return Index{}.addScaled(e, k) }

// Equal reports whether two expressions are the same.
func (e Index) Equal(f Index) bool {
	if e.c != f.c {
		return false
	}
	return e.SameTerms(f)
}

// SameTerms reports whether two expressions differ by a constant at most.
func (e Index) SameTerms(f Index) bool {
	if len(e.t) != len(f.t) {
		return false
	}
	for i := range e.t {
		if e.t[i] != f.t[i] {
			return false
		}
	}
	return true
}

// OppositeTerms reports whether e and -f differ by a constant at most.
func (e Index) OppositeTerms(f Index) bool {
	if len(e.t) != len(f.t) {
		return false
	}
	for i, t := range e.t {
		if u := f.t[i]; t.sym != u.sym || t.k != -u.k || t.k == minInt {
			return false
		}
	}
	return true
}

// Key is a text that only equal expressions have.
func (e Index) Key() string { return string(e.AppendKey(nil)) }

// AppendKey appends the key to b.
func (e Index) AppendKey(b []byte) []byte {
	b = strconv.AppendInt(b, e.c, 10)
	for _, t := range e.t {
		b = append(b, '+')
		b = strconv.AppendInt(b, t.k, 10)
		b = append(b, '$')
		b = strconv.AppendInt(b, int64(t.sym), 10)
	}
	return b
}

// Guard is a condition on indices: E >= 0, or, with Eq, E == 0.
type Guard struct {
	E  Index
	Eq bool
}

// GuardLe is a <= b.
func GuardLe(a, b Index) Guard { return Guard{E: b.Sub(a)} }

// GuardLt is a < b.
func GuardLt(a, b Index) Guard { return Guard{E: b.Sub(a).AddInt(-1)} }

// GuardEq is a == b.
func GuardEq(a, b Index) Guard { return Guard{E: a.Sub(b), Eq: true} }

// ExprKind is the kind of an Expr.
type ExprKind uint8

const (
	// ExprNumber is the integer Size as a number.
	ExprNumber ExprKind = iota
	// ExprRead is the entry of input In at index At.
	ExprRead
	// ExprAdd and ExprMul are the sum and the product of Args.
	ExprAdd
	ExprMul
	// ExprInv is 1/Args[0]; the argument is a count that is at least 1 wherever
	// the operator is defined, and holds no reads.
	ExprInv
	// ExprSum is the sum of Args[0] over all Over (0 <= Var < N) for which If
	// holds. Without Over it is a case distinction: Args[0] if If, else 0.
	ExprSum
	// ExprMax is the largest Args[0] over all Over for which If holds; there is
	// always one wherever the operator is defined.
	ExprMax
	// ExprFn is the function of one element Fn, a name or a variable, applied
	// to Args[0].
	ExprFn
)

// Expr is a number that depends on the entries of tensors at indices. An Expr
// does not change.
type Expr struct {
	Kind ExprKind
	Size Index
	In   int
	At   []Index
	Args []*Expr
	Over []Bound
	If   []Guard
	Fn   Value
	// Shift, of a function, is a number that arithmetic which rounds takes off
	// the argument: the operator's result does not depend on it.
	Shift *Expr
	// Pick, of a sum over one variable, says how it is looked up.
	Pick *Pick
	// Direct, if it is there, is what arithmetic with true numbers computes instead.
	Direct *Direct
}

// Pick is a sum over k of Of, weighed with 1 for the k that is the value of At, or
// that counted from the end, and with 0 for all others: programs copy Of there.
// If At is no k, the sum is 0, but programs are free to give anything.
type Pick struct{ At, Of *Expr }

// Bound is a bound variable that runs from 0 to N-1.
type Bound struct {
	Var Sym
	N   Index
}

// EntryNumber is the integer n as a number. If n is not constant, it must be at least 0 wherever the
// entry counts: the checker of proofs moves such factors out of relu and maxima. A number of any
// sign is a difference of two.
func EntryNumber(n Index) *Expr { return &Expr{Kind: ExprNumber, Size: n} }

// EntryRead is input in at an index.
func EntryRead(in int, at ...Index) *Expr { return &Expr{Kind: ExprRead, In: in, At: at} }

// EntryAdd is the sum.
func EntryAdd(args ...*Expr) *Expr { return &Expr{Kind: ExprAdd, Args: args} }

// EntryMul is the product.
func EntryMul(args ...*Expr) *Expr { return &Expr{Kind: ExprMul, Args: args} }

// EntryInv is 1/n for a count n.
func EntryInv(n *Expr) *Expr { return &Expr{Kind: ExprInv, Args: []*Expr{n}} }

// EntrySum is the sum of body over bound variables where the guards hold.
func EntrySum(body *Expr, over []Bound, where ...Guard) *Expr {
	return &Expr{Kind: ExprSum, Args: []*Expr{body}, Over: over, If: where}
}

// EntryWhen is body where the guards hold, and 0 elsewhere.
func EntryWhen(body *Expr, where ...Guard) *Expr { return EntrySum(body, nil, where...) }

// EntryMax is the largest body over bound variables where the guards hold.
func EntryMax(body *Expr, over []Bound, where ...Guard) *Expr {
	return &Expr{Kind: ExprMax, Args: []*Expr{body}, Over: over, If: where}
}

// EntryFn is a function of one element of body; the name "none" is body itself.
func EntryFn(fn Value, body *Expr) *Expr {
	if n, ok := fn.Name(); ok && n == "none" {
		return body
	}
	return &Expr{Kind: ExprFn, Fn: fn, Args: []*Expr{body}}
}

// EntryShifted is a function of one element of body. Arithmetic that rounds takes
// the largest of shift off body first: what is computed from it cancels that.
func EntryShifted(fn Value, body, largest *Expr) *Expr {
	e := EntryFn(fn, body)
	e.Shift = largest
	return e
}

// EntryPick is of(k) for the k from 0 to n-1 that is the number at; a negative one
// counts from the end.
func (s *Space) EntryPick(at *Expr, n Index, of func(k Index) *Expr) *Expr {
	k := s.Var("k")
	here := func(off *Expr) *Expr { return EntryFn(NameValue(FuncText(IsZero)), off) }
	off := EntryAdd(at, EntryMul(EntryNumber(IndexInt(-1)), EntryNumber(k.Index())))
	body := of(k.Index())
	e := EntrySum(EntryMul(EntryAdd(here(off), here(EntryAdd(off, EntryNumber(n)))), body), []Bound{{Var: k, N: n}})
	e.Pick = &Pick{At: at, Of: body}
	return e
}

// sortedKeys are the texts of expressions in order, for keys that do not depend
// on the order of arguments.
func sortedKeys(es []Index) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = e.Key()
	}
	sort.Strings(out)
	return out
}
