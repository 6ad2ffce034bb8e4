package graph

// EachPrefix begins the names of lifted operators.
const EachPrefix = "each_"

// lifted are the lifted operators by the operator they apply, liftedBy by their names.
var (
	lifted   = map[*Op]*Op{}
	liftedBy = map[string]*Op{}
)

// Each is op applied to each member of a family of tensors: all operands have the
// axes of the attribute over in front of their own, and so have the results; the
// other attributes are op's, and count op's axes. What op does with the rest of the
// shapes is said by op alone, so that no operator knows of families. An operator that
// carries any axes in front along ([Op.Batched], [Op.Pointwise]) is its own lifting, and
// has no such attribute. It is nil of an operator that is not in the registry.
//
// The axes in front of a family that is spread over devices are axes of the mesh of
// these (Unity, OSDI 2022, section 3, has parallel dimensions in their place).
func (op *Op) Each() *Op {
	if op.Batched || op.Pointwise {
		return op
	}
	return lifted[op]
}

// Lifted lists the lifted operators that are not the operators themselves, in the order
// of [Ops].
func Lifted() []*Op {
	var out []*Op
	for _, op := range Ops() {
		if e := lifted[op]; e != nil {
			out = append(out, e)
		}
	}
	return out
}

// lift makes the lifted operator.
func lift(op *Op) *Op {
	e := &Op{
		Name: EachPrefix + op.Name, In: op.In, Out: op.Out,
		Doc:         "Each member of families of tensors on its own: " + op.Doc,
		Params:      append([]Param{{Name: "over", Sort: "shape", Doc: "the axes of the family, in front of all shapes"}}, op.Params...),
		Turns:       op.Turning(),
		Commutative: op.Commutative, Moves: op.Moves, Rearranges: op.Rearranges, Class: op.Class, ByType: op.ByType,
	}
	e.member = op
	e.Partial = op.Partial
	e.toEach(op)
	return e
}

// Member is what a lifted operator with attributes a applies to one member: the operator,
// its attributes, and the axes of the families. Of any other operator one is nil.
func (op *Op) Member(a Attrs) (one *Op, attrs Attrs, over Shape) {
	if op.member == nil {
		return nil, nil, nil
	}
	over, _ = a[0].Shape()
	return op.member, a[1:], over
}
