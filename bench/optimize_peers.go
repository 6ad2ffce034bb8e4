package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/pipeline/measure"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

func init() {
	Register(&Benchmark{Name: "optimize-peers", What: "models optimized by taso, onnxsim and onnxoptimizer: times on our backend and in ONNX Runtime",
		Takes: "15 min", Packages: []string{"internal/pipeline/optimize", "internal/pipeline/measure", "backends/cpu", "onnx", "internal/ort"},
		Models: true, Default: []string{"mobilenetv2-full", "resnet50", "inceptionv3-full", "bert-base-layer-128"}, Repeat: true, Run: optimizePeers})
}

// peers are other programs, of PyPI, that rewrite an ONNX file; they are called with
// the file to read and the one to write.
var peers = []string{"onnxsim", "onnxoptimizer"}

func optimizePeers(ctx context.Context, env *Env) (*Record, error) {
	rt, err := ort.Find(ctx)
	if errors.Is(err, ort.ErrAbsent) {
		return nil, &Missing{What: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	for _, p := range peers {
		if _, err := exec.LookPath(p); err != nil {
			return nil, &Missing{What: p + " is not on the path: pip install onnxsim onnxoptimizer"}
		}
	}
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	start, err := cost.FindMachine(formula)
	if err != nil {
		return nil, err
	}
	repeat := env.Repeat
	if repeat == 0 {
		repeat = 30
	}
	t := NewTable("", Label("model"), Label("optimized by"), Counted("operators"), Measured("ours", "ms").Digits(3),
		Measured("ONNX Runtime, optimizations off", "ms").Digits(3), Measured("on", "ms").Digits(3))
	dir, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, name := range env.Models {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		files, err := optimizedFiles(ctx, env, m, start, b, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range files {
			if f.err != nil {
				t.Add(shown(name), f.by+": "+f.err.Error(), nil, nil, nil, nil)
				continue
			}
			x, _, err := onnx.Read(f.path, onnx.ReadOptions{})
			if err != nil {
				t.Add(shown(name), f.by+": "+err.Error(), nil, nil, nil, nil)
				continue
			}
			best, err := fileBesideRuntime(ctx, rt, b, x, f.path, repeat)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", name, f.by, err)
			}
			n := 0
			for id := range x.Graph.Nodes() {
				if x.Graph.Op(id) != nil {
					n++
				}
			}
			t.Add(shown(name), f.by, n, 1e3*best[0], 1e3*best[1], 1e3*best[2])
		}
	}
	return &Record{Tables: []*Table{t}, Notes: []string{
		fmt.Sprintf("Best of %d runs in turns, one thread each. All start from the same file, which taso wrote with fixed sizes. taso: costs of the formula of `%s` fitted to the times of the model's operators; separate: the same, each operator a kernel of its own, as in a runtime that fuses nothing.", repeat, formula),
		"ONNX Runtime " + rt.Version + "."}}, nil
}

// optimizedFile is a model as somebody wrote it, or why there is none.
type optimizedFile struct {
	by, path string
	err      error
}

// optimizedFiles writes a model as it is, as others optimize it, and as we do.
func optimizedFiles(ctx context.Context, env *Env, m *model.Model, start *cost.Machine, b *cpu.Backend, dir string) ([]optimizedFile, error) {
	base := filepath.Join(dir, "model.onnx")
	if err := onnx.Write(base, m, onnx.WriteOptions{}); err != nil {
		return nil, err
	}
	files := []optimizedFile{{by: "nobody", path: base}}
	for _, p := range peers {
		f := optimizedFile{by: p, path: filepath.Join(dir, p+".onnx")}
		os.Remove(f.path)
		if out, err := exec.CommandContext(ctx, p, base, f.path).CombinedOutput(); err != nil {
			f.err = fmt.Errorf("%w: %.80s", err, out)
		} else if _, err := os.Stat(f.path); err != nil {
			f.err = errors.New("it wrote nothing")
		}
		files = append(files, f)
	}
	timed, err := measure.Run(ctx, measure.Options{Backend: b, Models: []*model.Model{m}, Machine: start, Progress: env.Progress})
	if err != nil {
		return nil, err
	}
	fitted := start
	if timed.Fit != nil {
		fitted = timed.Fit.Machine
	}
	for _, how := range []struct {
		by     string
		target *lower.Target
	}{{"taso", b.Target()}, {"taso, separate", lower.Separate()}} {
		res, _, err := watched(ctx, optimize.Options{Model: m, Cost: fitted, CostName: formula, Target: how.target, Runner: b, Seed: 1, Progress: env.Progress})
		if err != nil {
			return nil, err
		}
		f := optimizedFile{by: how.by, path: filepath.Join(dir, how.target.Name+".onnx")}
		if err := onnx.Write(f.path, res.Model, onnx.WriteOptions{}); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
