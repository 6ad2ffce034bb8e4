package refute

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// space is the values that the variables of a law are given, with an order.
type space struct {
	*instance.Space
	// limit is the number of values that each variable usually has: sizes, runs,
	// attributes. Search beyond that may give it more, see reach.
	limit []int
	loose []int // size variables of no tensor given
	maxOf int   // elements that a tensor may have
}

// point picks a value for each variable, by its index: a size is the index and
// one, and values of other variables are ordered plain ones first.
type point = instance.Point

func key(p point) string {
	b := make([]byte, 0, len(p))
	for _, v := range p {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return string(b)
}

var attrChoices = map[string][]graph.Value{
	graph.SortStride: {graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(2, 1),
		graph.TupleValue(1, 3), graph.TupleValue(3, 3)},
	graph.SortPadding: {graph.NameValue(graph.Valid), graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower),
		graph.TupleValue(1, 1, 1, 1), graph.TupleValue(0, 1, 1, 0), graph.TupleValue(0, 1, 2, 0)},
	graph.SortSame:   {graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower)},
	graph.SortAct:    {graph.NameValue("none"), graph.NameValue("relu")},
	graph.SortNumber: {graph.NumberValue(0.5), graph.NumberValue(0), graph.NumberValue(-1.5)},
	graph.SortBorder: {graph.NameValue("counted"), graph.NameValue("excluded")},
	graph.SortPerm:   {}, // those of as many axes as there are, see instance.NewSpace
}

// runChoices are the sizes of an axis run, by their sum.
var runChoices = [][]int{{}, {1}, {2}, {3}, {1, 2}, {2, 1}, {2, 3}, {2, 1, 2}}

func newSpace(l *law.Law, opts Options) (*space, error) {
	s := &space{maxOf: opts.Cells}
	values := map[string][]graph.Value{}
	usual := map[string]int{}
	for _, b := range l.Given {
		if b.Sort == "" || law.IsFuncSort(b.Sort) {
			continue
		}
		vs := attrChoices[b.Sort]
		if vs == nil {
			return nil, fmt.Errorf("variable %s: no values of sort %s are known", b.Name, b.Sort)
		}
		usual[b.Name] = len(vs)
		values[b.Sort] = slices.Concat(vs, farAttrs[b.Sort])
	}
	var lens [][]int
	for _, r := range runChoices {
		if len(r) <= max(opts.MaxRun, 0) {
			lens = append(lens, r)
		}
	}
	few := len(lens)
	if opts.MaxRun > 0 {
		lens = append(lens, longRuns...)
	}
	sizes, given := sizesOf(l)
	s.Space = instance.NewSpace(l, sizes, lens, values)
	for i := range s.Sizes {
		s.limit = append(s.limit, opts.MaxSize)
		if i >= given {
			s.loose = append(s.loose, i)
		}
	}
	for range s.Runs {
		s.limit = append(s.limit, few)
	}
	for _, a := range s.Attrs {
		if n := usual[a.Name]; n > 0 {
			s.limit = append(s.limit, n)
		} else {
			s.limit = append(s.limit, len(a.Values))
		}
	}
	return s, nil
}

// sizesOf lists the size variables of a law, those in shapes that are given first,
// and of these single axes: variables are numbered as they are met, names decide
// nothing, but for those that are first met in a sum or a product. given counts
// those in shapes.
func sizesOf(l *law.Law) (sizes []string, given int) {
	put := func(a graph.Atom) {
		if a.Kind == graph.AtomVar && !slices.Contains(sizes, a.Name) {
			sizes = append(sizes, a.Name)
		}
	}
	for _, b := range l.Given {
		for _, it := range b.Shape {
			if n, ok := it.Dim.IsVar(); ok && it.AxisRun == "" {
				put(graph.Atom{Kind: graph.AtomVar, Name: n})
			}
		}
	}
	for _, b := range l.Given {
		b.Shape.Walk(put)
	}
	given = len(sizes)
	l.EachFixed(put)
	return sizes, given
}

// instance is the sizes of the tensors given, in order; ok is false where the
// conditions do not hold or a tensor is too large to be evaluated.
func (s *space) instance(at point) (sizes [][]int, ok bool) {
	if s.Settle(slices.Clone(at)) {
		return nil, false
	}
	sizes, ok = s.Shapes(at)
	return sizes, ok && !slices.ContainsFunc(sizes, func(sh []int) bool { return instance.TooLarge(sh, s.maxOf) })
}

// weight is the sum of all sizes: those of the axes of the tensors given, and
// size variables that are in none of them.
func (s *space) weight(at point) int {
	sum := s.Sum(at)
	for _, i := range s.loose {
		sum += at[i] + 1
	}
	return sum
}

// odd is how far the attributes are from plain.
func (s *space) odd(at point) int {
	sum := 0
	for _, v := range at[s.First():] {
		sum += v
	}
	return sum
}

// less orders points: by weight, by attributes, by index.
func (s *space) less(p, q point) bool {
	if a, b := s.weight(p), s.weight(q); a != b {
		return a < b
	}
	if a, b := s.odd(p), s.odd(q); a != b {
		return a < b
	}
	return slices.Compare(p, q) < 0
}
