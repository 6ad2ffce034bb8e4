package bench

import "context"

func init() {
	Register(&Benchmark{Name: "onnxruntime-times", What: "whole models: CPU backend vs ONNX Runtime",
		Takes: "2 min", Packages: []string{"internal/pipeline/runmodel", "backends/cpu", "bench/models", "onnx", "internal/ort"},
		Models: true, Default: []string{"resnet50", "bert", "bert-base-128"}, Repeat: true, Run: runtimeTimes})
}

func runtimeTimes(ctx context.Context, env *Env) (*Record, error) {
	e, err := openEngines(ctx, true)
	if err != nil {
		return nil, err
	}
	defer e.close()
	t := NewTable("", Label("model"), Measured("ours", "ms").Digits(3), Measured("ONNX Runtime "+e.ort.Version+", optimizations off", "ms").Digits(3),
		Measured("ONNX Runtime, optimizations on", "ms").Digits(3))
	stage := env.Progress.Stage("models", int64(len(env.Models)))
	for _, name := range env.Models {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		f, err := e.timeModels(ctx, env.repeats(), m)
		if err != nil {
			return nil, err
		}
		t.Add(shown(name), 1e3*f[0].best[0], 1e3*f[0].best[1], 1e3*f[0].best[2])
		stage.Add(1)
	}
	stage.Done()
	return &Record{Tables: []*Table{t}}, nil
}
