package graph

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// maxDefined bounds the operators that texts define, so that files cannot fill the memory.
const maxDefined = 1000

var (
	defining sync.Mutex                     // held by Define
	defined  atomic.Pointer[map[string]*Op] // is replaced, never changed
)

// Definable tells why [Define] would refuse an operator, nil if it would not.
func Definable(op *Op) error {
	if op.Definition == nil {
		return fmt.Errorf("operator %s: no definition", op.Name)
	}
	if old, ok := Lookup(op.Name); ok {
		switch {
		case old.Definition == nil:
			return fmt.Errorf("operator %s: the name is that of a built-in operator", op.Name)
		case old.Definition.String() != op.Definition.String():
			return fmt.Errorf("operator %s is already defined otherwise: %s", op.Name, old.Definition)
		}
	}
	return nil
}

// Define adds an operator that a text defines ([Op.Definition]), at run time. An operator of the
// same name and definition is returned in its place; one that is defined otherwise is an error,
// as a name has one meaning in a program. It may be called by several goroutines.
func Define(op *Op) (*Op, error) {
	defining.Lock()
	defer defining.Unlock()
	if err := Definable(op); err != nil {
		return nil, err
	}
	if old, ok := Lookup(op.Name); ok {
		return old, nil
	}
	next := map[string]*Op{op.Name: op}
	if now := defined.Load(); now != nil {
		maps.Copy(next, *now)
	}
	if len(next) > maxDefined {
		return nil, fmt.Errorf("operator %s: more than %d operators are defined by texts", op.Name, maxDefined)
	}
	defined.Store(&next)
	return op, nil
}

// Defined lists the operators that texts define, by name. [Ops] does not list them.
func Defined() []*Op {
	now := defined.Load()
	if now == nil {
		return nil
	}
	out := make([]*Op, 0, len(*now))
	for _, name := range slices.Sorted(maps.Keys(*now)) {
		out = append(out, (*now)[name])
	}
	return out
}

func lookupDefined(name string) (*Op, bool) {
	if now := defined.Load(); now != nil {
		op, ok := (*now)[name]
		return op, ok
	}
	return nil, false
}
