package kernel

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/lower"
)

// prepareAffine makes of scale, bias, mean and variance of a batch norm what x*s + t
// wants: s = scale/sqrt(var + eps) and t = bias - mean*s, side by side.
func prepareAffine(b *binder, k *lower.Kernel) error {
	eps, err := b.attrs(k.Node).Real("eps")
	if err != nil {
		return err
	}
	s := b.source(k.Out[0])
	n := b.value(k.Out[0]).Elements() / 2
	s.each(n)
	var p [4]string
	for i := range p {
		if p[i], _, err = s.reads(k.In[i]); err != nil {
			return err
		}
	}
	to, t, err := s.writes(k.Out[0])
	if err != nil {
		return err
	}
	s.line("const double s = %s[i] / sqrt(%s[i] + %s);", p[0], p[3], double.literal(eps))
	s.line("%s[i] = (%s)s;", to, t)
	s.line("%s[i + %d] = (%s)(%s[i] - %s[i] * s);", to, n, t, p[1], p[2])
	b.launchEach(s, n)
	return nil
}

// prepareResize writes the table of a resize along one axis: the cells before and
// behind, and how far between them. It is part of the source.
func prepareResize(b *binder, k *lower.Kernel) error {
	mode := b.attrs(k.Node).Word("mode")
	n, m := k.Span[1], b.value(k.Out[0]).Elements()/3
	s := b.source()
	table := k.Out[0]
	cells := s.pointer(param{int32s, Ref{Value: table}, false})
	part := s.pointer(param{float, Ref{Value: table, Offset: int64(8 * m)}, false})
	var lo, frac []string
	for j := range m {
		at, f, err := lower.SourceCell(mode, j, n, m)
		if err != nil {
			return err
		}
		lo, frac = append(lo, fmt.Sprint(at)), append(frac, float.literal(float64(f)))
	}
	fmt.Fprintf(&s.tables, "static __device__ const int cell[%d] = {%s};\n", m, strings.Join(lo, ", "))
	fmt.Fprintf(&s.tables, "static __device__ const float part[%d] = {%s};\n", m, strings.Join(frac, ", "))
	s.each(m)
	s.line("%s[i] = cell[i];", cells)
	s.line("%s[i + %d] = cell[i] + 1 < %d ? cell[i] + 1 : %d;", cells, m, n, n-1)
	s.line("%s[i] = part[i];", part)
	b.launchEach(s, m)
	return nil
}

// bindResize interpolates along one axis, by such a table.
func bindResize(b *binder, k *lower.Kernel) error {
	x, table, y := k.In[0], k.In[1], k.Out[0]
	outer, n, inner, m := k.Span[0], k.Span[1], k.Span[2], b.value(table).Elements()/3
	s := b.source(x, y)
	from, t, err := s.reads(x)
	if err != nil {
		return err
	}
	cells := s.pointer(param{int32s, Ref{Value: table}, true})
	part := s.pointer(param{float, Ref{Value: table, Offset: int64(8 * m)}, true})
	count := b.value(y).Elements()
	s.each(count)
	idx := s.unravel("i", []int{outer, m, inner})
	j := idx[1]
	if j == "" {
		j = "0"
	}
	place := func(cell string) string {
		return fmt.Sprintf("%s[%s]", from, s.place([]string{idx[0], cell, idx[2]}, []int{n * inner, inner, 1}, 0))
	}
	s.line("const %s a = %s, w = %s[%s];", t, place(fmt.Sprintf("%s[%s]", cells, j)), part, j)
	s.line("const %s c = %s;", t, place(fmt.Sprintf("%s[%s + %d]", cells, j, m)))
	return b.stored(s, k, k.Out[0], term{code: "(w == 0 ? a : a + (c - a) * w)", typ: t}, count)
}
