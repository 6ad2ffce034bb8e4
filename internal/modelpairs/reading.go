package modelpairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// Mutant is a node test of ONNX, as it is or changed in one place, with what ONNX Runtime
// and ONNX's reference implementation compute.
type Mutant struct {
	Number         int     `json:"number"`
	Case           string  `json:"case"`
	Operator       string  `json:"operator"`
	Kind           string  `json:"kind"` // what was changed, or "as it is"
	Inputs         []Input `json:"inputs"`
	Runtime        []Input `json:"runtime"`
	RuntimeError   string  `json:"runtimeError"`
	Reference      []Input `json:"reference"`
	ReferenceError string  `json:"referenceError"`
	Model          []byte  `json:"-"`
}

// Mutants makes node tests and mutants of them. Those below the number of tests are the
// tests as they are.
func Mutants(ctx context.Context, o Options, yield func(*Mutant) error) error {
	return o.run(ctx, "mutants.py", nil, func(r io.Reader) error {
		return records(r, func(line []byte, models [3][]byte) error {
			m := &Mutant{}
			if err := json.Unmarshal(line, m); err != nil {
				return fmt.Errorf("read mutant: %w", err)
			}
			m.Model = models[0]
			return yield(m)
		})
	})
}

// Reading is how our numbers compare with those of the judges.
type Reading int

const (
	// Agrees: our numbers are those of every judge that computes some.
	Agrees Reading = iota
	// Disputed: the judges differ, and ours are those of one.
	Disputed
	// Refused: the model is refused, or a node is kept opaque.
	Refused
	// Alone: we compute numbers, and no judge does.
	Alone
	// Wrong: our numbers are those of no judge.
	Wrong
)

func (r Reading) String() string {
	return [...]string{"agrees", "disputed", "refused", "alone", "wrong"}[r]
}

// JudgeReading reads a mutant twice, with all inputs fed as far as that is possible and with
// all inputs constant, and compares what we compute with the judges. The worse result counts.
// The model is written to dir.
func JudgeReading(ctx context.Context, m *Mutant, dir string) (worst Reading, why string, err error) {
	defer func() {
		if e := recover(); e != nil {
			worst, why, err = Wrong, fmt.Sprintf("panic: %v", e), nil
		}
	}()
	path := filepath.Join(dir, "m.onnx")
	if err := os.WriteFile(path, m.Model, 0o666); err != nil {
		return 0, "", fmt.Errorf("write mutant: %w", err)
	}
	worst = Refused
	for _, fed := range []int{len(m.Inputs), 1, 0} {
		out, err := m.compute(ctx, path, fed)
		if ctx.Err() != nil {
			return 0, "", ctx.Err()
		}
		if err != nil {
			why = strings.ReplaceAll(err.Error(), path+": ", "")
			continue
		}
		r, text := m.compare(out)
		if r == Refused || worst == Refused || r > worst {
			worst, why = r, fmt.Sprintf("with %d inputs fed: %s", fed, text)
		}
		if worst == Wrong {
			break
		}
	}
	return worst, why, nil
}

var errOpaque = errors.New("a node is kept opaque")

// compute reads the model, the inputs from the given one on being constants, and evaluates it.
func (m *Mutant) compute(ctx context.Context, path string, fed int) ([]interp.Tensor[float64], error) {
	opt := onnx.ReadOptions{Constants: map[string]*model.Weight{}, Some: true}
	values := map[string]Input{}
	for i, in := range m.Inputs {
		values[in.Name] = in
		if i >= fed {
			d, err := graph.ParseDType(in.DType)
			if err != nil {
				return nil, err
			}
			opt.Constants[in.Name] = model.FromBytes(d, in.Sizes, in.Data)
		}
	}
	g, r, err := onnx.Read(path, opt)
	if err != nil {
		return nil, err
	}
	if len(r.Opaque) > 0 {
		return nil, fmt.Errorf("%w: %s (%s)", errOpaque, r.Opaque[0].Op, r.Opaque[0].Reason)
	}
	var args []interp.Tensor[float64]
	for _, id := range g.Graph.Inputs() {
		typ := g.Graph.Type(id.Out(0))
		raw := values[g.Graph.Name(id)].Data
		if w := g.Weights[id]; w != nil {
			if raw, err = w.Read(); err != nil {
				return nil, err
			}
		}
		t, err := numbers(typ.DType, typ.Sizes, raw)
		if err != nil {
			return nil, err
		}
		args = append(args, t)
	}
	return interp.EvalGraph(ctx, interp.Float{}, g.Graph, args)
}

func numbers(d graph.DType, sizes []int, raw []byte) (interp.Tensor[float64], error) {
	t := interp.Tensor[float64]{Sizes: sizes}
	x, err := backends.FromBytes(graph.TensorType{DType: d, Sizes: sizes}, raw)
	if err != nil {
		return t, err
	}
	for i := range graph.NumElements(sizes) {
		n := x.Number(i)
		if d == graph.Uint64 && n < 0 {
			n += 1 << 64
		}
		t.Data = append(t.Data, n)
	}
	return t, nil
}

// compare compares our outputs with those of the judges.
func (m *Mutant) compare(out []interp.Tensor[float64]) (Reading, string) {
	half := slices.ContainsFunc(m.Inputs, func(in Input) bool { return in.DType == "float16" })
	var same, other []string
	for _, j := range []struct {
		name, err string
		want      []Input
	}{{"ONNX Runtime", m.RuntimeError, m.Runtime}, {"the reference", m.ReferenceError, m.Reference}} {
		if j.err != "" {
			continue
		}
		if err := agree(out, j.want, half); err != nil {
			other = append(other, fmt.Sprintf("%s: %v", j.name, err))
		} else {
			same = append(same, j.name)
		}
	}
	switch {
	case len(same) == 0 && len(other) == 0:
		return Alone, "ONNX Runtime: " + m.RuntimeError + "; the reference: " + m.ReferenceError
	case len(other) == 0:
		return Agrees, ""
	case len(same) > 0:
		return Disputed, other[0]
	}
	return Wrong, strings.Join(other, "; ")
}

// agree compares with the tolerances of ONNX's own tests, wider ones where something is float16.
func agree(got []interp.Tensor[float64], want []Input, half bool) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d outputs, want %d", len(got), len(want))
	}
	for i, w := range want {
		d, err := graph.ParseDType(w.DType)
		if err != nil {
			return err
		}
		k, err := numbers(d, w.Sizes, w.Data)
		if err != nil {
			return err
		}
		if !slices.Equal(got[i].Sizes, k.Sizes) {
			return fmt.Errorf("output %d: sizes %v, want %v", i, got[i].Sizes, k.Sizes)
		}
		absolute, relative := 1e-5, 1e-3
		if half || d == graph.Float16 {
			absolute, relative = 1e-3, 1e-2
		}
		if !d.IsFloat() {
			relative = 1e-15 // float64 does not hold all integers
		}
		for e, x := range got[i].Data {
			y := k.Data[e]
			if math.IsNaN(x) && !d.IsFloat() {
				continue // an integer that is divided by 0 has no value
			}
			if x != y && !(math.Abs(x-y) <= absolute+relative*math.Abs(y)) && !(math.IsNaN(x) && math.IsNaN(y)) {
				return fmt.Errorf("output %d: element %d is %g, want %g", i, e, x, y)
			}
		}
	}
	return nil
}
