package instance

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// plainest is how many of the plainest instances of a law Mismatch tries.
const plainest = 600

// Mismatch looks for an instance on which one side of a law only is defined, or
// the shapes differ, and says so; it says so too if no instance is defined at all.
// "" means neither.
func Mismatch(l *law.Law) string {
	p, err := New(l)
	if err != nil {
		return err.Error()
	}
	why := ""
	defined, tried := 0, 0
	Instances(l, Scope{}, func(v *Valuation) bool {
		tried++
		given, ok, err := p.Given(v)
		if err != nil || !ok {
			return true
		}
		in, err := p.At(v, given)
		if err != nil {
			return tried < plainest
		}
		at := func(node int) string { return p.Nodes[node].Term.Subst(nil, nil, &v.Substitution).Brief() }
		left, noLeft := in.Undefined(0)
		right, noRight := in.Undefined(1)
		switch out, k := in.Shapes(); {
		case out == Equal:
			defined++
		case out == Differs:
			defined++
			why = fmt.Sprintf("with %s the left side has shape %s, the right side %s", v,
				graph.Sizes(in.Steps[p.Out[0][k]].Sizes...), graph.Sizes(in.Steps[p.Out[1][k]].Sizes...))
		case noLeft == nil:
			why = fmt.Sprintf("with %s only the left side is defined: %s: %v", v, at(right), noRight)
		case noRight == nil && !l.OneWay:
			why = fmt.Sprintf("with %s only the right side is defined: %s: %v", v, at(left), noLeft)
		}
		return why == "" && tried < plainest
	})
	if why == "" && defined == 0 {
		return fmt.Sprintf("it is defined on none of the %d plainest instances", tried)
	}
	return why
}
