package export

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/taso-go/taso/parallel/plan"
)

// dtensor is a plan as placements of PyTorch's DTensor: data, a function that distributes
// tensors by it, and for matrices of weights the styles of parallelize_module. What cannot
// be said is listed in the file.
func dtensor(p *plan.Plan) ([]byte, error) {
	x, err := newPlacements(p)
	if err != nil {
		return nil, err
	}
	of := p.Source().Graph
	var b bytes.Buffer
	var sizes, names []string
	for _, a := range x.axes {
		sizes, names = append(sizes, fmt.Sprint(x.of.lay.Degrees()[a])), append(names, fmt.Sprintf("%q", axisName(a)))
	}
	fmt.Fprintf(&b, `# How tensors lie over a mesh of devices, for PyTorch's DTensor, as taso's planner %q laid
# them out: a placement for each axis of the mesh. Sizes are those of the whole tensors.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor

MESH = (%s)
AXES = (%s)

`, p.Planner, inside(sizes), inside(names))
	line := func(name string, sizes []int, places []string) {
		fmt.Fprintf(&b, "    %q: (%s),  # %s\n", name, inside(places), strings.ReplaceAll(fmt.Sprint(sizes), " ", ", "))
	}
	b.WriteString("# Inputs, weights and state before a step, and behind it.\nINPUTS = {\n")
	for i, id := range of.Inputs() {
		places, why := x.ofInput(i)
		if why != "" {
			x.cannot("input %s: %s", of.Name(id), why)
			continue
		}
		line(of.Name(id), of.Sizes(id.Out(0)), places)
	}
	b.WriteString("}\n\n# Results of the operators of the step.\nACTIVATIONS = {\n")
	for id := range of.Nodes() {
		if _, ok := x.acts[id]; !ok {
			continue
		}
		places, why := x.ofActivation(id)
		if why != "" {
			x.cannot("%s: %s", of.Name(id), why)
			continue
		}
		line(of.Name(id), of.Sizes(id.Out(0)), places)
	}
	b.WriteString("}\n\n# Matrices of weights of which parallelize_module knows the style, by axis of the mesh:\n" +
		"# ColwiseParallel or RowwiseParallel of the linear layer that has the matrix transposed.\nSTYLES = {\n")
	for _, id := range of.Inputs() {
		for k, a := range x.axes {
			if of.IsWeight(id) && x.of.lay.Degrees()[a] > 1 {
				if s := x.style(id, k); s != "" {
					fmt.Fprintf(&b, "    (%q, %q): %q,\n", of.Name(id), axisName(a), s)
				}
			}
		}
	}
	if x.of.time >= 0 {
		x.cannot("%d micro-batches: a loop around the step, which adds up gradients", x.of.micro)
	}
	b.WriteString("}\n\n# What placements cannot say.\nNOT_SAID = [\n")
	for _, s := range x.not {
		fmt.Fprintf(&b, "    %q,\n", s)
	}
	b.WriteString(`]


def distribute(tensors, device="cuda"):
    """Inputs by name as DTensors."""
    mesh = init_device_mesh(device, MESH, mesh_dim_names=AXES)
    return {name: distribute_tensor(x, mesh, INPUTS[name]) for name, x in tensors.items()}
`)
	return b.Bytes(), nil
}
