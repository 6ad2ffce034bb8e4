package kernel

import (
	"fmt"

	"github.com/taso-go/taso/lower"
)

// bindReduce folds lines: a sum, a mean, the largest. Where there are few lines and long
// ones, parts of them are folded first, into the scratch memory.
func bindReduce(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	outer, n, inner := k.Span[0], k.Span[1], k.Span[2]
	from := Ref{Value: k.In[0]}
	whole := b.source(k.In[0], k.Out[0])
	scale := ""
	if k.As == "reducemean" {
		scale = " / " + float.literal(float64(n))
	}
	largest := k.As == "reducemax"
	if parts, size := partsOf(outer, n, inner); parts > 1 {
		s := b.source(k.In[0])
		to := Ref{Value: Scratch}
		b.scratch = max(b.scratch, int64(4*outer*parts*inner))
		l := s.parts(outer, parts, size, n, inner, false)
		err := b.folded(l, largest, s.pointer(param{float, from, true}), nil, func(v, at string) error {
			s.line("%s[%s] = %s;", s.pointer(param{float, to, false}), at, v)
			return nil
		})
		if err != nil {
			return err
		}
		from, n = to, parts
	}
	s := whole
	return b.folded(s.lines(outer, n, inner, false), largest, s.pointer(param{float, from, true}), nil, func(v, at string) error {
		to, _, err := s.writes(k.Out[0])
		if err != nil {
			return err
		}
		x := s.name()
		s.line("const float %s = %s%s;", x, v, scale)
		if x, err = s.tail(k.Tail, x, at, float); err != nil {
			return err
		}
		s.line("%s[%s] = %s;", to, at, x)
		return nil
	})
}

// bindDots is a depthwise convolution with kernels as large as the image: the product
// of two vectors for each image and channel.
func bindDots(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	channels, n := k.Span[0], k.Span[1]
	s := b.source(k.In[0], k.In[1], k.Out[0])
	from := s.pointer(param{float, Ref{Value: k.In[0]}, true})
	weights := s.pointer(param{float, Ref{Value: k.In[1]}, true})
	images := b.value(k.In[0]).Sizes[0]
	times := func(v, c string) string {
		channel := "number"
		if images > 1 {
			channel = fmt.Sprintf("(number %% %d)", channels)
		}
		return fmt.Sprintf("%s * %s[%s]", v, weights, s.place([]string{channel, c}, []int{n, 1}, 0))
	}
	return b.folded(s.lines(images*channels, n, 1, false), false, from, times, func(v, at string) error {
		to, _, err := s.writes(k.Out[0])
		if err != nil {
			return err
		}
		x, err := s.tail(k.Tail, v, at, float)
		if err != nil {
			return err
		}
		s.line("%s[%s] = %s;", to, at, x)
		return nil
	})
}

// folded ends a kernel that folds lines, of elements as they are or as of makes them;
// store writes what is done with v, the result of line number at.
func (b *binder) folded(l *line, largest bool, from string, of func(v, c string) string, store func(v, at string) error) error {
	s := l.s
	f := s.adding()
	if largest {
		f = s.largest()
	}
	s.line("float v = %s;", f.none)
	_ = l.each(from, func(x, c string) error {
		if of != nil {
			x = of(x, c)
		}
		s.line("v = "+f.join+";", x)
		return nil
	})
	l.together(f, "all", "v")
	l.once()
	if err := store("all", "number"); err != nil {
		return err
	}
	s.closed()
	l.launch(b)
	return nil
}

// Lines of at least partLine elements are folded in parts where there are fewer
// blocks than enough to keep a device busy.
const (
	partLine = 1 << 14
	enough   = 256
	partSize = 1 << 12 // elements of a part, at least
)

// partsOf is in how many parts lines are folded, and of how many elements.
func partsOf(outer, n, inner int) (parts, size int) {
	blocks := outer
	if inner > 1 {
		blocks *= ceil(inner, warpSize)
	}
	if n < partLine || blocks >= enough {
		return 1, n
	}
	size = max(ceil(n*blocks, enough), partSize)
	return ceil(n, size), size
}
