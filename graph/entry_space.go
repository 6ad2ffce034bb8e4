package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// Space holds the unknown integers of a derivation and what is known of them.
// Equal polynomials are equal expressions; a product of sizes is one unknown. Functions such as floor(e/2)
// are unknowns by name and arguments. The zero Space is ready; it is not safe
// for concurrent use.
//
// Where an attribute is a variable, what depends on it is an unknown function
// of the rest: of a stride variable s it is only known that equal windows at
// equal places start at equal positions. What is shown so holds for every
// value. Open lists the variables for which this happened, for whoever then
// wants to try them value by value.
type Space struct {
	syms  []symbol       // by Sym - 1
	byKey map[string]Sym // of functions, by name and arguments
	sizes map[Dim]Sym    // of sizes and products of sizes
	facts []Fact
	pads  map[string][4]Index
	open  []Open
	fits  []Fit
	quiet bool // facts are not wanted

	wanted Multiple // see Wanted
}

type symbol struct {
	name string
	args []Index // of a function
	rule rule
	fn   bool
	size Dim // of a size or a product of sizes: what it stands for; else 0

	key string // in Space.byKey; "": it is not there
	of  Dim    // in Space.sizes, if that says so

	below Dim   // it is at least 0 and below this wherever it counts; 0: not known
	once  Dim   // the last such range, where it is no longer told
	kind  uint8 // kindTimes, kindFloor or 0
	by    Dim   // of these
}

// rule says what is known of a value of a function.
type rule func(s *Space, self Index, args []Index) []Fact

// Fact is a condition known to hold: if all of If hold, then one of Any does.
type Fact struct {
	If, Any []Guard
}

// Open is a variable that was left open. Name is that of an attribute variable,
// or of a size if Sort is "int".
type Open struct{ Sort, Name string }

// Fit is a condition of definedness that a window with a padding variable
// brings: the pads of Pad along Axis are smaller than Kernel.
type Fit struct {
	Pad    string
	Axis   int
	Kernel Index
}

// Unifier are all facts so far, in the order in which they became known: it
// grows as expressions are made.
func (s *Space) Unifier() []Fact { return s.facts }

// Open lists the variables that were left open.
func (s *Space) Open() []Open { return s.open }

// Fits lists the conditions on pads that the windows so far bring.
func (s *Space) Fits() []Fit { return s.fits }

// Explicit makes a padding variable four unknown pads, top, left, bottom and
// right, each at least 0.
func (s *Space) Explicit(name string) {
	if s.pads == nil {
		s.pads = map[string][4]Index{}
	}
	if _, ok := s.pads[name]; ok {
		return
	}
	var p [4]Index
	for i, side := range []string{"top", "left", "bottom", "right"} {
		v := s.Var(name + "." + side)
		s.atLeast(v, 0)
		p[i] = v.Index()
	}
	s.pads[name] = p
}

// Pads are the unknown pads of a padding variable that Explicit was called for.
func (s *Space) Pads(name string) ([4]Index, bool) {
	p, ok := s.pads[name]
	return p, ok
}

// Var is a new unknown; name is for messages.
func (s *Space) Var(name string) Sym {
	s.syms = append(s.syms, symbol{name: name})
	return Sym(len(s.syms))
}

// sized is the unknown of a size, or of a product of sizes, that is at least
// least; fresh says that it is new.
func (s *Space) sized(d Dim, least int64) (e Index, fresh bool) {
	if v, ok := s.sizes[d]; ok {
		return v.Index(), false
	}
	if s.sizes == nil {
		s.sizes = map[Dim]Sym{}
	}
	v := s.Var(d.String())
	s.sizes[d], s.syms[v-1].of = v, d
	s.atLeast(v, least)
	return v.Index(), true
}

func (s *Space) atLeast(v Sym, least int64) { s.know(Guard{E: v.Index().AddInt(-least)}) }

func (s *Space) know(g Guard) { s.facts = append(s.facts, Fact{Any: []Guard{g}}) }

// Positive reports whether an expression is seen to be at least 1: a sum of unknowns that are
// known to be at least 0, of which one is known to be at least 1, or the constant is.
func (s *Space) Positive(e Index) bool {
	positive := e.c >= 1
	for _, t := range e.t {
		least := int64(-1)
		for _, f := range s.facts {
			if len(f.Any) == 1 && !f.Any[0].Eq && f.Any[0].E.SameTerms(t.sym.Index()) {
				least = max(least, -f.Any[0].E.c)
			}
		}
		if t.k < 0 || least < 0 {
			return false
		}
		positive = positive || least >= 1
	}
	return positive && e.c >= 0
}

// Func is a value of an integer function: the same name and arguments give the
// same unknown. know may be nil; it says what is known of the value, for all
// arguments, and must be the same at every call with that name.
func (s *Space) Func(name string, know func(s *Space, self Index, args []Index) []Fact, args ...Index) Index {
	b := append(appendString(nil, name), '(')
	for i, a := range args {
		if i > 0 {
			b = append(b, ',')
		}
		b = a.AppendKey(b)
	}
	key := string(append(b, ')'))
	if v, ok := s.byKey[key]; ok {
		return v.Index()
	}
	if s.byKey == nil {
		s.byKey = map[string]Sym{}
	}
	s.syms = append(s.syms, symbol{name: name, args: args, rule: know, fn: true, key: key})
	v := Sym(len(s.syms))
	s.byKey[key] = v
	if know != nil && !s.quiet {
		fs := know(s, v.Index(), args)
		s.facts = append(s.facts, fs...)
	}
	return v.Index()
}

// App are the function and the arguments of an unknown; not ok of one that is
// no function.
func (s *Space) App(v Sym) (name string, args []Index, ok bool) {
	y := &s.syms[v-1]
	return y.name, y.args, y.fn
}

// Subst replaces unknowns in e, inside arguments of functions too.
func (s *Space) Subst(e Index, by map[Sym]Index) Index {
	if len(by) == 0 || !s.touches(e, by) {
		return e
	}
	out := Index{c: e.c}
	for _, t := range e.t {
		out = out.addScaled(s.substSym(t.sym, by), t.k)
	}
	return out
}

func (s *Space) touches(e Index, by map[Sym]Index) bool {
	for _, t := range e.t {
		if _, ok := by[t.sym]; ok {
			return true
		}
		for _, a := range s.syms[t.sym-1].args {
			if s.touches(a, by) {
				return true
			}
		}
	}
	return false
}

func (s *Space) substSym(v Sym, by map[Sym]Index) Index {
	if e, ok := by[v]; ok {
		return e
	}
	y := s.syms[v-1]
	hit := false
	for _, a := range y.args {
		hit = hit || s.touches(a, by)
	}
	if !hit {
		return v.Index()
	}
	args := make([]Index, len(y.args))
	for i, a := range y.args {
		args[i] = s.Subst(a, by)
	}
	switch n := int64(0); {
	case y.kind == kindTimes:
		return s.Times(args[0], y.by)
	case y.kind == kindFloor:
		return s.Quotient(args[0], y.by)
	case y.name == fnMax0:
		return s.Max0(args[0])
	case scanDiv(y.name, &n):
		if q, ok := s.quotient(args[0], Int(n)); ok {
			return q
		}
		return s.Div(args[0], n)
	}
	return s.Func(y.name, y.rule, args...)
}

// Walk calls f for every unknown of e, those inside arguments too.
func (s *Space) Walk(e Index, f func(Sym)) {
	for _, t := range e.t {
		f(t.sym)
		for _, a := range s.syms[t.sym-1].args {
			s.Walk(a, f)
		}
	}
}

// Mentions reports whether e depends on v.
func (s *Space) Mentions(e Index, v Sym) bool {
	for _, t := range e.t {
		if t.sym == v {
			return true
		}
		for _, a := range s.syms[t.sym-1].args {
			if s.Mentions(a, v) {
				return true
			}
		}
	}
	return false
}

// String is e in words.
func (s *Space) String(e Index) string {
	var b strings.Builder
	for i, t := range e.t {
		switch {
		case t.k == 1 && i > 0:
			b.WriteByte('+')
		case t.k == -1:
			b.WriteByte('-')
		case t.k != 1:
			if t.k > 0 && i > 0 {
				b.WriteByte('+')
			}
			fmt.Fprintf(&b, "%d*", t.k)
		}
		y := &s.syms[t.sym-1]
		switch y.kind {
		case kindTimes:
			b.WriteString(y.by.String() + "*" + s.String(y.args[0]))
			continue
		case kindFloor:
			b.WriteString("floor((" + s.String(y.args[0]) + ")/(" + y.by.String() + "))")
			continue
		}
		b.WriteString(y.name)
		if y.fn {
			b.WriteByte('(')
			for j, a := range y.args {
				if j > 0 {
					b.WriteString(", ")
				}
				b.WriteString(s.String(a))
			}
			b.WriteByte(')')
		}
	}
	switch {
	case len(e.t) == 0:
		fmt.Fprintf(&b, "%d", e.c)
	case e.c != 0:
		fmt.Fprintf(&b, "%+d", e.c)
	}
	return b.String()
}

// Size is a size as an index expression. A product of variables is one unknown,
// at least as large as each of them; the length of an axis run is one too. The
// size functions of windows are worked out as far as their arguments allow.
func (s *Space) Size(d Dim) Index {
	if d.TooLarge() {
		panic(ErrTooLarge)
	}
	out := Index{c: d.c}
	if d.p == nil {
		return out
	}
	for _, t := range d.p.terms {
		if len(t.atoms) == 1 {
			out = out.addScaled(s.sizeAtom(t.atoms[0]), t.coef)
			continue
		}
		var factors []Index
		signed := false // the sign of a factor is not known
		stepped := false
		for _, a := range t.atoms {
			factors = append(factors, s.sizeAtom(a))
			step := a.Kind == AtomFunc && a.Name == fnStep
			signed, stepped = signed || a.Kind != AtomVar && !step, stepped || step
		}
		if signed {
			out = out.addScaled(s.Func("*", nil, factors...), t.coef)
			continue
		}
		whole := productOf(1, t.atoms)
		p, fresh := s.sized(whole, 1)
		if fresh {
			s.syms[len(s.syms)-1].size = whole
			var sum Index
			for _, f := range factors {
				s.know(GuardLe(f, p))
				sum = sum.Add(f)
			}
			if stepped {
				// (a-1)*(b-1) >= 0: a*b >= a+b-1
				s.know(GuardLe(sum.AddInt(1-int64(len(factors))), p))
			}
		}
		out = out.addScaled(p, t.coef)
	}
	return out
}

func (s *Space) sizeAtom(a Atom) Index {
	switch a.Kind {
	case AtomVar:
		e, _ := s.sized(a.Dim(), 1)
		v, _ := e.IsSym()
		s.syms[v-1].size = a.Dim()
		return e
	case AtomAxisRun:
		e, _ := s.sized(a.Dim(), 0)
		return e
	}
	var args []Index
	for _, v := range a.Args {
		if d, ok := v.Dim(); ok {
			args = append(args, s.Size(d))
		}
	}
	switch {
	case a.Name == fnWindow && len(a.Args) == 5 && len(args) == 3:
		if axis, ok := axisArg(a.Args[4]); ok {
			return s.windowOut(args[0], args[1], a.Args[2], a.Args[3], axis)
		}
	case a.Name == fnStrided && len(a.Args) == 3 && len(args) == 2:
		if axis, ok := axisArg(a.Args[2]); ok {
			return s.strided(args[0], a.Args[1], axis)
		}
	case a.Name == fnStep && len(a.Args) == 2:
		s.LeaveValueOpen(a.Args[0])
		e, _ := s.sized(a.Dim(), 1)
		v, _ := e.IsSym()
		s.syms[v-1].size = a.Dim()
		return e
	}
	return s.Func("size "+a.id.key, nil)
}

const fnMax0 = "max0"

func scanDiv(name string, n *int64) bool {
	digits, ok := strings.CutPrefix(name, "div")
	if !ok {
		return false
	}
	k, err := strconv.ParseInt(digits, 10, 64)
	*n = k
	return err == nil && k >= 1
}

// Div is floor(e/n) for n >= 1.
func (s *Space) Div(e Index, n int64) Index {
	if n == 1 {
		return e
	}
	// Whole multiples of n come out: floor((n*x + y)/n) = x + floor(y/n).
	var whole, rest Index
	whole.c = FloorDiv(e.c, n)
	rest.c = e.c - n*whole.c
	for _, t := range e.t {
		if t.k%n == 0 {
			whole.t = append(whole.t, indexTerm{t.sym, t.k / n})
		} else {
			rest.t = append(rest.t, t)
		}
	}
	if len(rest.t) == 0 {
		return whole
	}
	q := s.Func(fmt.Sprintf("div%d", n), divRule(n), rest)
	return whole.Add(q)
}

func divRule(n int64) rule {
	return func(_ *Space, q Index, args []Index) []Fact {
		r := args[0].addScaled(q, -n)
		return []Fact{{Any: []Guard{{E: r}}}, {Any: []Guard{{E: r.Scale(-1).AddInt(n - 1)}}}}
	}
}

// Max0 is max(e, 0).
func (s *Space) Max0(e Index) Index {
	if n, ok := e.Const(); ok {
		return IndexInt(max(n, 0))
	}
	return s.Func(fnMax0, func(_ *Space, m Index, args []Index) []Fact {
		return []Fact{
			{Any: []Guard{{E: m}}},
			{Any: []Guard{{E: m.Sub(args[0])}}},
			{Any: []Guard{{E: m, Eq: true}, {E: m.Sub(args[0]), Eq: true}}},
		}
	}, e)
}

// Count is the number of integers x with l <= x for every l of lo and x < h for
// every h of hi: of a range that is known not to be empty.
func (s *Space) Count(lo, hi []Index) Index {
	if len(lo) == 1 && len(hi) == 1 {
		return hi[0].Sub(lo[0])
	}
	// Only differences matter: measure from the bound that gives the least key.
	var best []Index
	key := ""
	for _, from := range lo {
		l, h := make([]Index, len(lo)), make([]Index, len(hi))
		for i, e := range lo {
			l[i] = e.Sub(from)
		}
		for i, e := range hi {
			h[i] = e.Sub(from)
		}
		ls, hs := sortIndices(l), sortIndices(h)
		k := strings.Join(sortedKeys(l), ",") + ";" + strings.Join(sortedKeys(h), ",")
		if key == "" || k < key {
			key, best = k, append(ls, hs...)
		}
	}
	n := len(lo)
	return s.Func(fmt.Sprintf("count%d", n), func(_ *Space, c Index, args []Index) []Fact {
		var out []Fact
		var any []Guard
		for _, l := range args[:n] {
			for _, h := range args[n:] {
				d := h.Sub(l).Sub(c)
				out = append(out, Fact{Any: []Guard{{E: d}}})
				any = append(any, Guard{E: d, Eq: true})
			}
		}
		return append(out, Fact{Any: any})
	}, best...)
}

func sortIndices(es []Index) []Index {
	byKey := map[string]Index{}
	for _, e := range es {
		byKey[e.Key()] = e
	}
	out := make([]Index, 0, len(es))
	for _, k := range sortedKeys(es) {
		out = append(out, byKey[k])
	}
	return out
}

func (s *Space) leave(sort, name string) {
	o := Open{sort, name}
	for _, p := range s.open {
		if p == o {
			return
		}
	}
	s.open = append(s.open, o)
}

// LeaveOpen notes the variables of d as left open.
func (s *Space) LeaveOpen(d Dim) {
	d.Walk(func(a Atom) {
		if a.Kind == AtomVar {
			s.leave("int", a.Name)
		}
	})
}

// LeaveValueOpen notes the variable v, if it is one, as left open.
func (s *Space) LeaveValueOpen(v Value) {
	if name, sort, ok := v.Var(); ok {
		s.leave(sort, name)
	}
}

// Has reports whether v is an unknown of the space.
func (s *Space) Has(v Sym) bool { return v >= 1 && int(v) <= len(s.syms) }

// Mark notes what the space holds now. The function forgets all that came since:
// the same numbers then stand for other unknowns.
func (s *Space) Mark() (forget func()) {
	syms, facts, open, fits := len(s.syms), len(s.facts), len(s.open), len(s.fits)
	return func() {
		for i := syms; i < len(s.syms); i++ {
			if v := &s.syms[i]; v.key != "" {
				delete(s.byKey, v.key)
			} else if s.sizes[v.of] == Sym(i+1) {
				delete(s.sizes, v.of)
			}
		}
		s.syms, s.facts, s.open, s.fits = s.syms[:syms], s.facts[:facts], s.open[:open], s.fits[:fits]
	}
}
