package rewrite

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Define solves equations between sizes of the law and unknowns, of which nothing
// is known but their names: what each size variable of the law is in terms of
// them. Names of unknowns are to be none of the law's. guards are the equations
// that define no variable; they are conditions on the unknowns. The error says
// that the equations do not determine the variables in them.
func (c *Law) Define(sizes, unknowns []graph.Dim) (dims map[string]graph.Dim, guards []int, err error) {
	s := c.NewSolver()
	for i, v := range c.Attrs { // the law's own
		s.attrs[i] = graph.VarValue(v.Name, v.Sort)
	}
	left := make([]int, len(sizes))
	eqs := make([]dimEq, len(sizes))
	for i := range sizes {
		p, err := c.numbering.poly(sizes[i])
		if err != nil {
			return nil, nil, err
		}
		left[i], eqs[i] = i, dimEq{&p, unknowns[i]}
	}
	for len(left) > 0 {
		var rest []int
		for _, i := range left {
			coef, unknown, value, ok := s.reduce(eqs[i])
			switch q, divides := value.Quo(coef); {
			case ok && unknown < 0:
				guards = append(guards, i)
			case ok && divides && int(unknown) < len(s.dims):
				s.bindDim(unknown, q)
			default:
				rest = append(rest, i)
			}
		}
		if len(rest) == len(left) {
			return nil, nil, fmt.Errorf("the sizes are not determined")
		}
		left = rest
	}
	return s.Substitution().Dims, guards, nil
}
