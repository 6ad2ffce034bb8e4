package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// runtimeReport is how far two files deviate in ONNX Runtime.
type runtimeReport struct {
	Version string          `json:"onnxruntime"`
	Outputs []runtimeOutput `json:"outputs"`
	Agree   bool            `json:"agree"`
	Seconds [2]float64      `json:"seconds"` // of one run, each file
}

type runtimeOutput struct {
	A        string  `json:"a"`
	B        string  `json:"b"`
	Sizes    []int   `json:"sizes"`
	Absolute float64 `json:"absolute"`
	Relative float64 `json:"relative"` // over the largest element
	// NaNs counts the elements that are no number, or infinite, in one file only.
	NaNs int `json:"nans,omitempty"`
	// Compared counts the elements that are finite in both.
	Compared int `json:"compared"`
}

// inRuntime runs two ONNX files as they are in ONNX Runtime, on the same random
// inputs, which are found by name. A built-in model is written to a file first.
func (k *verifyFlags) inRuntime(ctx context.Context, files [2]string) (*runtimeReport, error) {
	rt, err := ort.Find(ctx)
	if err != nil {
		return nil, err
	}
	k.opt.Progress.Stage("ONNX Runtime", progress.Unknown)
	defer k.opt.Progress.Close()
	ms, seed, tolerance := [2]*model.Model{k.opt.A, k.opt.B}, k.opt.Seed, k.opt.Tolerance
	for i, name := range files {
		if !k.model.builtin(name) {
			continue
		}
		folder, err := os.MkdirTemp("", "taso")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		files[i] = filepath.Join(folder, name+".onnx")
		if err := onnx.Write(files[i], ms[i], onnx.WriteOptions{}); err != nil {
			return nil, err
		}
	}
	rep := &runtimeReport{Version: rt.Version, Agree: true}
	constants, err := parseConstants(k.model.constants)
	if err != nil {
		return nil, err
	}
	data := map[string]backends.Tensor{}
	var outs [2][]ort.Tensor
	for i, m := range ms {
		var in []ort.Tensor
		for k, id := range m.Inputs() {
			name := m.Graph.Name(id)
			t, ok := data[name]
			if !ok {
				typ := graph.TensorType{DType: m.Graph.DType(id.Out(0)), Sizes: m.Graph.Sizes(id.Out(0))}
				if t, err = backends.Random(seed+uint64(k), typ); err != nil {
					return nil, fmt.Errorf("%s: input %s: %w", files[i], name, err)
				}
				if typ.DType != graph.Float32 {
					return nil, fmt.Errorf("%s: input %s: random inputs are float32, this is %s", files[i], name, typ.DType)
				}
				data[name] = t
			}
			in = append(in, ort.Float32(name, t.Sizes, t.F32))
		}
		for _, name := range slices.Sorted(maps.Keys(constants)) {
			if r := k.reports[i]; r == nil || slices.Contains(r.Unused, name) {
				continue // the model was read without it
			}
			raw, err := constants[name].Read()
			if err != nil {
				return nil, err
			}
			in = append(in, ort.Tensor{Name: name, DType: "int64", Sizes: append([]int{}, constants[name].Sizes...), Data: raw})
		}
		res, err := rt.Run(ctx, files[i], in, ort.Options{Repeat: 3})
		if err != nil {
			return nil, fmt.Errorf("%s: ONNX Runtime: %w", files[i], err)
		}
		outs[i] = res.Outputs
		rep.Seconds[i] = slices.Min(res.Seconds)
	}
	if len(outs[0]) != len(outs[1]) {
		return nil, fmt.Errorf("ONNX Runtime: %s has %d outputs, %s has %d", files[0], len(outs[0]), files[1], len(outs[1]))
	}
	for i, a := range outs[0] {
		b := outs[1][i]
		if !slices.Equal(a.Sizes, b.Sizes) {
			return nil, fmt.Errorf("ONNX Runtime: outputs %s and %s have sizes %v and %v", a.Name, b.Name, a.Sizes, b.Sizes)
		}
		x, err := a.Float32s()
		y, err2 := b.Float32s()
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		o := runtimeOutput{A: a.Name, B: b.Name, Sizes: a.Sizes}
		o.compare(x, y)
		rep.Agree = rep.Agree && o.NaNs == 0 && (o.Compared > 0 || len(x) == 0) && o.Relative <= tolerance
		rep.Outputs = append(rep.Outputs, o)
	}
	return rep, nil
}

// compare fills in the deviations.
func (o *runtimeOutput) compare(xs, ys []float32) {
	largest := 0.0
	for i := range xs {
		x, y := float64(xs[i]), float64(ys[i])
		d := math.Abs(x - y)
		switch {
		case x == y || math.IsNaN(x) && math.IsNaN(y):
			if d = math.Abs(x); d <= math.MaxFloat32 {
				o.Compared++
				largest = max(largest, d)
			}
		case math.IsNaN(d) || math.IsInf(d, 0):
			o.NaNs++
		default:
			o.Compared++
			largest = max(largest, math.Abs(x), math.Abs(y))
			o.Absolute = max(o.Absolute, d)
		}
	}
	if largest > 0 {
		o.Relative = o.Absolute / largest
	}
}

func (r *runtimeReport) print(w io.Writer) {
	fmt.Fprintf(w, "ONNX Runtime %s, both files as they are, %.3g and %.3g ms a run:\n", r.Version, r.Seconds[0]*1000, r.Seconds[1]*1000)
	for _, o := range r.Outputs {
		fmt.Fprintf(w, "  %s %v: largest deviation %.2g absolute, %.2g relative", o.A, o.Sizes, o.Absolute, o.Relative)
		if o.NaNs > 0 {
			fmt.Fprintf(w, ", %d elements are no numbers in one file only", o.NaNs)
		}
		if n := int(graph.Product(o.Sizes...)) - o.Compared - o.NaNs; n > 0 {
			fmt.Fprintf(w, ", %d elements are finite in neither", n)
		}
		fmt.Fprintln(w)
	}
}
