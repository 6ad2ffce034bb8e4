package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/onnx"
)

func init() {
	Register(&Benchmark{Name: "optimize-peers", What: "public models optimized by taso, onnxsim, onnxoptimizer",
		Takes: "8 min", Packages: []string{"internal/pipeline/optimize", "backends/cpu", "onnx", "internal/ort"},
		Models: true, Default: append(Real(), "mobilenetv2-full", "bert-base-layer-128"), Repeat: true, Run: optimizePeers})
}

// peers are other programs, of PyPI, that rewrite an ONNX file; they are called with
// the file to read and the one to write.
var peers = []string{"onnxsim", "onnxoptimizer"}

// peerLimit is how long a peer may take for a model.
const peerLimit = 2 * time.Minute

func optimizePeers(ctx context.Context, env *Env) (*Record, error) {
	for _, p := range peers {
		if _, err := exec.LookPath(p); err != nil {
			return nil, &Missing{What: p + " is not on the path: pip install onnxsim onnxoptimizer"}
		}
	}
	e, err := openEngines(ctx, true)
	if err != nil {
		return nil, err
	}
	defer e.close()
	t := NewTable("", Label("model"), Label("optimized by"), Measured("optimizer time", "s").Digits(2), Counted("operators"), Measured("ours", "ms").Digits(3),
		Measured("ONNX Runtime, optimizations off", "ms").Digits(3), Measured("ONNX Runtime, optimizations on", "ms").Digits(3), Measured("largest relative deviation", ""))
	dir, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	stage := env.Progress.Stage("models", int64(len(env.Models)))
	for _, name := range env.Models {
		files, err := e.rewritten(ctx, env, name, dir)
		if errors.Is(err, errNoTorch) {
			t.Add(shown(name), err.Error(), nil, nil, nil, nil, nil, nil)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var timed []*timedFile
		for _, f := range files {
			timed = append(timed, &f.timedFile)
		}
		if err := e.time(ctx, timed, env.repeats()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range files {
			if f.err != nil {
				t.Add(shown(name), f.by+": "+oneLine(f.err), f.seconds, nil, nil, nil, nil, nil)
				continue
			}
			n := 0
			for id := range f.m.Graph.Nodes() {
				if f.m.Graph.Op(id) != nil {
					n++
				}
			}
			t.Add(shown(name), f.by, f.seconds, n, 1e3*f.best[0], 1e3*f.best[1], 1e3*f.best[2], f.deviation)
		}
		stage.Add(1)
	}
	stage.Done()
	return &Record{Tables: []*Table{t}, Notes: []string{
		fmt.Sprintf("Best of %d runs "+peersNote, env.repeats()),
		"ONNX Runtime " + e.ort.Version + "."}}, nil
}

// oneLine is the end of a message, in a line.
func oneLine(err error) string {
	return fmt.Sprintf("%.80s", strings.Join(strings.Fields(err.Error()), " "))
}

// rewrittenFile is a model as somebody wrote it, or why there is none.
type rewrittenFile struct {
	timedFile
	by        string
	seconds   any // nil: nobody rewrote it
	deviation any // as taso's comparison says
}

// rewritten writes a model as it is, as others optimize it, and as we do.
func (e *engines) rewritten(ctx context.Context, env *Env, name, dir string) ([]*rewrittenFile, error) {
	base := &rewrittenFile{by: "none"}
	var opt onnx.ReadOptions
	if r := findReal(name); r != nil {
		path, err := r.path(ctx)
		if err != nil {
			return nil, err
		}
		base.path, opt.Shapes = path, r.shapes
	} else {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		base.path = filepath.Join(dir, "model.onnx")
		if err := onnx.Write(base.path, m, onnx.WriteOptions{}); err != nil {
			return nil, err
		}
	}
	var err error
	if base.m, _, err = onnx.Read(base.path, opt); err != nil {
		return nil, err
	}
	files := []*rewrittenFile{base}
	for _, p := range peers {
		f := &rewrittenFile{by: p, timedFile: timedFile{path: filepath.Join(dir, p+".onnx")}}
		f.seconds, f.err = byPeer(ctx, p, base.path, f.path)
		if f.err == nil {
			f.m, _, f.err = onnx.Read(f.path, opt)
		}
		files = append(files, f)
	}
	start := time.Now()
	res, _, err := watched(ctx, optimize.Options{Model: base.m, Cost: e.start, CostName: "the formula of " + formula, Target: e.ours.Target(),
		Runner: e.ours, Measure: true, Seed: 1, Workers: env.Workers, Progress: env.Progress})
	if err != nil {
		return nil, err
	}
	f := &rewrittenFile{by: "taso", timedFile: timedFile{path: filepath.Join(dir, "taso.onnx")}, seconds: time.Since(start).Seconds(),
		deviation: fmt.Sprintf("%.1e", res.MaxRelError)}
	if err := onnx.Write(f.path, res.Model, onnx.WriteOptions{}); err != nil {
		return nil, err
	}
	if f.m, _, err = onnx.Read(f.path, onnx.ReadOptions{}); err != nil {
		return nil, fmt.Errorf("read what was written: %w", err)
	}
	return append(files, f), nil
}

// byPeer lets another program rewrite a file, and returns its seconds.
func byPeer(ctx context.Context, program, from, to string) (seconds any, err error) {
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	within, stop := context.WithTimeout(ctx, peerLimit)
	defer stop()
	start := time.Now()
	out, err := exec.CommandContext(within, program, from, to).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, fmt.Errorf("it took more than %v", peerLimit)
	case err != nil:
		return nil, fmt.Errorf("%w: %s", err, ending(out))
	}
	if _, err := os.Stat(to); err != nil {
		return nil, errors.New("it wrote nothing")
	}
	return time.Since(start).Seconds(), nil
}
