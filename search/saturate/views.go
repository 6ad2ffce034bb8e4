package saturate

import (
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// A view costs its dispatch where it is read as it lies, and a copy where it is not.
// So a class with views has up to three classes in the problem, one for each form in
// which readers may want the tensor.

// form is how a tensor may lie.
type form uint8

const (
	isDense  form = iota // row-major
	packable             // matrices that can be read along their memory
	anyhow               // at any strides
	numForms
)

// form is the class of tensors of a class that lie in a form or in a simpler one.
func (p *problem) form(k extract.ClassID, f form) extract.ClassID { return p.forms[k][f] }

// isView reports whether the results of an operator may be views on the target.
func (p *problem) isView(op *graph.Op) bool {
	return lower.IsView(op) && (p.s.opts.Target == nil || !p.s.opts.Target.Copies[op.Name])
}

// wanted is the form in which an operator reads its operand i, as far as the form
// tells; x is the type of its first operand.
func (p *problem) wanted(op *graph.Op, attrs graph.Attrs, i int, x, out graph.TensorType) form {
	t := p.s.opts.Target
	switch {
	case t == nil:
		return anyhow
	case lower.IsStep(op):
		if i > 0 || lower.Repeats(op) && !slices.Equal(x.Sizes, out.Sizes) {
			return anyhow // repeated tensors; others hardly stand here
		}
		return isDense
	}
	switch t.Reads[lower.As(lowerAttrs(op, attrs), x.Sizes, out.Sizes)] {
	case lower.Strided:
		return anyhow
	case lower.Matrices:
		return packable
	}
	return isDense
}

// layout is how a view lies over an operand; not ok: the operand must be copied.
func layout(op *graph.Op, attrs graph.Attrs, x lower.Value, out graph.TensorType) (lower.Value, bool) {
	vs, err := lower.Views(lowerAttrs(op, attrs), &x, []graph.TensorType{out})
	if err != nil {
		return lower.Value{}, false
	}
	return vs[0], true
}

// laid is how a node of a class lies over its operand, where that is dense; not ok: it is
// no view, must be copied, or has an operand of a type that is not known, so that nothing
// chooses it.
func (p *problem) laid(n egraph.NodeID, k extract.ClassID) (v lower.Value, ok bool) {
	op, attrs, _ := p.s.node(n)
	if op == nil || !p.isView(op) || !p.typed[k] {
		return v, false
	}
	kid := p.class[p.s.g.E().Find(p.s.g.E().Child(n, 0))]
	if !p.typed[kid] {
		return v, false
	}
	return layout(op, attrs, dense(p.types[kid]), p.types[k])
}

func formOf(v *lower.Value) form {
	switch {
	case v.Dense():
		return isDense
	case len(v.Sizes) >= 2 && v.Packable():
		return packable
	}
	return anyhow
}

// layOut finds the forms in which the tensors of each class may lie, and makes the
// classes for them.
func (p *problem) layOut() {
	n := p.Classes
	have := make([][numForms]bool, n)
	e := p.s.g.E()
	for changed := true; changed; {
		changed = false
		for k := range n {
			for m := range e.Class(p.at[k]) {
				v, ok := p.laid(m, extract.ClassID(k))
				if !ok {
					continue
				}
				op, _, _ := p.s.g.Node(m)
				kid := p.class[e.Find(e.Child(m, 0))]
				f := formOf(&v)
				if f == isDense && (op.Name == "reshape" || !have[kid][anyhow] && !have[kid][packable]) {
					continue
				} else if f == isDense {
					f = anyhow // of a view that is not dense
				}
				if !have[k][f] {
					have[k][f], changed = true, true
				}
			}
		}
	}
	p.forms = make([][numForms]extract.ClassID, n)
	for k := range n {
		last := extract.ClassID(k)
		for f := range numForms {
			if have[k][f] {
				last = p.AddClass()
				p.types, p.typed = append(p.types, p.types[k]), append(p.typed, true)
			}
			p.forms[k][f] = last
		}
	}
}

// addAliases makes what lies in a form stand also for what may lie in a less simple
// one.
func (p *problem) addAliases() {
	for k := range p.forms {
		for f := packable; f < numForms; f++ {
			if from, to := p.forms[k][f-1], p.forms[k][f]; from != to {
				p.put(extract.Node{Class: to, Children: []extract.ClassID{from}, Bytes: bytesOf(p.types[k])}, way{alias: from})
			}
		}
	}
}

// addView adds a view: as a copy of its operand, and as it lies over each form of it.
func (p *problem) addView(n egraph.NodeID, node extract.Node, w way) {
	op, attrs, _ := p.s.node(n)
	k, kid := node.Class, node.Children[0]
	v, ok := layout(op, attrs, dense(p.types[kid]), p.types[k])
	lies := isDense
	if ok {
		lies = formOf(&v)
	}
	rest := node.Children[1:]
	as := func(class, from extract.ClassID, cost int64) extract.NodeID {
		x := node
		x.Class, x.Cost = class, cost+w.extra
		x.Children = append([]extract.ClassID{from}, rest...)
		return p.put(x, w)
	}
	if !ok || lies == isDense {
		p.first[n] = as(k, kid, w.price.View)
	} else {
		p.first[n] = as(k, kid, w.price.View+w.price.Alone)
		p.views[n] = as(p.form(k, lies), kid, w.price.View)
	}
	if op.Name == "reshape" || !ok {
		return
	}
	// Over what is a view itself.
	for f := packable; f < numForms; f++ {
		from := p.form(kid, f)
		if from == p.form(kid, f-1) {
			continue
		}
		as(k, from, w.price.View+w.price.Alone)
		if to := p.form(k, p.over(op, attrs, kid, f, p.types[k])); to != k {
			as(to, from, w.price.View)
		}
	}
}

// over is the form of a view over tensors of a class that lie in a form, judging by
// the first of these.
func (p *problem) over(op *graph.Op, attrs graph.Attrs, kid extract.ClassID, f form, out graph.TensorType) form {
	e := p.s.g.E()
	for m := range e.Class(p.at[kid]) {
		v, ok := p.laid(m, kid)
		if !ok || formOf(&v) != f {
			continue
		}
		if w, ok := layout(op, attrs, v, out); ok {
			return max(formOf(&w), packable)
		}
	}
	return anyhow
}
