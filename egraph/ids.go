package egraph

import (
	"errors"
	"fmt"
)

// NodeID names a node (a term) of one Graph; ids count from 1 in the order of
// addition and 0 is none.
type NodeID uint32

// ClassID names a class of one Graph; 0 is none. A class is named by one of its
// nodes, so NodeID(c) is a node of class c. A union makes one of the two names
// obsolete: Graph.Find of the node gives the present one.
type ClassID uint32

// Reason says why two nodes were united: a number chosen by the caller, for
// instance that of an axiom instance. Callers use values above Congruence.
type Reason uint32

// Congruence is the built-in reason: equal symbols over equal children.
const Congruence Reason = 0

// Pair is two nodes that are equal, or are asked to be.
type Pair struct{ A, B NodeID }

// Bounds on what a graph accepts.
const (
	MaxArity = 1<<16 - 1 // children of a node
	MaxHead  = 1<<20 - 1 // greatest head: heads index an array
)

// Errors of calls that a graph refuses without being changed.
var (
	ErrNoSuchNode = errors.New("egraph: no such node")
	ErrArity      = errors.New("egraph: too many children")
	ErrHead       = errors.New("egraph: head out of range")
	ErrFull       = errors.New("egraph: out of node ids")
	ErrReason     = errors.New("egraph: reason 0 is reserved for congruence")
	ErrNotEqual   = errors.New("egraph: nodes are not known to be equal")
	ErrDirty      = errors.New("egraph: unions are pending, call Rebuild first")
)

// ConflictError says that two nodes were to be equal and have different types.
// The graph that reports it is poisoned: Add, Union, Rebuild and Search return the
// same error until Reset. Reasons keeps working for what was merged before.
type ConflictError struct {
	A, B   NodeID // the nodes that were to be equal
	Reason Reason // why; Congruence for a merge made by Rebuild
	Err    error  // what the typing said
}

// Error names both nodes, the reason and the typing's complaint.
func (e *ConflictError) Error() string {
	why := "congruence"
	if e.Reason != Congruence {
		why = fmt.Sprintf("reason %d", e.Reason)
	}
	return fmt.Sprintf("egraph: conflict: nodes %d and %d are equal by %s: %v", e.A, e.B, why, e.Err)
}

// Unwrap returns the typing's error.
func (e *ConflictError) Unwrap() error { return e.Err }
