package optimize

import (
	"cmp"
	"context"
	"sync"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// summed are the laws that sums has proved in this process.
var summed remembered

// remembered are laws by what they say, not by how they print or what they are called:
// a law is not proved twice, and no other passes for it. Goroutines may share it.
type remembered struct {
	mu     sync.Mutex
	laws   law.Statements
	proved map[int]bool // by numbers of laws
}

func (r *remembered) number(l *law.Law) (n int, proved bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = r.laws.Of(l)
	return n, r.proved[n]
}

// prove proves laws from what their operators compute, those that are not known yet. It
// says for each why it is not proved, "" if it is.
func (r *remembered) prove(ctx context.Context, laws []*law.Law) (why []string, err error) {
	why = make([]string, len(laws))
	var fresh []*law.Law
	var at, numbers []int
	for i, l := range laws {
		if n, proved := r.number(l); !proved {
			fresh, at, numbers = append(fresh, l), append(at, i), append(numbers, n)
		}
	}
	if len(fresh) == 0 {
		return why, nil
	}
	res, err := sums.ProveAll(ctx, fresh, sums.Config{Ordered: true}, 0)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range res {
		switch {
		case !res[i].Proved:
			why[at[i]] = cmp.Or(res[i].Reason, "no reason is known")
		case r.proved == nil:
			r.proved = map[int]bool{numbers[i]: true}
		default:
			r.proved[numbers[i]] = true
		}
	}
	return why, nil
}
