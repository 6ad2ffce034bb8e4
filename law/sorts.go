package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// SortMesh is the sort of variables that stand for a group of devices.
const SortMesh = "mesh"

var knownSorts = map[string]bool{
	graph.SortStride: true, graph.SortPadding: true, graph.SortSame: true,
	graph.SortAct: true, graph.SortBorder: true, graph.SortNumber: true, graph.SortPerm: true, SortMesh: true,
	SortPointwise1: true, SortZero1: true,
}

// Tags of laws. What a search does with a law follows from the law, not from its tags.
const (
	// TagOrdered is the tag of laws that hold of the true relu and max only, not of
	// every activation.
	TagOrdered = "ordered"
	// TagParallel is the tag of axioms, lemmas and refuted equations about tensors on
	// meshes of devices: those with operators that lay tensors out over a mesh.
	TagParallel = "parallel"
	// TagReal is the tag of laws that hold where every term of them has a value: see
	// [WithoutValue]. Whoever uses one has to show that.
	TagReal = "real"
)

// oldTags are tags that meant nothing. Laws in certificates may carry them; they
// are read over.
var oldTags = map[string]bool{"bilinear": true, "expansive": true}

func isDimSort(sort string) bool {
	return sort == "int" || sort == "axis" || sort == "flag" || sort == SortMesh
}

// misfit says why v is not a value of a sort, or "".
func misfit(v graph.Value, sort string) string {
	in, known := inSort(v, sort)
	switch {
	case in:
		return ""
	case !known:
		return fmt.Sprintf("unknown sort %s", sort)
	}
	if name, s, ok := v.Var(); ok {
		return fmt.Sprintf("%s : %s stands where a value of sort %s is wanted", name, s, sort)
	}
	return fmt.Sprintf("%s is not a value of sort %s", v, sort)
}

// InSort says whether v is a value of a sort of attributes: one of its values,
// or a variable that stands for some of them.
func InSort(v graph.Value, sort string) bool {
	in, _ := inSort(v, sort)
	return in
}

// inSort is InSort; known is false of a sort that there is not.
func inSort(v graph.Value, sort string) (in, known bool) {
	if _, s, ok := v.Var(); ok {
		return s == sort || sort == graph.SortPadding && s == graph.SortSame, true
	}
	name, isName := v.Name()
	tuple, isTuple := v.Tuple()
	same := isName && (name == graph.SameUpper || name == graph.SameLower)
	switch sort {
	case "axis":
		return v.Kind() == graph.KindDim || v.Kind() == graph.KindAxis, true
	case "int", SortMesh:
		return v.Kind() == graph.KindDim, true
	case "flag":
		return v == graph.IntValue(0) || v == graph.IntValue(1), true
	case "shape":
		return v.Kind() == graph.KindShape, true
	case graph.SortPerm:
		return v.IsPermutation() || v.Kind() == graph.KindPerm, true
	case "tuple":
		return isTuple, true
	case graph.SortNumber:
		return v.Kind() == graph.KindNumber, true
	case graph.SortDType:
		_, err := graph.ParseDType(name)
		return isName && err == nil, true
	case "name":
		return isName, true
	case graph.SortStride:
		return isTuple && len(tuple) == 2 && tuple[0] > 0 && tuple[1] > 0, true
	case graph.SortSame:
		return same, true
	case graph.SortPadding:
		return same || isName && name == graph.Valid || isTuple && len(tuple) == 4, true
	case graph.SortAct:
		return isName && (name == "none" || graph.IsActivation(name)), true
	case graph.SortBorder:
		return isName && (name == "counted" || name == "excluded"), true
	}
	return false, false
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
