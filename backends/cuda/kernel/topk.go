package kernel

import "github.com/taso-go/taso/lower"

// bindTopK counts for each element how many of its line stand before it, a thread each:
// that is where its position goes, if it is below k.
func bindTopK(b *binder, k *lower.Kernel) error {
	smallest, err := b.attrs(k.Node).Int("smallest")
	if err != nil {
		return err
	}
	count, err := b.attrs(k.Node).Int("k")
	if err != nil {
		return err
	}
	x, y := k.In[0], k.Out[0]
	outer, n, inner := k.Span[0], k.Span[1], k.Span[2]
	s := b.source(x, y)
	from, t, err := s.reads(x)
	if err != nil {
		return err
	}
	to, _, err := s.writes(y)
	if err != nil {
		return err
	}
	all := outer * n * inner
	s.each(all)
	idx := s.unravel("i", []int{outer, n, inner})
	here := idx[1]
	if here == "" {
		here = "0"
	}
	line := []string{idx[0], "r", idx[2]}
	s.line("const %s x = %s[i];", t, from)
	s.line("%s before = 0;", s.index)
	s.open("for (%s r = 0; r < %d; r++)", s.index, n)
	s.line("const %s v = %s[%s];", t, from, s.place(line, []int{n * inner, inner, 1}, 0))
	// What is not a number is the largest, and alike to its kind.
	larger, alike := "v > x || (v != v && x == x)", "v == x || (v != v && x != x)"
	if smallest == 1 {
		larger = "x > v || (x != x && v == v)"
	}
	s.line("before += (%s) || (r < %s && (%s));", larger, here, alike)
	s.closed()
	line[1] = "before"
	s.line("if (before < %d) %s[%s] = %s;", count, to, s.place(line, []int{count * inner, inner, 1}, 0), here)
	b.launchEach(s, all)
	return nil
}
