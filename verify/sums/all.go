package sums

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
)

// ProveAll decides each goal, with one prover for each of the workers; 0: as many
// as processors. The results do not depend on their number. The error is that of
// Z3.
func ProveAll(ctx context.Context, goals []*law.Law, cfg Config, workers int) ([]Result, error) {
	out := make([]Result, len(goals))
	provers := make([]*Prover, parallel.Workers(workers, len(goals)))
	// Goals are not left out when ctx ends: they are not proved then.
	err := parallel.Each(context.WithoutCancel(ctx), len(provers), len(goals), func(w, i int) (err error) {
		if provers[w] == nil {
			if provers[w], err = New(cfg); err != nil {
				return err
			}
		}
		out[i], err = provers[w].Prove(ctx, goals[i])
		return err
	})
	for _, p := range provers {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("engine sums: %w", err)
	}
	return out, nil
}
