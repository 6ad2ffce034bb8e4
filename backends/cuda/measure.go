package cuda

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
)

// Measure times one application.
func (b *Backend) Measure(_ context.Context, a cost.Application, _ backends.MeasureOptions) (cost.Sample, error) {
	if a.Op == nil {
		return cost.Sample{}, errors.New("measure: no operator")
	}
	return cost.Sample{}, fmt.Errorf("measure %s: a CUDA device does not measure yet", a.Op.Name)
}
