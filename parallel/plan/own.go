package plan

import "fmt"

// own checks that nodes of stages lie along mesh axes that count devices of their own stage: what
// computes along the axes of its stage, and what converts a tensor along those of the stages that make
// or read it. Elsewhere others' devices would do and hold a part of what a stage is said to.
func (p *Plan) own(of []int) error {
	t, g := p.Training, p.Laying.Graph()
	some := false
	for _, a := range p.Mesh.Axes {
		some = some || a.Stage > 0
	}
	if !some {
		return nil
	}
	reads := make([]map[int]bool, t.Graph.Len()+1) // stages that make or read results of a node
	for id := range t.Graph.Nodes() {
		reads[id] = map[int]bool{of[id]: true}
		for _, x := range t.Graph.Operands(id) {
			reads[x.Node][of[id]] = true
		}
	}
	inputs := t.Graph.Inputs()
	for i, x := range t.Graph.Outputs() { // what takes the place of a weight lies as that does
		if in, ok := t.Next[i]; ok {
			for s := range reads[inputs[in]] {
				reads[x.Node][s] = true
			}
		}
	}
	for id := range g.Nodes() {
		o := p.Laying.Origin(id)
		for k := range g.NumOut(id) {
			for _, a := range p.Laying.Mesh(id.Out(k)) {
				s, from := p.Mesh.Axes[a].Stage, o.Tensor.Node
				if s > 0 && (o.Converts && !reads[from][s] || !o.Converts && of[from] != s) {
					return fmt.Errorf("node %s of stage %d lies along an axis of stage %d", g.Name(id), of[from], s)
				}
			}
		}
	}
	return nil
}
