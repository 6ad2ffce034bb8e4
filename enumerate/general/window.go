package general

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// windows are the different strides and paddings that a pair has in the case, by first use. Each
// becomes a variable of its own where a form is general.
type windows struct {
	strides, pads []graph.Value
}

// of is the stride and padding that stand for those of the case in a form.
func (w *windows) of(form int, stride, pad graph.Value) (graph.Value, graph.Value) {
	s, p := numbered(&w.strides, "s", stride), numbered(&w.pads, "p", pad)
	same := pad == graph.NameValue(graph.SameLower) || pad == graph.NameValue(graph.SameUpper)
	if form <= 2 {
		stride = graph.VarValue(s, graph.SortStride)
	}
	switch {
	case form == 0:
		pad = graph.VarValue(p, graph.SortPadding)
	case (form == 1 || form == 3) && same:
		pad = graph.VarValue(p, graph.SortSame)
	}
	return stride, pad
}

// further are the names of all variables but the first stride and the first padding.
func (w *windows) further() []string {
	var out []string
	for i := 2; i <= len(w.strides); i++ {
		out = append(out, fmt.Sprint("s", i))
	}
	for i := 2; i <= len(w.pads); i++ {
		out = append(out, fmt.Sprint("p", i))
	}
	return out
}

// numbered is the name of a value: the letter, with a number from the second value on.
func numbered(known *[]graph.Value, letter string, v graph.Value) string {
	i := slices.Index(*known, v)
	if i < 0 {
		i = len(*known)
		*known = append(*known, v)
	}
	if i == 0 {
		return letter
	}
	return fmt.Sprint(letter, i+1)
}
