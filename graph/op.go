package graph

import (
	"fmt"
	"sort"
	"strings"
)

// Param declares one parameter of an operator.
type Param struct {
	Name    string
	Sort    string // int, axis, stride, padding, act, border, perm, tuple, shape, number, flag (0 or 1), dtype, name
	Default Value  // KindNone: must be given
	Doc     string
	// Infinite is the sign of the infinite number that a law may write here, for
	// a bound that bounds nothing; 0: none. Laws are about real numbers.
	Infinite int
	// Late: the operator once had no such parameter. At its default it is left out where
	// all attributes are written, so that hashes and keys stay what they were.
	Late bool
	// Names, of a parameter of sort name, are all that an operator knows.
	Names []string
}

// Written reports whether a value is written where all attributes are: unless the
// parameter is late and has its default.
func (p *Param) Written(v Value) bool { return !p.Late || v != p.Default }

// Work is what an operator costs in the abstract, for float32 tensors.
type Work struct {
	FLOPs      int64 // multiplications and additions counted separately
	BytesRead  int64
	BytesWrite int64
}

// Op is one tensor operator.
type Op struct {
	Name   string
	Doc    string // what it computes, in one or two sentences
	In     int    // number of input tensors
	Out    int    // number of output tensors
	Params []Param
	// Commutative: the two inputs may be exchanged.
	Commutative bool
	// Pointwise: a function applied to each element. With values for its
	// parameters it can stand for a function variable of a law, see
	// [Op.IsFunction].
	Pointwise bool
	// Elementwise: an entry of the result is computed from the entries at its
	// place in the operands, where a scalar has its entry at every place. Functions
	// that are Pointwise are so without this mark.
	Elementwise bool
	// Batched: any axes in front of the operands, the same for all, are carried along: the
	// operator applied to each member of a family is the operator itself, see [Op.Each].
	// Functions that are Pointwise are so without this mark.
	Batched bool
	// Layout says what an operator does with the first axis of a mesh of devices, in front of
	// its operand's own axes; LayoutNone of one that is not about meshes.
	Layout Layout
	// Moves: every entry of a result is an entry of an operand or a constant,
	// perhaps as another element type, and which one does not depend on floats.
	Moves bool
	// Rearranges: every entry of the result is an entry of an operand, and which one is
	// decided by sizes and attributes.
	Rearranges bool
	// Turns, of an operator that does the same whatever order axes are in, is the number of
	// its operands, the first ones, whose axes are those of the result: with all of these
	// transposed by one permutation q, and axis i for each axis q[i] among its attributes,
	// the result is that transposed by q. For an operator about meshes, see Layout, the axes
	// of members are permuted, and that of the mesh stays in front. 0: of no such operator is
	// anything said, see [Op.Turning].
	Turns int
	// AxisOf lists the axes of operands of which axis of the result is one: place i
	// along it holds what is computed from place i along them, or, of a concat along
	// its axis, from place i of the first operand. ranks are the operands' numbers of
	// axes. nil: see [Op.OperandAxes].
	AxisOf func(a Attrs, ranks []int, axis int) []OperandAxis
	// Places, of an operator that reads, or adds, at places which an operand holds: that
	// operand, and the size n of the axis along which they count. The operator is defined only
	// where each of these entries is an integer from -n to n-1, of which a negative one
	// counts from the end. nil: where it reads is decided by sizes and attributes.
	Places func(a Attrs, in []Shape) (operand int, n Dim, err error)
	// Class names what prices of such operators have in common, for package cost;
	// left out, a pointwise function is one of many instructions.
	Class string
	// Weights tells whether an operand of these sizes usually is a weight of a
	// network; nil: none is.
	Weights func(operand int, sizes []int) bool
	// NonNegative: a pointwise function that is nowhere negative where it has a
	// value, for all values of its parameters.
	NonNegative bool
	// Rises: a pointwise function that is nowhere less than where its argument is smaller,
	// wherever it has values, and for all values of its parameters.
	Rises bool
	// Idempotent: a pointwise function f with f(f(x)) = f(x) at every number x, for all values
	// of its parameters.
	Idempotent bool
	// HasValue, of a pointwise function, tells whether it has a value at every number of an
	// interval, for these values of its parameters; nil: it has one at every real number.
	HasValue func(params []float64, x Interval) bool
	// Image, of a pointwise function without parameters, returns an interval that holds its
	// values at the numbers of another one at which it has some; nil: it may have any.
	Image func(x Interval) Interval
	// Nowhere0: a pointwise function that is nowhere 0 where it has a value, for all values of
	// its parameters. Only0AtZero: one that is 0 nowhere but at 0.
	Nowhere0, Only0AtZero bool
	// Partial: a function that it computes may have no value at some real numbers, as it is
	// of a pointwise function with HasValue.
	Partial bool
	// Bounded: results lie between two numbers, which are the same for all operands: what
	// is infinite is so no more behind it.
	Bounded bool
	// ZeroAtZero: a pointwise function without parameters with f(0) = 0. See
	// [Op.KeepsZero].
	ZeroAtZero bool
	// Zero, of a pointwise function with parameters, tells whether f(0) = 0 for
	// these values of them; nil: for none.
	Zero func(params []float64) bool
	// Value, of a pointwise function, is the function in float64 arithmetic for
	// these values of its parameters.
	Value func(params []float64) func(x float64) float64
	// Formula, of a pointwise function, is Value as a text, see [Formula]: what runs on
	// other devices is made from it.
	Formula string

	// Infer computes the output shapes. It must report every way in which the
	// inputs do not fit, as an error that says what and why.
	Infer func(f *Unifier, a Attrs, in []Shape) ([]Shape, error)
	// DTypes are the element types of the outputs for those of the inputs, or
	// why these do not fit. nil: all inputs are of one type, and so are the
	// outputs.
	DTypes func(a Attrs, in []DType) ([]DType, error)
	// Entry says what is computed: the entry of output 0 at an index, for all
	// sizes, with unknowns of s; derived operators have none. The inputs have no
	// axis runs and the shapes are such that Infer accepted. See [Expr]. What runs
	// is made from it ([Op.Program]), and proofs for all sizes look into it.
	//
	// A shape with a run P.. that Infer accepts is one whose axes P the operator
	// carries along: an output entry reads inputs that have them at its own
	// indices there. Then one axis may stand for any number of them.
	Entry func(s *Space, a Attrs, in []Shape, at []Index) (*Expr, error)
	// Counts: the results are positions, which are integers whatever the operands are.
	Counts bool
	// ByType: what is computed depends on element types, of which laws do not speak: proofs
	// take it for any function of one element of what Entry says.
	ByType bool
	// Composed, of an operator that is not in the registry and stands for a term of
	// others, is their programs put together.
	Composed func(a Attrs, in, out [][]int) (*Program, error)
	// Expand, of a derived operator only: for each output an equivalent
	// application of a primitive operator to the same inputs.
	Expand func(a Attrs, in []Shape) ([]Prim, error)
	// ExpandsTo are the operators that Expand uses.
	ExpandsTo []*Op
	// Chain, of an operator of one operand and result that is only a name, is what it
	// stands for: operators of one operand, the first one applied to its own and each of
	// the others to what came of the one before. Its Infer and Entry are those of the chain.
	Chain func(a Attrs, in []Shape) ([]Prim, error)
	// Grad takes derivatives back through an application: given those of a number by
	// the results it writes those by the operands, see [Backward]. nil, of an operator
	// that does not expand to others either: it has none.
	Grad func(b *Backward) []Tensor
	// FLOPs of concrete shapes; nil: one per output element.
	FLOPs func(a Attrs, in, out [][]int) int64

	// Definition, of an operator that a text defines, is this text in canonical form; see
	// [Define]. nil: it is built in.
	Definition fmt.Stringer

	member *Op // of a lifted operator, what it applies to each member
}

// Layout is what an operator does with the first axis of a mesh of devices.
type Layout uint8

const (
	LayoutNone  Layout = iota
	LayoutMakes        // it makes one of a tensor
	LayoutEnds         // it makes a tensor of the members
	LayoutKeeps        // it exchanges something between the members
)

// OperandAxis is an axis of an operand.
type OperandAxis struct{ Operand, Axis int }

// OperandAxes is AxisOf; where it is nil, that of operators which work element by
// element, and no axis of any other.
func (op *Op) OperandAxes(a Attrs, ranks []int, axis int) []OperandAxis {
	switch {
	case op.AxisOf != nil:
		return op.AxisOf(a, ranks, axis)
	case op.Elementwise && len(ranks) == 2 && ranks[0] == ranks[1]:
		return []OperandAxis{{0, axis}, {1, axis}}
	case op.Pointwise || op.Elementwise:
		return []OperandAxis{{0, axis}}
	}
	return nil
}

// Turning is Turns; of a function of one element 1.
func (op *Op) Turning() int {
	if op.Pointwise {
		return 1
	}
	return op.Turns
}

// Prim is an application of a primitive operator.
type Prim struct {
	Op    *Op
	Attrs Attrs
}

// OnlyRearranges is Rearranges, of a derived operator that of all operators it expands to.
func (op *Op) OnlyRearranges() bool {
	for _, p := range op.ExpandsTo {
		if !p.Rearranges {
			return false
		}
	}
	return op.Rearranges || op.Expand != nil && len(op.ExpandsTo) > 0
}

// Primitive is what output out of an application stands for: of a derived
// operator, the application of a primitive one to the same inputs, of any other
// itself.
func (op *Op) Primitive(a Attrs, in []Shape, out int) (p Prim, primOut int, err error) {
	if op.Expand == nil {
		return Prim{op, a}, out, nil
	}
	ps, err := op.Expand(a, in)
	if err != nil {
		return Prim{}, 0, fmt.Errorf("operator %s: %w", op.Name, err)
	}
	if out >= len(ps) {
		return Prim{}, 0, fmt.Errorf("operator %s: no output %d", op.Name, out)
	}
	return ps[out], 0, nil
}

// Attrs are an operator's attribute values, in the order of its Params.
type Attrs []Value

// Equal reports whether two lists of attributes are the same.
func (a Attrs) Equal(b Attrs) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Subst replaces bound variables.
func (a Attrs) Subst(b *Substitution) Attrs {
	out := make(Attrs, len(a))
	for i, v := range a {
		out[i] = v.Subst(b)
	}
	return out
}

var registry = map[string]*Op{}

// Register adds an operator; it panics on a name that is taken, or is that of a lifted
// operator ([Op.Each]), since that is a mistake in the program and not in its input.
func Register(op *Op) *Op {
	if _, ok := registry[op.Name]; ok || strings.HasPrefix(op.Name, EachPrefix) {
		panic("graph: operator " + op.Name + " registered twice")
	}
	registry[op.Name] = op
	if !op.Batched && !op.Pointwise {
		e := lift(op)
		lifted[op], liftedBy[e.Name] = e, e
	}
	return op
}

// Lookup finds an operator, a lifted one, or one that a text defines, by name.
func Lookup(name string) (*Op, bool) {
	op, ok := registry[name]
	if !ok {
		op, ok = liftedBy[name]
	}
	if !ok {
		return lookupDefined(name)
	}
	return op, ok
}

// Ops lists all built-in operators by name.
func Ops() []*Op {
	var out []*Op
	for _, op := range registry {
		out = append(out, op)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// OpNames lists the names of all operators, sorted.
func OpNames() []string {
	var names []string
	for _, op := range Ops() {
		names = append(names, op.Name)
	}
	return names
}

// ParamIndex is the position of a parameter, or -1.
func (op *Op) ParamIndex(name string) int {
	for i, p := range op.Params {
		if p.Name == name {
			return i
		}
	}
	return -1
}

// Attr builds the attribute list from named values; parameters not named take
// their default.
func (op *Op) Attr(named map[string]Value) (Attrs, error) {
	a := make(Attrs, len(op.Params))
	used := 0
	for i, p := range op.Params {
		v, ok := named[p.Name]
		if ok {
			used++
		} else {
			v = p.Default
		}
		if v.Kind() == KindNone {
			return nil, fmt.Errorf("operator %s: attribute %s is missing", op.Name, p.Name)
		}
		a[i] = v
	}
	if used != len(named) {
		names := make([]string, 0, len(named))
		for n := range named {
			if op.ParamIndex(n) < 0 {
				names = append(names, n)
			}
		}
		sort.Strings(names)
		return nil, fmt.Errorf("operator %s has no attribute %s", op.Name, strings.Join(names, ", "))
	}
	return a, nil
}

// MustAttr is Attr for attributes written in the program.
func (op *Op) MustAttr(named map[string]Value) Attrs {
	a, err := op.Attr(named)
	if err != nil {
		panic(err)
	}
	return a
}

// FormatAttrs prints the attributes that differ from their default, as
// "[axis=1, act=relu]", or nothing.
func (op *Op) FormatAttrs(a Attrs) string {
	var parts []string
	for i, p := range op.Params {
		if a[i] != p.Default {
			parts = append(parts, p.Name+"="+a[i].String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// InferShapes checks the number of inputs and infers the output shapes. Sizes
// that are too large for 63 bits are an error, see [ErrTooLarge].
func (op *Op) InferShapes(f *Unifier, a Attrs, in []Shape) ([]Shape, error) {
	if len(in) != op.In {
		return nil, fmt.Errorf("operator %s: %d inputs, want %d", op.Name, len(in), op.In)
	}
	if len(a) != len(op.Params) {
		return nil, fmt.Errorf("operator %s: %d attributes, want %d", op.Name, len(a), len(op.Params))
	}
	for i, p := range op.Params {
		if err := p.checkKind(a[i]); err != nil {
			return nil, fmt.Errorf("operator %s: attribute %s: %w", op.Name, p.Name, err)
		}
		if a[i].tooLarge() {
			return nil, fmt.Errorf("operator %s: attribute %s: %w", op.Name, p.Name, ErrTooLarge)
		}
	}
	for _, s := range in {
		if err := f.checkShape(s); err != nil {
			return nil, fmt.Errorf("operator %s: %w", op.Name, err)
		}
	}
	out, err := op.Infer(f, a, in)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op.Name, err)
	}
	for _, s := range out {
		if err := f.checkShape(s); err != nil {
			return nil, fmt.Errorf("operator %s: %w", op.Name, err)
		}
	}
	return out, nil
}

// WorkOf is the abstract cost of one application to float32 tensors of at most
// MaxElements elements each.
func (op *Op) WorkOf(a Attrs, in, out [][]int) Work {
	var w Work
	for _, s := range in {
		w.BytesRead = addSat(w.BytesRead, Product(4, NumElements(s)))
	}
	for _, s := range out {
		w.BytesWrite = addSat(w.BytesWrite, Product(4, NumElements(s)))
	}
	if op.FLOPs != nil {
		w.FLOPs = op.FLOPs(a, in, out)
	} else {
		w.FLOPs = w.BytesWrite / 4
	}
	return w
}

// checkKind requires a value of the kind that the parameter's sort asks for. A
// variable may stand for a value of any sort that has variables; a number is
// always written as a size expression, so a variable is none.
func (p Param) checkKind(v Value) error {
	ok := false
	switch p.Sort {
	case "shape":
		ok = v.kind == KindShape
	case "perm", "tuple":
		ok = v.kind == KindTuple
	case SortNumber:
		ok = v.kind == KindNumber || v.kind == KindVar && v.sort == SortNumber
	case SortDType, "name":
		ok = v.kind == KindName
	case SortStride:
		ok = v.kind == KindTuple || v.kind == KindVar
	case SortPadding:
		ok = v.kind == KindTuple || v.kind == KindName || v.kind == KindVar
	case SortSame, SortAct, SortBorder:
		ok = v.kind == KindName || v.kind == KindVar
	default: // int, axis and other numbers
		ok = v.kind == KindDim
	}
	if !ok {
		return fmt.Errorf("%s is not a value of sort %s", v, p.Sort)
	}
	return nil
}
