package lower

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Decisions about one node, from the node and its neighbours.

// As is the kernel that an application is run as, see [Kernel.As]; x are the
// sizes of its first operand and y those of its result. Depthwise convolutions are told
// from dots by their kernels, which are not asked for here: what reads and tails go, the
// two are alike.
func As(a Attrs, x, y []int) string {
	switch a.Op.Name {
	case "conv2d":
		if groups, err := a.Int("groups"); err == nil && groups > 1 && groups == x[1] && y[1] == x[1] {
			return "depthwise"
		}
	case "poolmax", "poolavg":
		kh, errH := a.Int("kh")
		kw, errW := a.Int("kw")
		if errH == nil && errW == nil && OneWindow(a, x, y, kh, kw) {
			return map[string]string{"poolmax": "reducemax", "poolavg": "reducemean"}[a.Op.Name]
		}
	}
	return a.Op.Name
}

// OneWindow reports whether a window of kh by kw over images of sizes x stands in one
// place only, over the whole image and nothing else, none of its cells being apart; y are
// the sizes of the result. What
// slides otherwise is then a sum, a maximum or a product of vectors, one a channel.
func OneWindow(a Attrs, x, y []int, kh, kw int) bool {
	if y[2] != 1 || y[3] != 1 || kh != x[2] || kw != x[3] {
		return false
	}
	if dh, dw, err := Dilation(a); err != nil || dh != 1 && kh > 1 || dw != 1 && kw > 1 {
		return false
	}
	top, left, err := Pads(a, x, kh, kw)
	return err == nil && top == 0 && left == 0
}

// Takes reports whether a kernel reads a value as it lies; if not, the value is
// made dense by a copy first.
func (t *Target) Takes(as string, v *Value) bool {
	switch t.Reads[as] {
	case Strided:
		return true
	case Matrices:
		return v.Packable()
	}
	return v.Dense()
}

// TakesStep reports whether a step reads an operand as it lies.
func (t *Target) TakesStep(v *Value) bool {
	if mode, _, _, ok := v.Spread(); ok {
		return mode != Full || v.Dense()
	}
	if _, _, ok := v.Rows(); !ok || !t.Rows {
		return false
	}
	return t.held(v.Type) == graph.Float32
}

// Made is what is known of an operand where it is made: where it is a reshape of what is
// dense, where that is made.
type Made struct {
	Attrs Attrs // of the operator that makes it; Op is nil for inputs
	X     []int // sizes of that one's first operand
	Type  graph.TensorType
	// Uses is how many operands and outputs read it, those behind views too.
	Uses int
	// Fixed: it depends on weights only.
	Fixed bool
}

// Joins reports whether an elementwise operator with a result of type out goes into
// the kernel that makes one of its operands, as far as neighbours tell: it does
// unless another operand is ready only later, or the tail has agreed on other rows.
func (t *Target) Joins(op *graph.Op, out graph.TensorType, operands []Made) bool {
	if fn := StepFn(op); !IsStep(op) || !t.step(fn, out.DType) {
		return false
	}
	if op.Name == "smul" || op.Name == "batchnorm" {
		operands = operands[:1]
	}
	return slices.ContainsFunc(operands, func(m Made) bool {
		return !m.Fixed && m.Uses == 1 && m.Attrs.Op != nil &&
			graph.NumElements(m.Type.Sizes) == graph.NumElements(out.Sizes) && t.tailed(m)
	})
}

// tailed reports whether the kernel that makes an operand takes a tail.
func (t *Target) tailed(m Made) bool {
	op := m.Attrs.Op
	return IsStep(op) && t.step(StepFn(op), m.Type.DType) || t.tails(As(m.Attrs, m.X, m.Type.Sizes), m.Type.DType)
}
