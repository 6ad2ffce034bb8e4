package law

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// Term is a tensor expression: a variable, an operator applied to terms, or a
// function variable applied to a term. Terms are immutable; equal subterms
// count as one node of the graph they denote.
type Term struct {
	Var   string      // a tensor variable
	Op    *graph.Op   // or an operator
	Fn    string      // or a function variable applied to Args[0]
	Attrs graph.Attrs // of Op
	Args  []*Term
	Out   int // which output of Op
}

// V is the tensor variable of that name.
func V(name string) *Term { return &Term{Var: name} }

// Apply is output 0 of op applied to args.
func Apply(op *graph.Op, attrs graph.Attrs, args ...*Term) *Term {
	return &Term{Op: op, Attrs: attrs, Args: args}
}

// Call is the function variable f applied to x.
func Call(f string, x *Term) *Term { return &Term{Fn: f, Args: []*Term{x}} }

// Output is output i of the application t.
func (t *Term) Output(i int) *Term {
	u := *t
	u.Out = i
	return &u
}

// IsVar reports whether t is a tensor variable.
func (t *Term) IsVar() bool { return t.Var != "" }

// String is the term in the law language, without the sorts of variables; terms
// of one law are equal if their texts are. [Term.Key] tells any two terms apart.
func (t *Term) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Term) write(b *strings.Builder) {
	t.writeApp(b)
	if t.Op != nil && t.Op.Out > 1 {
		fmt.Fprintf(b, ".%d", t.Out)
	}
}

// AppString is the application without the choice of output.
func (t *Term) AppString() string {
	var b strings.Builder
	t.writeApp(&b)
	return b.String()
}

func (t *Term) writeApp(b *strings.Builder) {
	switch {
	case t.Var != "":
		b.WriteString(t.Var)
		return
	case t.Fn != "":
		b.WriteString(t.Fn)
	default:
		b.WriteString(t.Op.Name)
		b.WriteString(t.Op.FormatAttrs(t.Attrs))
	}
	b.WriteByte('(')
	for i, a := range t.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		a.write(b)
	}
	b.WriteByte(')')
}

// Key is a text that only equal terms have: it says of every variable what it
// is, and of which sort.
func (t *Term) Key() string {
	b := t.appendKey(nil)
	if t.Op != nil && t.Op.Out > 1 {
		b = strconv.AppendInt(append(b, '.'), int64(t.Out), 10)
	}
	return string(b)
}

// appKey is the key of the application without the choice of output.
func (t *Term) appKey() string { return string(t.appendKey(nil)) }

func (t *Term) appendKey(b []byte) []byte {
	name := func(kind byte, s string) {
		b = strconv.AppendInt(append(b, kind), int64(len(s)), 10)
		b = append(append(b, ':'), s...)
	}
	switch {
	case t.Var != "":
		name('t', t.Var)
		return b
	case t.Fn != "":
		name('f', t.Fn)
	default:
		name('o', t.Op.Name)
		b = append(b, t.Attrs.Key()...)
	}
	b = append(strconv.AppendInt(b, int64(len(t.Args)), 10), '(')
	for _, a := range t.Args {
		b = a.appendKey(b)
		if a.Op != nil && a.Op.Out > 1 {
			b = strconv.AppendInt(append(b, '.'), int64(a.Out), 10)
		}
	}
	return append(b, ')')
}

// Walk calls f for t and every subterm, arguments first, a shared pointer
// once.
func (t *Term) Walk(f func(*Term)) { walk(t, f, map[*Term]bool{}) }

func walk(t *Term, f func(*Term), seen map[*Term]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	for _, a := range t.Args {
		walk(a, f, seen)
	}
	f(t)
}

// Size counts the distinct operator applications in the terms: the outputs of
// one application, and equal subterms, count once.
func Size(ts ...*Term) int {
	seen := map[string]bool{}
	for _, t := range ts {
		t.Walk(func(u *Term) {
			if !u.IsVar() {
				seen[u.appKey()] = true
			}
		})
	}
	return len(seen)
}

// Vars lists the tensor variables by first use, left to right.
func Vars(ts ...*Term) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range ts {
		t.Walk(func(u *Term) {
			if u.IsVar() && !seen[u.Var] {
				seen[u.Var] = true
				out = append(out, u.Var)
			}
		})
	}
	return out
}

// Rewrite rebuilds t bottom-up: f is given each node with its arguments
// already rebuilt and returns what stands in its place.
func (t *Term) Rewrite(f func(*Term) *Term) *Term {
	memo := map[*Term]*Term{}
	var rec func(*Term) *Term
	rec = func(u *Term) *Term {
		if r, ok := memo[u]; ok {
			return r
		}
		v := *u
		if len(u.Args) > 0 {
			v.Args = make([]*Term, len(u.Args))
			for i, a := range u.Args {
				v.Args[i] = rec(a)
			}
		}
		r := f(&v)
		memo[u] = r
		return r
	}
	return rec(t)
}

// Subst replaces tensor variables by terms, function variables by name (that of
// an operator, with its attributes, makes it that operator, see
// [graph.FunctionName]), and size, run and attribute variables by b.
func (t *Term) Subst(tensors map[string]*Term, fns map[string]string, b *graph.Binding) *Term {
	return t.Rewrite(func(u *Term) *Term {
		switch {
		case u.Var != "":
			if r, ok := tensors[u.Var]; ok {
				return r
			}
		case u.Fn != "":
			if name, ok := fns[u.Fn]; ok {
				if op, attrs, isOp := graph.ParseFunctionName(name); isOp {
					return &Term{Op: op, Attrs: attrs, Args: u.Args}
				}
				u.Fn = name
			}
		case b != nil:
			u.Attrs = u.Attrs.Subst(b)
		}
		return u
	})
}

// SubstFunction is what a function of an instance becomes where the variables
// it is written with are replaced: function variables by fns, attribute
// variables by b.
func SubstFunction(name string, fns map[string]string, b *graph.Binding) string {
	if g, ok := fns[name]; ok {
		return g
	}
	if op, attrs, ok := graph.ParseFunctionName(name); ok && b != nil {
		return graph.FunctionName(op, attrs.Subst(b))
	}
	return name
}
