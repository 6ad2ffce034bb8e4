package rulepage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
)

// Counterexample is a counterexample with all its tensors.
type Counterexample struct {
	Says  string // in a sentence
	Where string // the values of the variables
	Sides []Side
	Law   string // the law that it refutes
	JSON  string // the whole of it
}

// Side is a list of tensors: those given, or the steps of a side.
type Side struct {
	Name    string
	Tensors page.Tensors
}

// Parts shows the counterexample.
func (x *Counterexample) Parts() []page.Part {
	parts := []page.Part{page.Say(x.Says)}
	if x.Where != "" {
		parts = append(parts, page.Say("where "+x.Where))
	}
	for _, s := range x.Sides {
		parts = append(parts, page.Head(page.Say(s.Name)), s.Tensors)
	}
	return append(parts, &page.Details{Title: page.Say("the refuted law"), Parts: []page.Part{page.Code(x.Law)}},
		&page.Details{Title: page.Say("as JSON"), Parts: []page.Part{page.Code(x.JSON)}})
}

// maxCells is the number of elements of a tensor that are shown.
const maxCells = 256

// Given is the counterexample of which nothing is known but the tensors given.
func Given(law, says, json string, tensors map[string]refute.Tensor) *Counterexample {
	x := &Counterexample{Law: law, JSON: json, Says: says}
	given := Side{Name: "given"}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		given.Tensors = append(given.Tensors, newTensor(name, "", tensors[name], nil, false))
	}
	x.Sides = append(x.Sides, given)
	return x
}

// Witnessed is the counterexample to a law that a witness is; json is the whole of it.
func Witnessed(lawText, json string, w *refute.Witness) *Counterexample {
	x := &Counterexample{Law: lawText, JSON: json}
	switch w.Kind {
	case "defined":
		x.Says = fmt.Sprintf("The left side is %s, the right side %s.", w.Left, w.Right)
	case "shape":
		x.Says = fmt.Sprintf("Output %d has shape %s on the left, %s on the right.", w.Output, w.Left, w.Right)
	default:
		x.Says = fmt.Sprintf("Output %d at %s is %s on the left, %s on the right.", w.Output, indexText(w.Cell), w.Left, w.Right)
	}
	x.Where = w.Where()
	l, _ := law.ParseLaw(lawText) // without it, terms are shown in full
	given := Side{Name: "given"}
	names := map[string]string{}
	left, right := outputTerm(l, w, 0), outputTerm(l, w, 1)
	for _, t := range w.Inputs {
		names[t.Term] = t.Term
		given.Tensors = append(given.Tensors, newTensor(t.Term, "", t, w.Cell, t.Term == left || t.Term == right))
	}
	x.Sides = append(x.Sides, given)
	for k, steps := range [][]refute.Tensor{w.LeftSteps, w.RightSteps} {
		if len(steps) == 0 {
			continue
		}
		s := Side{Name: []string{"left side", "right side"}[k]}
		known := map[string]string{}
		for term, name := range names {
			known[term] = name
		}
		for i, t := range steps {
			differs := t.Term == []string{left, right}[k]
			label := fmt.Sprintf("%c%d", "LR"[k], i+1)
			s.Tensors = append(s.Tensors, newTensor(label, shortTerm(t.Term, l, known), t, w.Cell, differs))
			known[t.Term] = label
		}
		x.Sides = append(x.Sides, s)
	}
	return x
}

// outputTerm is the term of the output that differs, as the witness's steps
// write it: with the witness's values for the variables. It is "" if the law
// does not say.
func outputTerm(l *law.Law, w *refute.Witness, side int) string {
	if l == nil || w.Kind != "values" {
		return ""
	}
	outs := [][]*law.Term{l.LHS, l.RHS}[side]
	if w.Output < 0 || w.Output >= len(outs) {
		return ""
	}
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	for n, d := range w.Dims {
		b.Dims[n] = graph.Int(d)
	}
	for n, s := range w.Runs {
		b.Runs[n] = graph.Sizes(s...)
	}
	for n, s := range w.Attrs {
		g, ok := l.Find(n)
		if !ok {
			return ""
		}
		v, err := law.ParseValue(s, g.Sort, nil)
		if err != nil {
			return ""
		}
		b.Attrs[n] = v
	}
	fns := map[string]string{}
	for n, f := range w.Fns {
		if f.Op != "" {
			fns[n] = f.Op
		}
	}
	return outs[w.Output].Subst(nil, fns, b).String()
}

// shortTerm writes the last application of a term, with names for its operands.
func shortTerm(term string, l *law.Law, known map[string]string) string {
	if l == nil {
		return term
	}
	t, err := law.ParseTerm(term, l.Given)
	if err != nil || t.IsVar() {
		return term
	}
	head := t.Fn
	if t.Op != nil {
		head = t.Op.Name + t.Op.FormatAttrs(t.Attrs)
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		name, ok := known[a.String()]
		if !ok {
			name = a.String()
		}
		args[i] = name
	}
	out := head + "(" + strings.Join(args, ", ") + ")"
	if t.Op != nil && t.Op.Out > 1 {
		out += fmt.Sprintf(".%d", t.Out)
	}
	return out
}

// indexText is a shape or an index as the law language writes it.
func indexText(xs []int) string {
	return strings.Join(strings.Fields(fmt.Sprint(xs)), ", ")
}

// newTensor cuts a tensor into matrices of its last two axes and, where
// mark says so, marks the element at an index.
func newTensor(label, term string, t refute.Tensor, at []int, mark bool) page.Tensor {
	x := page.Tensor{Label: label, Term: term, Shape: indexText(t.Shape)}
	// A tensor that is one element thick in its last axes is shown along those
	// before.
	rank := len(t.Shape)
	if rank > 2 && t.Shape[rank-1] == 1 && t.Shape[rank-2] == 1 {
		for rank > 2 && t.Shape[rank-1] == 1 {
			rank--
		}
	}
	rows, cols := 1, 1
	if rank > 0 {
		cols = t.Shape[rank-1]
	}
	if rank > 1 {
		rows = t.Shape[rank-2]
	}
	if len(t.Values) == 0 || cols < 1 || rows < 1 {
		return x
	}
	marked := -1
	if mark && len(at) == len(t.Shape) {
		marked = 0
		for a, i := range at {
			marked = marked*t.Shape[a] + i
		}
	}
	shown := min(len(t.Values), maxCells)
	if marked >= shown {
		// The element in question is shown in any case.
		shown = min(len(t.Values), marked+1)
	}
	for from := 0; from < shown; from += rows * cols {
		m := page.Matrix{}
		if len(t.Shape) > 2 {
			at := make([]string, len(t.Shape))
			rest := from / (rows * cols)
			for a := len(t.Shape) - 1; a >= 0; a-- {
				switch {
				case a >= rank:
					at[a] = "0"
				case a >= rank-2:
					at[a] = "·"
				default:
					n := max(1, t.Shape[a])
					at[a] = fmt.Sprint(rest % n)
					rest /= n
				}
			}
			m.Caption = "[" + strings.Join(at, ", ") + "]"
		}
		for r := 0; r < rows && from+r*cols < shown; r++ {
			var row []page.Element
			for i := from + r*cols; i < min(from+(r+1)*cols, shown); i++ {
				row = append(row, page.Element{Text: t.Values[i], Hit: i == marked})
			}
			m.Rows = append(m.Rows, row)
		}
		x.Parts = append(x.Parts, m)
	}
	if n := len(t.Values) - shown; n > 0 {
		x.Note = fmt.Sprintf("and %d more elements", n)
	}
	return x
}
