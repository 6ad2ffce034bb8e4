package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// SortMesh is the sort of variables that stand for a group of devices.
const SortMesh = "mesh"

var knownSorts = map[string]bool{
	graph.SortStride: true, graph.SortPadding: true, graph.SortSame: true,
	graph.SortAct: true, graph.SortBorder: true, graph.SortNumber: true, SortMesh: true,
	SortPointwise1: true, SortZero1: true,
}

// Tags that a law may carry.
const (
	// TagBilinear: an operator is linear in each of its arguments.
	TagBilinear = "bilinear"
	// TagExpansive: used left to right or right to left without end it makes
	// ever new terms (associativity, commutativity, identities read backwards).
	TagExpansive = "expansive"
	// TagOrdered: holds of the true relu and max only, not of every activation.
	TagOrdered = "ordered"
	// TagParallel: moves work between devices.
	TagParallel = "parallel"
)

var knownTags = map[string]bool{TagBilinear: true, TagExpansive: true, TagOrdered: true, TagParallel: true}

func isDimSort(sort string) bool {
	return sort == "int" || sort == "axis" || sort == "flag" || sort == SortMesh
}

// misfit says why v is not a value of a sort, or "".
func misfit(v graph.Value, sort string) string {
	if name, s, ok := v.Var(); ok {
		if s == sort || sort == graph.SortPadding && s == graph.SortSame {
			return ""
		}
		return fmt.Sprintf("%s : %s stands where a value of sort %s is wanted", name, s, sort)
	}
	ok := false
	name, isName := v.Name()
	tuple, isTuple := v.Tuple()
	switch sort {
	case "int", "axis", SortMesh:
		ok = v.Kind() == graph.KindDim
	case "flag":
		ok = v == graph.IntValue(0) || v == graph.IntValue(1)
	case "shape":
		ok = v.Kind() == graph.KindShape
	case "perm":
		ok = isTuple && isPermutation(tuple)
	case "tuple":
		ok = isTuple
	case graph.SortNumber:
		ok = v.Kind() == graph.KindNumber
	case graph.SortDType:
		if isName {
			_, err := graph.ParseDType(name)
			ok = err == nil
		}
	case "name":
		ok = isName
	case graph.SortStride:
		ok = isTuple && len(tuple) == 2 && tuple[0] > 0 && tuple[1] > 0
	case graph.SortSame:
		ok = isName && (name == graph.SameUpper || name == graph.SameLower)
	case graph.SortPadding:
		ok = isName && (name == graph.SameUpper || name == graph.SameLower || name == graph.Valid) ||
			isTuple && len(tuple) == 4
	case graph.SortAct:
		ok = isName && (name == "none" || graph.IsActivation(name))
	case graph.SortBorder:
		ok = isName && (name == "counted" || name == "excluded")
	default:
		return fmt.Sprintf("unknown sort %s", sort)
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%s is not a value of sort %s", v, sort)
}

// isValueName says whether name is a value that attributes are given by name,
// as in pad=valid or hi=inf: a variable of that name would be taken for it
// where attributes are compared as they are written.
func isValueName(name string) bool {
	switch name {
	case "none", graph.Valid, graph.SameUpper, graph.SameLower, "counted", "excluded":
		return true
	}
	_, err := graph.ParseNumber(name)
	return err == nil
}

func isPermutation(p []int64) bool {
	seen := make([]bool, len(p))
	for _, x := range p {
		if x < 0 || x >= int64(len(p)) || seen[x] {
			return false
		}
		seen[x] = true
	}
	return true
}
