package machine

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/taso-go/taso/cost"
)

// Cluster is a graph of devices, hosts and switches, joined by directed links. It is not
// changed after it is made, and may be used by several goroutines.
type Cluster struct {
	// Name is a short word, Doc says what it is and where the numbers come from.
	Name, Doc string
	// Device describes each of the devices: peak rates by element type, the roofline.
	Device *cost.Machine
	// Memory is that of each device, in bytes.
	Memory int64
	// Nodes is the number of nodes; on a torus the product of Shape.
	Nodes int
	// Shape is how nodes are counted: one number, or the sizes of a torus.
	Shape []int
	// Topology is that of the network between nodes, "" for one node.
	Topology string
	// Vertices are the devices, node by node, then what is between them.
	Vertices []Vertex
	// Links are directed; both directions of a cable are two links.
	Links []Link
	// Classes are the kinds of links, in the order of the file.
	Classes []Class

	devices int
	forward bool
	out     [][]int // links that leave a vertex
	rows    []atomic.Pointer[row]
	scratch sync.Pool
	groups  sync.Map // of devices, by their text
	from    *spec    // what the network is made again from
}

// Vertex is a device, a host or a switch.
type Vertex struct {
	// Name is "n0.d3" for device 3 of node 0, "n0.cpu1" for what a node names, and a name
	// of its own, such as "leaf0", in the network.
	Name string
	// Node is the number of the node, -1 in the network.
	Node int
	// Memory is that of a host, in bytes: what devices may put aside there. 0 of all others.
	Memory int64
}

// Link leads messages from one vertex to another.
type Link struct {
	From, To int
	// Class is the name of its class, "" of a wire: a link that takes no time, by which
	// vertices are joined to a bus.
	Class string
	// Latency is the time until the first byte arrives.
	Latency Time
	// Bandwidth is in bytes a second; 0 of a wire.
	Bandwidth int64
}

// Class is a kind of links.
type Class struct {
	Name    string
	Latency Time
	// Bandwidth is that of one direction, in bytes a second.
	Bandwidth int64
}

// MaxDevices is how many devices a cluster may have.
const MaxDevices = 4096

// Devices is the number of devices. Devices are the vertices 0 to Devices()-1.
func (c *Cluster) Devices() int { return c.devices }

// PerNode is the number of devices of a node.
func (c *Cluster) PerNode() int { return c.devices / c.Nodes }

// All lists the devices.
func (c *Cluster) All() []int {
	all := make([]int, c.devices)
	for i := range all {
		all[i] = i
	}
	return all
}

// checkGroup wants at least one device, each once.
func (c *Cluster) checkGroup(group []int) error {
	if len(group) == 0 {
		return fmt.Errorf("group of devices: it is empty")
	}
	seen := make(map[int]bool, len(group))
	for _, d := range group {
		if d < 0 || d >= c.devices {
			return fmt.Errorf("group of devices: %d is none of the devices 0 to %d", d, c.devices-1)
		}
		if seen[d] {
			return fmt.Errorf("group of devices: %d is in it twice", d)
		}
		seen[d] = true
	}
	return nil
}
