package graph

// Direct says of an expression what arithmetic with true numbers computes in its place: a
// function of several numbers, which the expression is where all of them are real, and
// which also has values where they are infinite or not numbers. Proofs look at the
// expression alone.
type Direct struct {
	Fn   *Several
	Args []*Expr
}

// Several is a function of several numbers.
type Several struct {
	Name string // tells it from the others
	// Float is the function in float64 arithmetic; the caller reuses args.
	Float func(args []float64) float64
	// Int is the function of integers, modulo 2^64; false where it has no value, as a
	// quotient by 0. nil: there is none.
	Int func(args []int64) (int64, bool)
	// Uint is the same function of integers from 0 to 2^64-1, for those beyond int64; nil:
	// there is none.
	Uint func(args []uint64) (uint64, bool)
	// HasValue tells whether the function has a value wherever each argument is in its
	// interval; nil: it has one of all real numbers.
	HasValue func(args []Interval) bool
	// Grows: what comes out may be larger than 64 bits, of which Int gives the lowest.
	Grows bool
	// Chooses: it is the second argument where the first one is not 0, and the third elsewhere.
	Chooses bool
	// C and CInt are the function as expressions of C, of floating-point numbers and of
	// integers, where $0, $1 ... are the arguments, and @ is an f where they are of
	// float32; "": there is none.
	C, CInt string
}

// EntryDirect is an expression for which arithmetic with true numbers computes f of args.
func EntryDirect(e *Expr, f *Several, args ...*Expr) *Expr {
	d := *e
	d.Direct = &Direct{f, args}
	return &d
}

// EntryPair is f of x and y, of which proofs know nothing but that it is a function of
// both: it is one function of x and another function of y added up. As nothing is known of
// these two, sums are equal only if x and y are.
func EntryPair(f *Several, x, y *Expr) *Expr {
	sum := EntryAdd(x, EntryFn(NameValue(f.Name+"_with"), y))
	return EntryDirect(EntryFn(NameValue(f.Name+"_of"), sum), f, x, y)
}
