package sweep

import "strings"

// Forms samples the cases of backendtest.Cases, where a graph comes in several forms
// (operands fed or weights, fused or not). A sample has one form of each graph: form Offset
// of the first graph, the next form of the next graph, and so on.
type Forms struct {
	Offset int

	graphs, form int
	graph        string
}

// Keep reports whether a sample has a case, and is called with the names of all cases in
// their order. Cases that are no forms of a graph are all kept, as are all in a whole sweep.
func (f *Forms) Keep(name string) bool {
	graph, forms := strings.TrimSuffix(strings.TrimSuffix(name, " (alone)"), " (kept)"), 3
	switch {
	case strings.HasPrefix(name, "operators/"):
		graph, forms = name[:strings.LastIndexByte(name, ']')+1], 5
	case !strings.HasPrefix(name, "graphs/"):
		return true
	}
	if f.form++; graph != f.graph {
		f.graphs, f.form, f.graph = f.graphs+1, 0, graph
	}
	kept := (f.Offset + f.graphs) % forms
	return Size(f.form, kept) == kept
}
