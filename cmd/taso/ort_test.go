package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/ort"
)

// lookup is a model of language at its smallest: rows of a table by an input of
// integers, of which another input of integers takes some away.
func lookup(t *testing.T, scale float32) string {
	f := newFile()
	f.input("ids", int64Type, 2, 3)
	f.input("mask", int64Type, 2, 3)
	f.weight("table", numbers(1, 50*4), 50, 4)
	f.weight("scale", []float32{scale})
	f.node("Gather", "rows", "table", "ids")
	f.integers("axes", 2)
	f.node("Unsqueeze", "wide", "mask", "axes")
	setInt(f.node("Cast", "part", "wide"), "to", int64(floatType))
	f.node("Mul", "some", "rows", "part")
	f.node("Mul", "y", "some", "scale")
	f.output("y", 2, 3, 4)
	return f.write(t, "lookup")
}

func command(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, diag bytes.Buffer
	if got := run(args, nil, &out, &diag); got != status {
		t.Fatalf("taso %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status, out.String(), diag.String())
	}
	return out.String(), diag.String()
}

// TestRuntimeOfIntegers: files with inputs of integers are run in ONNX Runtime on
// positions that their tables have, by verify and by run.
func TestRuntimeOfIntegers(t *testing.T) {
	ort.ForTest(t)
	a, b := lookup(t, 2), lookup(t, 2.5)
	text, _ := command(t, 0, "verify", a, a, "--onnxruntime")
	if !strings.Contains(text, "both files unmodified") || !strings.Contains(text, "  y [2 3 4]: largest deviation 0 absolute, 0 relative\n") {
		t.Error(text)
	}
	text, _ = command(t, 1, "verify", a, b, "--onnxruntime", "--json")
	var verified struct {
		Runtime struct{ Outputs []struct{ Relative float64 } }
	}
	if err := json.Unmarshal([]byte(text), &verified); err != nil || len(verified.Runtime.Outputs) != 1 || verified.Runtime.Outputs[0].Relative < 0.1 {
		t.Errorf("%v %+v", err, verified)
	}
	text, _ = command(t, 0, "run", a, "--onnxruntime", "--repeat", "2", "--json")
	var ran struct {
		Inputs  []struct{ Name, How string }
		Runtime struct {
			Version   string `json:"onnxruntime"`
			Seconds   float64
			Optimized float64 `json:"optimized_seconds"`
			Agree     bool
			Outputs   []struct {
				Name     string
				Sizes    []int
				Compared int
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &ran); err != nil {
		t.Fatal(err)
	}
	r := ran.Runtime
	if len(ran.Inputs) != 2 || ran.Inputs[0].How != "random positions, 0 to 49" || r.Version == "" || r.Seconds <= 0 || r.Optimized <= 0 ||
		!r.Agree || len(r.Outputs) != 1 || r.Outputs[0].Name != "y" || r.Outputs[0].Compared != 24 {
		t.Errorf("%+v", ran)
	}
	text, _ = command(t, 0, "run", a, "--onnxruntime", "--repeat", "2", "--input", "ids=range", "--input", "mask=ones")
	if !strings.Contains(text, "without optimizations") || !strings.Contains(text, "  y [2 3 4]: largest deviation 0 absolute") {
		t.Error(text)
	}
	text, _ = command(t, 0, "run", "bert-tiny", "--onnxruntime", "--repeat", "1")
	if !strings.Contains(text, "without optimizations") {
		t.Error(text)
	}
}

func TestOutputFiles(t *testing.T) {
	got := strings.Join(outputFiles("d", []string{"y", "Y", "a/b:0", "a b 0", "", "..", strings.Repeat("n", 300)}), " ")
	want := "d/y.npy d/Y_2.npy d/a_b_0.npy d/a_b_0_2.npy d/_.npy d/_...npy d/" + strings.Repeat("n", 100) + ".npy"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
