package kernel

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// tail writes the tail of a kernel, and returns the name of what comes out: v is the
// element number at of the result, of type t. The kernel has written neither before.
func (s *source) tail(tail *lower.Tail, v, at string, t ctype) (string, error) {
	if tail == nil {
		return v, nil
	}
	return s.steps(tail, tail.Steps, v, at, t)
}

// steps writes some steps of a tail.
func (s *source) steps(tail *lower.Tail, steps []lower.Step, v, at string, t ctype) (string, error) {
	var row, col string
	for i := range steps {
		st := &steps[i]
		switch {
		case st.Mode == lower.Row && row == "":
			mod := ""
			if tail.Mod > 0 {
				mod = fmt.Sprintf(" %% %d", tail.Mod)
			}
			row = s.name()
			s.line("const %s %s = %s / %d%s;", s.index, row, at, tail.N, mod)
		case st.Mode == lower.Col && col == "":
			col = s.name()
			s.line("const %s %s = %s %% %d;", s.index, col, at, tail.N)
		}
		place := map[lower.Mode]string{lower.Scalar: "0", lower.Row: row, lower.Col: col, lower.Full: at}[st.Mode]
		var args [2]string
		for k, a := range st.Args {
			if a == lower.None || st.Mode == lower.NoOperand {
				continue
			}
			if held := s.held[a]; held != "" && st.Mode == lower.Full {
				args[k] = held
				continue
			}
			p, _, err := s.reads(a)
			if err != nil {
				return "", err
			}
			args[k] = fmt.Sprintf("%s[%s]", p, place)
		}
		x := term{code: v, typ: t}
		var y term
		var err error
		if st.Fn == "affine" {
			y = term{code: fmt.Sprintf("%s * %s + %s", v, args[0], args[1]), typ: t}
		} else if y, err = s.applied(st, x, term{code: args[0], typ: t}); err != nil {
			return "", err
		}
		v = s.name()
		s.line("const %s %s = %s;", t, v, y.as(t))
	}
	return v, nil
}

// applied is the function of a step of x and, if it has two operands, of p: what its
// operator says of an element.
func (s *source) applied(st *lower.Step, x, p term) (term, error) {
	op, ok := graph.Lookup(st.Fn)
	if !ok {
		return term{}, s.b.unsupported("function %s is not known", st.Fn)
	}
	a := s.b.attrs(st.Node)
	attrs := a.Values
	if a.Op != op { // of another operator's attribute, or a product with a scalar
		var err error
		if attrs, err = op.Attr(nil); err != nil {
			return term{}, err
		}
	}
	in := []term{x, p}
	if st.Reversed {
		in = []term{p, x}
	}
	w := newWriter(s, x.typ.real(), func(i int, _ []string) (term, error) { return in[i], nil })
	e, err := op.Entry(w.space, attrs, make([]graph.Shape, op.In), nil)
	if err != nil {
		return term{}, err
	}
	return w.write(e)
}

// bindChain is the steps of a tail alone.
func bindChain(b *binder, k *lower.Kernel) error {
	return b.chain(k.Tail, k.Tail.Steps, k.In[0], k.Out[0], k.Overwrites)
}

// chain adds the launch of steps of a tail on x; over says that y lies where x does.
func (b *binder) chain(tail *lower.Tail, steps []lower.Step, x, y lower.ValueID, over bool) error {
	s := b.source(x, y)
	s.written = over
	from, t, err := s.reads(x)
	if err != nil {
		return err
	}
	to, _, err := s.writes(y)
	if err != nil {
		return err
	}
	n := b.value(y).Elements()
	if b.four(steps, x, y) {
		return b.chainOfFour(s, tail, steps, from, to, n)
	}
	s.each(n)
	v := s.name()
	s.line("const %s %s = %s[i];", t, v, from)
	if v, err = s.steps(tail, steps, v, "i", t); err != nil {
		return err
	}
	s.line("%s[i] = %s;", to, v)
	b.launchEach(s, n)
	return nil
}

// vectors is from how many elements on threads of a chain take four: below, a device is
// kept busy by threads rather than by what each of them reads at once.
const vectors = 1 << 15

// four reports whether a thread may read and write four elements of a chain at once: they
// are at addresses that are multiples of four elements.
func (b *binder) four(steps []lower.Step, x, y lower.ValueID) bool {
	n := b.value(y).Elements()
	ok := n >= vectors && n%4 == 0
	look := func(v lower.ValueID) {
		u := b.value(v)
		ok = ok && u.DType == graph.Float32 && u.Offset%4 == 0
	}
	look(x)
	look(y)
	for _, st := range steps {
		if st.Mode == lower.Full {
			look(st.Args[0])
		}
	}
	return ok
}

// chainOfFour writes a chain of which each thread takes four elements.
func (b *binder) chainOfFour(s *source, tail *lower.Tail, steps []lower.Step, from, to string, n int) error {
	s.each(n / 4)
	s.line("__align__(16) float x[4];")
	s.line("*(float4 *)x = ((const float4 *)%s)[i];", from)
	s.held = map[lower.ValueID]string{}
	for _, st := range steps {
		if a := st.Args[0]; st.Mode == lower.Full && s.held[a] == "" {
			p, _, err := s.reads(a)
			if err != nil {
				return err
			}
			v := s.name()
			s.line("__align__(16) float %s[4];", v)
			s.line("*(float4 *)%s = ((const float4 *)%s)[i];", v, p)
			s.held[a] = v + "[u]"
		}
	}
	s.line("#pragma unroll")
	s.open("for (int u = 0; u < 4; u++)")
	s.line("const %s at = i * 4 + u;", s.index)
	v, err := s.steps(tail, steps, "x[u]", "at", float)
	if err != nil {
		return err
	}
	s.line("x[u] = %s;", v)
	s.closed()
	s.line("((float4 *)%s)[i] = *(float4 *)x;", to)
	b.launchEach(s, n/4)
	return nil
}
