package cluster

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

// Runner is the function for Options.Run of a name: prism, Beam's local runner, in this
// process, or universal, the job server at --endpoint (of Flink, Spark, or Prism).
func Runner(name string) (func(context.Context, *beam.Pipeline) error, error) {
	execute := map[string]func(context.Context, *beam.Pipeline) (beam.PipelineResult, error){
		"prism": prism.Execute, "universal": universal.Execute}[name]
	if execute == nil {
		return nil, fmt.Errorf("runner %q is not one of prism, universal", name)
	}
	return func(ctx context.Context, p *beam.Pipeline) error {
		_, err := execute(ctx, p)
		return err
	}, nil
}

// OnPool has the workers of pipelines be processes of a pool, whichever the runner is. It
// sets Beam's options --environment_type, --environment_config and --worker_binary, which
// are the process's, and returns what sets them back.
func OnPool(pool *Pool) (restore func(), err error) {
	// The workers are there: no program is to be sent.
	none, err := os.CreateTemp("", "taso-cluster-*")
	if err != nil {
		return nil, err
	}
	if err := none.Close(); err != nil {
		return nil, err
	}
	before := [3]string{*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary}
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = "EXTERNAL", pool.Addr(), none.Name()
	return func() {
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = before[0], before[1], before[2]
		os.Remove(none.Name())
	}, nil
}
