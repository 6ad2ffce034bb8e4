package audit

import "context"

// spread is what was found of a law whose elementwise operators broadcast.
type spread struct {
}

func (s *spread) apply(w *Direction, way int) {}

// broadcasts decides the laws of readings that broadcast.
func (d *decider) broadcasts(ctx context.Context, all []*question) error { return nil }
