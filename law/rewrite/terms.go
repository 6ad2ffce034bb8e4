package rewrite

import (
	"slices"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// TermID names a term in [Terms].
type TermID int32

// Terms is a host of the terms of a law. Terms that differ in nothing but the
// order of operands of commutative operators are one, unless Exact is set.
type Terms struct {
	Exact bool

	sorts map[string]string // of function variables
	nodes []termNode
	ids   map[string]TermID
	at    map[*law.Term]TermID
	key   []byte
}

type termNode struct {
	term  *law.Term
	shape graph.Shape
	args  []TermID
}

// NewTerms returns a host without terms; sorts are those of the function
// variables, by name, see [FnSortsOf].
func NewTerms(sorts map[string]string) *Terms {
	return &Terms{sorts: sorts, ids: map[string]TermID{}, at: map[*law.Term]TermID{}}
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

// Add adds a term with all its subterms, whose shapes are in shape by pointer, as
// [law.TypeOf] leaves them.
func (h *Terms) Add(t *law.Term, shape map[*law.Term]graph.Shape) TermID {
	if id, ok := h.at[t]; ok {
		return id
	}
	args := make([]TermID, len(t.Args))
	for i, a := range t.Args {
		args[i] = h.Add(a, shape)
	}
	id := h.make(t, args, shape[t])
	h.at[t] = id
	return id
}

// make is the id of a term over these arguments.
func (h *Terms) make(t *law.Term, args []TermID, shape graph.Shape) TermID {
	order := args
	if t.Op != nil && t.Op.Commutative && len(args) == 2 && args[1] < args[0] && !h.Exact {
		order = []TermID{args[1], args[0]}
	}
	k := h.key[:0]
	switch {
	case t.IsVar():
		k = append(append(k, 't'), t.Var...)
	case t.Op == nil:
		k = append(append(k, 'f'), t.Fn...)
	default:
		k = append(append(k, 'o'), t.Op.Name...)
		k = append(append(k, ' '), t.Attrs.Key()...)
		k = strconv.AppendInt(append(k, ' '), int64(t.Out), 10)
	}
	for _, a := range order {
		k = strconv.AppendInt(append(k, 0), int64(a), 10)
	}
	h.key = k
	id, ok := h.ids[string(k)]
	if !ok {
		id = TermID(len(h.nodes))
		h.ids[string(k)] = id
		h.nodes = append(h.nodes, termNode{t, shape, slices.Clone(args)})
	}
	return id
}

// Node is the application that a term is.
func (h *Terms) Node(t TermID) (op *graph.Op, attrs graph.Attrs, fn string, args []TermID, out int) {
	n := &h.nodes[t]
	return n.term.Op, n.term.Attrs, n.term.Fn, n.args, n.term.Out
}

// Shape is the shape of a term.
func (h *Terms) Shape(t TermID) graph.Shape { return h.nodes[t].shape }

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
	if op == nil {
		return h.make(t, args, in[0]), nil
	}
	var f graph.Facts
	shapes, err := op.InferShapes(&f, attrs, in)
	if err != nil {
		return 0, err
	}
	return h.make(t, args, shapes[out]), nil
}
