package randplan

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/machine"
)

// Cluster has 2 to 4 devices, on links of any speed.
func Cluster(draw *rand.Rand) (*machine.Cluster, error) {
	speed := func() int { return 1 << draw.IntN(8) }
	text := fmt.Sprintf("name: random\ndevice: v100\nnodes: 1\nclasses: {near: {latency: %dus, bandwidth: %dGB/s}}\nnode: {devices: %d, links: [{class: near, mesh: [0, 1]}]}\n",
		speed(), speed(), 2)
	if draw.IntN(2) == 0 {
		text = fmt.Sprintf(`name: random
device: v100
nodes: 2
classes:
  near: {latency: %dus, bandwidth: %dGB/s}
  far: {latency: %dus, bandwidth: %dGB/s}
node:
  devices: 2
  switches: [nic]
  links:
    - {class: near, mesh: [0, 1, nic]}
network: {topology: switch, class: far, ports: [nic]}
`, speed(), 8*speed(), speed(), speed())
	}
	return machine.Parse("random.yaml", []byte(text), machine.Options{})
}

// Graph is a few operators on matrices, and, of one on two devices, often one to be trained, by
// the options.
func Graph(draw *rand.Rand, devices int) (*graph.Graph, *grad.Options, error) {
	size := func() int { return 64 << (2 * draw.IntN(4)) }
	var b strings.Builder
	type value struct {
		name       string
		rows, cols int
	}
	x := value{"x", size(), size()}
	fmt.Fprintf(&b, "x : float32[%d, %d]\n", x.rows, x.cols)
	var lines []string
	steps := 2 + draw.IntN(2)
	train := devices == 2 && draw.IntN(3) == 0
	if train {
		steps = 1
	}
	for i := range steps {
		y := value{fmt.Sprintf("y%d", i), x.rows, x.cols}
		switch k := draw.IntN(5); {
		case k < 2 || train:
			y.cols = size()
			fmt.Fprintf(&b, "w%d : weight float32[%d, %d]\n", i, x.cols, y.cols)
			lines = append(lines, fmt.Sprintf("%s = matmul(%s, w%d)", y.name, x.name, i))
		case k == 2:
			lines = append(lines, fmt.Sprintf("%s = relu(%s)", y.name, x.name))
		case k == 3:
			lines = append(lines, fmt.Sprintf("%s = softmax[axis=%d](%s)", y.name, draw.IntN(2), x.name))
		default:
			y.rows, y.cols = x.cols, x.rows
			lines = append(lines, fmt.Sprintf("%s = transpose(%s)", y.name, x.name))
		}
		x = y
	}
	g, err := graph.ParseText("random", b.String()+strings.Join(lines, "\n")+"\nreturn "+x.name)
	if err != nil || !train {
		return g, nil, err
	}
	return g, &grad.Options{Loss: grad.MeanSquare, Rate: 0.5}, nil
}
