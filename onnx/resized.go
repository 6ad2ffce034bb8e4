package onnx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/model"
)

// Open are the sizes that the file leaves open and that the model has fixed, as it was read with.
func (s *Source) Open() []OpenSize { return slices.Clone(s.open) }

// mostOther is how many other choices of open sizes [Source.Other] returns.
const mostOther = 2

// Other returns choices of the open sizes that the file can be read with, at most two, and
// the model at each of them. Every size differs from the one that the model was read with,
// except that one choice may have all sizes 1. There are none if the file can be read with
// none of those that are tried.
func (s *Source) Other() (choices [][]OpenSize, models []*model.Model) {
	if len(s.open) == 0 {
		return nil, nil
	}
	try := func(size func(dim, given int) int) bool {
		sizes, dims := slices.Clone(s.open), map[string]int{}
		for i, o := range sizes {
			dim := o.Dim
			if dim == "" {
				dim = fmt.Sprintf("%d of %s", o.Axis, o.Input)
			}
			if _, ok := dims[dim]; !ok {
				dims[dim] = len(dims)
			}
			sizes[i].Size, sizes[i].Assumed = size(dims[dim], o.Size), false
		}
		same := func(x []OpenSize) bool { return slices.Equal(x, sizes) }
		if slices.ContainsFunc(choices, same) {
			return false
		}
		m, err := s.ReadAt(s.src.path, sizes)
		if err != nil {
			return false
		}
		choices, models = append(choices, sizes), append(models, m)
		return true
	}
	one := func(o OpenSize) bool { return o.Size == 1 }
	// Sizes of 1 broadcast: what is right at others need not be at these.
	if !slices.ContainsFunc(s.open, one) {
		try(func(int, int) int { return 1 })
	}
	// Sizes that differ from each other come first. Sizes that are bound to each other, or
	// are multiples of something, come from the given ones.
	for _, size := range []func(dim, given int) int{
		func(dim, given int) int { return given + 1 + dim },
		func(dim, given int) int { return given * (2 + dim) },
		func(dim, given int) int { return given * (3 + dim) },
		func(_, given int) int { return given * 2 },
		func(_, given int) int { return given * 3 },
		func(_, given int) int { return given + 1 },
		func(_, given int) int { return max(1, given/2) },
	} {
		if len(choices) >= mostOther {
			break
		}
		try(size)
	}
	return choices, models
}

// ReadAt reads a file that [Rewrite] made, or the source itself, with other sizes of those
// that the source leaves open.
func (s *Source) ReadAt(path string, open []OpenSize) (*model.Model, error) {
	opt := s.opt
	opt.Shapes, opt.Batch, opt.Some = map[string][]int{}, 0, true
	for _, id := range s.model.Graph.Inputs() {
		opt.Shapes[s.model.Graph.Name(id)] = slices.Clone(s.model.Graph.Sizes(id.Out(0)))
	}
	maps.DeleteFunc(opt.Shapes, func(name string, _ []int) bool {
		return !slices.ContainsFunc(open, func(o OpenSize) bool { return o.Input == name })
	})
	for _, o := range open {
		if sizes := opt.Shapes[o.Input]; o.Axis < len(sizes) {
			sizes[o.Axis] = o.Size
		}
	}
	if path == s.src.path {
		r, done, err := s.src.open()
		if err != nil {
			return nil, err
		}
		defer done()
		src := s.src
		src.others = map[string]bool{}
		m, _, err := decode(r, src, opt)
		return m, err
	}
	opt.Constants = nil // they are in the file
	m, _, err := Read(path, opt)
	return m, err
}
