package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"

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
// sets Beam's options --environment_type and --environment_config, which are the process's,
// and returns what sets them back.
func OnPool(pool *Pool) (restore func(), err error) {
	before := [2]string{*jobopts.EnvironmentType, *jobopts.EnvironmentConfig}
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "EXTERNAL", pool.Addr()
	back, err := Program("")
	return func() {
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = before[0], before[1]
		back()
	}, err
}

// Program sets what is sent to workers as the program that they are to run, if Beam's
// option --worker_binary does not say it: an executable file, or nothing if program is
// empty or the environment is of workers that are there (EXTERNAL, PROCESS). Beam would
// build one otherwise. It returns what sets the option back.
func Program(program string) (restore func(), err error) {
	before := *jobopts.WorkerBinary
	if before != "" {
		return func() {}, nil
	}
	if env := strings.ToUpper(*jobopts.EnvironmentType); program != "" && env != "EXTERNAL" && env != "PROCESS" {
		*jobopts.WorkerBinary = program
		return func() { *jobopts.WorkerBinary = before }, nil
	}
	none, err := os.CreateTemp("", "taso-cluster-*")
	if err != nil {
		return func() {}, err
	}
	*jobopts.WorkerBinary = none.Name()
	return func() {
		*jobopts.WorkerBinary = before
		os.Remove(none.Name())
	}, none.Close()
}
