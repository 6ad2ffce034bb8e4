package graph

import (
	"fmt"
	"sync"
)

// Program is what the operator computes for inputs of these sizes, which its
// inference accepted with outputs of sizes out: its definition ([Op.Entry], or
// that of what it expands to) with numbers for all sizes. It is an error if an
// attribute is a variable.
//
// Programs for small tensors are made once.
func (op *Op) Program(a Attrs, in, out [][]int) (*Program, error) {
	k, small := programKeyOf(op, a, in, out)
	if !small {
		return op.listed(a, in, out)
	}
	programs.RLock()
	p := programs.m[k]
	programs.RUnlock()
	if p != nil {
		return p, nil
	}
	p, err := op.listed(a, in, out)
	if err != nil {
		return nil, err
	}
	n := p.length()
	programs.Lock()
	defer programs.Unlock()
	if programs.length += n; programs.length > maxKnown || programs.m == nil {
		programs.m, programs.length = map[programKey]*Program{}, n
	}
	programs.m[k] = p
	return p, nil
}

func (op *Op) listed(a Attrs, in, out [][]int) (*Program, error) {
	p, err := op.Loops(a, in, out)
	if err != nil {
		return nil, err
	}
	for i := range p.Steps {
		if err := p.Steps[i].List(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Loops is Program, but sums and maxima have loops instead of lists: that does not
// grow with the sizes.
func (op *Op) Loops(a Attrs, in, out [][]int) (_ *Program, err error) {
	defer CatchTooLarge(&err)
	if op.Composed != nil {
		return op.Composed(a, in, out)
	}
	if op.Entry == nil && op.Expand == nil {
		return nil, fmt.Errorf("what it computes is not known")
	}
	l := &lowering{extent: extent{s: &Space{}}}
	shapes := make([]Shape, len(in))
	for i, s := range in {
		if err := tooMany(s); err != nil {
			return nil, err
		}
		shapes[i] = Sizes(s...)
		l.strides, l.n = append(l.strides, Strides(s)), append(l.n, NumElements(s))
	}
	for i := range op.Out {
		p, _, err := op.Primitive(a, shapes, i)
		if err != nil {
			return nil, err
		}
		if err := l.output(p, shapes, out[i]); err != nil {
			return nil, err
		}
	}
	return &l.prog, nil
}

// output adds the steps of one output.
func (l *lowering) output(p Prim, in []Shape, sizes []int) error {
	if err := tooMany(sizes); err != nil {
		return err
	}
	at := make([]Index, len(sizes))
	var dom []Sym
	for i, n := range sizes {
		if n > 1 {
			v := l.s.Var("i")
			l.set(v, n)
			at[i], dom = v.Index(), append(dom, v)
		}
	}
	e, err := p.Op.Entry(l.s, p.Attrs, in, at)
	if err != nil {
		return err
	}
	for _, o := range l.s.Open() {
		return fmt.Errorf("%s %s has no value", o.Sort, o.Name)
	}
	if err := l.declare(e); err != nil {
		return err
	}
	of, err := l.produce(e, dom)
	if err != nil {
		return err
	}
	if of >= 0 {
		if of, err = l.gather(cell{of, l.offset(dom)}, dom); err != nil {
			return err
		}
	}
	l.prog.Outs = append(l.prog.Outs, int(-1-of))
	return nil
}

// programs are those for small tensors, with their lists.
var programs struct {
	sync.RWMutex
	m      map[programKey]*Program
	length int
}

const (
	maxSmall = 1 << 12 // elements of all inputs and outputs
	maxKnown = 1 << 22 // numbers in all lists of the programs that are kept
	maxAttrs = 6
)

type programKey struct {
	op    *Op
	attrs [maxAttrs]Value
	sizes string
}

func programKeyOf(op *Op, a Attrs, in, out [][]int) (k programKey, small bool) {
	k.op = op
	if copy(k.attrs[:], a) < len(a) {
		return k, false
	}
	n := 0
	b := make([]byte, 0, 32)
	for _, list := range [2][][]int{in, out} {
		for _, s := range list {
			n += int(min(Product(s...), maxSmall+1))
			b = append(b, byte(len(s)))
			for _, x := range s {
				b = append(b, byte(x), byte(x>>8))
			}
		}
	}
	if n > maxSmall {
		return k, false
	}
	k.sizes = string(b)
	return k, true
}

func (p *Program) length() int {
	n := 64
	for i := range p.Steps {
		st := &p.Steps[i]
		n += 16 + len(st.Start) + len(st.A) + len(st.B) + 2*len(st.C) + 2*len(st.D) + len(st.Src)
	}
	return n
}
