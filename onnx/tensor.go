package onnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// readWeight is a tensor of a model file; its numbers are read when they are
// loaded. A tensor may have no elements, which a weight of a model may not.
func readWeight(p *onnxpb.TensorProto, src source) (*model.Weight, error) {
	t, err := dtypeOf(elem(p.GetDataType()))
	if err != nil {
		return nil, err
	}
	sizes, err := readSizes(p.GetDims())
	if err != nil {
		return nil, err
	}
	if p.GetSegment() != nil {
		return nil, errors.New("a tensor in segments is not supported")
	}
	w := &model.Weight{DType: t, Sizes: sizes}
	n := w.Elements()
	want := packedBytes(t, n)
	refs := refsOf(p.ProtoReflect().GetUnknown())
	switch {
	case p.GetDataLocation() == onnxpb.TensorProto_EXTERNAL:
		load, err := external(p, src, want)
		if err != nil {
			return nil, fmt.Errorf("external data: %w", err)
		}
		w.Load = unpacked(t, n, load)
		return w, nil
	case len(refs) > 1:
		return nil, errors.New("numbers in several pieces")
	case len(refs) == 1:
		r := refs[0]
		if r.field == fieldFloats && t != graph.Float32 || r.field == fieldDoubles && t != graph.Float64 {
			return nil, fmt.Errorf("numbers in field %d for element type %s", r.field, t)
		}
		if r.bytes != want {
			return nil, fmt.Errorf("%d bytes of numbers for %s, want %d", r.bytes, describe(w), want)
		}
		w.Load = unpacked(t, n, func() ([]byte, error) { return src.read(r.off, r.bytes) })
		return w, nil
	case p.RawData != nil:
		raw := p.RawData
		if int64(len(raw)) != want {
			return nil, fmt.Errorf("%d bytes of numbers for %s, want %d", len(raw), describe(w), want)
		}
		w.Load = unpacked(t, n, func() ([]byte, error) { return raw, nil })
		return w, nil
	}
	entries, raw := typedData(p, t)
	if wanted := want / int64(t.Bytes()); entries != wanted {
		return nil, fmt.Errorf("%d numbers for %s, want %d", entries, describe(w), wanted)
	}
	w.Load = unpacked(t, n, func() ([]byte, error) { return raw(), nil })
	return w, nil
}

// unpacked loads n elements that a file holds packed.
func unpacked(t graph.DType, n int64, load func() ([]byte, error)) func() ([]byte, error) {
	if t.Bits() >= 8 {
		return load
	}
	return func() ([]byte, error) {
		raw, err := load()
		if err != nil {
			return nil, err
		}
		return unpack(t, raw, n), nil
	}
}

// readSizes checks the sizes of a tensor; 0 is allowed.
func readSizes(dims []int64) ([]int, error) {
	if len(dims) > graph.MaxRank {
		return nil, fmt.Errorf("%d axes, more than %d", len(dims), graph.MaxRank)
	}
	sizes := make([]int, len(dims))
	for i, d := range dims {
		if d < 0 || d > graph.MaxSize {
			return nil, fmt.Errorf("size %d of axis %d is not in 0 to %d", d, i, graph.MaxSize)
		}
		sizes[i] = int(d)
	}
	if n := graph.Product(sizes...); n > graph.MaxElements {
		return nil, fmt.Errorf("sizes %v: more than %d elements", sizes, graph.MaxElements)
	}
	return sizes, nil
}

// read reads a part of the model's file.
func (src source) read(off, n int64) ([]byte, error) {
	if src.path == "" {
		return src.memory[off : off+n : off+n], nil
	}
	f, err := os.Open(src.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readPart(f, src.path, off, n)
}

func readPart(f *os.File, name string, off, n int64) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if off < 0 || n < 0 || off > st.Size() || n > st.Size()-off {
		return nil, fmt.Errorf("%s has %d bytes, not the %d from byte %d on", name, st.Size(), n, off)
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, off); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// MissingFile is the cause of an error: numbers of the model are in a file that is not there.
type MissingFile struct{ Name string } // as the model has it

// Error is one line.
func (e *MissingFile) Error() string { return fmt.Sprintf("%q is not there", clip(e.Name)) }

// external finds the part of another file that holds a tensor's numbers. That
// file must lie in the model's folder or below, whatever links there are.
func external(p *onnxpb.TensorProto, src source, want int64) (func() ([]byte, error), error) {
	var location string
	off, n := int64(0), want
	for _, e := range p.GetExternalData() {
		var err error
		switch e.GetKey() {
		case "location":
			location = e.GetValue()
		case "offset":
			off, err = strconv.ParseInt(e.GetValue(), 10, 64)
		case "length":
			n, err = strconv.ParseInt(e.GetValue(), 10, 64)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %q is not a number", e.GetKey(), clip(e.GetValue()))
		}
	}
	if location == "" {
		return nil, errors.New("no location")
	}
	if src.path == "" {
		return nil, fmt.Errorf("%q: the model has no folder", clip(location))
	}
	if n != want {
		return nil, fmt.Errorf("%q: %d bytes, want %d", clip(location), n, want)
	}
	name := filepath.FromSlash(location)
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q is not inside the model's folder", clip(location))
	}
	if src.others != nil {
		src.others[filepath.Join(filepath.Dir(src.path), name)] = true
	}
	open := func() (*os.File, error) {
		root, err := os.OpenRoot(filepath.Dir(src.path))
		if err != nil {
			return nil, err
		}
		defer root.Close()
		// Opening a pipe would wait for somebody to write.
		if st, err := root.Stat(name); err == nil && !st.Mode().IsRegular() {
			return nil, fmt.Errorf("%q is not a regular file", clip(location))
		}
		f, err := root.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			return nil, &MissingFile{location}
		}
		return f, err
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if off < 0 || off > st.Size() || n > st.Size()-off {
		return nil, fmt.Errorf("%q has %d bytes, not the %d from byte %d on", clip(location), st.Size(), n, off)
	}
	return func() ([]byte, error) {
		f, err := open()
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readPart(f, location, off, n)
	}, nil
}

func describe(w *model.Weight) graph.TensorType {
	return graph.TensorType{DType: w.DType, Sizes: w.Sizes}
}
