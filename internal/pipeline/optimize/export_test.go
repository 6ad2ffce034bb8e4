package optimize

import (
	"context"

	"github.com/taso-go/taso/law"
)

// UnprovedOf lists the laws that are not known to be true.
func UnprovedOf(ctx context.Context, laws []*law.Law, proofs map[string]*law.Proof) ([]Unproved, error) {
	used := map[string]*law.Law{}
	for _, l := range laws {
		used[l.Name] = l
	}
	e, err := evidenceOf(ctx, used, proofs)
	if err != nil {
		return nil, err
	}
	return e.unproved, nil
}
