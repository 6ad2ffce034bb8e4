package kernel

import (
	"fmt"

	"github.com/taso-go/taso/lower"
)

// Operators that read or add at places which an operand holds. A place counts from the
// end where it is negative.

// bindGather picks slices along an axis.
func bindGather(b *binder, k *lower.Kernel) error {
	x, at, y := k.In[0], k.In[1], k.Out[0]
	n, inner, m := k.Span[1], k.Span[2], b.value(at).Elements()
	s := b.source(x, at, y)
	count := b.value(y).Elements()
	s.each(count)
	idx := s.unravel("i", []int{k.Span[0], m, inner})
	from, t, err := s.reads(x)
	if err != nil {
		return err
	}
	table, _, err := s.reads(at)
	if err != nil {
		return err
	}
	s.line("long long j = %s[%s];", table, s.place(idx[1:2], []int{1}, 0))
	s.position(s.line, "j", n)
	idx[1] = "(" + string(s.index) + ")j"
	place := s.place(idx, []int{n * inner, inner, 1}, 0)
	return b.stored(s, k, k.Out[0], term{code: from + "[" + place + "]", typ: t}, count)
}

// columns is from how many columns on scatteradd gives each a thread.
const columns = 1 << 10

// bindScatterAdd adds slices to those of zeros, in the order of the positions: a thread
// adds up a column of the result, or, where there are few, one element of it.
func bindScatterAdd(b *binder, k *lower.Kernel) error {
	x, at, y := k.In[0], k.In[1], k.Out[0]
	outer, n, inner, m := k.Span[0], k.Span[1], k.Span[2], b.value(at).Elements()
	s := b.source(x, at, y)
	from, t, err := s.reads(x)
	if err != nil {
		return err
	}
	table, _, err := s.reads(at)
	if err != nil {
		return err
	}
	to, _, err := s.writes(y)
	if err != nil {
		return err
	}
	next := func() {
		s.open("for (%s r = 0; r < %d; r++)", s.index, m)
		s.line("long long j = %s[r];", table)
		s.position(s.line, "j", n)
	}
	if len(k.Tail.Steps) == 0 && outer*inner >= columns {
		s.each(outer * inner)
		idx := s.unravel("i", []int{outer, inner})
		idx = []string{idx[0], "", idx[1]}
		s.line("for (%s r = 0; r < %d; r++) %s[%s + r * %d] = 0;", s.index, n, to, s.place(idx, []int{n * inner, 0, 1}, 0), inner)
		next()
		s.line("%s[%s + j * %d] += %s[%s + r * %d];", to, s.place(idx, []int{n * inner, 0, 1}, 0), inner, from, s.place(idx, []int{m * inner, 0, 1}, 0), inner)
		s.closed()
		b.launchEach(s, outer*inner)
		return nil
	}
	count := outer * n * inner
	s.each(count)
	idx := s.unravel("i", []int{outer, n, inner})
	here := idx[1]
	if here == "" {
		here = "0"
	}
	idx[1] = "r"
	s.line("%s sum = 0;", t)
	next()
	s.line("if (j == %s) sum += %s[%s];", here, from, s.place(idx, []int{m * inner, inner, 1}, 0))
	s.closed()
	return b.stored(s, k, k.Out[0], term{code: "sum", typ: t}, count)
}

// bindPick adds, for each position, the rows whose key it is, in their order. A block
// looks through the keys for one position, and then adds the row, a thread some of its
// elements.
func bindPick(b *binder, k *lower.Kernel) error {
	all, err := b.attrs(k.Node).Int("n")
	if err != nil {
		return err
	}
	n, inner, m := k.Span[1], k.Span[2], b.value(k.In[2]).Elements()
	s := b.source(k.In[0], k.In[1], k.In[2], k.Out[0])
	var p [3]string
	for i := range p {
		if p[i], _, err = s.reads(k.In[i]); err != nil {
			return err
		}
	}
	to, _, err := s.writes(k.Out[0])
	if err != nil {
		return err
	}
	s.line("__shared__ int found[%d];", blockSize)
	s.line("long long at = %s[blockIdx.x];", p[2])
	s.line("if (at < %d || at >= %d) { %s at = 0; }", -all, all, s.faulty(fmt.Sprintf("index %%d of %d keys", all), "at"))
	s.line("for (%s q = threadIdx.x; q < %d; q += %d) %s[(%s)blockIdx.x * %d + q] = 0;", s.index, inner, blockSize, to, s.index, inner)
	s.line("for (%s r = 0; r < %d; r += %d) {", s.index, n, blockSize)
	// A key may be any number: nothing is subtracted from it, which could be too large.
	s.line("\tconst long long key = r + threadIdx.x < %d ? %s[r + threadIdx.x] : 0;", n, p[1])
	s.line("\tconst int hit = r + threadIdx.x < %d && (key == at || key == at + %d);", n, all)
	s.line("\tfound[threadIdx.x] = hit;")
	s.line("\tif (__syncthreads_or(hit))")
	s.line("\t\tfor (int u = 0; u < %d; u++)", blockSize)
	s.line("\t\t\tif (found[u])")
	s.line("\t\t\t\tfor (%s q = threadIdx.x; q < %d; q += %d)", s.index, inner, blockSize)
	s.line("\t\t\t\t\t%s[(%s)blockIdx.x * %d + q] += %s[(r + u) * %d + q];", to, s.index, inner, p[0], inner)
	s.line("\t__syncthreads();")
	s.line("}")
	b.launch(s, [3]int{m, 1, 1}, [3]int{blockSize, 1, 1})
	return nil
}
