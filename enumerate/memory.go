package enumerate

import (
	"cmp"
	"context"

	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/spill"
)

// The bound on memory is shared out: an eighth to the terms of a walk, an eighth to the
// fingerprints that are sorted, an eighth to the stores of all workers. What fits into the
// first eighth needs about six times as much as a finished level.
func (p *pool) eighth() int64 {
	if p.opt.Memory <= 0 {
		return 0
	}
	return max(1, p.opt.Memory/8)
}

// storeLimit is the number of applications after which a worker begins a new store. What
// is found does not depend on it.
func (p *pool) storeLimit() int {
	const bytes = 400 // of an application, its tensors and their values, measured
	most := 1 << 20
	if p.opt.Memory > 0 {
		most = min(most, max(1<<12, int(p.eighth()/int64(bytes*p.opt.Workers))))
	}
	return most
}

// first is the first error: workers that share a disk fail alike.
func first(errs []error) error { return cmp.Or(errs...) }

// closeAll frees what sorters hold. They were written and read, so that nothing is lost if
// a file does not close.
func closeAll[T any](sorters []*spill.Sorter[T]) {
	for _, x := range sorters {
		x.Close()
	}
}

// sorters are as many as there are workers, which share an eighth of the bound.
func sorters[T any](p *pool, c spill.Codec[T], unique bool) []*spill.Sorter[T] {
	out := make([]*spill.Sorter[T], p.opt.Workers)
	share := (p.eighth() + int64(len(out)) - 1) / int64(len(out))
	for i := range out {
		out[i] = spill.NewSorter(p.folder, c, share, unique)
	}
	return out
}

// merge is what sorters hold. If one of them wrote to the disk, all do, so that memory is
// free.
func merge[T any](p *pool, list []*spill.Sorter[T]) (all *spill.Stream[T], spilled bool, err error) {
	for _, x := range list {
		spilled = spilled || x.Spilled()
	}
	err = parallel.Each(context.Background(), len(list), len(list), func(_, i int) error {
		if !spilled {
			list[i].Sort()
			return nil
		}
		return list[i].Spill()
	})
	if err != nil {
		return nil, false, err
	}
	all, err = spill.Merge(p.eighth(), list...)
	return all, spilled, err
}
