package extract

import "fmt"

// Solution is a choice with what it costs.
type Solution struct {
	// Choice is, by class, the node chosen: NoNode for every class that the
	// roots do not need.
	Choice []NodeID
	Cost   int64 // sum of the costs of the chosen nodes that are not fixed
	Bytes  int64 // sum of the bytes of the stored ones: fixed, and a root or read by a node that is not
}

// Evaluate follows a choice from the roots and returns it without the classes
// that are not needed, with its cost and bytes. It is an error if a class that is
// needed has no node, a node of another class, or needs itself. MaxBytes is not
// looked at. The problem is a valid one.
//
// Every solver of this package has its result evaluated here; Evaluate shares
// nothing with them.
func (p *Problem) Evaluate(choice []NodeID) (Solution, error) {
	if len(choice) != p.Classes {
		return Solution{}, fmt.Errorf("choice for %d classes: there are %d", len(choice), p.Classes)
	}
	const (
		unseen = iota
		open
		live
		fixed
	)
	s := Solution{Choice: make([]NodeID, p.Classes)}
	for i := range s.Choice {
		s.Choice[i] = NoNode
	}
	state := make([]uint8, p.Classes)
	stored := make([]bool, p.Classes)
	type frame struct {
		class ClassID
		next  int // the child to be visited next
	}
	var stack []frame
	enter := func(c ClassID) error {
		n := choice[c]
		if n < 0 || int(n) >= len(p.Nodes) {
			return fmt.Errorf("class %d is needed, and no node is chosen", c)
		}
		if p.Nodes[n].Class != c {
			return fmt.Errorf("class %d: node %d is of class %d", c, n, p.Nodes[n].Class)
		}
		s.Choice[c] = n
		state[c] = open
		stack = append(stack, frame{class: c})
		return nil
	}
	for _, root := range p.Roots {
		if state[root] == unseen {
			if err := enter(root); err != nil {
				return Solution{}, err
			}
		}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			n := &p.Nodes[choice[f.class]]
			if f.next < len(n.Children) {
				k := n.Children[f.next]
				f.next++
				switch state[k] {
				case unseen:
					if err := enter(k); err != nil {
						return Solution{}, err
					}
				case open:
					return Solution{}, fmt.Errorf("class %d is needed to make itself", k)
				}
				continue
			}
			isFixed := n.Kind == Fixed
			if n.Kind == Plain && len(n.Children) > 0 {
				isFixed = true
				for _, k := range n.Children {
					isFixed = isFixed && state[k] == fixed
				}
			}
			if isFixed {
				state[f.class] = fixed
			} else {
				state[f.class] = live
				s.Cost += n.Cost
				for _, k := range n.Children {
					stored[k] = true
				}
			}
			stack = stack[:len(stack)-1]
		}
		stored[root] = true
	}
	for c, st := range stored {
		if st && state[c] == fixed {
			s.Bytes += p.Nodes[choice[c]].Bytes
		}
	}
	return s, nil
}
