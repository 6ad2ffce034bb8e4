package optimize

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/prove"
)

// Laws for the shapes and numbers of one model. Some laws cannot be stated for all: that two
// reshapes are one, that zeros around an image are the padding of a convolution, whatever
// the numbers of zeros, or that two clips are one. For the shapes and numbers of a model they
// are equations of numbers, which are proved from what operators compute before they are used.

// shapedLaws are names of the laws that the laws for a model are special cases of, with what
// writes them: they are used where that law is.
var shapedLaws = []struct {
	like string
	of   func(g *graph.Graph, id graph.NodeID) []string
	tag  string // of the laws
}{
	{like: "reshape_part_join", of: reshapes},
	{like: "pad_conv", of: padded},
	{like: "pad_pad", of: pads},
	{like: "pad_slice", of: cutPadding},
	{like: "clip_twice", of: clips, tag: " [ordered]"},
}

// Limits of what is proved for a model.
const (
	mostShaped   = 200 // laws
	mostReshapes = 8   // reshapes of one chain
)

// shaped are the laws for the shapes of a model that can be proved, with their proofs.
func shaped(ctx context.Context, m *model.Model, among []*law.Law) (laws []*law.Law, proofs map[string]*law.Proof, err error) {
	seen := map[string]bool{}
	proofs = map[string]*law.Proof{}
	for _, s := range shapedLaws {
		if !slices.ContainsFunc(among, func(l *law.Law) bool { return l.Name == s.like }) {
			continue
		}
		for id := range m.Graph.Nodes() {
			if m.Graph.Op(id) == nil || !m.Graph.DType(id.Out(0)).IsFloat() || m.Graph.TouchesEmpty(id) {
				continue
			}
			for _, text := range s.of(m.Graph, id) {
				if seen[text] || len(seen) >= mostShaped {
					continue
				}
				seen[text] = true
				l, err := law.ParseLaw(fmt.Sprintf("rule %s_shaped_%d%s\n%s", s.like, len(seen), s.tag, text))
				if err != nil {
					continue // such as one that is not defined
				}
				c, err := prove.Shared.Certify(ctx, l, prove.Search)
				if err != nil {
					return nil, nil, err
				}
				if c.Proved() {
					laws, proofs[l.Name] = append(laws, l), c.Proof
				}
			}
		}
	}
	return laws, proofs, nil
}

// addShaped adds the laws for the model's shapes to the options.
func (o *Options) addShaped(ctx context.Context) error {
	laws, proofs, err := shaped(ctx, o.Model, o.Laws)
	if err != nil || len(laws) == 0 {
		return err
	}
	maps.Copy(proofs, o.Proofs)
	o.Laws, o.Proofs = slices.Concat(o.Laws, laws), proofs
	return nil
}

// list is a shape as in the text of laws, without brackets. Dynamic sizes are variables of the
// law, which then holds for all sizes.
func list(s graph.Shape) string { return strings.Trim(s.String(), "[]") }

// operandOf is the node that computes an operand if it applies the operator of that name.
func operandOf(g *graph.Graph, id graph.NodeID, i int, name string) (graph.NodeID, bool) {
	n := g.Operands(id)[i].Node
	op := g.Op(n)
	return n, op != nil && op.Name == name
}

// reshapes says of a reshape that with any before it, in a row, it is one.
func reshapes(g *graph.Graph, id graph.NodeID) (laws []string) {
	if g.Op(id).Name != "reshape" {
		return nil
	}
	to := g.Shape(id.Out(0))
	var between []graph.Shape // the shapes on the way
	for n, ok := operandOf(g, id, 0, "reshape"); ok && len(between) < mostReshapes; n, ok = operandOf(g, n, 0, "reshape") {
		between = append(between, g.Shape(n.Out(0)))
		from := g.Shape(g.Operands(n)[0])
		right := fmt.Sprintf("reshape[shape=[%s]](X)", list(to))
		if from.Equal(to) {
			right = "X"
		}
		for _, mid := range between {
			laws = append(laws, fmt.Sprintf("  given X : [%s]\n  then  reshape[shape=[%s]](reshape[shape=[%s]](X)) => %s", list(from), list(to), list(mid), right))
		}
	}
	return laws
}

// attrsOf are the attributes of a node by their names.
func attrsOf(g *graph.Graph, id graph.NodeID) map[string]graph.Value {
	out := map[string]graph.Value{}
	for i, p := range g.Op(id).Params {
		out[p.Name] = g.OpenAttrs(id)[i]
	}
	return out
}

// zerosOf are the numbers of zeros that a pad puts before and behind each axis; not ok if it
// puts other numbers, or cuts.
func zerosOf(g *graph.Graph, id graph.NodeID) (before, after []int64, ok bool) {
	a := attrsOf(g, id)
	before, ok = a["before"].Tuple()
	after, too := a["after"].Tuple()
	value, is := a["value"].Number()
	less := func(n int64) bool { return n < 0 }
	return before, after, ok && too && is && value == 0 && !slices.ContainsFunc(before, less) && !slices.ContainsFunc(after, less)
}

// padded says of a window over an image with zeros around that these are its padding.
func padded(g *graph.Graph, id graph.NodeID) (laws []string) {
	op := g.Op(id)
	if op.Name != "conv2d" && op.Name != "poolavg" {
		return nil
	}
	n, ok := operandOf(g, id, 0, "pad")
	image, plain := "pad", "X" // of X
	if row, is := operandOf(g, id, 0, "reshape"); is {
		// Signals are images of one row.
		n, ok = operandOf(g, row, 0, "pad")
		from := g.Shape(g.Operands(row)[0])
		if ok = ok && len(from) == 3 && g.Shape(row.Out(0)).Equal(graph.ShapeOf(from[0].Dim, from[1].Dim, graph.Int(1), from[2].Dim)); ok {
			x := g.Shape(g.Operands(n)[0])
			image = fmt.Sprintf("reshape[shape=[%s]](pad", list(g.Shape(row.Out(0))))
			plain = fmt.Sprintf("reshape[shape=[%s, %s, 1, %s]](X)", x[0].Dim, x[1].Dim, x[2].Dim)
		}
	}
	if !ok {
		return nil
	}
	before, after, ok := zerosOf(g, n)
	if ok && len(before) == 3 {
		before, after = slices.Insert(slices.Clone(before), 2, 0), slices.Insert(slices.Clone(after), 2, 0)
	}
	if !ok || len(before) != 4 || before[0]+before[1]+after[0]+after[1] != 0 {
		return nil
	}
	pad := []int64{0, 0, 0, 0}
	if p, ok := attrsOf(g, id)["pad"].Tuple(); ok && len(p) == 4 {
		pad = p
	} else if name, _ := attrsOf(g, id)["pad"].Name(); name != "valid" {
		return nil
	}
	all := graph.TupleValue(pad[0]+before[2], pad[1]+before[3], pad[2]+after[2], pad[3]+after[3])
	attrs := slices.Clone(g.OpenAttrs(id))
	for i, p := range op.Params {
		if p.Name == "pad" {
			attrs[i] = all
		}
	}
	given, rest := "", ""
	if op.In == 2 {
		given, rest = fmt.Sprintf(", W : [%s]", list(g.Shape(g.Operands(id)[1]))), ", W"
	}
	image += g.Op(n).FormatAttrs(g.OpenAttrs(n)) + "(X)" + strings.Repeat(")", strings.Count(image, "("))
	return []string{fmt.Sprintf("  given X : [%s]%s\n  then  %s%s(%s%s) => %s%s(%s%s)", list(g.Shape(g.Operands(n)[0])), given,
		op.Name, op.FormatAttrs(g.OpenAttrs(id)), image, rest, op.Name, op.FormatAttrs(attrs), plain, rest)}
}

// pads says of zeros around zeros that both may be put around at once.
func pads(g *graph.Graph, id graph.NodeID) (laws []string) {
	if g.Op(id).Name != "pad" {
		return nil
	}
	n, ok := operandOf(g, id, 0, "pad")
	if !ok {
		return nil
	}
	before, after, ok := zerosOf(g, id)
	inner, behind, too := zerosOf(g, n)
	if !ok || !too {
		return nil
	}
	outer := g.Op(id).FormatAttrs(g.OpenAttrs(id))
	before, after = slices.Clone(before), slices.Clone(after)
	for i := range before {
		before[i] += inner[i]
		after[i] += behind[i]
	}
	return []string{fmt.Sprintf("  given X : [%s]\n  then  pad%s(pad%s(X)) => pad[before=%s, after=%s](X)", list(g.Shape(g.Operands(n)[0])), outer,
		g.Op(n).FormatAttrs(g.OpenAttrs(n)), graph.TupleValue(before...), graph.TupleValue(after...))}
}

// cutPadding says of a slice of what has zeros around, in which there are none along its
// axis, that it is a slice of what is inside.
func cutPadding(g *graph.Graph, id graph.NodeID) (laws []string) {
	if g.Op(id).Name != "slice" {
		return nil
	}
	n, ok := operandOf(g, id, 0, "pad")
	if !ok {
		return nil
	}
	before, after, ok := zerosOf(g, n)
	a := attrsOf(g, id)
	axis, err := intOf(a["axis"])
	lo, errLo := intOf(a["lo"])
	hi, errHi := intOf(a["hi"])
	if !ok || err || errLo || errHi || axis >= len(before) {
		return nil
	}
	x := g.Shape(g.Operands(n)[0])
	most, fixed := x[axis].Dim.Const()
	lo, hi = lo-int(before[axis]), hi-int(before[axis])
	if lo < 0 || !fixed || int64(hi) > most {
		return nil
	}
	right := "X"
	before, after = slices.Clone(before), slices.Clone(after)
	before[axis], after[axis] = 0, 0
	some := func(n int64) bool { return n != 0 }
	if slices.ContainsFunc(before, some) || slices.ContainsFunc(after, some) {
		right = fmt.Sprintf("pad[before=%s, after=%s](X)", graph.TupleValue(before...), graph.TupleValue(after...))
	}
	if int64(hi-lo) < most {
		right = fmt.Sprintf("slice[axis=%d, lo=%d, hi=%d](%s)", axis, lo, hi, right)
	}
	return []string{fmt.Sprintf("  given X : [%s]\n  then  slice%s(pad%s(X)) => %s", list(x), g.Op(id).FormatAttrs(g.OpenAttrs(id)), g.Op(n).FormatAttrs(g.OpenAttrs(n)), right)}
}

// intOf is the number that an attribute is; bad if it is none.
func intOf(v graph.Value) (n int, bad bool) {
	d, ok := v.Dim()
	if !ok {
		return 0, true
	}
	k, ok := d.Const()
	return int(k), !ok
}

// clips says of a clip or relu that with any before it, in a row, it is one.
func clips(g *graph.Graph, id graph.NodeID) (laws []string) {
	lo, hi, ok := clipBounds(g, id)
	if !ok {
		return nil
	}
	outer := graph.FunctionName(g.Op(id), g.Attrs(id))
	for n := g.Operands(id)[0].Node; len(laws) < mostReshapes; n = g.Operands(n)[0].Node {
		a, b, ok := clipBounds(g, n)
		if !ok {
			break
		}
		inner := graph.FunctionName(g.Op(n), g.Attrs(n))
		lo, hi = min(max(a, lo), hi), min(max(b, lo), hi)
		one := fmt.Sprintf("clip[lo=%s, hi=%s]", graph.FormatNumber(lo), graph.FormatNumber(hi))
		if lo == 0 && math.IsInf(hi, 1) {
			one = "relu"
		}
		laws = append(laws, fmt.Sprintf("  given X : [P..]\n  then  %s(%s(X)) => %s(X)", outer, inner, one))
		outer = one
	}
	return laws
}

// clipBounds are the numbers between which a clip or a relu keeps numbers; not ok if a node is
// neither, or its bounds cross.
func clipBounds(g *graph.Graph, id graph.NodeID) (lo, hi float64, ok bool) {
	op := g.Op(id)
	switch {
	case op == nil:
		return 0, 0, false
	case op.Name == "relu":
		return 0, math.Inf(1), true
	case op.Name != "clip":
		return 0, 0, false
	}
	a := attrsOf(g, id)
	lo, okLo := a["lo"].Number()
	hi, okHi := a["hi"].Number()
	return lo + 0, hi + 0, okLo && okHi && lo <= hi
}
