package instance

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Program is a law with its subterms numbered. It is not changed once it is
// made; goroutines may share it.
type Program struct {
	Law    *law.Law
	Nodes  []Node             // arguments first
	Out    [2][]int           // the outputs of the left and the right side
	Inputs []*law.Declaration // the tensors given, in order
}

// Node is a subterm.
type Node struct {
	Term  *law.Term
	Args  []int // nodes
	Input int   // the place of a tensor given among the inputs; -1 of any other term
	fixed bool  // no attribute holds a variable
	act   int   // the place of an activation among the attributes, or -1
}

// New numbers the subterms of a law. It is an error if the sides have different
// numbers of outputs, or a variable is not given.
func New(l *law.Law) (*Program, error) {
	if len(l.LHS) != len(l.RHS) {
		return nil, fmt.Errorf("law %s: %d outputs on the left, %d on the right", l.Name, len(l.LHS), len(l.RHS))
	}
	p := &Program{Law: l}
	input := map[string]int{}
	for i := range l.Given {
		if b := &l.Given[i]; b.Sort == "" {
			input[b.Name] = len(p.Inputs)
			p.Inputs = append(p.Inputs, b)
		}
	}
	var nodes law.Nodes
	for side, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			p.Out[side] = append(p.Out[side], nodes.Of(t))
		}
	}
	for _, t := range nodes.All() {
		n := Node{Term: t, Args: make([]int, len(t.Args)), Input: -1, act: -1}
		for i, a := range t.Args {
			n.Args[i] = nodes.Of(a)
		}
		switch {
		case t.IsVar():
			i, ok := input[t.Var]
			if !ok {
				return nil, fmt.Errorf("law %s: tensor %s is not given", l.Name, t.Var)
			}
			n.Input = i
		case t.Fn != "":
			if b, ok := l.Find(t.Fn); !ok || !law.IsFuncSort(b.Sort) {
				return nil, fmt.Errorf("law %s: function %s is not given", l.Name, t.Fn)
			}
		default:
			n.fixed = fixed(t.Attrs)
			for i, q := range t.Op.Params {
				if q.Sort == graph.SortAct {
					n.act = i
				}
			}
		}
		p.Nodes = append(p.Nodes, n)
	}
	return p, nil
}

// fixed reports that attributes hold no variables.
func fixed(attrs graph.Attrs) bool {
	is := true
	for _, v := range attrs {
		is = is && v.Kind() != graph.KindVar && !v.HasPerm()
		v.Walk(func(graph.Atom) { is = false })
		if s, ok := v.Shape(); ok {
			is = is && !s.HasAxisRun()
		}
	}
	return is
}

// Given is the sizes of the tensors given, in order, at values of the law's
// variables; ok is false where a condition of the law does not hold or a size is
// below 1. It is an error if a shape is not bound.
func (p *Program) Given(v *Valuation) (sizes [][]int, ok bool, err error) {
	for _, w := range p.Law.Where {
		if holds, ok := w.Holds(&v.Substitution); !ok || !holds {
			return nil, false, nil
		}
	}
	for _, b := range p.Inputs {
		c, ok := b.Shape.Subst(&v.Substitution).Concrete()
		if !ok {
			return nil, false, fmt.Errorf("law %s: tensor %s: shape %s is not bound", p.Law.Name, b.Name, b.Shape)
		}
		for _, n := range c {
			if n < 1 {
				return nil, false, nil
			}
		}
		sizes = append(sizes, c)
	}
	return sizes, true, nil
}
