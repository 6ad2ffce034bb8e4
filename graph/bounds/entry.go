package bounds

import (
	"maps"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// application is a result of an operator.
type application struct {
	op      *graph.Op
	attrs   graph.Attrs
	in      []graph.Shape
	out     int
	rank    int                            // of the result
	to      graph.DType                    // of its elements
	operand func(i int) graph.Interval     // asked for where it is needed
	real    func(i int) bool               // of operands
	first   []int                          // of each operand, the first one that is the same tensor
	primary *graph.Op                      // the primitive operator
	entry   *graph.Expr                    // nil if it cannot be said
	space   graph.Space                    // of the entry
	read    bool                           // entry is set
	seen    map[*graph.Expr]graph.Interval // of what stands in the entry
}

// load finds the entry.
func (a *application) load() {
	if a.read {
		return
	}
	a.read, a.seen = true, map[*graph.Expr]graph.Interval{}
	p, out, err := a.op.Primitive(a.attrs, a.in, a.out)
	if err != nil || out != 0 || p.Op.Entry == nil {
		return
	}
	a.primary = p.Op
	at := make([]graph.Index, a.rank)
	for i := range at {
		at[i] = a.space.Var("i").Index()
	}
	if p.Op.Rearranges && len(a.in) > 0 {
		return // entries may be hard to say, and are not needed
	}
	a.entry, _ = entry(p, &a.space, a.in, at)
}

func entry(p graph.Prim, s *graph.Space, in []graph.Shape, at []graph.Index) (e *graph.Expr, err error) {
	defer graph.CatchTooLarge(&err)
	return p.Op.Entry(s, p.Attrs, in, at)
}

// rearranges reports that each element of the result is one of an operand.
func (a *application) rearranges() bool {
	return a.primary != nil && a.primary.Rearranges && len(a.in) > 0
}

// compute bounds a result by what its operator says of its entries.
func (a *application) compute() graph.Interval {
	a.load()
	switch {
	case a.rearranges():
		r := a.operand(0)
		for i := range a.in[1:] {
			r = r.Hull(a.operand(i + 1))
		}
		return r
	case a.entry == nil:
		return graph.IntervalOf(a.to)
	case a.primary.Name == "ewmax":
		return a.operand(0).Max(a.operand(1))
	case a.primary.Name == "ewmin":
		return a.operand(0).Neg().Max(a.operand(1).Neg()).Neg()
	}
	return a.bounds(a.entry)
}

// status says whether the elements have values.
func (a *application) status() Status {
	a.load()
	switch {
	case a.rearranges():
		for i := range a.in {
			if !a.real(i) {
				return Outermost
			}
		}
		return Real
	case !a.to.IsFloat():
		return Real
	case a.entry == nil:
		return Within
	case a.hasValue(a.entry):
		return Real
	case a.outermost(a.entry):
		return Outermost
	}
	return Within
}

// outermost reports that an expression is a function of what has values, of which proofs
// know nothing else. A quotient is none: to proofs it is a product.
func (a *application) outermost(e *graph.Expr) bool {
	switch {
	case e.Kind != graph.ExprFn:
		return false
	case e.Direct != nil:
		return all(e.Direct.Args, a.hasValue)
	}
	return a.hasValue(e.Args[0])
}

// hasValue reports whether an expression has a value.
func (a *application) hasValue(e *graph.Expr) bool {
	if e.Direct != nil {
		f, args := e.Direct.Fn, e.Direct.Args
		switch {
		case f.Chooses:
			return a.hasValue(args[1]) && a.hasValue(args[2])
		case Tells(len(args), f.Float):
			return true
		case !all(args, a.hasValue):
			return false
		case f.HasValue == nil:
			return true
		}
		in := make([]graph.Interval, len(args))
		for i, x := range args {
			in[i] = a.bounds(x)
		}
		return f.HasValue(in)
	}
	switch e.Kind {
	case graph.ExprNumber:
		return true
	case graph.ExprRead:
		return a.real(e.In)
	case graph.ExprInv:
		return a.bounds(e.Args[0]).Hi > 0 // a count, of none if it is 0
	case graph.ExprSum:
		if e.Pick != nil {
			return a.hasValue(e.Pick.Of) && a.hasValue(e.Pick.At)
		}
	case graph.ExprMax:
		for _, o := range e.Over {
			if n, ok := o.N.Const(); ok && n < 1 {
				return false // the largest of none
			}
		}
	case graph.ExprFn:
		op, f, params, ok := a.fn(e)
		switch {
		case op == nil:
			return ok && a.hasValue(e.Args[0])
		case Tells(1, func(args []float64) float64 { return f(args[0]) }):
			return true
		}
		return a.hasValue(e.Args[0]) && (op.HasValue == nil || op.HasValue(params, a.bounds(e.Args[0])))
	}
	return all(e.Args, a.hasValue)
}

func all(args []*graph.Expr, is func(*graph.Expr) bool) bool {
	return !slices.ContainsFunc(args, func(x *graph.Expr) bool { return !is(x) })
}

// fn is a function of one element: that of an operator, with its parameters, or nil for one
// that only entries name; ok is false if it is no function that is known by name.
func (a *application) fn(e *graph.Expr) (op *graph.Op, f func(float64) float64, params []float64, ok bool) {
	text, ok := e.Fn.Name()
	if !ok {
		return nil, nil, nil, false
	}
	name, params, err := graph.ParseFunc(text)
	if err != nil {
		return nil, nil, nil, false
	}
	op, known := graph.Lookup(name)
	if !known || op.Value == nil || len(params) != len(op.Params) {
		return nil, nil, params, true
	}
	return op, op.Value(params), params, true
}

func (a *application) bounds(e *graph.Expr) graph.Interval {
	r, ok := a.seen[e]
	if !ok {
		r = a.expression(e)
		if math.IsNaN(r.Lo) || math.IsNaN(r.Hi) {
			r = graph.AnyReal
		}
		a.seen[e] = r
	}
	return r
}

// truth is the interval of what is 0 or 1.
var truth = graph.Interval{Lo: 0, Hi: 1}

func (a *application) expression(e *graph.Expr) graph.Interval {
	if e.Direct != nil {
		return a.direct(e)
	}
	switch e.Kind {
	case graph.ExprNumber:
		if n, ok := e.Size.Const(); ok {
			x := graph.PointInterval(float64(n))
			if n > 1<<53 || n < -1<<53 {
				x = x.Wider()
			}
			return x
		}
	case graph.ExprRead:
		return a.operand(e.In)
	case graph.ExprAdd:
		sum := graph.PointInterval(0)
		for _, x := range e.Args {
			sum = sum.Add(a.bounds(x))
		}
		return sum
	case graph.ExprMul:
		if len(e.Args) == 2 && a.same(e.Args[0], e.Args[1], map[graph.Sym]graph.Sym{}) {
			return a.bounds(e.Args[0]).Square()
		}
		p := graph.PointInterval(1)
		for _, x := range e.Args {
			p = p.Mul(a.bounds(x))
		}
		return p
	case graph.ExprInv:
		return graph.Interval{Lo: 0, Hi: 1, NonZero: true}
	case graph.ExprSum:
		if e.Pick != nil {
			return a.bounds(e.Pick.Of).Hull(graph.PointInterval(0))
		}
		return a.sum(e)
	case graph.ExprMax:
		return a.bounds(e.Args[0])
	case graph.ExprFn:
		return a.function(e)
	}
	return graph.AnyReal
}

// sum bounds a sum.
func (a *application) sum(e *graph.Expr) graph.Interval {
	n, any, some := 1.0, false, len(e.If) > 0
	for _, o := range e.Over {
		k, ok := o.N.Const()
		if ok {
			n *= float64(k)
			continue
		}
		any, some = true, some || !a.space.Positive(o.N)
	}
	x := a.bounds(e.Args[0])
	if !any {
		return x.Times(n, some)
	}
	r := graph.AnyReal
	if x.Lo >= 0 {
		r.Lo = 0
	}
	if x.Hi <= 0 {
		r.Hi = 0
	}
	r.NonZero = !some && n > 0 && (x.Above(0) || x.Below(0))
	return r
}

// direct bounds a function of several numbers.
func (a *application) direct(e *graph.Expr) graph.Interval {
	f, args := e.Direct.Fn, e.Direct.Args
	switch {
	case f.Chooses:
		return a.bounds(args[1]).Hull(a.bounds(args[2]))
	case Tells(len(args), f.Float):
		return truth
	case f.Name == "pow":
		return a.bounds(args[0]).Pow(a.bounds(args[1]))
	}
	ofReals := *e // the same function, in real arithmetic
	ofReals.Direct = nil
	return a.bounds(&ofReals)
}

// function bounds a function of one element.
func (a *application) function(e *graph.Expr) graph.Interval {
	op, f, params, ok := a.fn(e)
	if !ok {
		return graph.AnyReal
	}
	text, _ := e.Fn.Name()
	x := a.bounds(e.Args[0])
	if op == nil {
		switch {
		case len(params) == 1 && graph.FuncText("number", graph.NumberValue(params[0])) == text:
			return graph.PointInterval(params[0])
		case text == graph.FuncText(graph.IsZero) || text == graph.FuncText("nonzero"):
			return truth
		case text == graph.Truncate(a.to):
			w := wider32(x)
			return graph.Interval{Lo: math.Trunc(w.Lo), Hi: math.Trunc(w.Hi)}
		case text == graph.WrapFn(a.to) && Holds(a.to, x):
			return x
		}
		return graph.AnyReal
	}
	r := graph.AnyReal
	switch {
	case Tells(1, func(args []float64) float64 { return f(args[0]) }):
		return truth
	case op.Rises && !slices.ContainsFunc(params, math.IsNaN):
		r = graph.Interval{Lo: f(x.Lo), Hi: f(x.Hi)}.Wider()
		r.Lo, r.Hi = max(r.Lo, f(math.Inf(-1))), min(r.Hi, f(math.Inf(1))) // limits are exact
	case op.Name == "reciprocal":
		r = inverse(x)
	case op.Name == "sqrt" && x.Lo >= 0:
		r = graph.Interval{Lo: math.Sqrt(x.Lo), Hi: math.Sqrt(x.Hi)}.Wider()
	}
	if op.NonNegative {
		r.Lo = max(r.Lo, 0)
	}
	r.NonZero = op.Nowhere0 || op.Only0AtZero && x.Without0() || r.Without0()
	return r
}

// inverse is an interval of the reciprocals of what is not 0.
func inverse(x graph.Interval) graph.Interval {
	switch {
	case x.Above(0):
		r := graph.Interval{Lo: 1 / x.Hi, Hi: 1 / math.Abs(x.Lo)}.Wider()
		r.Lo = max(r.Lo, 0)
		return r
	case x.Below(0):
		r := graph.Interval{Lo: -1 / math.Abs(x.Hi), Hi: 1 / x.Lo}.Wider()
		r.Hi = min(r.Hi, 0)
		return r
	}
	return graph.AnyReal
}

// wider32 has room for the rounding of float32: what is just below an integer may be the
// integer.
func wider32(i graph.Interval) graph.Interval {
	return graph.Interval{Lo: i.Lo - math.Abs(i.Lo)/(1<<20), Hi: i.Hi + math.Abs(i.Hi)/(1<<20)}.Wider()
}

// same reports whether two expressions are one but for the names of bound variables, as the
// factors of a square; as says which variable of x one of y is.
func (a *application) same(x, y *graph.Expr, as map[graph.Sym]graph.Sym) bool {
	if x == y && len(as) == 0 {
		return true
	}
	if x.Kind != y.Kind || x.Fn != y.Fn || x.Direct != nil || y.Direct != nil || len(x.If)+len(y.If) > 0 ||
		len(x.Args) != len(y.Args) || len(x.At) != len(y.At) || len(x.Over) != len(y.Over) {
		return false
	}
	equal := func(i, j graph.Index) bool {
		k := graph.IndexInt(j.Constant())
		for n := range j.Len() {
			v, c := j.Term(n)
			if w, ok := as[v]; ok {
				v = w
			}
			k = k.AddScaled(v.Index(), c)
		}
		return i.Equal(k)
	}
	switch {
	case x.Kind == graph.ExprNumber:
		return equal(x.Size, y.Size)
	case x.Kind == graph.ExprRead && a.first[x.In] != a.first[y.In]:
		return false
	}
	if len(x.Over) > 0 {
		as = maps.Clone(as)
		for i, o := range y.Over {
			if !equal(x.Over[i].N, o.N) {
				return false
			}
			as[o.Var] = x.Over[i].Var
		}
	}
	return slices.EqualFunc(x.At, y.At, equal) &&
		slices.EqualFunc(x.Args, y.Args, func(u, v *graph.Expr) bool { return a.same(u, v, as) })
}

// Tells reports whether a function of n numbers only tells one thing from another, as
// comparisons do: it is 0 or 1 whatever its arguments are.
func Tells(n int, f func(args []float64) float64) bool {
	at := []float64{math.Inf(-1), -1, 0, 1, math.Inf(1), math.NaN()}
	args := make([]float64, n)
	for k := range int(math.Pow(float64(len(at)), float64(n))) {
		for i := range args {
			args[i] = at[k%len(at)]
			k /= len(at)
		}
		if y := f(args); y != 0 && y != 1 {
			return false
		}
	}
	return true
}
