package plan

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// flowing is a place for each tensor, by which regions can be divided.
type flowing struct {
	ways [][]*way
	lies map[graph.Tensor]place
	// wants are of what does not depend on samples, and is whole where they are dealt out in time, as all
	// that read it would have it, if they agree.
	wants map[graph.Tensor]place
}

// flow is a choice with a place for each tensor: along the axes that are marked as samples that are
// dealt out make them, with nothing converted that need not be, and copies along the
// others. An operator is computed in the way that takes most of its operands as they are.
// With all axes marked that is data parallelism.
func (s *space) flow(samples [maxAxes]bool) *flowing {
	f := &flowing{make([][]*way, len(s.ways)), map[graph.Tensor]place{}, map[graph.Tensor]place{}}
	for _, id := range s.all {
		if s.ways[id] == nil {
			for k := range s.g.NumOut(id) {
				t := id.Out(k)
				f.lies[t] = s.plain()
				if s.given(t) && !s.stays(t) {
					f.lies[t] = s.dealt(t, samples)
				}
			}
			continue
		}
		best := s.flows(id, f.lies)
		if best != nil {
			f.ways[id] = []*way{best}
		} else {
			f.ways[id] = s.ways[id][:1]
		}
		for k := range s.g.NumOut(id) {
			if f.lies[id.Out(k)] = s.plain(); best != nil {
				f.lies[id.Out(k)] = best.out[k]
			}
		}
		for i, t := range s.g.Operands(id) {
			if !s.time() || s.fresh[t.Node] {
				continue
			}
			want := s.plain()
			if best != nil {
				want = best.in[i]
			}
			if p, ok := f.wants[t]; ok && p != want {
				want = s.plain()
			}
			f.wants[t] = want
		}
	}
	return f
}

// data is data parallelism along all axes, with weights everywhere.
func (s *space) data() *layouts {
	return &layouts{ways: s.flow([maxAxes]bool{true, true, true}).ways, resident: map[graph.NodeID]place{}}
}

// dealt is the place of samples along the axes that are marked, as far as these divide them.
func (s *space) dealt(t graph.Tensor, samples [maxAxes]bool) place {
	p := s.plain()
	for k := range s.degrees {
		if next := p; samples[k] {
			next[k] = shards
			if s.fits(s.sort(t), next) {
				p = next
			}
		}
	}
	return p
}

// flows is the way that takes most operands as they lie; nil: none does without conversions.
func (s *space) flows(id graph.NodeID, lies map[graph.Tensor]place) (best *way) {
	plain, most := s.plain(), -1
	for _, w := range s.ways[id] {
		same, ok := 0, true
		for i, t := range s.g.Operands(id) {
			have := lies[t]
			for k := range s.degrees {
				switch {
				case have[k] == w.in[i][k] && have[k] == sums && s.enlarges(id, t):
					// It is added up before, as a statistic of samples is that they all read.
				case have[k] == w.in[i][k]:
					same++
				case have[k] == plain[k] && !(s.time() && s.fresh[t.Node]):
				case have[k] == sums && w.in[i][k] == plain[k]:
				default:
					ok = false
				}
			}
		}
		if ok && (same > most || same == most && w.cost < best.cost) {
			best, most = w, same
		}
	}
	return best
}

// enlarges reports whether what a node makes of an operand has more elements; along an axis in time what
// is added up is there for no micro-batch.
func (s *space) enlarges(id graph.NodeID, t graph.Tensor) bool {
	return !s.time() && graph.NumElements(s.g.Sizes(id.Out(0))) > graph.NumElements(s.g.Sizes(t))
}

// between is the place of a tensor between regions. What is whole along an axis in time is as others want
// it if it can be made so.
func (f *flowing) between(s *space, t graph.Tensor) place {
	p := f.lies[t]
	if want, ok := f.wants[t]; ok && p == s.plain() && s.makes(t, want) {
		return want
	}
	return p
}

// makes reports whether a node can make a tensor in a place of operands that are whole.
func (s *space) makes(t graph.Tensor, p place) bool {
	return slices.ContainsFunc(s.ways[t.Node], func(w *way) bool {
		return w.by != nil && w.out[t.Out] == p && !slices.ContainsFunc(w.in, func(in place) bool { return in[0] == sums })
	})
}
