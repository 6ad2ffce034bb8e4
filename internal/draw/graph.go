package draw

import (
	"fmt"
	"slices"
	"strconv"
)

// Graph is what is drawn. It must not have a cycle.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a box.
type Node struct {
	// ID names the node in edges. It is not drawn.
	ID string
	// Label is the first line.
	Label string
	// Sub is smaller text below it, such as a shape; lines end in \n.
	Sub string
	// Class chooses colour and form: names separated by spaces. [Input],
	// [Const], [Output], [Mark], [Removed] and [Added] have a meaning, kind1 to kind8 are colours
	// ([Kind]); any other name gets one of those colours by its hash.
	Class string
	// Line, where it is not empty, is the class of the lines that leave the node: line1 to
	// line10 ([Line]), which are broad.
	Line string
	// Tooltip is shown where the pointer rests; without one, a label that had
	// to be cut is.
	Tooltip string
}

// Edge is an arrow. Edges to the same node arrive from left to right in the
// order in which they are given.
type Edge struct {
	From, To string // IDs
	// Label is drawn beside the edge, near its end.
	Label string
	// Port, where it is not empty, names the output of From at which the edge
	// leaves, and is written there. Ports are ordered by length, then content.
	Port string
}

// The classes of nodes that have a meaning.
const (
	Input  = "input"  // given from outside: round
	Const  = "const"  // a constant: round, pale
	Output = "output" // a result: thick border
	Mark   = "mark"   // kept as it is, or to be looked at: amber border
	// Of two graphs that are compared, a node that the other does not have.
	Removed = "removed" // in the first: red border
	Added   = "added"   // in the second: green border
)

// Kinds is the number of colours for nodes.
const Kinds = 8

// Kind is the class of colour i, for any i.
func Kind(i int) string {
	i = ((i % Kinds) + Kinds) % Kinds
	return "kind" + string(rune('1'+i))
}

// Lines is the number of colours for lines.
const Lines = 10

// Line is the class of lines of colour i, for any i.
func Line(i int) string {
	i = ((i % Lines) + Lines) % Lines
	return "line" + strconv.Itoa(i+1)
}

// activities are what devices send and compute, by colour.
var activities = map[string]int{
	"all-reduce": 0, "all-gather": 1, "reduce-scatter": 2, "all-to-all": 3,
	"scatter": 4, "broadcast": 4, "gather": 4, "reduce": 4,
	"send-receive": 5, "permute": 5, "send": 5, "send back": 5, "offload": 5,
	"forward": 6, "backward": 7, "update": 8, "recompute": 9,
}

// Activity is the class of lines of a collective, or of another class of tasks of a device,
// the same in all drawings; "" if the name is not known.
func Activity(name string) string {
	if i, ok := activities[name]; ok {
		return Line(i)
	}
	return ""
}

// Options change a picture. The zero value draws a document of its own.
type Options struct {
	// Title says what is drawn, to those who do not see it; "" is "graph".
	Title string
	// Inline draws for use within an HTML page: without name spaces and without
	// colours, which the page takes from [Style].
	Inline bool
	// IDs writes the ID of each node as the attribute data-id of its group, and
	// that of the node for which a small box stands as data-ref, for scripts.
	IDs bool
	// MaxText is the number of characters after which a line is cut; 0 is 40.
	MaxText int
}

func (o Options) withDefaults() Options {
	if o.Title == "" {
		o.Title = "graph"
	}
	if o.MaxText <= 0 {
		o.MaxText = 40
	}
	return o
}

// dag is a checked graph with numbers for names.
type dag struct {
	edges []arc
	in    [][]int // edges by target, in the order given
	out   [][]int // edges by source
	ports [][]string
	topo  []int // nodes, sources first
}

// arc is an edge of a dag.
type arc struct {
	from, to   int
	port, slot int // positions among the ports of from and the arrivals at to
	label      string
}

// check numbers the nodes. It is an error if two nodes have one ID, if an edge
// names a node that is not there, or if there is a cycle.
func (g Graph) check() (*dag, error) {
	d := &dag{in: make([][]int, len(g.Nodes)), out: make([][]int, len(g.Nodes)), ports: make([][]string, len(g.Nodes))}
	at := make(map[string]int, len(g.Nodes))
	for i, n := range g.Nodes {
		if j, twice := at[n.ID]; twice {
			return nil, fmt.Errorf("draw: nodes %d and %d are both called %q", j, i, n.ID)
		}
		at[n.ID] = i
	}
	for i, e := range g.Edges {
		from, ok := at[e.From]
		if !ok {
			return nil, fmt.Errorf("draw: edge %d comes from %q, which is no node", i, e.From)
		}
		to, ok := at[e.To]
		if !ok {
			return nil, fmt.Errorf("draw: edge %d goes to %q, which is no node", i, e.To)
		}
		d.edges = append(d.edges, arc{from: from, to: to, slot: len(d.in[to]), label: e.Label})
		d.in[to] = append(d.in[to], i)
		d.out[from] = append(d.out[from], i)
		d.ports[from] = append(d.ports[from], e.Port)
	}
	for n := range d.ports {
		slices.SortFunc(d.ports[n], shortlex)
		d.ports[n] = slices.Compact(d.ports[n])
	}
	for i, e := range g.Edges {
		a := &d.edges[i]
		a.port, _ = slices.BinarySearchFunc(d.ports[a.from], e.Port, shortlex)
	}
	// Sources first; the order within is that of the nodes given.
	left := make([]int, len(g.Nodes))
	for n := range g.Nodes {
		if left[n] = len(d.in[n]); left[n] == 0 {
			d.topo = append(d.topo, n)
		}
	}
	for i := 0; i < len(d.topo); i++ {
		for _, e := range d.out[d.topo[i]] {
			to := d.edges[e].to
			if left[to]--; left[to] == 0 {
				d.topo = append(d.topo, to)
			}
		}
	}
	if len(d.topo) < len(g.Nodes) {
		for n := range left {
			if left[n] > 0 {
				return nil, fmt.Errorf("draw: node %q is on a cycle or below one", g.Nodes[n].ID)
			}
		}
	}
	return d, nil
}

// shortlex orders by length, then content, so that "9" comes before "10".
func shortlex(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
