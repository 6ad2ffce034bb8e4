package taso

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/tasopb"
)

// Point gives the inputs of a rule their sizes.
type Point struct {
	// Shapes are the sizes of the inputs, by their names in laws, such as X1.
	Shapes map[string][]int
	// Broadcast: operands of sums and products of elements may differ in shape.
	Broadcast bool

	target bool // the target is being written
	void   bool // a term of it has no shape
}

// ErrSource says that the source of a rule is not defined at a point.
var ErrSource = errors.New("the left side is not defined")

// At writes a rule out at one point, as a reading understands it there: the groups of a
// convolution are what the channels of its operands say, a split cuts where its input was
// joined. The law has no size variables and claims the direction left to right. Operands
// that are broadcast are not marked (package broadcast does that), and what has no shape is
// written as it stands, so that who evaluates the law finds it undefined.
//
// The error wraps [ErrSource] where the source is not defined. Any other error says that
// the rule cannot be written out there, which says nothing of its truth.
func At(r *tasopb.Rule, reading Reading, p Point) (*law.Law, error) {
	open, err := reading.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	t := newTranslator(r, 0, reading, open, nil)
	t.facts, t.loose, t.point = graph.ExactSolver(), true, &p
	var sides [2][][]tensor
	for k, side := range []tasopb.Side{tasopb.Src, tasopb.Dst} {
		p.target = side == tasopb.Dst
		if t.ranks, err = p.ranks(r, side); err == nil {
			sides[k], err = t.side(side)
		}
		if err == nil {
			err = t.constants()
		}
		if err != nil && p.target {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSource, err)
		}
	}
	l := t.written(sides)
	sizes, runs := law.Variables(l)
	if len(sizes)+len(runs) > 0 && !p.void {
		// What one side leaves open the other may say.
		for _, m := range t.rule.Mapped {
			x, y := t.output(sides[0], m.SrcOpID, m.SrcTsID), t.output(sides[1], m.DstOpID, m.DstTsID)
			if err := t.facts.EqShape(x.shape, y.shape); err != nil {
				return nil, fmt.Errorf("%w: the size of a constant stays open: %w", ErrTyping, err)
			}
		}
		if err := t.constants(); err != nil {
			return nil, err
		}
		l = t.written(sides)
		if sizes, runs = law.Variables(l); len(sizes)+len(runs) > 0 {
			return nil, fmt.Errorf("%w: the size of a constant stays open", ErrTyping)
		}
	}
	for _, id := range t.ids {
		if _, ok := p.Shapes[varName(id)]; !ok {
			return nil, fmt.Errorf("%w: no shape of %s is given", ErrInvalid, varName(id))
		}
	}
	// What is used by a term without a shape only may have any size.
	any := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}}
	for _, n := range sizes {
		any.Dims[n] = graph.Int(1)
	}
	for _, n := range runs {
		any.Runs[n] = graph.Shape{}
	}
	return l.Subst(any), nil
}

// written is the law of both sides as far as it is known.
func (t *translator) written(sides [2][][]tensor) *law.Law {
	l := &law.Law{Kind: law.Rule, Name: fmt.Sprintf("rule_%d", t.index), OneWay: true}
	sol := t.facts.Solution()
	var nodes law.Nodes
	for _, m := range t.rule.Mapped {
		x, y := t.output(sides[0], m.SrcOpID, m.SrcTsID), t.output(sides[1], m.DstOpID, m.DstTsID)
		l.LHS = append(l.LHS, x.term.Subst(nil, nil, sol).Rewrite(nodes.Unique))
		l.RHS = append(l.RHS, y.term.Subst(nil, nil, sol).Rewrite(nodes.Unique))
	}
	for _, id := range t.ids {
		l.Given = append(l.Given, law.Declaration{Name: varName(id), Shape: t.vars[id]})
	}
	return l
}

// ranks are the numbers of axes that the operators of one side and its inputs have.
func (p *Point) ranks(r *tasopb.Rule, side tasopb.Side) (*ranks, error) {
	alone := &tasopb.Rule{SrcOps: r.SrcOps}
	if side == tasopb.Dst {
		alone = &tasopb.Rule{DstOps: r.DstOps}
	}
	rs, err := inferRanks(alone)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTyping, err)
	}
	for _, o := range r.Side(side) {
		for _, x := range o.Inputs {
			if shape, ok := p.Shapes[varName(x.OpID)]; ok && x.OpID < 0 {
				// An error is found again where shapes are inferred.
				_ = rs.set(rs.of(side, x), len(shape))
			}
		}
	}
	return rs, nil
}

// constants solves for the sizes of constants. What the groups of a convolution with one
// are, if its channels leave that open, is one.
func (t *translator) constants() error {
	for {
		pending := t.facts.Pending()
		if len(pending) == 0 {
			return t.facts.Settle()
		}
		solved := false
		for _, e := range pending {
			for _, tie := range t.candidates(e) {
				name, _ := tie[0].IsVar()
				if t.groups[name] && tie[1] == graph.Int(1) && t.facts.Eq(tie[0], tie[1]) == nil {
					solved = true
					break
				}
			}
			if solved {
				break
			}
		}
		if !solved {
			return fmt.Errorf("%w: sizes %s and %s do not say what a constant is", ErrTyping, pending[0][0], pending[0][1])
		}
	}
}

// groupsOf is the number of groups of a convolution that may have any: a variable, or, at
// a point, what the channels say.
func (t *translator) groupsOf(x, w tensor) graph.Dim {
	if t.point != nil {
		if len(x.shape) != 4 || len(w.shape) != 4 {
			return graph.Int(1)
		}
		c, ok := t.facts.Norm(x.shape[1].Dim).Const()
		d, also := t.facts.Norm(w.shape[1].Dim).Const()
		if ok && also {
			return graph.Int(max(c/d, 1))
		}
	}
	groups := t.fresh()
	name, _ := groups.IsVar()
	t.groups[name] = true
	return groups
}

// otherKernel writes that an operator asks for a kernel of another size along an axis: by a
// term that is not defined, as it takes more from the kernel than there is, or makes it
// larger than less.
func (t *translator) otherKernel(w tensor, axis int, want int64) (tensor, error) {
	size, ok := t.facts.Norm(w.shape[axis].Dim).Const()
	switch {
	case !ok:
		return tensor{}, errors.New("a kernel of unknown size")
	case size < want:
		return t.named("slice", graph.Attrs{graph.IntValue(int64(axis)), graph.IntValue(0), graph.IntValue(want)}, w)
	}
	to := graph.Attrs{graph.DimValue(w.shape[2].Dim), graph.DimValue(w.shape[3].Dim)}
	to[axis-2] = graph.IntValue(want)
	return t.named("enlarge", to, w)
}

// voids are the results of an operator that has no shape. Where they were joined is known
// still, as a split needs it.
func (p *Point) voids(term *law.Term, seams [][]*seam) []tensor {
	p.void = true
	out := make([]tensor, term.Op.Out)
	for i := range out {
		out[i] = tensor{term: term.Output(i), seams: seams[min(i, len(seams)-1)], void: true}
	}
	return out
}

// meet replaces the shapes of the operands of a sum or product of elements by the one to
// which both are broadcast, if there is one. Nothing was joined along axes that are new.
// It is an error if that depends on the size of a constant.
func (p *Point) meet(facts *graph.Unifier, op *graph.Op, in []graph.Shape, seams [][]*seam) error {
	if !p.Broadcast || op.Name != "ewadd" && op.Name != "ewmul" {
		return nil
	}
	x, okx := facts.NormShape(in[0]).Concrete()
	y, oky := facts.NormShape(in[1]).Concrete()
	if !okx || !oky {
		if err := facts.EqShape(in[0], in[1]); err != nil {
			return fmt.Errorf("%w: the size of a constant stays open: %w", ErrInvalid, err)
		}
		return nil
	}
	if len(x) < len(y) {
		x, y = y, x
	}
	to, front := graph.Sizes(x...), len(x)-len(y)
	for i, n := range y {
		switch m := x[front+i]; {
		case m == 1:
			to[front+i].Dim = graph.Int(int64(n))
		case n != 1 && n != m:
			return nil // there is none
		}
	}
	for i := range in {
		seams[i] = append(make([]*seam, len(to)-len(in[i])), seams[i]...)
		in[i] = to
	}
	return nil
}
