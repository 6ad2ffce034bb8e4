package training

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/model"
)

// Markdown is a table of what gradient descent by the mean square is beside each model:
// operators and operations of the step less the model, and how many times those of the
// model.
func Markdown(models []*model.Model) (string, error) {
	var b strings.Builder
	b.WriteString("| model | operators | step | GFLOP | step less model | times the model's | of products alone |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, m := range models {
		_, r, err := Make(m, grad.Options{Loss: grad.MeanSquare})
		if err != nil {
			return "", err
		}
		more := r.Step.FLOPs - r.Forward.FLOPs
		fmt.Fprintf(&b, "| `%s` | %d | %d | %.4g | %.4g | %.2f | %.2f |\n", m.Name, r.Forward.Operators, r.Step.Operators,
			float64(r.Forward.FLOPs)/1e9, float64(more)/1e9, float64(more)/float64(r.Forward.FLOPs),
			float64(r.Step.Products-r.Forward.Products)/float64(r.Forward.Products))
	}
	return b.String(), nil
}
