package extract

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Gym is a problem in the format of extraction-gym (egraph-serialize), with the
// names it has there: nodes and classes are named by strings, children are nodes,
// which stand for their classes, and costs are decimal numbers.
//
// Three fields are ours, and written only where they say something: a node's
// "kind" ("fixed" or "live") and "bytes", and "max_bytes" beside the nodes.
type Gym struct {
	Problem
	NodeNames  []string // by NodeID
	Ops        []string // by NodeID
	ClassNames []string // by ClassID
	// Scale is how many of our units of cost one of the file's is.
	Scale   float64
	Comment string
}

// GymScale makes picoseconds of milliseconds, the unit of the published e-graphs
// with costs measured by TASO.
const GymScale = 1e9

// gymNode is a node as the file has it.
type gymNode struct {
	Op       string   `json:"op"`
	Cost     *float64 `json:"cost"`
	EClass   *string  `json:"eclass"`
	Children []string `json:"children"`
	Subsumed bool     `json:"subsumed,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Bytes    int64    `json:"bytes,omitempty"`
}

// ReadGym reads a problem; costs are multiplied by scale (0: GymScale) and rounded
// to integers. Classes and nodes are numbered as they come in the file. Nodes
// marked as subsumed, which are not to be extracted, are left out. An error names
// the node and what is wrong with it.
func ReadGym(r io.Reader, scale float64) (*Gym, error) {
	if scale == 0 {
		scale = GymScale
	}
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("e-graph: scale %v: want a positive number", scale)
	}
	d := json.NewDecoder(bufio.NewReader(r))
	g := &gymReader{Gym: &Gym{Scale: scale}, classOf: map[string]ClassID{}, classes: map[string]ClassID{}}
	if err := g.read(d); err != nil {
		return nil, fmt.Errorf("e-graph: %w", err)
	}
	if err := g.resolve(); err != nil {
		return nil, fmt.Errorf("e-graph: %w", err)
	}
	return g.Gym, nil
}

// gymReader is what is known of a file half read.
type gymReader struct {
	*Gym
	classOf  map[string]ClassID // of a node
	classes  map[string]ClassID // of a class's name
	children [][]string         // by NodeID
	roots    []string
}

func (g *gymReader) class(name string) ClassID {
	id, ok := g.classes[name]
	if !ok {
		id = g.AddClass()
		g.classes[name] = id
		g.ClassNames = append(g.ClassNames, name)
	}
	return id
}

// object reads an object, field by field, in the order of the file.
func object(d *json.Decoder, what string, field func(name string) error) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("%s: %w", what, short(err))
	}
	if t != json.Delim('{') {
		return fmt.Errorf("%s: want an object, got %v", what, t)
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("%s: %w", what, short(err))
		}
		name, _ := t.(string)
		if seen[name] {
			return fmt.Errorf("%s: %q is there twice", what, name)
		}
		seen[name] = true
		if err := field(name); err != nil {
			return err
		}
	}
	_, err = d.Token()
	if err != nil {
		return fmt.Errorf("%s: %w", what, short(err))
	}
	return nil
}

// short says "unexpected end" of a file that stops early.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (g *gymReader) read(d *json.Decoder) error {
	nodes := false
	err := object(d, "file", func(name string) error {
		decode := func(v any) error {
			if err := d.Decode(v); err != nil {
				return fmt.Errorf("%s: %w", name, short(err))
			}
			return nil
		}
		switch name {
		case "nodes":
			nodes = true
			return object(d, "nodes", func(id string) error { return g.node(d, id) })
		case "root_eclasses":
			return decode(&g.roots)
		case "comment":
			return decode(&g.Comment)
		case "max_bytes":
			return decode(&g.MaxBytes)
		}
		var skip json.RawMessage // class_data and the like
		return decode(&skip)
	})
	if err != nil {
		return err
	}
	if !nodes {
		return errors.New(`file: no "nodes"`)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("file: something follows the object")
	}
	return nil
}

func (g *gymReader) node(d *json.Decoder, id string) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("node %q: %w", id, fmt.Errorf(format, args...))
	}
	var n gymNode
	if err := d.Decode(&n); err != nil {
		return fail("%w", short(err))
	}
	if n.EClass == nil {
		return fail("no eclass")
	}
	cost := 1.0 // the format's default
	if n.Cost != nil {
		cost = *n.Cost
	}
	scaled := math.Round(cost * g.Scale)
	if !(scaled >= 0 && scaled <= maxTotal) {
		return fail("cost %v: want 0 to %v", cost, maxTotal/g.Scale)
	}
	kind, ok := map[string]Kind{"": Plain, "fixed": Fixed, "live": Live}[n.Kind]
	if !ok {
		return fail("kind %q: want fixed or live", n.Kind)
	}
	class := g.class(*n.EClass)
	g.classOf[id] = class
	if n.Subsumed {
		return nil
	}
	g.AddNode(Node{Class: class, Cost: int64(scaled), Bytes: n.Bytes, Kind: kind})
	g.NodeNames = append(g.NodeNames, id)
	g.Ops = append(g.Ops, n.Op)
	g.children = append(g.children, n.Children)
	return nil
}

// resolve puts classes for the names of children and roots.
func (g *gymReader) resolve() error {
	for i, names := range g.children {
		for _, name := range names {
			k, ok := g.classOf[name]
			if !ok {
				return fmt.Errorf("node %q: child %q is no node", g.NodeNames[i], name)
			}
			g.Nodes[i].Children = append(g.Nodes[i].Children, k)
		}
	}
	for _, name := range g.roots {
		k, ok := g.classes[name]
		if !ok {
			return fmt.Errorf("root %q is the class of no node", name)
		}
		g.Roots = append(g.Roots, k)
	}
	return g.Validate()
}

// Write writes the problem, nodes in order. A child is written as the first node
// of its class, so a class that is a child needs a node. Names may be missing
// (nil): then numbers are written.
func (g *Gym) Write(w io.Writer) error {
	if err := g.Validate(); err != nil {
		return fmt.Errorf("e-graph: %w", err)
	}
	scale := g.Scale
	if scale == 0 {
		scale = GymScale
	}
	name := func(names []string, prefix string, i int) string {
		if i < len(names) {
			return names[i]
		}
		return fmt.Sprint(prefix, i)
	}
	first := make([]NodeID, g.Classes)
	for k := range first {
		first[k] = NoNode
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		first[g.Nodes[i].Class] = NodeID(i)
	}
	b := bufio.NewWriter(w)
	// An encoder ends values with a newline, which is welcome here.
	put := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings and finite numbers
		}
		b.Write(text)
	}
	b.WriteString("{\"nodes\": {\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		cost := float64(n.Cost) / scale
		class := name(g.ClassNames, "", int(n.Class))
		out := gymNode{Op: name(g.Ops, "node", i), Cost: &cost, EClass: &class, Children: []string{}, Bytes: n.Bytes}
		out.Kind = [...]string{Plain: "", Fixed: "fixed", Live: "live"}[n.Kind]
		for _, k := range n.Children {
			if first[k] == NoNode {
				return fmt.Errorf("e-graph: node %d: class %d has no node to name it by", i, k)
			}
			out.Children = append(out.Children, name(g.NodeNames, "", int(first[k])))
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		put(name(g.NodeNames, "", i))
		b.WriteString(": ")
		put(out)
	}
	b.WriteString("\n},\n\"root_eclasses\": ")
	roots := []string{}
	for i, k := range g.Roots {
		if first[k] == NoNode {
			return fmt.Errorf("e-graph: root %d: class %d has no node", i, k)
		}
		roots = append(roots, name(g.ClassNames, "", int(k)))
	}
	put(roots)
	if g.MaxBytes > 0 {
		fmt.Fprintf(b, ",\n\"max_bytes\": %d", g.MaxBytes)
	}
	if g.Comment != "" {
		b.WriteString(",\n\"comment\": ")
		put(g.Comment)
	}
	b.WriteString("\n}\n")
	return b.Flush()
}
