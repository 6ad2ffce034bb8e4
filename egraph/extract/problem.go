package extract

import (
	"errors"
	"fmt"
	"math"
)

// ClassID numbers the classes of a problem, from 0.
type ClassID int32

// NodeID numbers the nodes of a problem: the index in Problem.Nodes.
type NodeID int32

// NoNode stands in a choice for a class of which no node is chosen.
const NoNode NodeID = -1

// Kind says when a chosen node is fixed.
type Kind uint8

const (
	// Plain nodes are fixed exactly if they have children and all of the nodes
	// chosen for these are fixed.
	Plain Kind = iota
	// Fixed is a leaf that is known before anything runs: a weight, a constant.
	Fixed
	// Live nodes are never fixed, whatever they read.
	Live
)

// maxTotal bounds the sum of all costs, so that no sum of a solver overflows.
const maxTotal = math.MaxInt64 / 8

// Node is one way to make a class.
type Node struct {
	Class    ClassID
	Children []ClassID // a class may occur more than once
	Cost     int64     // at least 0; what it costs to run the node, once
	Bytes    int64     // at least 0; the memory that its value takes if it is stored
	Kind     Kind
}

// Problem is an e-graph to extract from. The zero value has no classes.
type Problem struct {
	Classes int // how many there are
	Nodes   []Node
	Roots   []ClassID // what has to be made; at least one
	// MaxBytes bounds the memory of the fixed values that are stored; 0 is no bound.
	MaxBytes int64
}

// AddClass adds a class without nodes.
func (p *Problem) AddClass() ClassID {
	p.Classes++
	return ClassID(p.Classes - 1)
}

// AddNode adds a node; the problem keeps n.Children.
func (p *Problem) AddNode(n Node) NodeID {
	p.Nodes = append(p.Nodes, n)
	return NodeID(len(p.Nodes) - 1)
}

// ErrNoChoice is the error of a problem some root of which cannot be made: each
// of its nodes needs, in the end, itself or a class without nodes.
var ErrNoChoice = errors.New("a root has no acyclic choice")

// Validate returns what is wrong with the problem as data: a class out of range,
// a negative cost or size, a Fixed node with children, no roots, or costs the sum
// of which is more than 2^60. It does not say whether there is a choice.
func (p *Problem) Validate() error {
	if p.Classes < 0 || p.Classes > math.MaxInt32 || len(p.Nodes) > math.MaxInt32 {
		return fmt.Errorf("%d classes, %d nodes: want at most %d of each", p.Classes, len(p.Nodes), math.MaxInt32)
	}
	if p.MaxBytes < 0 {
		return fmt.Errorf("bound of %d bytes: want at least 0", p.MaxBytes)
	}
	if len(p.Roots) == 0 {
		return errors.New("no roots")
	}
	in := func(c ClassID) bool { return c >= 0 && int(c) < p.Classes }
	for i, r := range p.Roots {
		if !in(r) {
			return fmt.Errorf("root %d: class %d: there are %d classes", i, r, p.Classes)
		}
	}
	var cost, bytes int64
	for i := range p.Nodes {
		n := &p.Nodes[i]
		switch {
		case !in(n.Class):
			return fmt.Errorf("node %d: class %d: there are %d classes", i, n.Class, p.Classes)
		case n.Cost < 0 || n.Bytes < 0:
			return fmt.Errorf("node %d: cost %d, %d bytes: want at least 0", i, n.Cost, n.Bytes)
		case n.Kind > Live:
			return fmt.Errorf("node %d: kind %d is not known", i, n.Kind)
		case n.Kind == Fixed && len(n.Children) > 0:
			return fmt.Errorf("node %d: fixed, with %d children: only leaves are marked", i, len(n.Children))
		case n.Cost > maxTotal-cost || n.Bytes > maxTotal-bytes:
			return fmt.Errorf("node %d: with it, costs or bytes add up to more than %d", i, int64(maxTotal))
		}
		for k, c := range n.Children {
			if !in(c) {
				return fmt.Errorf("node %d: child %d: class %d: there are %d classes", i, k, c, p.Classes)
			}
		}
		cost += n.Cost
		bytes += n.Bytes
	}
	return nil
}
