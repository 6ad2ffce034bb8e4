package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
	"github.com/taso-go/taso/onnx"
)

// What run and verify have in common when they ask ONNX Runtime.

// ortMissing is the error of --onnxruntime where there is none.
func ortMissing(err error) error {
	return fmt.Errorf("--onnxruntime: %w; install it: python3 -m venv ort && ort/bin/pip install onnxruntime, then set TASO_ORT_PYTHON=ort/bin/python3", err)
}

// deviation is how far two tensors that should be the same are apart.
type deviation struct {
	Sizes    []int   `json:"sizes"`
	Absolute float64 `json:"absolute"`
	Relative float64 `json:"relative"` // over the largest element
	// NaNs counts the elements that are no number, or infinite, in one only.
	NaNs int `json:"nans,omitempty"`
	// Compared counts the elements that are finite in both.
	Compared int `json:"compared"`
}

// compare fills in the deviations.
func (d *deviation) compare(xs, ys []float64) {
	largest := 0.0
	for i, x := range xs {
		y := ys[i]
		by := math.Abs(x - y)
		switch {
		case x == y || math.IsNaN(x) && math.IsNaN(y):
			if by = math.Abs(x); by <= math.MaxFloat64 {
				d.Compared++
				largest = max(largest, by)
			}
		case math.IsNaN(by) || math.IsInf(by, 0):
			d.NaNs++
		default:
			d.Compared++
			largest = max(largest, math.Abs(x), math.Abs(y))
			d.Absolute = max(d.Absolute, by)
		}
	}
	if largest > 0 {
		d.Relative = d.Absolute / largest
	}
}

// agrees reports whether nothing deviates by more than the tolerance, relative to
// the largest element. Where no element is finite in both, nothing was compared.
func (d *deviation) agrees(tolerance float64) bool {
	return d.NaNs == 0 && (d.Compared > 0 || graph.Product(d.Sizes...) == 0) && d.Relative <= tolerance
}

// print ends a line that begins with a name.
func (d *deviation) print(w io.Writer, where string) {
	fmt.Fprintf(w, " %v: largest deviation %.2g absolute, %.2g relative", d.Sizes, d.Absolute, d.Relative)
	if d.NaNs > 0 {
		fmt.Fprintf(w, ", %d elements are NaN or infinite in %s only", d.NaNs, where)
	}
	if n := int(graph.Product(d.Sizes...)) - d.Compared - d.NaNs; n > 0 {
		fmt.Fprintf(w, ", %d elements are finite in neither", n)
	}
	fmt.Fprintln(w)
}

// toleranceOf is a tolerance that was derived from types.
type toleranceOf struct {
	Tolerance float64 `json:"tolerance,omitempty"`
	Narrowest string  `json:"narrowest,omitempty"` // the type, "" for float32
}

// tolerance is that of [backends.Tolerance], with the name of a narrow type.
func tolerance(gs ...*graph.Graph) (within float64, narrowest string) {
	within, t := backends.Tolerance(gs...)
	if t == graph.Float32 {
		return within, ""
	}
	return within, t.String()
}

// print says what is not the usual tolerance.
func (t *toleranceOf) print(w io.Writer) {
	if t.Narrowest != "" {
		fmt.Fprintf(w, "  %s is computed in float32 here: deviations of up to %.2g (16 roundings of the type) agree\n", t.Narrowest, t.Tolerance)
	}
}

// elements are the numbers of an output of ONNX Runtime.
func elements(t ort.Tensor) ([]float64, error) {
	dtype, err := graph.ParseDType(t.DType)
	if err != nil {
		return nil, fmt.Errorf("output %s of ONNX Runtime: %w", t.Name, err)
	}
	return numbersOf(dtype, t.Data), nil
}

// numbersOf are elements as numbers.
func numbersOf(t graph.DType, raw []byte) []float64 {
	step := t.Bytes()
	out := make([]float64, len(raw)/step)
	for i := range out {
		n, x := model.Element(t, raw[i*step:])
		if out[i] = x; !t.IsFloat() {
			out[i] = float64(n)
		}
	}
	return out
}

// ortFile is a file that ONNX Runtime can read: the one that was read, or, of a model
// that was not read from one, a new one, which done removes.
func ortFile(name string, m *model.Model, rep *onnx.Report) (path string, done func(), err error) {
	if rep != nil {
		return name, func() {}, nil
	}
	folder, done, err := atomicfile.Folder("", "taso")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, "model.onnx")
	if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
		done()
		return "", nil, fmt.Errorf("%s as a file for ONNX Runtime: %w", name, err)
	}
	return path, done, nil
}

// ortInputs are the tensors that are fed to a file, and the values of --constant
// that it was read with.
func ortInputs(fed []feed.Tensor, rep *onnx.Report) ([]ort.Tensor, error) {
	var in []ort.Tensor
	for _, t := range fed {
		in = append(in, ort.Tensor{Name: t.Name, DType: t.Type.DType.String(), Sizes: append([]int{}, t.Type.Sizes...), Data: t.Raw})
	}
	if rep == nil {
		return in, nil
	}
	for _, name := range slices.Sorted(maps.Keys(rep.Constants)) {
		w := rep.Constants[name]
		raw, err := w.Read()
		if err != nil {
			return nil, err
		}
		in = append(in, ort.Tensor{Name: name, DType: w.DType.String(), Sizes: append([]int{}, w.Sizes...), Data: raw})
	}
	return in, nil
}
