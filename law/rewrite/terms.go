package rewrite

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// TermID names a term in [Terms].
type TermID int32

// Terms is a host of the terms of a law. Terms that differ in nothing but the
// order of operands of commutative operators are one, unless it is exact.
type Terms struct {
	exact bool
	sorts map[string]string // of function variables
	typed func(*law.Term) graph.Shape
	terms law.Nodes // over operands in order
	nodes []termNode
	at    map[*law.Term]TermID
}

type termNode struct {
	term    *law.Term
	args    []TermID
	shape   graph.Shape
	inShape bool // shape is known
}

// NewTerms returns a host without terms. sorts are those of the function
// variables, by name, see [FnSortsOf]; typed gives the shape of a term that was
// added, and is asked when first needed.
func NewTerms(exact bool, sorts map[string]string, typed func(*law.Term) graph.Shape) *Terms {
	return &Terms{exact: exact, sorts: sorts, typed: typed, at: map[*law.Term]TermID{}}
}

// FnSortsOf are the sorts of a law's function variables.
func FnSortsOf(l *law.Law) map[string]string {
	sorts := map[string]string{}
	for _, b := range l.Given {
		if law.IsFuncSort(b.Sort) {
			sorts[b.Name] = b.Sort
		}
	}
	return sorts
}

// Add adds a term with all its subterms.
func (h *Terms) Add(t *law.Term) TermID {
	if id, ok := h.at[t]; ok {
		return id
	}
	args := make([]TermID, len(t.Args))
	for i, a := range t.Args {
		args[i] = h.Add(a)
	}
	id := h.make(t, args)
	h.at[t] = id
	return id
}

// make is the id of a term over these arguments: the number of the term that
// has them, and theirs, in order.
func (h *Terms) make(t *law.Term, args []TermID) TermID {
	u := *t
	u.Args = make([]*law.Term, len(args))
	for i, a := range args {
		u.Args[i] = h.terms.All()[a]
	}
	if t.Op != nil && t.Op.Commutative && len(args) == 2 && args[1] < args[0] && !h.exact {
		u.Args[0], u.Args[1] = u.Args[1], u.Args[0]
	}
	id := h.terms.Of(&u)
	if id == len(h.nodes) {
		h.nodes = append(h.nodes, termNode{term: t, args: slices.Clone(args)})
	}
	return TermID(id)
}

// Node is the application that a term is.
func (h *Terms) Node(t TermID) (op *graph.Op, attrs graph.Attrs, fn string, args []TermID, out int) {
	n := &h.nodes[t]
	return n.term.Op, n.term.Attrs, n.term.Fn, n.args, n.term.Out
}

// Shape is the shape of a term.
func (h *Terms) Shape(t TermID) graph.Shape {
	n := &h.nodes[t]
	if !n.inShape {
		n.shape, n.inShape = h.typed(n.term), true
	}
	return n.shape
}

// FnSort is the sort of a function variable.
func (h *Terms) FnSort(name string) string { return h.sorts[name] }

// Term is a term by its name.
func (h *Terms) Term(t TermID) *law.Term { return h.nodes[t].term }

// Apply makes an application of terms; it is an [Apply]. The error is that of
// inference.
func (h *Terms) Apply(op *graph.Op, attrs graph.Attrs, fn string, args []TermID, out int) (TermID, error) {
	t := &law.Term{Op: op, Fn: fn, Attrs: slices.Clone(attrs), Out: out}
	in := make([]graph.Shape, len(args))
	for i, a := range args {
		t.Args = append(t.Args, h.Term(a))
		in[i] = h.Shape(a)
	}
	var shape graph.Shape
	if op == nil {
		shape = in[0]
	} else {
		var f graph.Unifier
		shapes, err := op.InferShapes(&f, attrs, in)
		if err != nil {
			return 0, err
		}
		shape = shapes[out]
	}
	id := h.make(t, args)
	if n := &h.nodes[id]; !n.inShape {
		n.shape, n.inShape = shape, true
	}
	return id, nil
}
