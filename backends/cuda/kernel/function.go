package kernel

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

var inf = math.Inf(1)

// isReciprocal reports whether an expression is 1 over another one: what is multiplied
// with it is divided, which rounds once instead of twice.
func isReciprocal(e *graph.Expr) bool {
	if e.Kind != graph.ExprFn || e.Shift != nil {
		return false
	}
	name, _ := e.Fn.Name()
	op, ok := graph.Lookup(name)
	return ok && op.Formula == "1 / x"
}

// function is a function of one element.
func (w *writer) function(e *graph.Expr) (term, error) {
	text, ok := e.Fn.Name()
	if !ok {
		return term{}, fmt.Errorf("function %s is not a name", e.Fn)
	}
	x, err := w.expr(e.Args[0])
	if err != nil {
		return term{}, err
	}
	if e.Shift != nil {
		shift, err := w.expr(e.Shift)
		if err != nil {
			return term{}, err
		}
		x = term{code: "(" + x.as(w.real) + " - " + shift.as(w.real) + ")", typ: w.real}
	}
	name, params, err := graph.ParseFunc(text)
	if err != nil {
		return term{}, err
	}
	switch {
	case name == graph.IsZero && len(params) == 0:
		return w.keep(term{code: "(long long)(" + x.code + " == 0)", typ: int64s}), nil
	case name == "nonzero" && len(params) == 0:
		return w.keep(term{code: "(long long)(" + x.code + " != 0)", typ: int64s}), nil
	case name == "number" && len(params) == 1:
		return term{code: w.real.literal(params[0]), typ: w.real}, nil
	}
	for t := range ctypes {
		if t.IsInt() && name == graph.Truncate(t) {
			return w.keep(term{code: x.as(int64s), typ: int64s}), nil
		}
	}
	op, ok := graph.Lookup(name)
	if !ok || op.Formula == "" || len(params) != len(op.Params) {
		return term{}, w.s.b.unsupported("function %s is not known", text)
	}
	f, err := op.ParseFormula()
	if err != nil {
		return term{}, err
	}
	x = w.keep(term{code: x.as(w.real), typ: w.real})
	return w.keep(term{code: w.formula(f, x.code, params), typ: w.real}), nil
}

// formula is a formula as C.
func (w *writer) formula(f *graph.Formula, x string, params []float64) string {
	args := make([]string, len(f.Args))
	for i, a := range f.Args {
		args[i] = w.formula(a, x, params)
	}
	list := strings.Join(args, ", ")
	switch f.Op {
	case "x":
		return x
	case "number":
		return w.real.literal(f.Number)
	case "param":
		return w.real.literal(params[f.Param])
	case "neg":
		return "(-" + args[0] + ")"
	case "where":
		return fmt.Sprintf("(%s ? %s : %s)", args[0], args[1], args[2])
	case "max":
		return w.larger(w.real) + "(" + list + ")"
	case "min":
		return w.smaller(w.real) + "(" + list + ")"
	}
	if len(args) == 2 {
		return "(" + args[0] + " " + f.Op + " " + args[1] + ")"
	}
	name := f.Op // what C calls them, too
	if name == "abs" {
		name = "fabs"
	}
	if w.real == float {
		name += "f"
	}
	return name + "(" + list + ")"
}

// direct is a function of several numbers: of integers if all of them are.
func (w *writer) direct(d *graph.Direct) (term, error) {
	args, err := w.all(d.Args)
	if err != nil {
		return term{}, err
	}
	typ, code := int64s, d.Fn.CInt
	if slices.ContainsFunc(args, func(x term) bool { return !x.typ.integer() }) {
		typ, code = w.real, d.Fn.C
	}
	if code == "" {
		return term{}, w.s.b.unsupported("function %s of elements of type %s", d.Fn.Name, typ)
	}
	suffix := ""
	if typ == float {
		suffix = "f"
	}
	list := []string{"@", suffix}
	for i, x := range args {
		list = append(list, fmt.Sprintf("$%d", i), enclosed(w.keep(term{code: x.as(typ), typ: typ}).code))
	}
	return w.keep(term{code: strings.NewReplacer(list...).Replace(code), typ: typ}), nil
}
