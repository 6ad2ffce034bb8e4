package graph

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
)

// Program is what the operator computes for inputs of these sizes, which its
// inference accepted with outputs of sizes out: its definition ([Op.Entry], or
// that of what it expands to) with numbers for all sizes. It is an error if an
// attribute is a variable.
//
// Programs for small tensors are made once.
func (op *Op) Program(a Attrs, in, out [][]int) (*Program, error) {
	var buf [128]byte
	key, small := programKey(buf[:0], a, in, out)
	if !small {
		return op.listed(a, in, out)
	}
	programs.RLock()
	p := programs.m[op][string(key)]
	programs.RUnlock()
	if p != nil {
		return p, nil
	}
	p, err := op.listed(a, in, out)
	if err != nil {
		return nil, err
	}
	n := p.bytes()
	programs.Lock()
	defer programs.Unlock()
	if programs.bytes += n; programs.bytes > maxKnown || programs.m == nil {
		programs.m, programs.bytes = map[*Op]map[string]*Program{}, n
	}
	if programs.m[op] == nil {
		programs.m[op] = map[string]*Program{}
	}
	programs.m[op][string(key)] = p
	return p, nil
}

// lowerings are used again once their programs have lists.
var lowerings = sync.Pool{New: func() any { return &lowering{extent: extent{s: &Space{quiet: true}}} }}

func (op *Op) listed(a Attrs, in, out [][]int) (*Program, error) {
	l := lowerings.Get().(*lowering)
	l.reset()
	defer lowerings.Put(l)
	p, err := op.loops(l, a, in, out)
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
func (op *Op) Loops(a Attrs, in, out [][]int) (*Program, error) {
	return op.loops(&lowering{extent: extent{s: &Space{quiet: true}}}, a, in, out)
}

func (op *Op) loops(l *lowering, a Attrs, in, out [][]int) (_ *Program, err error) {
	defer CatchTooLarge(&err)
	if op.Composed != nil {
		return op.Composed(a, in, out)
	}
	if op.Entry == nil && op.Expand == nil {
		return nil, fmt.Errorf("what it computes is not known")
	}
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
	p := l.prog
	return &p, nil
}

func (l *lowering) reset() {
	s := l.s
	clear(s.byKey)
	clear(s.sizes)
	*s = Space{syms: s.syms[:0], byKey: s.byKey, sizes: s.sizes, quiet: true}
	clear(l.known)
	clear(l.sums)
	*l = lowering{extent: extent{s, l.size[:0]}, strides: l.strides[:0], n: l.n[:0], known: l.known, sums: l.sums[:0]}
}

// output adds the steps of one output.
func (l *lowering) output(p Prim, in []Shape, sizes []int) error {
	if err := tooMany(sizes); err != nil {
		return err
	}
	if NumElements(sizes) == 0 {
		l.prog.Outs = append(l.prog.Outs, int(-1-l.push(Step{Kind: StepConst})))
		return nil
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
	if slices.Contains(l.n, 0) {
		e = withoutEmpty(e)
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

// withoutEmpty is e with the number 0 in the place of sums of no terms.
func withoutEmpty(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	if e.Kind == ExprSum && slices.ContainsFunc(e.Over, func(b Bound) bool { return b.N.Equal(IndexInt(0)) }) {
		return EntryNumber(IndexInt(0))
	}
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = withoutEmpty(a)
	}
	return &out
}

// programs are those for small tensors, with their lists.
var programs struct {
	sync.RWMutex
	m     map[*Op]map[string]*Program // by attributes and sizes
	bytes int
}

const (
	maxSmall = 1 << 12 // elements of all inputs and outputs
	maxKnown = 1 << 26 // bytes of the programs that are kept, about
)

// programKey appends a text that only one list of attributes and sizes has; not
// small says that the tensors are large.
func programKey(b []byte, a Attrs, in, out [][]int) (key []byte, small bool) {
	n := 0
	for _, list := range [2][][]int{in, out} {
		for _, s := range list {
			if n += int(min(Product(s...), maxSmall+1)); n > maxSmall {
				return b, false
			}
			b = append(b, byte(len(s)))
			for _, x := range s {
				b = binary.AppendUvarint(b, uint64(x)) // of an empty tensor it may be large
			}
		}
	}
	for _, v := range a {
		b = v.appendKey(append(b, ';'))
	}
	return b, true
}

// bytes is about what a program and its key take.
func (p *Program) bytes() int {
	n := 300
	for i := range p.Steps {
		st := &p.Steps[i]
		n += 300 + 4*(cap(st.Start)+cap(st.A)+cap(st.B)) + 8*(cap(st.C)+cap(st.D)) + cap(st.Src)
	}
	return n
}
