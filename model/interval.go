package model

import (
	"math"
	"sync"

	"github.com/taso-go/taso/graph"
)

// mostRead is the number of elements up to which a weight is read for its interval.
const mostRead = 1 << 24

// Interval is an interval that holds all elements of the weight: the smallest one, or that
// of the element type if there are too many to look at, or some are not finite.
func (w *Weight) Interval() (graph.Interval, error) {
	any := graph.IntervalOf(w.DType)
	if n := w.Elements(); n == 0 || n > mostRead {
		return any, nil
	}
	raw, err := w.Read()
	if err != nil {
		return any, err
	}
	var out graph.Interval
	size := w.DType.Bytes()
	for i := 0; i < len(raw); i += size {
		n, x := Element(w.DType, raw[i:])
		switch {
		case w.DType == graph.Uint64:
			x = float64(uint64(n))
		case !w.DType.IsFloat():
			x = float64(n)
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return any, nil
		}
		if p := graph.PointInterval(x); i == 0 {
			out = p
		} else {
			out = out.Hull(p)
		}
	}
	if w.DType.Bytes() == 8 && !w.DType.IsFloat() {
		out = out.Wider() // float64 does not hold all of these
	}
	return out, nil
}

// Intervals says in which interval the numbers of each weight are, and what is fed to each
// input. A weight that cannot be read may hold any numbers. Each is read once; the function
// may be called by several goroutines at once.
func (m *Model) Intervals() func(graph.NodeID) graph.Interval {
	var known sync.Map
	return func(id graph.NodeID) graph.Interval {
		if i, ok := known.Load(id); ok {
			return i.(graph.Interval)
		}
		i := graph.IntervalOf(m.Graph.DType(id.Out(0)))
		if w := m.Weights[id]; w != nil {
			if of, err := w.Interval(); err == nil {
				i = of
			}
		}
		known.Store(id, i)
		return i
	}
}
