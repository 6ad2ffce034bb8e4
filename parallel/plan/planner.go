package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taso-go/taso/parallel"
)

// Planner is which layouts are looked at.
type Planner string

// The planners. Each chooses at least cost among what it looks at.
const (
	// Data gives each device its samples and all of the weights: gradients are added up.
	Data Planner = "data"
	// FSDP is Data with weights and state in parts, which are gathered where they are
	// needed (ZeRO-3).
	FSDP Planner = "fsdp"
	// Megatron gives each device all samples and parts of the weights; only partial sums are
	// sent.
	Megatron Planner = "megatron"
	// Auto looks at all layouts.
	Auto Planner = "auto"
)

// ErrMeans is wrapped by the error of a planner that finds no layout with what it looks at,
// such as a planner of samples for a graph without an axis of them.
var ErrMeans = errors.New("no layout of all operators is among those that it looks at")

// Planners lists them.
func Planners() []Planner { return []Planner{Data, FSDP, Megatron, Auto} }

// ParsePlanner is the planner of a name.
func ParsePlanner(name string) (Planner, error) {
	var names []string
	for _, p := range Planners() {
		if string(p) == name {
			return p, nil
		}
		names = append(names, string(p))
	}
	return "", fmt.Errorf("planner %q is not known: %s are", name, strings.Join(names, ", "))
}

// fresh reports whether an input that is no weight may lie so; samples is the number of
// the axis of its samples.
func (p Planner) fresh(r parallel.Role, samples int) bool {
	switch p {
	case Data, FSDP:
		return r == parallel.Role{Kind: parallel.Shard, Axis: samples}
	case Megatron:
		return r.Kind == parallel.Copy
	}
	return r.Kind == parallel.Copy || r.Kind == parallel.Shard
}

// resident reports whether a weight may lie so.
func (p Planner) resident(r parallel.Role) bool {
	switch p {
	case Data:
		return r.Kind == parallel.Copy
	case FSDP:
		return r.Kind == parallel.Shard
	}
	return r.Kind == parallel.Copy || r.Kind == parallel.Shard
}

// converts reports whether members in one role may be made of those in another; of: the
// tensor is a weight as it lies on the devices, or what takes its place.
func (p Planner) converts(from, to parallel.Role, of bool) bool {
	switch {
	case from.Kind == parallel.Copy || from.Kind == parallel.First:
		return true // each device has all it needs
	case p == Auto:
		return true
	case from.Kind == parallel.Sum && to.Kind == parallel.Copy:
		return true
	case p == FSDP:
		return from.Kind == parallel.Sum || of
	}
	return false
}
