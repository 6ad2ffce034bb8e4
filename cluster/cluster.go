package cluster

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
)

// Options configure a Cluster.
type Options struct {
	// Dir is a folder that all processes see, as Beam names it: a path, or gs://bucket/folder.
	Dir string
	// Run executes a pipeline and waits for its end.
	Run func(ctx context.Context, p *beam.Pipeline) error
	// Shares is the number of parts of a walk, and Parts the number of files of a kind;
	// 0: 64 and 16. More than there are workers, and as many as fit a worker's memory.
	Shares, Parts int
	// Pipelines is how many pipelines answer questions, or compare, at a time; 0: 1. A runner spreads one
	// over its workers; Prism has one worker for each.
	Pipelines int
	// FewBuckets is how many classes of graphs the driver compares itself, which takes less
	// time than a pipeline takes to start; 0: 4096, negative: none.
	FewBuckets int
	// Memory is how many bytes a function sorts in memory; 0: 256 MiB.
	Memory int64
	// Attempts is how often a pipeline is tried; 0: 3. Runners try parts again themselves;
	// this is for those that do not, and for what they give up.
	Attempts int
	// Failed, if not nil, is told of an attempt that failed.
	Failed func(what string, attempt int, err error)
}

// Cluster does the larger parts of a run by pipelines; it is a genrules.Cluster. It serves
// one run at a time.
type Cluster struct {
	opt   Options
	job   Job
	made  int // pipelines
	basis []*law.Law
}

var _ genrules.Cluster = (*Cluster)(nil)

// New is a cluster for a run with options of which the operators, the seed and the mode
// count.
func New(run genrules.Options, opt Options) (*Cluster, error) {
	if opt.Dir == "" || opt.Run == nil {
		return nil, errors.New("cluster: a folder that all processes see, and a runner, are wanted")
	}
	if opt.Shares <= 0 {
		opt.Shares = 64
	}
	if opt.Parts <= 0 {
		opt.Parts = 16
	}
	if opt.FewBuckets == 0 {
		opt.FewBuckets = fewBuckets
	}
	if opt.Memory <= 0 {
		opt.Memory = 256 << 20
	}
	if opt.Attempts <= 0 {
		opt.Attempts = 3
	}
	return &Cluster{opt: opt, job: Job{Ops: run.Ops, Seed: run.Seed, Exhaustive: run.Exhaustive,
		Shares: opt.Shares, Parts: opt.Parts, Memory: opt.Memory}}, nil
}

// run makes and executes a pipeline, again if it fails.
func (c *Cluster) run(ctx context.Context, what string, build func(beam.Scope)) error {
	var err error
	for attempt := 1; attempt <= c.opt.Attempts; attempt++ {
		p, s := beam.NewPipelineWithRoot()
		build(s)
		if err = c.opt.Run(ctx, p); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.opt.Failed != nil {
			c.opt.Failed(what, attempt, err)
		}
	}
	return fmt.Errorf("%s, after %d attempts: %w", what, c.opt.Attempts, err)
}

// begin is a job with a folder of its own, which depends on what it is about.
func (c *Cluster) begin(what string) Job {
	c.made++
	j := c.job
	j.Dir = fmt.Sprintf("%s/%s-%d-%d", strings.TrimRight(c.opt.Dir, "/"), what, os.Getpid(), c.made)
	return j
}

// Basis tells from which laws the pairs of the levels to come are derived.
func (c *Cluster) Basis(laws []*law.Law) { c.basis = laws }

// fewBuckets is how many are compared by the driver, since a pipeline takes longer to start.
const fewBuckets = 4096

// Graphs has the terms of a level found, and compared.
func (c *Cluster) Graphs(ctx context.Context, level int, state []byte) (*enumerate.Graphed, error) {
	j := c.begin(fmt.Sprintf("level-%d-%s", level, name(state)))
	if err := saveBytes(ctx, j.statePath(), state); err != nil {
		return nil, err
	}
	err := save(ctx, j.basisPath(), func(add func([]byte) error) error {
		for _, l := range c.basis {
			if err := add([]byte(law.Format(l))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := c.run(ctx, fmt.Sprintf("graphs of level %d", level), j.graphs); err != nil {
		return nil, err
	}
	g := &enumerate.Graphed{Few: c.opt.FewBuckets}
	g.Compare = func(ctx context.Context, b *enumerate.Batch, take func(int, []byte) error) error {
		return c.compare(ctx, &j, b, take)
	}
	err = j.read(ctx, "visits", j.Shares, func(b []byte) error {
		if len(b) != 8 {
			return errDamaged
		}
		g.Visits += binary.BigEndian.Uint64(b)
		return nil
	})
	from := func(what string) func(func([]byte) error) error {
		return func(add func([]byte) error) error { return j.read(ctx, what, j.Parts, add) }
	}
	g.Terms, g.Edges, g.Symmetries = from("terms"), from("edges"), from("symmetries")
	g.Close = func() error { return removeAll(context.WithoutCancel(ctx), j.Dir) }
	return g, err
}

// read calls add with the records of all files of a kind.
func (j *Job) read(ctx context.Context, what string, parts int, add func([]byte) error) error {
	for i := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := load(ctx, partPath(j.Dir, what, i, parts), add); err != nil {
			return err
		}
	}
	return nil
}

// Solve has questions answered.
func (c *Cluster) Solve(ctx context.Context, list []genrules.Question) ([]genrules.Answer, error) {
	if len(list) == 0 {
		return nil, nil
	}
	j := c.begin("questions")
	err := save(ctx, j.questionsPath(), func(add func([]byte) error) error {
		for _, q := range list {
			b, err := json.Marshal(q)
			if err == nil {
				err = add(b)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	n, first := c.split(len(list))
	err = parallel.Each(ctx, n, n, func(_, i int) error {
		what := fmt.Sprintf("%d questions about laws, from the %d-th on", first(i+1)-first(i), first(i)+1)
		return c.run(ctx, what, func(s beam.Scope) { j.solutions(s, first(i), first(i+1)) })
	})
	if err != nil {
		return nil, err
	}
	answers := make([]genrules.Answer, len(list))
	met := make([]bool, len(list))
	take := func(b []byte) error {
		var a numbered
		if err := json.Unmarshal(b, &a); err != nil {
			return err
		}
		if a.Number < 0 || a.Number >= len(list) || met[a.Number] {
			return fmt.Errorf("an answer to question %d of %d, or a second one", a.Number, len(list))
		}
		answers[a.Number], met[a.Number] = a.Answer, true
		return nil
	}
	for i := range n {
		for _, part := range j.partsOf(first(i), first(i+1)) {
			if err := load(ctx, j.answersPath(first(i), part), take); err != nil {
				return nil, err
			}
		}
	}
	for i, ok := range met {
		if !ok {
			return nil, fmt.Errorf("question %d has no answer", i)
		}
	}
	return answers, removeAll(context.WithoutCancel(ctx), j.Dir)
}
