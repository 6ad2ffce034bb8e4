package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Sizes at which a model is not defined. A file leaves a dimension open, and fails at some of
// its sizes: a window does not fit into a small image, and an encoder with a decoder needs
// images whose sizes are multiples of 32. Then the variable of the dimension is narrowed, to
// sizes from a number up or to multiples of a number, and the file is read again.
//
// Only what a node needs to be defined narrows variables, never a decision between two legal
// models; see [dynamic.require]. The lowering of a node might be defined at fewer sizes than the
// node. So the file is also read at sizes that are to be left out, as a model of fixed sizes, and
// has to fail there at the same node.

// narrowing is what of the sizes of variables was left out so far, by their names.
type narrowing struct {
	least map[string]int64 // the least size of the dimension
	step  map[string]int   // the size is a multiple
	most  map[string]int64 // the largest size of the dimension
	open  map[string]bool  // decisions, in words, that stay undecided
	sums  bool             // dimensions that are called a sum of two others are that
	// shared: a dimension of an input with a default is that of others with its name.
	shared bool
}

// maxNarrowings bounds how often a file is read.
const maxNarrowings = 40

// maxStep is the largest step that is tried.
const maxStep = 32

// undefined is the error of a node that is defined only where a size is 0 or more.
type undefined struct {
	least graph.Dim
	text  string
	// agreed: it is known that runtimes refuse such sizes, though ONNX's reference does not.
	agreed bool
}

func (e *undefined) Error() string { return e.text }

// mismatch is the error of a node that is defined only where sizes fit each other.
type mismatch struct {
	dims []graph.Dim // some of them have to fit each other
	fits func(dims []graph.Dim) bool
	text string
}

func (e *mismatch) Error() string { return e.text }

// disagree is the error of two sizes that have to be the same.
func disagree(a, b graph.Dim, text string) error {
	return &mismatch{[]graph.Dim{a, b}, func(dims []graph.Dim) bool { return dims[0] == dims[1] }, text}
}

// decision is the error of a node that is another one where a size is 0 or more than where it is
// less.
type decision struct {
	least graph.Dim
	text  string
}

func (e *decision) Error() string { return e.text }

// indivisible is the error of a size that has to be a multiple of another.
func indivisible(x, of graph.Dim, text string) error {
	return &mismatch{[]graph.Dim{x, of}, func(dims []graph.Dim) bool {
		_, ok := dims[0].Quo(dims[1])
		return ok
	}, text}
}

// narrows reports whether an error may be one of some sizes only, see [importer.narrowed].
func narrows(err error) bool {
	var d *decision
	var u *undefined
	var m *mismatch
	return errors.As(err, &d) || errors.As(err, &u) || errors.As(err, &m)
}

// readModel reads a model, and again with fewer sizes where it is not defined at all of them.
func readModel(p *onnxpb.ModelProto, src source, opt ReadOptions) (*importer, *model.Model, error) {
	var n narrowing
	for range maxNarrowings {
		im, err := newImporter(p, src, opt, n)
		if err != nil {
			return nil, nil, err
		}
		m, err := im.model()
		if err == nil {
			return im, m, nil
		}
		less, ok := im.narrowed(err)
		if !ok && im.open != nil && im.open.summed {
			less, ok = narrowing{sums: true, shared: im.open.shared}, true
		}
		if !ok && im.open != nil && im.open.apart {
			less, ok = narrowing{sums: im.open.sums, shared: true}, true
		}
		if !ok {
			return nil, nil, err
		}
		n = less
	}
	return nil, nil, fmt.Errorf("read model: it is not defined at some sizes, which are still not known after %d attempts", maxNarrowings)
}

// narrowed leaves out sizes at which the file fails, and reports whether there are such.
func (im *importer) narrowed(err error) (narrowing, bool) {
	if im.open == nil {
		return narrowing{}, false
	}
	n := narrowing{maps.Clone(im.open.least), maps.Clone(im.open.step), maps.Clone(im.open.most), maps.Clone(im.open.narrowing.open), im.open.sums, im.open.shared}
	if n.least == nil {
		n = narrowing{map[string]int64{}, map[string]int{}, map[string]int64{}, map[string]bool{}, im.open.sums, im.open.shared}
	}
	var d *decision
	var u *undefined
	var m *mismatch
	switch {
	case errors.As(err, &d):
		// Without a side on which the file fails, the node is read as one that is not understood.
		if !im.oneSide(d, &n) {
			n.open[d.text] = true
		}
		return n, true
	case errors.As(err, &u):
		name, least, ok := im.open.Least(u.least)
		v := im.open.find(name)
		if !ok || v == nil || least <= v.Lo || least > v.Hi {
			return n, false
		}
		if !u.agreed && !im.failsAt(map[string]int64{name: least - 1}, err) {
			return n, false
		}
		n.least[name] = least * int64(v.Step)
		return n, true
	case errors.As(err, &m):
		names, step := im.open.stepFor(m)
		if step == 0 || !im.failsApart(m, names, step, err) {
			return n, false
		}
		for _, name := range names {
			n.step[name] = im.open.find(name).Step * step
		}
		return n, true
	}
	return n, false
}

// oneSide leaves out the sizes on one side of a decision if the file fails there, whatever node it
// is: only the other side is a legal model. It looks at the nearest size only; the range says what
// is left out.
func (im *importer) oneSide(d *decision, n *narrowing) bool {
	name, first, ok := im.open.Least(d.least)
	if !ok { // it shrinks with the variable: first is where it is less than 0
		name, first, ok = im.open.Least(d.least.Neg().Sub(graph.Int(1)))
	}
	v := im.open.find(name)
	if !ok || v == nil || first <= v.Lo || first > v.Hi {
		return false
	}
	switch {
	case im.failsSomewhere(map[string]int64{name: first}):
		n.most[name] = (first - 1) * int64(v.Step)
	case im.failsSomewhere(map[string]int64{name: first - 1}):
		n.least[name] = first * int64(v.Step)
	default:
		return false
	}
	return true
}

// find is the variable of a name, nil if there is none.
func (d *dynamic) find(name string) *Variable {
	for i := range d.vars {
		if d.vars[i].Name == name {
			return &d.vars[i]
		}
	}
	return nil
}

// stepFor is a step with which sizes fit each other, and the variables that have it: those
// under the size functions of windows, or else all, where a size has to be a multiple. The
// step is 0 if there is none.
func (d *dynamic) stepFor(m *mismatch) (names []string, step int) {
	under, all := map[string]bool{}, map[string]bool{}
	for _, x := range m.dims {
		x.Walk(func(a graph.Atom) {
			for _, arg := range a.Args {
				arg.Walk(func(b graph.Atom) { under[b.Name] = under[b.Name] || b.Kind == graph.AtomVar })
			}
			if a.Kind == graph.AtomVar {
				all[a.Name] = true
			}
		})
	}
	maps.DeleteFunc(under, func(_ string, is bool) bool { return !is })
	if len(under) == 0 {
		under = all
	}
	names = slices.Sorted(maps.Keys(under))
	for step = 2; step <= maxStep; step++ {
		if slices.ContainsFunc(names, func(name string) bool {
			v := d.find(name)
			return v == nil || v.Step*step > maxStep
		}) {
			break
		}
		at := &graph.Substitution{Dims: map[string]graph.Dim{}}
		for _, name := range names {
			at.Dims[name] = graph.Var(name).Scale(int64(step))
		}
		if m.fits(subst(m.dims, at)) {
			return names, step
		}
	}
	return nil, 0
}

func subst(dims []graph.Dim, at *graph.Substitution) []graph.Dim {
	out := make([]graph.Dim, len(dims))
	for i, d := range dims {
		out[i] = d.Subst(at)
	}
	return out
}

// failsApart reports whether the file fails at the first sizes that do not fit each other,
// with variables that are no multiples of a step. Small ones are passed over: a size of 1
// broadcasts.
func (im *importer) failsApart(m *mismatch, names []string, step int, err error) bool {
	for by := int64(0); by < int64(2*step); by++ {
		at, values := im.open.Samples().Dims, map[string]int64{}
		at = maps.Clone(at)
		apart := false
		for _, name := range names {
			v := im.open.find(name)
			values[name] = min(max(2*maxStep, v.Lo), v.Hi) + by
			at[name], apart = graph.Int(values[name]), apart || values[name]%int64(step) != 0
		}
		if apart && !m.fits(subst(m.dims, &graph.Substitution{Dims: at})) {
			return im.failsAt(values, err)
		}
	}
	return false
}

// failsAt reports whether the file fails at fixed sizes, at the node at which reading it with
// variables has failed.
func (im *importer) failsAt(values map[string]int64, err error) bool {
	var here, there *Error
	return errors.As(err, &here) && errors.As(im.readAt(values), &there) && here.Node == there.Node
}

// failsSomewhere reports whether the file fails at fixed sizes.
func (im *importer) failsSomewhere(values map[string]int64) bool {
	err := im.readAt(values)
	var there *Error
	return errors.As(err, &there)
}

// readAt is the error of reading the file at fixed sizes, nil also if the sizes are none. Variables
// without a value have their samples.
func (im *importer) readAt(values map[string]int64) error {
	at := maps.Clone(im.open.Samples().Dims)
	for name, n := range values {
		at[name] = graph.Int(n)
	}
	opt := im.opt
	opt.Dynamic, opt.Batch, opt.Some, opt.Shapes = false, 0, true, maps.Clone(im.opt.Shapes)
	if opt.Shapes == nil {
		opt.Shapes = map[string][]int{}
	}
	for _, v := range im.inputs {
		sizes, ok := fixed(subst(v.dims(), &graph.Substitution{Dims: at}))
		if !ok || slices.Min(append(sizes, 1)) < 1 {
			return nil
		}
		opt.Shapes[v.name] = sizes
	}
	other, err := newImporter(im.file, im.src, opt, narrowing{})
	if err == nil {
		_, err = other.model()
	}
	return err
}
