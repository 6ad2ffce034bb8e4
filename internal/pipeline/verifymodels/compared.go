package verifymodels

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/model"
)

// maxCompared is how many integers are kept that a model compares others with.
const maxCompared = 64

// compared are the integers in weights, or everywhere in a constant, with which models compare other integers, each once:
// such as the words of a table. Where several have to stand in certain places, as in pairs of
// words, integers that are drawn from a range hardly ever meet them.
func compared(ms ...*model.Model) (list []int64, err error) {
	for _, m := range ms {
		g := m.Graph
		for id := range g.Nodes() {
			op := g.Op(id)
			if op == nil || !op.Elementwise || op.In != 2 || !jump(op, g.Attrs(id)) {
				continue
			}
			for _, t := range g.Operands(id) {
				for op := g.Op(t.Node); op != nil && op.In == 1 && (op.Rearranges || op.Name == "cast"); op = g.Op(t.Node) {
					t = g.Operands(t.Node)[0]
				}
				add := func(v float64) {
					if n := int64(v); float64(n) == v && !slices.Contains(list, n) && len(list) < maxCompared {
						list = append(list, n)
					}
				}
				if op := g.Op(t.Node); op != nil && op.Name == "fill" && g.DType(t).IsInt() {
					if v, ok := g.Attrs(t.Node)[op.ParamIndex("value")].Number(); ok {
						add(v)
					}
				}
				w := m.Weights[t.Node]
				if w == nil || !w.DType.IsInt() || w.Elements() > maxCompared {
					continue
				}
				x, err := loadWeight(floats{}, w)
				if err != nil {
					return nil, fmt.Errorf("weight %s: %w", g.Name(t.Node), err)
				}
				for _, v := range x.Data {
					add(v)
				}
			}
		}
	}
	return list, nil
}
