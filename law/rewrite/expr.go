package rewrite

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// numbering gives numbers to the variables of a law: size variables first, then
// the lengths of axis runs, then the size functions that stand in its sizes,
// each distinct one once. Such a number is a slot.
type numbering struct {
	dims, runs []string
	dimAt      map[string]int32
	runAt      map[string]int32
	attrAt     map[string]int32
	funcs      []sizeFunc
	funcAt     map[graph.Dim]int32
}

// sizeFunc is a size function over the law's variables, such as the size of a
// window.
type sizeFunc struct {
	name string
	args []value
}

// poly is a size over slots.
type poly struct {
	c     int64
	terms []polyTerm
	bare  int32     // the size variable, if the polynomial is just that; else -1
	dim   graph.Dim // as the law writes it
}

type polyTerm struct {
	coef  int64
	slots []int32
}

// item is an axis of size poly, or run number run.
type item struct {
	run  int32 // -1: an axis
	size poly
}

// shape is a shape over slots.
type shape struct {
	items []item
	runs  bool
	given graph.Shape // as the law writes it
}

// valueKind says how an attribute of a law is matched.
type valueKind uint8

const (
	literal  valueKind = iota // equal to lit
	variable                  // attribute variable number at
	size                      // a size with variables
	axes                      // a shape with variables
	perm                      // a product of permutation variables
	place                     // the axis that such a product takes an axis to
)

// value is an attribute over slots and attribute variables.
type value struct {
	kind  valueKind
	at    int32
	lit   graph.Value // as the law writes it
	size  poly
	shape shape
	perm  []permVar
}

// permVar is an attribute variable that is a permutation, or its inverse.
type permVar struct {
	at      int32
	inverse bool
}

func newNumbering() *numbering {
	return &numbering{dimAt: map[string]int32{}, runAt: map[string]int32{}, attrAt: map[string]int32{}, funcAt: map[graph.Dim]int32{}}
}

// see gives a size variable or run a number, if it has none.
func (n *numbering) see(a graph.Atom) {
	switch a.Kind {
	case graph.AtomVar:
		if _, ok := n.dimAt[a.Name]; !ok {
			n.dimAt[a.Name] = int32(len(n.dims))
			n.dims = append(n.dims, a.Name)
		}
	case graph.AtomAxisRun:
		if _, ok := n.runAt[a.Name]; !ok {
			n.runAt[a.Name] = int32(len(n.runs))
			n.runs = append(n.runs, a.Name)
		}
	}
}

// slot is the number of an atom. All variables have been seen.
func (n *numbering) slot(a graph.Atom) (int32, error) {
	switch a.Kind {
	case graph.AtomVar:
		if i, ok := n.dimAt[a.Name]; ok {
			return i, nil
		}
	case graph.AtomAxisRun:
		if i, ok := n.runAt[a.Name]; ok {
			return int32(len(n.dims)) + i, nil
		}
	case graph.AtomFunc:
		i, ok := n.funcAt[a.Dim()]
		if !ok {
			f := sizeFunc{name: a.Name}
			for _, v := range a.Args {
				x, err := n.value(v)
				if err != nil {
					return 0, err
				}
				f.args = append(f.args, x)
			}
			i = int32(len(n.funcs))
			n.funcAt[a.Dim()] = i
			n.funcs = append(n.funcs, f)
		}
		return int32(len(n.dims)+len(n.runs)) + i, nil
	}
	return 0, fmt.Errorf("size %s is not a variable of the law", a.Dim())
}

func (n *numbering) poly(d graph.Dim) (poly, error) {
	if d.TooLarge() {
		return poly{}, graph.ErrTooLarge
	}
	terms, c := d.Terms()
	p := poly{c: c, bare: -1, dim: d}
	for _, t := range terms {
		pt := polyTerm{coef: t.Coef}
		for _, a := range t.Atoms {
			s, err := n.slot(a)
			if err != nil {
				return poly{}, err
			}
			pt.slots = append(pt.slots, s)
		}
		p.terms = append(p.terms, pt)
	}
	if name, ok := d.IsVar(); ok {
		p.bare = n.dimAt[name]
	}
	return p, nil
}

func (n *numbering) shape(s graph.Shape) (shape, error) {
	out := shape{given: s, items: make([]item, 0, len(s))}
	for _, it := range s {
		if it.AxisRun != "" {
			i, ok := n.runAt[it.AxisRun]
			if !ok {
				return shape{}, fmt.Errorf("axis run %s is not a variable of the law", it.AxisRun)
			}
			out.runs = true
			out.items = append(out.items, item{run: i})
			continue
		}
		p, err := n.poly(it.Dim)
		if err != nil {
			return shape{}, err
		}
		out.items = append(out.items, item{run: -1, size: p})
	}
	return out, nil
}

func (n *numbering) value(v graph.Value) (value, error) {
	out := value{lit: v}
	if name, _, ok := v.Var(); ok {
		i, ok := n.attrAt[name]
		if !ok {
			return value{}, fmt.Errorf("attribute variable %s is not bound by the law", name)
		}
		out.kind, out.at = variable, i
		return out, nil
	}
	if vars := v.PermVars(); len(vars) > 0 {
		for _, p := range vars {
			x, err := n.value(p.Var)
			if err != nil {
				return value{}, err
			}
			out.perm = append(out.perm, permVar{x.at, p.Inverse})
		}
		out.kind = perm
		var err error
		if _, at, ok := v.Axis(); ok {
			out.kind = place
			out.size, err = n.poly(at)
		}
		return out, err
	}
	open := false
	v.Walk(func(graph.Atom) { open = true })
	if !open {
		return out, nil
	}
	var err error
	if d, ok := v.Dim(); ok {
		out.kind = size
		out.size, err = n.poly(d)
		return out, err
	}
	s, _ := v.Shape()
	out.kind = axes
	out.shape, err = n.shape(s)
	return out, err
}

// known is what is known of a law's variables.
type known struct {
	n     *numbering
	dims  []graph.Dim
	dimOK []bool
	runs  []graph.Shape
	runOK []bool
	lens  []graph.Dim // lengths of runs
	lenOK []bool      // of runs whose items are not known yet too
	attrs []graph.Value
}

func (k *known) init(n *numbering, attrs int) {
	*k = known{n: n,
		dims: make([]graph.Dim, len(n.dims)), dimOK: make([]bool, len(n.dims)),
		runs: make([]graph.Shape, len(n.runs)), runOK: make([]bool, len(n.runs)),
		lens: make([]graph.Dim, len(n.runs)), lenOK: make([]bool, len(n.runs)),
		attrs: make([]graph.Value, attrs)}
}

// forget keeps the attribute variables only.
func (k *known) forget() {
	clear(k.dimOK)
	clear(k.runOK)
	clear(k.lenOK)
}

// slot is the value of a slot, false if it is not known.
func (k *known) slot(s int32) (graph.Dim, bool) {
	if int(s) < len(k.dims) {
		return k.dims[s], k.dimOK[s]
	}
	s -= int32(len(k.dims))
	if int(s) < len(k.runs) {
		return k.lens[s], k.lenOK[s]
	}
	f := &k.n.funcs[s-int32(len(k.runs))]
	args := make([]graph.Value, len(f.args))
	for i := range f.args {
		v, ok := k.value(&f.args[i])
		if !ok {
			return graph.Dim{}, false
		}
		args[i] = v
	}
	return graph.SizeFunc(f.name, args...), true
}

// isFunc says whether a slot is a size function.
func (k *known) isFunc(s int32) bool { return int(s) >= len(k.dims)+len(k.runs) }

// size is the value of a polynomial, false if one of its variables has none.
func (k *known) size(p *poly) (graph.Dim, bool) {
	if p.bare >= 0 {
		return k.dims[p.bare], k.dimOK[p.bare]
	}
	out := graph.Int(p.c)
	for i := range p.terms {
		m := graph.Int(p.terms[i].coef)
		for _, s := range p.terms[i].slots {
			x, ok := k.slot(s)
			if !ok {
				return graph.Dim{}, false
			}
			m = m.Mul(x)
		}
		out = out.Add(m)
	}
	return out, true
}

// shape is the value of a shape, false if one of its variables has none.
func (k *known) shape(s *shape) (graph.Shape, bool) {
	out := make(graph.Shape, 0, len(s.items))
	for i := range s.items {
		it := &s.items[i]
		if it.run >= 0 {
			if !k.runOK[it.run] {
				return nil, false
			}
			out = append(out, k.runs[it.run]...)
			continue
		}
		d, ok := k.size(&it.size)
		if !ok {
			return nil, false
		}
		out = append(out, graph.Axis(d))
	}
	return out, true
}

// value is the value of an attribute, false if one of its variables has none.
func (k *known) value(v *value) (graph.Value, bool) {
	switch v.kind {
	case variable:
		x := k.attrs[v.at]
		return x, x.Kind() != graph.KindNone
	case size:
		d, ok := k.size(&v.size)
		return graph.DimValue(d), ok
	case axes:
		s, ok := k.shape(&v.shape)
		if !ok {
			return graph.Value{}, false
		}
		return graph.ShapeValue(s), true
	case perm:
		return k.product(v.perm)
	case place:
		p, ok := k.product(v.perm)
		at, known := k.size(&v.size)
		if !ok || !known {
			return graph.Value{}, false
		}
		return graph.PermAt(p, graph.DimValue(at))
	}
	return v.lit, true
}

// product is the value of a product of permutations, false if one has none.
func (k *known) product(vars []permVar) (p graph.Value, ok bool) {
	for i, f := range vars {
		x := k.attrs[f.at]
		if ok = x.Kind() != graph.KindNone; ok && f.inverse {
			x, ok = graph.PermInverse(x)
		}
		if ok && i > 0 {
			x, ok = graph.PermAfter(p, x)
		}
		if !ok {
			return graph.Value{}, false
		}
		p = x
	}
	return p, true
}

// isShape says whether a shape of the law is s: no more is compared than is
// needed to tell, and nothing is allocated.
func (k *known) isShape(law *shape, s graph.Shape) bool {
	for i := range law.items {
		it := &law.items[i]
		if it.run >= 0 {
			items := k.runs[it.run]
			if !k.runOK[it.run] || len(items) > len(s) || !s[:len(items)].Equal(items) {
				return false
			}
			s = s[len(items):]
			continue
		}
		if len(s) == 0 || s[0].AxisRun != "" {
			return false
		}
		if d, ok := k.size(&it.size); !ok || d != s[0].Dim || d.TooLarge() {
			return false
		}
		s = s[1:]
	}
	return len(s) == 0
}

// isValue says whether an attribute of the law is v.
func (k *known) isValue(law *value, v graph.Value) bool {
	switch law.kind {
	case size:
		d, isDim := v.Dim()
		x, ok := k.size(&law.size)
		return isDim && ok && x == d && !d.TooLarge()
	case axes:
		s, isShape := v.Shape()
		return isShape && k.isShape(&law.shape, s)
	}
	x, ok := k.value(law)
	return ok && x == v
}
