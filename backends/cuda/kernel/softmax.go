package kernel

import (
	"fmt"

	"github.com/taso-go/taso/lower"
)

// bindSoftmax is exp(x - m) over the sum of these along a line, of which m is the largest
// element.
func bindSoftmax(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	s := b.source(k.In[0], k.Out[0])
	from := s.pointer(param{float, Ref{Value: k.In[0]}, true})
	to := s.pointer(param{float, Ref{Value: k.Out[0]}, false})
	l := s.lines(k.Span[0], k.Span[1], k.Span[2], true)
	l.hold(from)
	most := s.largest()
	s.line("float top = %s;", most.none)
	_ = l.each(from, func(v, _ string) error {
		s.line("top = nmax(top, %s);", v)
		return nil
	})
	l.together(most, "m", "top")
	s.line("float part = 0;")
	_ = l.each(from, func(v, _ string) error {
		if l.held > 0 {
			s.line("%s = expf(%s - m);", v, v)
			s.line("part += %s;", v)
		} else {
			s.line("part += expf(%s - m);", v)
		}
		return nil
	})
	l.together(s.adding(), "all", "part")
	err := l.each(from, func(v, c string) error {
		if l.held == 0 {
			v = fmt.Sprintf("expf(%s - m)", v)
		}
		return l.written(k.Tail, to, v+" / all", c)
	})
	l.launch(b)
	return err
}

// bindLayerNorm is (x - mean) / sqrt(variance + eps) * scale + bias along a line.
func bindLayerNorm(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	eps, err := b.attrs(k.Node).Real("eps")
	if err != nil {
		return err
	}
	n := k.Span[1]
	count := float.literal(float64(n))
	s := b.source(k.In[0], k.Out[0])
	var p [3]string
	for i := range p {
		p[i] = s.pointer(param{float, Ref{Value: k.In[i]}, true})
	}
	to := s.pointer(param{float, Ref{Value: k.Out[0]}, false})
	l := s.lines(k.Span[0], n, 1, true)
	l.hold(p[0])
	s.line("float v = 0;")
	_ = l.each(p[0], func(x, _ string) error {
		s.line("v += %s;", x)
		return nil
	})
	l.together(s.adding(), "sum", "v")
	s.line("const float mean = sum / %s;", count)
	s.line("v = 0;")
	_ = l.each(p[0], func(x, _ string) error {
		s.line("v += (%s - mean) * (%s - mean);", x, x)
		return nil
	})
	l.together(s.adding(), "squares", "v")
	s.line("const float r = 1.0f / sqrtf(squares / %s + %s);", count, float.literal(eps))
	err = l.each(p[0], func(x, c string) error {
		return l.written(k.Tail, to, fmt.Sprintf("(%s - mean) * r * %s[%s] + %s[%s]", x, p[1], c, p[2], c), c)
	})
	l.launch(b)
	return err
}

// written writes element c of the line, after the tail.
func (l *line) written(tail *lower.Tail, to, v, c string) error {
	s := l.s
	at, x := s.name(), s.name()
	s.line("const %s %s = %s;", s.index, at, l.place(c))
	s.line("const float %s = %s;", x, v)
	x, err := s.tail(tail, x, at, float)
	s.line("%s[%s] = %s;", to, at, x)
	return err
}
