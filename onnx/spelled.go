package onnx

import (
	_ "embed" // of the laws
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Exporters spell out layer normalization, GELU and hard swish in smaller
// operators. They are recognized at their last one, by laws that define them; the
// smaller ones then serve nothing else and vanish.

//go:embed spelled.rules
var spelledRules []byte

// numbers are what the tensors of these names are in the laws.
var numbers = map[string]float64{
	"Half": 0.5, "One": 1, "Three": 3, "Six": 6, "Sixth": 1.0 / 6,
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

// values are the steps of an importer as a host of laws. Tensors of one number are
// scalars, whatever their sizes are.
type values struct{}

// Node is the step that makes a value.
func (values) Node(v *value) (op *graph.Op, attrs graph.Attrs, fn string, args []*value, out int) {
	if v.step == nil || v.step.op == nil || !v.dtype.IsFloat() {
		return nil, nil, "", nil, 0
	}
	return v.step.op, v.step.attrs, "", v.step.in, v.out
}

// Shape is the shape of a value.
func (values) Shape(v *value) graph.Shape {
	if _, ok := number(v); ok {
		return graph.Shape{}
	}
	return graph.Sizes(v.sizes...)
}

// Defined says that all values are defined: they have sizes.
func (values) Defined(*value) bool { return true }

// spelled is the operator that a value spells out, or nil.
func (c *call) spelled(v *value) *value {
	im := c.im
	if im.inFold || im.own || im.opt.KeepDecomposed || v.step == nil {
		return nil
	}
	y := im.layerNorm(v)
	for _, d := range spelledLaws()[v.step.op] {
		if y == nil {
			y = im.use(d, v, 0)
		}
	}
	if y != nil {
		im.report.Fused[y.step.op.Name]++
	}
	return y
}

// use builds what a law says is equal to a value, or nil if it says nothing; eps is
// what the law's tensor Eps holds.
func (im *importer) use(d *rewrite.Direction, v *value, eps float64) (y *value) {
	if im.match == nil {
		im.match = rewrite.NewMatcher[*value](values{})
	}
	im.match.Match(d, []*value{v}, func(m *rewrite.Match[*value]) bool {
		for i, name := range d.Vars {
			want, isNumber := numbers[name]
			if name == "Eps" {
				want, isNumber = eps, true
			}
			if isNumber && !isNumberOf(m.Vars[i], want) {
				return true
			}
		}
		built, err := m.Build(func(op *graph.Op, attrs graph.Attrs, _ string, args []*value, out int) (*value, error) {
			w, err := im.applyAttrs(op, slices.Clone(attrs), slices.Clone(args)...)
			if err != nil {
				return nil, err
			}
			return w.step.outs[out], nil
		})
		if err == nil {
			y = built[0]
		}
		return err != nil
	})
	return y
}

// isNumberOf reports whether a value is one number: as it is in float64, and rounded
// to float32 in other types.
func isNumberOf(v *value, want float64) bool {
	x, ok := number(v)
	if v.dtype == graph.Float64 {
		return ok && x == want
	}
	return ok && float32(x) == float32(want)
}

// number is the one number that a value consists of.
func number(v *value) (float64, bool) {
	if s := from(v, "reshape"); s != nil {
		v = s.in[0]
	}
	if !v.fixed() || v.elements() != 1 || !v.dtype.IsFloat() {
		return 0, false
	}
	k, err := v.constant()
	if err != nil || k == nil {
		return 0, false
	}
	return k.floats[0], true
}

// from is the step of the given operator that makes a value, or nil.
func from(v *value, op string) *step {
	if v != nil && v.step != nil && v.step.op != nil && v.step.op.Name == op {
		return v.step
	}
	return nil
}

// unspread is the value that v is broadcast from, or v.
func unspread(v *value) *value {
	if s := from(v, "broadcast"); s != nil {
		return s.in[0]
	}
	return v
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
	s := from(v, "ewadd")
	if s == nil {
		return
	}
	for _, x := range s.in {
		if e, ok := number(unspread(x)); ok && e >= 0 && !math.IsInf(e, 1) {
			if e = shortest(float32(e)); !slices.Contains(im.added, e) {
				im.added = append(im.added, e)
			}
		}
	}
}

// layerNorm is the normalization that a sum is the last step of, or nil.
func (im *importer) layerNorm(v *value) *value {
	if v.step.op.Name != "ewadd" || from(v.step.in[0], "ewmul") == nil && from(v.step.in[1], "ewmul") == nil {
		return nil
	}
	for _, bias := range v.step.in {
		axis := v.rank() - unspread(bias).rank()
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
