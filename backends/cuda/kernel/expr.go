package kernel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// term is a number in C.
type term struct {
	code   string
	typ    ctype
	number bool // it is n, an integer
	n      int64
}

// integerTerm is the integer n.
func integerTerm(n int64) term {
	return term{code: integerLiteral(n), typ: int64s, number: true, n: n}
}

// as is the term as a number of type t.
func (x term) as(t ctype) string {
	switch {
	case x.typ == t:
		return x.code
	case x.number && !t.integer():
		return t.literal(float64(x.n))
	}
	return "(" + string(t) + ")" + enclosed(x.code)
}

// isName reports whether code is a variable or a number without a sign.
func isName(code string) bool {
	return !strings.ContainsFunc(code, func(c rune) bool { return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') })
}

// enclosed is code as an operand of any operation.
func enclosed(code string) string {
	if isName(code) {
		return code
	}
	return "(" + code + ")"
}

// writer writes expressions as C: each sum, maximum, lookup and function of one
// element as statements that leave it in a variable, as far outside of loops as what
// it depends on allows, and once.
type writer struct {
	s     *source
	space *graph.Space
	real  ctype // what is computed with that are no integers
	read  func(in int, at []string) (term, error)
	by    map[graph.Sym]graph.Index // bound variables that are numbers here
	names map[graph.Sym]string      // of the others
	in    *scope
}

// scope is a block of statements.
type scope struct {
	up    *scope
	lines *strings.Builder
	depth int
	vars  []graph.Sym // that are bound here
	// guarded: what is written here counts under a condition, and may be undefined
	// without.
	guarded bool
	known   map[*graph.Expr]term
}

func newWriter(s *source, real ctype, read func(in int, at []string) (term, error)) *writer {
	return &writer{s: s, space: &graph.Space{}, real: real, read: read,
		by: map[graph.Sym]graph.Index{}, names: map[graph.Sym]string{},
		in: &scope{lines: &s.body, depth: 1 + s.depth, known: map[*graph.Expr]term{}}}
}

// write is an expression whose entries are those of the writer's space.
func (w *writer) write(e *graph.Expr) (t term, err error) {
	defer graph.CatchTooLarge(&err)
	return w.expr(e)
}

func (w *writer) line(format string, args ...any) {
	w.in.lines.WriteString(strings.Repeat("\t", w.in.depth))
	fmt.Fprintf(w.in.lines, format, args...)
	w.in.lines.WriteByte('\n')
}

// block is a scope inside of this one, with lines of its own; enclose ends it.
func (w *writer) block(guarded bool, vars ...graph.Sym) {
	w.in = &scope{up: w.in, lines: &strings.Builder{}, depth: w.in.depth + 1, vars: vars, guarded: guarded, known: map[*graph.Expr]term{}}
}

// enclose writes the block behind a head, such as that of a loop.
func (w *writer) enclose(head string) {
	b := w.in
	w.in = b.up
	w.line("%s {", head)
	w.in.lines.WriteString(b.lines.String())
	w.line("}")
}

func (w *writer) expr(e *graph.Expr) (term, error) {
	if e.Direct != nil {
		return w.named(e)
	}
	switch e.Kind {
	case graph.ExprNumber:
		n := w.space.Subst(e.Size, w.by)
		if c, ok := n.Const(); ok {
			return integerTerm(c), nil
		}
		code, err := w.place(n)
		return term{code: "(long long)" + enclosed(code), typ: int64s}, err
	case graph.ExprRead:
		at := make([]string, len(e.At))
		for i, x := range e.At {
			var err error
			if at[i], err = w.place(w.space.Subst(x, w.by)); err != nil {
				return term{}, err
			}
		}
		return w.read(e.In, at)
	case graph.ExprAdd:
		return w.sum(e)
	case graph.ExprMul:
		return w.product(e)
	case graph.ExprSum:
		if len(e.Over) == 0 {
			holds, guards, err := w.conditions(e.If)
			switch {
			case err != nil || !holds:
				return integerTerm(0), err
			case len(guards) == 0:
				return w.expr(e.Args[0])
			}
		}
	}
	return w.named(e)
}

func (w *writer) all(es []*graph.Expr) ([]term, error) {
	out := make([]term, len(es))
	for i, e := range es {
		var err error
		if out[i], err = w.expr(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// joined is an operation on all terms, as integers if they are, else as reals. The
// integers among them that are known are joined here; unit changes nothing.
func (w *writer) joined(op string, unit int64, ts []term) term {
	fold := map[string]func(a, b int64) (int64, bool){" + ": graph.AddInt, " * ": graph.MulInt}[op]
	known, typ := unit, int64s
	var parts []term
	for _, t := range ts {
		if t.number {
			if n, ok := fold(known, t.n); ok {
				known = n
				continue
			}
		}
		if !t.typ.integer() {
			typ = w.real
		}
		parts = append(parts, t)
	}
	if known != unit || len(parts) == 0 {
		parts = append(parts, integerTerm(known))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	list := make([]string, len(parts))
	for i, t := range parts {
		list[i] = t.as(typ)
	}
	return term{code: "(" + strings.Join(list, op) + ")", typ: typ}
}

func (w *writer) sum(e *graph.Expr) (term, error) {
	ts, err := w.all(e.Args)
	return w.joined(" + ", 0, ts), err
}

// product multiplies; a factor that is the reciprocal of something divides.
func (w *writer) product(e *graph.Expr) (term, error) {
	var up, down []term
	negative := false
	for _, a := range e.Args {
		of := a
		if isReciprocal(a) {
			of = a.Args[0]
		}
		t, err := w.expr(of)
		switch {
		case err != nil:
			return term{}, err
		case of != a:
			down = append(down, t)
		case t.number && t.n == 0:
			return t, nil
		case t.number && t.n == -1:
			negative = !negative
		default:
			up = append(up, t)
		}
	}
	x := w.joined(" * ", 1, up)
	switch {
	case negative && x.number:
		x = integerTerm(-x.n)
	case negative:
		x = term{code: "(-" + x.code + ")", typ: x.typ}
	}
	for _, d := range down {
		x = term{code: "(" + x.as(w.real) + " / " + d.as(w.real) + ")", typ: w.real}
	}
	return x, nil
}

// named is an expression that is left in a variable.
func (w *writer) named(e *graph.Expr) (term, error) {
	home := w.in
	for home.up != nil && !home.guarded && !slices.ContainsFunc(home.vars, func(v graph.Sym) bool { return w.depends(e, v) }) {
		home = home.up
	}
	for in := home; in != nil; in = in.up {
		if t, ok := in.known[e]; ok {
			return t, nil
		}
	}
	back := w.in
	w.in = home
	t, err := w.statements(e)
	w.in = back
	if err == nil {
		home.known[e] = t
	}
	return t, err
}

// depends reports whether an expression depends on a variable.
func (w *writer) depends(e *graph.Expr, v graph.Sym) bool {
	on := func(x graph.Index) bool { return w.space.Mentions(x, v) }
	if on(e.Size) || slices.ContainsFunc(e.At, on) || slices.ContainsFunc(e.If, func(g graph.Guard) bool { return on(g.E) }) {
		return true
	}
	return slices.ContainsFunc(e.Args, func(a *graph.Expr) bool { return w.depends(a, v) }) || e.Shift != nil && w.depends(e.Shift, v) ||
		e.Direct != nil && slices.ContainsFunc(e.Direct.Args, func(a *graph.Expr) bool { return w.depends(a, v) })
}

// keep leaves a term in a variable.
func (w *writer) keep(t term) term {
	if t.number || isName(t.code) {
		return t
	}
	x := w.s.name()
	w.line("const %s %s = %s;", t.typ, x, t.code)
	return term{code: x, typ: t.typ}
}

func (w *writer) statements(e *graph.Expr) (term, error) {
	switch {
	case e.Direct != nil:
		return w.direct(e.Direct)
	case e.Kind == graph.ExprInv:
		n, err := w.expr(e.Args[0])
		return w.keep(term{code: w.real.literal(1) + " / " + n.as(w.real), typ: w.real}), err
	case e.Kind == graph.ExprFn:
		return w.function(e)
	case e.Pick != nil:
		return w.lookup(e)
	}
	return w.fold(e)
}

// unrolled is up to how many terms a fold is written without a loop.
const unrolled = 4

// fold is a sum or a maximum.
func (w *writer) fold(e *graph.Expr) (term, error) {
	count := int64(1)
	sizes := make([]int64, len(e.Over))
	for i, b := range e.Over {
		n, ok := w.space.Subst(b.N, w.by).Const()
		if ok && n == 0 && e.Kind == graph.ExprSum {
			return w.expr(graph.EntryNumber(graph.IndexInt(0)))
		}
		if !ok || n < 1 {
			return term{}, fmt.Errorf("a sum over %s values", w.space.String(b.N))
		}
		sizes[i] = n
		count = graph.Product(int(count), int(n))
	}
	if len(e.Over) > 0 && count <= unrolled {
		return w.unroll(e, sizes)
	}
	// What is added up is written first: it says of which type that is.
	total := w.s.name()
	var heads []string
	for i, b := range e.Over {
		x := w.s.name()
		w.names[b.Var] = x
		heads = append(heads, fmt.Sprintf("for (%s %s = 0; %s < %d; %s++)", w.s.index, x, x, sizes[i], x))
	}
	holds, guards, err := w.conditions(e.If)
	if err != nil {
		return term{}, err
	}
	if !holds {
		return integerTerm(0), nil
	}
	outer := w.in
	if len(guards) > 0 && len(e.Over) == 0 {
		heads = []string{"if (" + strings.Join(codes(guards), " && ") + ")"}
	}
	for i := range heads {
		var vars []graph.Sym
		if len(e.Over) > 0 {
			vars = []graph.Sym{e.Over[i].Var}
		}
		w.block(len(guards) > 0, vars...)
		if len(e.Over) == 0 {
			break
		}
		// Conditions are looked at as soon as what they depend on is there.
		for _, g := range guards {
			if w.last(g.e, e.Over) == i {
				w.line("if (!(%s)) continue;", g.code)
			}
		}
	}
	body, err := w.expr(e.Args[0])
	if err != nil {
		return term{}, err
	}
	t := int64s
	if !body.typ.integer() {
		t = w.real
	}
	if e.Kind == graph.ExprMax {
		w.line("%s = %s(%s, %s);", total, w.larger(t), total, body.as(t))
	} else {
		w.line("%s += %s;", total, body.as(t))
	}
	start := integerTerm(0).as(t)
	if e.Kind == graph.ExprMax {
		start = "(-9223372036854775807LL - 1)"
		if !t.integer() {
			start = "-" + t.literal(inf)
		}
	}
	for i := len(heads) - 1; i > 0; i-- {
		w.enclose(heads[i])
	}
	fmt.Fprintf(outer.lines, "%s%s %s = %s;\n", strings.Repeat("\t", outer.depth), t, total, start)
	w.enclose(heads[0])
	return term{code: total, typ: t}, nil
}

func (w *writer) larger(t ctype) string { return w.s.larger(t) }

// larger is the name of the larger of two numbers of type t, which is what is not a
// number if one is such.
func (s *source) larger(t ctype) string {
	s.helper(fmt.Sprintf("static __device__ inline %s nmax(%s a, %s b) { return a > b || a != a ? a : b; }\n", t, t, t))
	return "nmax"
}

func (w *writer) smaller(t ctype) string {
	w.s.helper(fmt.Sprintf("static __device__ inline %s nmin(%s a, %s b) { return a < b || a != a ? a : b; }\n", t, t, t))
	return "nmin"
}

// unroll is a sum or a maximum of a few terms, one by one.
func (w *writer) unroll(e *graph.Expr, sizes []int64) (term, error) {
	n := make([]int, len(sizes))
	for i := range sizes {
		n[i] = int(sizes[i])
	}
	var ts []term
	var err error
	graph.Each(n, func(_ int, idx []int) {
		if err != nil {
			return
		}
		w.in = &scope{up: w.in, lines: w.in.lines, depth: w.in.depth, known: map[*graph.Expr]term{}}
		for i, b := range e.Over {
			w.by[b.Var] = graph.IndexInt(int64(idx[i]))
			w.in.vars = append(w.in.vars, b.Var)
		}
		var t term
		var holds bool
		var guards []condition
		if holds, guards, err = w.conditions(e.If); err == nil && holds {
			if len(guards) > 0 {
				t, err = w.fold(&graph.Expr{Kind: e.Kind, Args: e.Args, If: e.If})
			} else {
				t, err = w.expr(e.Args[0])
			}
			ts = append(ts, t)
		}
		for _, b := range e.Over {
			delete(w.by, b.Var)
		}
		w.in = w.in.up
	})
	if err != nil {
		return term{}, err
	}
	if len(ts) == 0 {
		return integerTerm(0), nil
	}
	if e.Kind != graph.ExprMax {
		return w.keep(w.joined(" + ", 0, ts)), nil
	}
	x := ts[0]
	for _, y := range ts[1:] {
		t := int64s
		if !x.typ.integer() || !y.typ.integer() {
			t = w.real
		}
		x = term{code: fmt.Sprintf("%s(%s, %s)", w.larger(t), x.as(t), y.as(t)), typ: t}
	}
	return w.keep(x), nil
}

// lookup is a sum that [graph.Pick] says how to look up.
func (w *writer) lookup(e *graph.Expr) (term, error) {
	at, err := w.expr(e.Pick.At)
	if err != nil {
		return term{}, err
	}
	b := e.Over[0]
	n, ok := w.space.Subst(b.N, w.by).Const()
	if !ok {
		return term{}, fmt.Errorf("a table of %s entries", w.space.String(b.N))
	}
	k := w.s.name()
	w.line("long long %s = %s;", k, at.as(int64s))
	w.s.position(w.line, k, int(n))
	x := w.s.name()
	w.line("const %s %s = (%s)%s;", w.s.index, x, w.s.index, k)
	w.names[b.Var] = x
	w.in.vars = append(w.in.vars, b.Var)
	t, err := w.expr(e.Pick.Of)
	if err != nil {
		return term{}, err
	}
	return w.keep(t), nil
}

type condition struct {
	e    graph.Index
	code string
}

func codes(cs []condition) []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.code
	}
	return out
}

// conditions are those of guards that are not decided; holds is false if one never
// holds.
func (w *writer) conditions(gs []graph.Guard) (holds bool, open []condition, err error) {
	for _, g := range gs {
		e := w.space.Subst(g.E, w.by)
		if c, ok := e.Const(); ok {
			if c < 0 || g.Eq && c != 0 {
				return false, nil, nil
			}
			continue
		}
		code, err := w.place(e)
		if err != nil {
			return false, nil, err
		}
		if g.Eq {
			code += " == 0"
		} else {
			code += " >= 0"
		}
		open = append(open, condition{e, code})
	}
	return true, open, nil
}

// last is the last of the bound variables on which an index depends, the first of all if
// it depends on none.
func (w *writer) last(e graph.Index, over []graph.Bound) int {
	for i := len(over) - 1; i > 0; i-- {
		if w.space.Mentions(e, over[i].Var) {
			return i
		}
	}
	return 0
}

// place is an index as C.
func (w *writer) place(e graph.Index) (string, error) {
	var b strings.Builder
	if c := e.Constant(); c != 0 || e.Len() == 0 {
		b.WriteString(strconv.FormatInt(c, 10))
	}
	for i := range e.Len() {
		v, k := e.Term(i)
		x, err := w.unknown(v)
		if err != nil {
			return "", err
		}
		switch {
		case k < 0 && b.Len() > 0:
			b.WriteString(" - ")
			k = -k
		case k < 0:
			b.WriteString("-")
			k = -k
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		b.WriteString(x)
		if k != 1 {
			fmt.Fprintf(&b, " * %d", k)
		}
	}
	return b.String(), nil
}

// unknown is a variable, or a function of an index.
func (w *writer) unknown(v graph.Sym) (string, error) {
	if x, ok := w.names[v]; ok {
		return x, nil
	}
	f, ok := w.space.IndexFunc(v)
	if !ok {
		return "", fmt.Errorf("index %s has no value", w.space.String(v.Index()))
	}
	x, err := w.place(f.Arg)
	if err != nil {
		return "", err
	}
	t := w.s.index
	switch {
	case f.Div == 0:
		w.larger(t)
		return fmt.Sprintf("nmax(%s, (%s)0)", x, t), nil
	case w.natural(f.Arg):
		return fmt.Sprintf("(%s) / %d", x, f.Div), nil
	}
	w.s.helper(fmt.Sprintf("static __device__ inline %s fdiv(%s a, %s n) { return a < 0 ? -((n - 1 - a) / n) : a / n; }\n", t, t, t))
	return fmt.Sprintf("fdiv(%s, %d)", x, f.Div), nil
}

// natural reports whether an index is never negative, as far as its signs tell.
func (w *writer) natural(e graph.Index) bool {
	if e.Constant() < 0 {
		return false
	}
	for i := range e.Len() {
		v, k := e.Term(i)
		if k < 0 {
			return false
		}
		if f, ok := w.space.IndexFunc(v); ok && f.Div != 0 && !w.natural(f.Arg) {
			return false
		}
	}
	return true
}
