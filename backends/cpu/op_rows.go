package cpu

import (
	"math"

	"github.com/taso-go/taso/lower"
)

func bindReduce(b *binder, k *lower.Kernel, s *step) error {
	kern, x, y := b.t, b.value(k.In[0]), b.value(k.Out[0])
	outer, n, inner := k.Span[0], k.Span[1], k.Span[2]
	kind := map[string]int32{"reducesum": reduceSum, "reducemean": reduceMean, "reducemax": reduceMax}[k.As]
	s.run = func(ptr) error {
		kern.reduce(y.ptr(), x.ptr(), outer, n, inner, kind)
		return nil
	}
	return nil
}

func bindSoftmax(b *binder, k *lower.Kernel, s *step) error {
	kern, x, y := b.t, b.value(k.In[0]), b.value(k.Out[0])
	outer, n, inner := k.Span[0], k.Span[1], k.Span[2]
	s.run = func(ptr) error {
		kern.softmax(y.ptr(), x.ptr(), outer, n, inner)
		return nil
	}
	return nil
}

func bindLayerNorm(b *binder, k *lower.Kernel, s *step) error {
	eps, err := b.attrs(k.Node).Real("eps")
	if err != nil {
		return err
	}
	kern, in, y := b.t, b.values(k.In), b.value(k.Out[0])
	s.run = func(ptr) error {
		kern.layerNorm(y.ptr(), in[0].ptr(), in[1].ptr(), in[2].ptr(), k.Span[0], k.Span[1], float32(eps))
		return nil
	}
	return nil
}

// prepareAffine makes of scale, bias, mean and variance of a batch norm what
// x*s + t wants: s = scale/sqrt(var+eps) and t = bias - mean*s.
func prepareAffine(b *binder, k *lower.Kernel, s *step) error {
	eps, err := b.attrs(k.Node).Real("eps")
	if err != nil {
		return err
	}
	params, st := b.values(k.In), b.value(k.Out[0])
	channels := st.Elements() / 2
	s.run = func(ptr) error {
		scale, bias := f32(params[0].ptr(), channels), f32(params[1].ptr(), channels)
		mean, variance := f32(params[2].ptr(), channels), f32(params[3].ptr(), channels)
		s, t := f32(st.ptr(), channels), f32(at(st.ptr(), channels), channels)
		for i := range s {
			f := float64(scale[i]) / math.Sqrt(float64(variance[i])+float64(float32(eps)))
			s[i], t[i] = float32(f), float32(float64(bias[i])-float64(mean[i])*f)
		}
		return nil
	}
	return nil
}

// bindResize interpolates along one axis, by a table of three rows: the cells
// before and behind, and how far between them.
func bindResize(b *binder, k *lower.Kernel, s *step) error {
	kern, x, tab, y := b.t, b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	m := tab.Elements() / 3
	s.run = func(ptr) error {
		kern.lerp(y.ptr(), x.ptr(), k.Span[0], k.Span[1], m, k.Span[2], tab.ptr(), at(tab.ptr(), m), at(tab.ptr(), 2*m))
		return nil
	}
	return nil
}

// prepareResize fills the table. Where the source cell of an output cell lies is
// the mode's to say.
func prepareResize(b *binder, k *lower.Kernel, s *step) error {
	mode, tab := b.attrs(k.Node).Word("mode"), b.value(k.Out[0])
	n, m := k.Span[1], tab.Elements()/3
	s.run = func(ptr) error {
		i0, i1 := i32(tab.ptr(), m), i32(at(tab.ptr(), m), m)
		w := f32(at(tab.ptr(), 2*m), m)
		for j := range m {
			lo, frac, err := lower.SourceCell(mode, j, n, m)
			if err != nil {
				return err
			}
			i0[j], i1[j], w[j] = int32(lo), int32(min(lo+1, n-1)), frac
		}
		return nil
	}
	return nil
}
