package law

import (
	"fmt"
	"sort"
	"strings"
)

// Error is one fault in a text of laws.
type Error struct {
	Pos Pos
	Msg string
	// Form: the text is not of the language there. Other faults are of meaning, such as
	// an operator that is not known.
	Form bool
}

// Error is file:line:col: message.
func (e Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors are the faults of a text, by place.
type Errors []Error

// Error lists the faults, one a line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders the faults by file, line, column and message.
func (es Errors) Sort() {
	sort.SliceStable(es, func(i, j int) bool {
		a, b := es[i], es[j]
		switch {
		case a.Pos.File != b.Pos.File:
			return a.Pos.File < b.Pos.File
		case a.Pos.Line != b.Pos.Line:
			return a.Pos.Line < b.Pos.Line
		case a.Pos.Col != b.Pos.Col:
			return a.Pos.Col < b.Pos.Col
		}
		return a.Msg < b.Msg
	})
}

// orNil is the faults as an error: nil if there are none.
func (es Errors) orNil() error {
	if len(es) == 0 {
		return nil
	}
	es.Sort()
	return es
}

func (es *Errors) add(p Pos, format string, args ...any) {
	*es = append(*es, Error{Pos: p, Msg: fmt.Sprintf(format, args...)})
}
