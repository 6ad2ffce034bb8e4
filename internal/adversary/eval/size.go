package eval

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Point gives values to the variables of a law.
type Point struct {
	Sizes map[string]int64   // size variables
	Runs  map[string][]int64 // axis runs
	Attrs map[string]Attr    // attribute variables
}

// Attr is a concrete attribute value. One field is set by what the value is;
// all of them are empty for an integer, which is N.
type Attr struct {
	N      int64
	Name   string  // same_upper, relu, ...
	Tuple  []int64 // a stride, pads, a permutation, axes
	Shape  []int64 // a shape
	Number string  // a real number as it is written
}

// String is the value in the law language.
func (a Attr) String() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Number != "":
		return a.Number
	case a.Tuple != nil:
		s := "("
		for i, x := range a.Tuple {
			if i > 0 {
				s += ", "
			}
			s += fmt.Sprint(x)
		}
		return s + ")"
	case a.Shape != nil:
		return fmt.Sprint(a.Shape)
	}
	return fmt.Sprint(a.N)
}

// errLarge is an integer that does not fit; nothing can be said then.
var errLarge = errors.New("a size does not fit into 63 bits")

// errUnjudged is what has no meaning here.
type errUnjudged string

func (e errUnjudged) Error() string { return string(e) }

func add(a, b int64) (int64, error) {
	s := a + b
	if (s > a) != (b > 0) && b != 0 {
		return 0, errLarge
	}
	return s, nil
}

func mul(a, b int64) (int64, error) {
	if a == 0 || b == 0 {
		return 0, nil
	}
	p := a * b
	if p/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, errLarge
	}
	return p, nil
}

// floor is a/b rounded down, b > 0.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// dim evaluates a size.
func (p *Point) dim(d graph.Dim) (int64, error) {
	terms, sum := d.Terms()
	for _, t := range terms {
		m := t.Coef
		for _, a := range t.Atoms {
			x, err := p.atom(a)
			if err != nil {
				return 0, err
			}
			if m, err = mul(m, x); err != nil {
				return 0, err
			}
		}
		var err error
		if sum, err = add(sum, m); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

func (p *Point) atom(a graph.Atom) (int64, error) {
	switch a.Kind {
	case graph.AtomVar:
		if n, ok := p.Sizes[a.Name]; ok {
			return n, nil
		}
		return 0, errUnjudged("size " + a.Name + " has no value")
	case graph.AtomAxisRun:
		if r, ok := p.Runs[a.Name]; ok {
			return int64(len(r)), nil
		}
		return 0, errUnjudged("run " + a.Name + " has no value")
	}
	args := make([]Attr, len(a.Args))
	for i, v := range a.Args {
		var err error
		if args[i], err = p.attr(v); err != nil {
			return 0, err
		}
	}
	switch {
	case a.Name == "window" && len(args) == 5 && len(args[2].Tuple) == 2:
		axis := args[4].N
		return windowSize(args[0].N, args[1].N, args[2].Tuple[axis], args[3], axis)
	case a.Name == "strided" && len(args) == 3 && len(args[1].Tuple) == 2:
		return -floor(-args[0].N, args[1].Tuple[args[2].N]), nil
	case a.Name == "step" && len(args) == 2 && len(args[0].Tuple) == 2:
		return args[0].Tuple[args[1].N], nil
	}
	return 0, errUnjudged("size function " + a.Name)
}

// windowSize is how many places a window of k cells has along an image of h
// cells; not positive where it has none.
func windowSize(h, k, stride int64, pad Attr, axis int64) (int64, error) {
	switch {
	case pad.Name == "same_upper" || pad.Name == "same_lower":
		return -floor(-h, stride), nil
	case len(pad.Tuple) == 4:
		h += pad.Tuple[axis] + pad.Tuple[axis+2]
	case pad.Name != "valid":
		return 0, errUnjudged("padding " + pad.String())
	}
	return floor(h-k, stride) + 1, nil
}

// attr evaluates an attribute value.
func (p *Point) attr(v graph.Value) (Attr, error) {
	if d, ok := v.Dim(); ok {
		n, err := p.dim(d)
		return Attr{N: n}, err
	}
	if s, ok := v.Name(); ok {
		return Attr{Name: s}, nil
	}
	if name, _, ok := v.Var(); ok {
		if a, ok := p.Attrs[name]; ok {
			return a, nil
		}
		return Attr{}, errUnjudged("variable " + name + " has no value")
	}
	if t, ok := v.Tuple(); ok {
		return Attr{Tuple: append([]int64{}, t...)}, nil
	}
	if k := v.Kind(); k == graph.KindPerm || k == graph.KindAxis {
		return p.permutation(v)
	}
	if s, ok := v.Shape(); ok {
		sizes, err := p.shape(s)
		return Attr{Shape: sizes}, err
	}
	if v.Kind() == graph.KindNumber {
		return Attr{Number: v.String()}, nil
	}
	return Attr{}, errUnjudged("value " + v.String())
}

// permutation evaluates a product of permutations, or the axis that it takes an axis to:
// it follows one axis after the other through the factors, from the last to the first.
func (p *Point) permutation(v graph.Value) (Attr, error) {
	of, at, isAxis := v.Axis()
	if !isAxis {
		of = v
	}
	var factors [][]int64
	for _, f := range of.PermVars() {
		a, err := p.attr(f.Var)
		if err != nil {
			return Attr{}, err
		}
		t := a.Tuple
		if f.Inverse {
			t = make([]int64, len(a.Tuple))
			for i, x := range a.Tuple {
				t[x] = int64(i)
			}
		}
		if len(factors) > 0 && len(t) != len(factors[0]) {
			return Attr{}, undefined("permutations of different numbers of axes")
		}
		factors = append(factors, t)
	}
	image := func(i int64) int64 {
		for k := len(factors) - 1; k >= 0; k-- {
			i = factors[k][i]
		}
		return i
	}
	n := int64(len(factors[0]))
	if isAxis {
		i, err := p.dim(at)
		if err == nil && (i < 0 || i >= n) {
			err = undefined("no such axis")
		}
		if err != nil {
			return Attr{}, err
		}
		return Attr{N: image(i)}, nil
	}
	out := []int64{}
	for i := range n {
		out = append(out, image(i))
	}
	return Attr{Tuple: out}, nil
}

// shape evaluates a shape; its sizes may be anything.
func (p *Point) shape(s graph.Shape) ([]int64, error) {
	out := make([]int64, 0, len(s))
	for _, it := range s {
		if it.AxisRun != "" {
			r, ok := p.Runs[it.AxisRun]
			if !ok {
				return nil, errUnjudged("run " + it.AxisRun + " has no value")
			}
			out = append(out, r...)
			continue
		}
		n, err := p.dim(it.Dim)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// holds evaluates a condition. A remainder is that of division rounding down;
// by a number that is not positive there is none.
func (p *Point) holds(c law.Pred) (bool, error) {
	l, err := p.dim(c.Left)
	if err != nil {
		return false, err
	}
	r, err := p.dim(c.Right)
	if err != nil {
		return false, err
	}
	if c.Mod != nil {
		m, err := p.dim(*c.Mod)
		if err != nil {
			return false, err
		}
		if m <= 0 {
			return false, nil
		}
		l -= floor(l, m) * m
	}
	switch c.Rel {
	case "==":
		return l == r, nil
	case "!=":
		return l != r, nil
	case "<":
		return l < r, nil
	case "<=":
		return l <= r, nil
	case ">":
		return l > r, nil
	case ">=":
		return l >= r, nil
	}
	return false, errUnjudged("relation " + c.Rel)
}

// product is the number of cells of a shape; ok is false where it does not fit.
func product(sizes []int64) (n int64, ok bool) {
	n = 1
	for _, s := range sizes {
		var err error
		if n, err = mul(n, s); err != nil {
			return 0, false
		}
	}
	return n, true
}

// sameProduct compares the numbers of cells of two shapes, of any magnitude.
func sameProduct(a, b []int64) bool {
	m, okm := product(a)
	n, okn := product(b)
	if okm && okn {
		return m == n
	}
	return bigProduct(a).Cmp(bigProduct(b)) == 0
}

func bigProduct(sizes []int64) *big.Int {
	n := big.NewInt(1)
	for _, s := range sizes {
		n.Mul(n, big.NewInt(s))
	}
	return n
}

// relabel is the index in shape to of the cell that is at index at of shape
// from, the cells being in row-major order in both.
func relabel(from, to, at []int64) []int64 {
	out := make([]int64, len(to))
	if _, ok := product(from); ok {
		flat := int64(0)
		for i, n := range from {
			flat = flat*n + at[i]
		}
		for i := len(to) - 1; i >= 0; i-- {
			out[i] = flat % to[i]
			flat /= to[i]
		}
		return out
	}
	flat := new(big.Int)
	for i, n := range from {
		flat.Mul(flat, big.NewInt(n)).Add(flat, big.NewInt(at[i]))
	}
	digit := new(big.Int)
	for i := len(to) - 1; i >= 0; i-- {
		flat.DivMod(flat, big.NewInt(to[i]), digit)
		out[i] = digit.Int64()
	}
	return out
}

// ReadAttr reads an attribute value of a sort as [Attr.String] writes it.
func ReadAttr(text, sort string) (Attr, error) {
	if rest, ok := strings.CutPrefix(text, "("); ok {
		t := []int64{}
		inner := strings.TrimSpace(strings.TrimSuffix(rest, ")"))
		if inner == "" { // the permutation of no axes
			return Attr{Tuple: t}, nil
		}
		for _, part := range strings.Split(inner, ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
			if err != nil {
				return Attr{}, fmt.Errorf("value %q: %w", text, err)
			}
			t = append(t, n)
		}
		return Attr{Tuple: t}, nil
	}
	if sort == graph.SortNumber {
		return Attr{Number: text}, nil
	}
	return Attr{Name: text}, nil
}

// Dim evaluates a size.
func (p *Point) Dim(d graph.Dim) (int64, error) { return p.dim(d) }

// Attr evaluates an attribute value.
func (p *Point) Attr(v graph.Value) (Attr, error) { return p.attr(v) }
