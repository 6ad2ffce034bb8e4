package optimize

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/onnx"
	"google.golang.org/protobuf/proto"
)

// dynamicCases are graphs whose first sizes are a dynamic batch in the file.
var dynamicCases = []struct{ name, text string }{
	{"a law for all sizes", "x : float32[1, 4]\na = neg(x)\nb = neg(a)\ny = exp(b)\nreturn y"},
	{"a reshape that is written anew", "x : float32[1, 4, 6]\na = neg(x)\nb = reshape[shape=[1, 24]](a)\nc = reshape[shape=[1, 2, 12]](b)\nd = neg(c)\ny = exp(d)\nreturn y"},
	{"what is so at batch 1 only", "x : float32[1, 4]\na = concat[axis=0](x, x)\nb = slice[axis=0, lo=0, hi=1](a)\nc = neg(b)\nd = neg(c)\ny = exp(d)\nreturn y"},
	{"a product", "x : float32[1, 3, 4]\na = reshape[shape=[3, 4]](x)\nb = transpose[perm=(1, 0)](a)\nc = transpose[perm=(1, 0)](b)\nd = relu(c)\ny = reshape[shape=[1, 3, 4]](d)\nreturn y"},
	{"nothing of the input", "x : float32[1, 4]\na = ewsub(x, x)\ny = exp(a)\nreturn y"},
	{"transposes around a step", "x : float32[1, 4, 6]\na = transpose[perm=(0, 2, 1)](x)\nb = relu(a)\nc = transpose[perm=(0, 2, 1)](b)\ny = exp(c)\nreturn y"},
}

// dynamicFile is openFile with Reshapes that take the first size from their operand.
func dynamicFile(t *testing.T, text string) string {
	t.Helper()
	path := openFile(t, text)
	p := readProto(t, path)
	for _, n := range p.Graph.Node {
		for _, w := range p.Graph.Initializer {
			if n.GetOpType() == "Reshape" && w.GetName() == n.Input[1] {
				copy(w.RawData, bytes.Repeat([]byte{0xff}, 8)) // -1
			}
		}
	}
	raw, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A model with a dynamic batch is optimized once, at whatever sizes: the certificate and the file
// are for all of them.
func TestDynamic(t *testing.T) {
	machine, err := cost.FindMachine("zen5")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, c := range dynamicCases {
		for _, method := range []Method{Descend, Saturate} {
			for _, sample := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s, %s, made with %d", c.name, method, sample), func(t *testing.T) {
					path := dynamicFile(t, c.text)
					opt := onnx.ReadOptions{Dynamic: true, Samples: map[string]int{"batch": sample}}
					m, rep, err := onnx.Read(path, opt)
					if err != nil {
						t.Fatal(err)
					}
					r, err := Run(context.Background(), Options{Model: m, Source: rep.Source, Folder: t.TempDir(), Cost: machine, Tries: 300, Method: method})
					if err != nil {
						t.Fatal(err)
					}
					if !r.ProofChecked || len(r.Sizes) != 1 || r.Sizes[0].Range != (graph.Range{Lo: 1, Hi: graph.Unbounded}) {
						t.Fatalf("proof checked: %t, for the sizes %v", r.ProofChecked, r.Sizes)
					}
					to := filepath.Join(t.TempDir(), "out.onnx")
					if err := r.Write(to); err != nil {
						t.Fatal(err)
					}
					was, now := readProto(t, path), readProto(t, to)
					if !proto.Equal(was.Graph.Input[0], now.Graph.Input[0]) || !proto.Equal(was.Graph.Output[0], now.Graph.Output[0]) {
						t.Errorf("declared as %v and %v", now.Graph.Input[0], now.Graph.Output[0])
					}
					if r.StepCount > 0 {
						changed++
					}
					result, _, err := onnx.Read(to, opt)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := CheckProof(context.Background(), bytes.NewReader(r.Proof), "proof", m, result, false); err != nil {
						t.Errorf("the written file: %v", err)
					}
					// Read at fixed sizes, both compute the same.
					rng := rand.New(rand.NewPCG(37, uint64(sample)))
					for range 3 {
						at := onnx.ReadOptions{Shapes: map[string][]int{"batch": {1 + rng.IntN(9)}}}
						a, _, err := onnx.Read(path, at)
						if err != nil {
							t.Fatal(err)
						}
						b, _, err := onnx.Read(to, at)
						if err != nil {
							t.Fatal(err)
						}
						rep, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b})
						if err != nil {
							t.Fatal(err)
						}
						if rep.Verdict != verifymodels.ModelsEqual {
							t.Errorf("batch %v: %s", at.Shapes, rep.Statement)
						}
					}
				})
			}
		}
	}
	if changed < 8 {
		t.Errorf("only %d results have steps", changed)
	}
}

// A certificate for all sizes is not accepted for models of one, for those of another range, nor
// for a file in which a size is the one that the model was made with.
func TestDynamicAttacks(t *testing.T) {
	path := dynamicFile(t, "x : float32[1, 4, 6]\na = neg(x)\nb = neg(a)\nc = reshape[shape=[1, 24]](b)\ny = exp(c)\nreturn y")
	opt := onnx.ReadOptions{Dynamic: true, Samples: map[string]int{"batch": 3}}
	m, rep, err := onnx.Read(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := cost.FindMachine("zen5")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Options{Model: m, Source: rep.Source, Folder: t.TempDir(), Cost: machine, Tries: 300, Method: Descend})
	if err != nil {
		t.Fatal(err)
	}
	if r.StepCount == 0 {
		t.Fatal("nothing changed")
	}
	proof := func() *bytes.Reader { return bytes.NewReader(r.Proof) }
	if sizes, err := SizesOf(proof(), "proof"); err != nil || len(sizes) != 1 || sizes["batch"].Lo != 1 {
		t.Fatalf("sizes %v, %v", sizes, err)
	}
	ranged := opt
	ranged.Ranges = map[string]graph.Range{"batch": {Lo: 1, Hi: 8}}
	few, _, err := onnx.Read(path, ranged)
	if err != nil {
		t.Fatal(err)
	}
	fixed, _, err := onnx.Read(path, onnx.ReadOptions{Shapes: map[string][]int{"batch": {3}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ok   bool
		err  error
	}{
		{"the models", true, checkOf(r, m.Graph, r.Model.Graph)},
		{"the result at fixed sizes", false, checkOf(r, m.Graph, r.Model.Graph.Fixed())},
		{"the model at fixed sizes", false, checkOf(r, m.Graph.Fixed(), r.Model.Graph)},
		{"both at fixed sizes", false, checkOf(r, fixed.Graph, r.Model.Graph.Fixed())},
		{"the model with another range", false, checkOf(r, few.Graph, r.Model.Graph)},
	} {
		if (c.err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

// checkOf is what the checker says of a result's proof about two graphs without weights.
func checkOf(r *Result, a, b *graph.Graph) error {
	x, y := *r.Model, *r.Model
	x.Graph, y.Graph = a, b
	_, err := CheckProof(context.Background(), bytes.NewReader(r.Proof), "proof", &x, &y, false)
	return err
}

// Prove is about all sizes, too.
func TestProveDynamic(t *testing.T) {
	model := func(text string) (path string) { return dynamicFile(t, text) }
	for _, c := range []struct {
		a, b  string
		equal bool
	}{
		{"x : float32[1, 4]\na = neg(x)\nb = neg(a)\ny = exp(b)\nreturn y", "x : float32[1, 4]\ny = exp(x)\nreturn y", true},
		{"x : float32[1, 4]\na = concat[axis=0](x, x)\ny = exp(a)\nreturn y", "x : float32[1, 4]\na = exp(x)\ny = concat[axis=0](a, a)\nreturn y", true},
		{"x : float32[1, 4]\ny = exp(x)\nreturn y", "x : float32[1, 4]\ny = neg(x)\nreturn y", false},
	} {
		a, _, err := onnx.Read(model(c.a), onnx.ReadOptions{Dynamic: true})
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := onnx.Read(model(c.b), onnx.ReadOptions{Dynamic: true})
		if err != nil {
			t.Fatal(err)
		}
		machine, err := cost.FindMachine("zen5")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prove(context.Background(), a, b, Options{Cost: machine, Tries: 500})
		if err != nil {
			t.Fatal(err)
		}
		if p.Equal != c.equal {
			t.Errorf("%s\nand\n%s: %t, %s", c.a, c.b, p.Equal, p.Why)
		}
		if c.equal && !strings.Contains(string(p.Proof), "batch") {
			t.Error("the equation has no variable")
		}
	}
}

// TestDynamicSteps: a proof says the steps of sizes, with which its models are read again.
func TestDynamicSteps(t *testing.T) {
	path := dynamicFile(t, "x : float32[1, 4, 6]\na = neg(x)\nb = neg(a)\ny = exp(b)\nreturn y")
	opt := onnx.ReadOptions{Dynamic: true, Steps: map[string]int{"batch": 4}, Ranges: map[string]graph.Range{"batch": {Lo: 5, Hi: 30}}}
	m, rep, err := onnx.Read(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := cost.FindMachine("zen5")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Options{Model: m, Source: rep.Source, Folder: t.TempDir(), Cost: machine, Tries: 300, Method: Descend})
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := SizesOf(bytes.NewReader(r.Proof), "proof")
	want := map[string]graph.SizeVar{"batch": {Range: graph.Range{Lo: 2, Hi: 7}, Step: 4}}
	if err != nil || !maps.Equal(sizes, want) {
		t.Fatalf("sizes %v, %v; want %v", sizes, err, want)
	}
	again, _, err := onnx.Read(path, onnx.ReadOptions{Dynamic: true, Variables: sizes})
	if err != nil || !again.Graph.Sizing().Equal(m.Graph.Sizing()) {
		t.Fatalf("%s, %v", again.Graph.Sizing(), err)
	}
	if err := checkOf(r, again.Graph, r.Model.Graph); err != nil {
		t.Error(err)
	}
	// The same quotients are not the same sizes.
	sizes["batch"] = graph.SizeVar{Range: sizes["batch"].Range, Step: 2}
	other, _, err := onnx.Read(path, onnx.ReadOptions{Dynamic: true, Variables: sizes})
	if err != nil {
		t.Fatal(err)
	}
	if err := checkOf(r, other.Graph, r.Model.Graph); err == nil {
		t.Error("a proof about multiples of 4 is accepted for multiples of 2")
	}
}
