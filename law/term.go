package law

import (
	"fmt"
	"math"
	"slices"
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

// String is the term in the law language, without the sorts of variables. It is
// as long as the term is written out as a tree; equal terms are found by [Nodes].
func (t *Term) String() string { return t.text(math.MaxInt) }

// maxBrief is the most bytes of the text that Brief gives.
const maxBrief = 300

// Brief is the text, or the beginning of it, for messages.
func (t *Term) Brief() string { return t.text(maxBrief) }

func (t *Term) text(most int) string {
	b := text{most: most}
	b.term(t)
	if b.Len() > most {
		return b.String()[:most] + "..."
	}
	return b.String()
}

// AppString is the application without the choice of output.
func (t *Term) AppString() string {
	b := text{most: math.MaxInt}
	b.app(t)
	return b.String()
}

// text writes terms and stops where it has written enough.
type text struct {
	strings.Builder
	most int
}

func (b *text) term(t *Term) {
	b.app(t)
	if t.Op != nil && t.Op.Out > 1 {
		fmt.Fprintf(b, ".%d", t.Out)
	}
}

func (b *text) app(t *Term) {
	if t.Var != "" {
		b.WriteString(t.Var)
		return
	}
	b.WriteString(t.head())
	b.WriteByte('(')
	for i, a := range t.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > b.most {
			return
		}
		b.term(a)
	}
	b.WriteByte(')')
}

// head is the operator with its attributes, or the name of the function.
func (t *Term) head() string {
	if t.Fn != "" {
		return t.Fn
	}
	return t.Op.Name + t.Op.FormatAttrs(t.Attrs)
}

// Walk calls f for t and every subterm, arguments first, a shared pointer
// once.
func (t *Term) Walk(f func(*Term)) {
	var seen visited
	t.WalkNew(seen.has, func(u *Term) {
		seen.add(u)
		f(u)
	})
}

// visited is a set of terms, by their pointers.
type visited struct {
	few  [16]*Term // the first ones, searched one by one
	n    int
	many map[*Term]bool // the others
}

func (v *visited) has(t *Term) bool {
	return slices.Contains(v.few[:v.n], t) || v.many[t]
}

func (v *visited) add(t *Term) {
	if v.n < len(v.few) {
		v.few[v.n] = t
		v.n++
		return
	}
	if v.many == nil {
		v.many = map[*Term]bool{}
	}
	v.many[t] = true
}

// WalkNew calls f for t and every subterm that is not known, arguments first;
// what is below a known one is not looked at. After f, known must hold of its
// term. However deep t is, the stack does not grow.
func (t *Term) WalkNew(known func(*Term) bool, f func(*Term)) {
	if known(t) {
		return
	}
	type place struct {
		t *Term
		i int // the next argument
	}
	var few [8]place // enough for most terms
	path := append(few[:0], place{t, 0})
	for len(path) > 0 {
		p := &path[len(path)-1]
		if p.i < len(p.t.Args) {
			a := p.t.Args[p.i]
			p.i++
			if !known(a) {
				path = append(path, place{a, 0})
			}
			continue
		}
		u := p.t
		path = path[:len(path)-1]
		f(u)
	}
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
func (t *Term) Rewrite(f func(*Term) *Term) *Term { return rewriteAll([]*Term{t}, f)[0] }

// rewriteAll is Rewrite for several terms; f is called once for a subterm that they share.
func rewriteAll(ts []*Term, f func(*Term) *Term) []*Term {
	memo, out := map[*Term]*Term{}, make([]*Term, len(ts))
	for i, t := range ts {
		t.WalkNew(func(u *Term) bool { return memo[u] != nil }, func(u *Term) {
			v := *u
			if len(u.Args) > 0 {
				v.Args = make([]*Term, len(u.Args))
				for i, a := range u.Args {
					v.Args[i] = memo[a]
				}
			}
			memo[u] = f(&v)
		})
		out[i] = memo[t]
	}
	return out
}

// Subst replaces tensor variables by terms, function variables by name (that of
// an operator, with its attributes, makes it that operator, see
// [graph.FunctionName]), and size, run and attribute variables by b.
func (t *Term) Subst(tensors map[string]*Term, fns map[string]string, b *graph.Substitution) *Term {
	return t.Rewrite(substitution(tensors, fns, b))
}

// substitution is what Subst makes of a node.
func substitution(tensors map[string]*Term, fns map[string]string, b *graph.Substitution) func(*Term) *Term {
	return func(u *Term) *Term {
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
	}
}

// SubstFunction is what a function of an instance becomes where the variables
// it is written with are replaced: function variables by fns, attribute
// variables by b.
func SubstFunction(name string, fns map[string]string, b *graph.Substitution) string {
	if g, ok := fns[name]; ok {
		return g
	}
	if op, attrs, ok := graph.ParseFunctionName(name); ok && b != nil {
		return graph.FunctionName(op, attrs.Subst(b))
	}
	return name
}
