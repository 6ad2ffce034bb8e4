package onnx

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/model"
)

// Open are the sizes that the file leaves open and that the model has fixed, as it was read with.
func (s *Source) Open() []OpenSize { return slices.Clone(s.open) }

// ReadAt reads a file that [Rewrite] made, with other sizes of those that the source leaves open.
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
	opt.Constants = nil // they are in the file
	m, _, err := Read(path, opt)
	return m, err
}

// ForAll reads the source again, with variables for the sizes that it leaves open.
func (s *Source) ForAll() (*model.Model, *Source, error) {
	opt := s.opt
	opt.Dynamic, opt.Shapes, opt.Batch, opt.Some = true, maps.Clone(opt.Shapes), 0, true
	for _, o := range s.open {
		delete(opt.Shapes, o.Input)
		delete(opt.Shapes, o.Dim)
	}
	r, done, err := s.src.open()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	src := s.src
	src.others = map[string]bool{}
	m, rep, err := decode(r, src, opt)
	if err != nil {
		return nil, nil, err
	}
	return m, rep.Source, nil
}
