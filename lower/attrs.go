package lower

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Attrs gives access to an application's attributes by name.
type Attrs struct {
	Op     *graph.Op
	Values graph.Attrs
}

// Get is the value of an attribute; false if the operator has none of that name.
func (x Attrs) Get(name string) (graph.Value, bool) {
	i := x.Op.ParamIndex(name)
	if i < 0 {
		return graph.Value{}, false
	}
	return x.Values[i], true
}

// Int is an integer.
func (x Attrs) Int(name string) (int, error) {
	v, _ := x.Get(name)
	d, _ := v.Dim()
	n, ok := d.Const()
	if !ok || v.Kind() != graph.KindDim {
		return 0, fmt.Errorf("attribute %s is not a number", name)
	}
	return int(n), nil
}

// Real is a real number, integers beyond 2^24 in full.
func (x Attrs) Real(name string) (float64, error) {
	v, _ := x.Get(name)
	n, ok := v.Number()
	if !ok {
		return 0, fmt.Errorf("attribute %s is not a real number", name)
	}
	return n, nil
}

// Word is a name, "" if the attribute is none.
func (x Attrs) Word(name string) string {
	v, _ := x.Get(name)
	s, _ := v.Name()
	return s
}

// Ints is a tuple, or a concrete shape.
func (x Attrs) Ints(name string) ([]int, error) {
	v, _ := x.Get(name)
	if s, ok := v.Shape(); ok {
		if sizes, ok := s.Concrete(); ok {
			return sizes, nil
		}
	}
	t, ok := v.Tuple()
	if !ok {
		return nil, fmt.Errorf("attribute %s is no list of numbers", name)
	}
	out := make([]int, len(t))
	for i := range t {
		out[i] = int(t[i])
	}
	return out, nil
}
