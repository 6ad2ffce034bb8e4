package cluster

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
)

func init() { register.DoFn2x1[context.Context, int, error](&compare{}) }

// comparisons is the pipeline that compares the chunks from lo to hi-1 of a batch.
func (j *Job) comparisons(s beam.Scope, batch, lo, hi int) {
	chunks := beam.Reshuffle(s, beam.CreateList(s, numbers(lo, hi)))
	beam.ParDo0(s.Scope("compare"), &compare{*j, batch}, chunks)
}

// compare writes what it finds of the buckets of a chunk.
type compare struct {
	Job   Job
	Batch int
}

// The files of a job about a level: the laws from which pairs are derived, and of each
// batch the news and, for each chunk, the buckets and what is found of them.
func (j *Job) basisPath() string         { return j.Dir + "/basis" }
func (j *Job) newsPath(batch int) string { return fmt.Sprintf("%s/news-%05d", j.Dir, batch) }
func (j *Job) chunkPath(batch, chunk int) string {
	return fmt.Sprintf("%s/buckets-%05d-%07d", j.Dir, batch, chunk)
}
func (j *Job) comparedPath(batch, chunk int) string {
	return fmt.Sprintf("%s/compared-%05d-%07d", j.Dir, batch, chunk)
}

var (
	comparers   shared[*enumerate.Comparer]
	comparisons shared[*enumerate.Comparison]
)

// comparer is that of the job's level.
func (j *Job) comparer(ctx context.Context) (*enumerate.Comparer, error) {
	return comparers.get(j.statePath(), func() (*enumerate.Comparer, error) {
		w, err := j.worker(ctx)
		if err != nil {
			return nil, err
		}
		var laws []*law.Law
		err = load(ctx, j.basisPath(), func(b []byte) error {
			l, err := law.ParseLaw(string(b))
			laws = append(laws, l)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(laws) == 0 {
			return enumerate.NewComparer(w, nil), nil
		}
		if _, err := genrules.NewDeriver(laws); err != nil {
			return nil, fmt.Errorf("%s: %w", j.basisPath(), err)
		}
		return enumerate.NewComparer(w, func() func(*law.Law) bool {
			derive, _ := genrules.NewDeriver(laws) // as above
			return derive
		}), nil
	})
}

// ProcessElement is called by Beam with the number of a chunk.
func (f *compare) ProcessElement(ctx context.Context, chunk int) error {
	disturb()
	j := &f.Job
	x, err := comparisons.get(j.newsPath(f.Batch), func() (*enumerate.Comparison, error) {
		c, err := j.comparer(ctx)
		if err != nil {
			return nil, err
		}
		var news [][]byte
		for i := range f.Batch + 1 {
			b, err := loadBytes(ctx, j.newsPath(i))
			if err != nil {
				return nil, err
			}
			news = append(news, b)
		}
		return c.At(news...)
	})
	if err != nil {
		return err
	}
	buckets, err := loadBytes(ctx, j.chunkPath(f.Batch, chunk))
	if err != nil {
		return err
	}
	found, err := x.Compare(ctx, buckets)
	if err != nil {
		return fmt.Errorf("%s: %w", j.chunkPath(f.Batch, chunk), err)
	}
	return saveBytes(ctx, j.comparedPath(f.Batch, chunk), found)
}

// compare has the chunks of a batch compared by pipelines.
func (c *Cluster) compare(ctx context.Context, j *Job, b *enumerate.Batch, take func(int, []byte) error) error {
	if err := saveBytes(ctx, j.newsPath(b.Number), b.News); err != nil {
		return err
	}
	for i := range b.Chunks {
		buckets, err := b.Chunk(i)
		if err == nil {
			err = saveBytes(ctx, j.chunkPath(b.Number, i), buckets)
		}
		if err != nil {
			return err
		}
	}
	n, first := c.split(b.Chunks)
	err := parallel.Each(ctx, n, n, func(_, i int) error {
		what := fmt.Sprintf("%d chunks of batch %d of graphs that agree", first(i+1)-first(i), b.Number)
		return c.run(ctx, what, func(s beam.Scope) { j.comparisons(s, b.Number, first(i), first(i+1)) })
	})
	if err != nil {
		return err
	}
	for i := range b.Chunks {
		found, err := loadBytes(ctx, j.comparedPath(b.Number, i))
		if err != nil {
			return err
		}
		if err := take(i, found); err != nil {
			return err
		}
		for _, path := range []string{j.chunkPath(b.Number, i), j.comparedPath(b.Number, i)} {
			if err := remove(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// split divides elements among the pipelines that run at a time: the i-th one's begin with
// first(i).
func (c *Cluster) split(elements int) (pipelines int, first func(i int) int) {
	n := min(max(c.opt.Pipelines, 1), elements)
	return n, func(i int) int { return i * elements / n }
}
