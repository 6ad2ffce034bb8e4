package onnx

import (
	_ "embed" // of the laws
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Exporters spell out layer normalization, GELU, hard sigmoid and hard swish in smaller
// operators. They are recognized at their last one, by laws that define them; the
// smaller ones then serve nothing else and vanish.

//go:embed spelled.rules
var spelledRules []byte

// numbers are what the tensors of these names are in the laws.
var numbers = map[string]float64{
	"Zero": 0, "Half": 0.5, "One": 1, "Three": 3, "Six": 6, "Upper": 6, "Sixth": 1.0 / 6,
	"Root2": math.Sqrt2, "OverRoot2": math.Sqrt2 / 2,
}

// spelledLaws are the directions of spelled.rules by the operator at their root.
var spelledLaws = sync.OnceValue(func() map[*graph.Op][]*rewrite.Direction {
	laws, err := law.Parse("spelled.rules", spelledRules)
	if err != nil {
		panic("onnx: embedded laws are broken (a test excludes this):\n" + err.Error())
	}
	at := map[*graph.Op][]*rewrite.Direction{}
	for _, l := range laws {
		d := directionOf(l)
		op := d.Nodes[d.Roots[0]].Op
		at[op] = append(at[op], d)
	}
	return at
})

// directionOf is the one direction of a law with =>.
func directionOf(l *law.Law) *rewrite.Direction {
	c, err := rewrite.Compile(l)
	if err != nil {
		panic("onnx: " + err.Error())
	}
	return c.Directions[0]
}

// host is the graph that an importer makes as a host of laws. Tensors of one number
// are scalars, whatever their sizes are.
type host struct{ *importer }

// Node is the operator that makes a tensor.
func (h host) Node(t graph.Tensor) (op *graph.Op, attrs graph.Attrs, fn string, args []graph.Tensor, out int) {
	g := h.made.Graph()
	if op = g.Op(t.Node); op == nil || op.Name == graph.OpaqueName || !g.DType(t).IsReal() {
		return nil, nil, "", nil, 0
	}
	return op, g.OpenAttrs(t.Node), "", g.Operands(t.Node), int(t.Out)
}

// Shape is the shape of a tensor.
func (h host) Shape(t graph.Tensor) graph.Shape {
	if _, ok := h.oneNumber(t); ok {
		return graph.Shape{}
	}
	return graph.ShapeOf(h.values[t].dims()...)
}

// Defined says that all tensors are defined: they have sizes.
func (host) Defined(graph.Tensor) bool { return true }

// spelled is the operator that a value spells out, or the value.
func (c *call) spelled(v *value) *value {
	im := c.im
	if im.inFold || im.own || im.opt.KeepDecomposed || !v.made {
		return v
	}
	y := im.layerNorm(v)
	for _, d := range spelledLaws()[im.made.Graph().Op(v.tensor.Node)] {
		if y == nil {
			y = im.use(d, v, 0)
		}
	}
	if y == nil {
		return v
	}
	// What was found before may be a part of what is found now.
	for _, t := range im.made.Graph().Operands(v.tensor.Node) {
		if part := im.values[t]; part.fused && part.uses == 1 {
			im.report.Fused[im.made.Graph().Op(t.Node).Name]--
		}
	}
	maps.DeleteFunc(im.report.Fused, func(_ string, n int) bool { return n == 0 })
	im.report.Fused[im.made.Graph().Op(y.tensor.Node).Name]++
	y.fused = true
	return y
}

// use builds what a law says is equal to a value, or nil if it says nothing; eps is
// what the law's tensor Eps holds.
func (im *importer) use(d *rewrite.Direction, v *value, eps float64) (y *value) {
	if im.match == nil {
		im.match = rewrite.NewMatcher[graph.Tensor](host{im})
	}
	im.match.Match(d, []graph.Tensor{v.tensor}, func(m *rewrite.Match[graph.Tensor]) bool {
		for i, name := range d.Vars {
			want, isNumber := numbers[name]
			if name == "Eps" {
				want, isNumber = eps, true
			}
			if isNumber && !im.isNumber(m.Vars[i], want) {
				return true
			}
		}
		built, err := m.Build(func(op *graph.Op, attrs graph.Attrs, _ string, args []graph.Tensor, out int) (t graph.Tensor, err error) {
			defer must.Catch(&err)
			return im.applyAttrs(op, slices.Clone(attrs), im.valuesOf(args)...)[out].tensor, nil
		})
		if err == nil {
			y = im.values[built[0]]
		}
		return err != nil
	})
	return y
}

// isNumber reports whether a tensor is one number: as it is in float64, and rounded
// to float32 in other types.
func (im *importer) isNumber(t graph.Tensor, want float64) bool {
	x, ok := im.oneNumber(t)
	if im.made.DType(t) == graph.Float64 {
		return ok && x == want
	}
	return ok && float32(x) == float32(want)
}

// oneNumber is the one number that a tensor consists of.
func (im *importer) oneNumber(t graph.Tensor) (float64, bool) {
	if id := im.from(t, "reshape"); id != 0 {
		t = im.made.Graph().Operands(id)[0]
	}
	v := im.values[t]
	if !v.fixed() || graph.NumElements(v.sized) != 1 || !v.dtype.IsFloat() {
		return 0, false
	}
	k, err := v.constant()
	if err != nil || k == nil {
		return 0, false
	}
	return k.floats[0], true
}

// from is the node of the given operator that makes a tensor, or 0.
func (im *importer) from(t graph.Tensor, op string) graph.NodeID {
	if o := im.made.Graph().Op(t.Node); o != nil && o.Name == op {
		return t.Node
	}
	return 0
}

// unspread is the tensor that t is broadcast from, or t.
func (im *importer) unspread(t graph.Tensor) graph.Tensor {
	if id := im.from(t, "broadcast"); id != 0 {
		return im.made.Graph().Operands(id)[0]
	}
	return t
}

// valuesOf are tensors as values.
func (im *importer) valuesOf(ts []graph.Tensor) []*value {
	vs := make([]*value, len(ts))
	for i, t := range ts {
		vs[i] = im.values[t]
	}
	return vs
}

// The law language has no variables for lists of axes, nor for what a tensor holds:
// the definition of layer normalization is written for each rank, axis and number
// that is added under a root.

// normKey is what a definition of layer normalization is written for.
type normKey struct {
	rank, axis int
	eps        float64
}

var norms struct {
	sync.Mutex
	at map[normKey][]*rewrite.Direction
}

// rooted notes a number that is added under a root.
func (im *importer) rooted(v *value) {
	s := im.from(v.tensor, "ewadd")
	if s == 0 {
		return
	}
	for _, t := range im.made.Graph().Operands(s) {
		if e, ok := im.oneNumber(im.unspread(t)); ok && e >= 0 && !math.IsInf(e, 1) {
			if e = shortest(float32(e)); !slices.Contains(im.added, e) {
				im.added = append(im.added, e)
			}
		}
	}
}

// layerNorm is the normalization that a sum is the last step of, or nil.
func (im *importer) layerNorm(v *value) *value {
	if im.from(v.tensor, "ewadd") == 0 {
		return nil
	}
	in := slices.Clone(im.made.Graph().Operands(v.tensor.Node))
	if im.from(in[0], "ewmul") == 0 && im.from(in[1], "ewmul") == 0 {
		return nil
	}
	for _, bias := range in {
		axis := v.rank() - len(im.made.Sizes(im.unspread(bias)))
		if axis == v.rank() {
			continue // a bias of one number
		}
		for _, eps := range im.added {
			for _, d := range normLaws(normKey{v.rank(), axis, eps}) {
				if y := im.use(d, v, eps); y != nil {
					return y
				}
			}
		}
	}
	return nil
}

// normLaws writes the definition, with a division by the root and with a product with
// its reciprocal.
func normLaws(k normKey) []*rewrite.Direction {
	norms.Lock()
	defer norms.Unlock()
	if ds, ok := norms.at[k]; ok {
		return ds
	}
	if norms.at == nil || len(norms.at) > 1000 {
		norms.at = map[normKey][]*rewrite.Direction{}
	}
	var full, kept, tail, axes []string
	for i := range k.rank {
		d := fmt.Sprintf("n%d", i)
		full = append(full, d)
		if i < k.axis {
			kept = append(kept, d)
			continue
		}
		kept, tail, axes = append(kept, "1"), append(tail, d), append(axes, fmt.Sprint(i))
	}
	list := func(xs []string) string { return "[" + strings.Join(xs, ", ") + "]" }
	repeated := func(x string) string { return "broadcast[shape=" + list(full) + "](" + x + ")" }
	mean := "reducemean[axes=(" + strings.Join(axes, ", ") + "), keep=1]"
	scale, bias := "K", "L"
	if k.axis > 0 {
		scale, bias = repeated("K"), repeated("L")
	}
	eps := "broadcast[shape=" + list(kept) + "](Eps)"
	centred := "ewsub(X, " + repeated(mean+"(X)") + ")"
	root := "sqrt(ewadd(" + mean + "(ewmul(" + centred + ", " + centred + ")), " + eps + "))"
	var ds []*rewrite.Direction
	for _, normal := range []string{
		"ewdiv(" + centred + ", " + repeated(root) + ")",
		"ewmul(" + centred + ", " + repeated("reciprocal("+root+")") + ")",
	} {
		l, err := law.ParseLaw(fmt.Sprintf("axiom layernorm_spelled\n  given X : %s, Eps : [], K : %s, L : %s\n  then  ewadd(ewmul(%s, %s), %s) => layernorm[axis=%d, eps=%s](X, K, L)\n",
			list(full), list(tail), list(tail), normal, scale, bias, k.axis, graph.FormatNumber(k.eps)))
		if err != nil {
			continue // no number that a law can hold
		}
		ds = append(ds, directionOf(l))
	}
	norms.at[k] = ds
	return ds
}
