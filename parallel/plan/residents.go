package plan

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
)

func (q *question) on(axis int) Means { return q.means[min(axis, len(q.means)-1)] }

// only are the residents if each weight may lie in one place only, else nil.
func (s *space) only(q *question) map[graph.NodeID]place {
	out := map[graph.NodeID]place{}
	for _, id := range s.all {
		for k := range s.g.NumOut(id) {
			t := id.Out(k)
			if !s.weight(t) {
				continue
			}
			lies := s.inputs(q, t)
			if at, ok := out[s.source(t)]; len(lies) > 1 || ok && at != lies[0] {
				return nil
			}
			out[s.source(t)] = lies[0]
		}
	}
	return out
}

// tried are the residents of a choice, and where weights lie better, if there are such places and each
// operator has a way.
func (s *space) tried(q *question, free *layouts) []map[graph.NodeID]place {
	tried := []map[graph.NodeID]place{free.resident}
	y := s.tally(free)
	if y == nil {
		return tried
	}
	y.settle(func(id graph.NodeID) []place { return s.lie(q, id.Out(0)) })
	if q.tries == triesSettled {
		return []map[graph.NodeID]place{y.resident}
	}
	if !maps.Equal(y.resident, free.resident) {
		tried = append(tried, y.resident)
	}
	return tried
}

// reside says where weights lie: where that was decided, where a choice has them, or where they may first.
func (s *space) reside(q *question, l *layouts) {
	for _, id := range s.all {
		for k := range s.g.NumOut(id) {
			t := id.Out(k)
			if !s.weight(t) {
				continue
			}
			in := s.source(t)
			if p, ok := q.resident[in]; ok {
				l.resident[in] = p
			} else if p, ok := l.lies[t]; ok {
				l.resident[in] = p
			} else if _, ok := l.resident[in]; !ok {
				l.resident[in] = s.inputs(q, t)[0]
			}
		}
	}
}

// inputs are the places in which what is given may lie.
func (s *space) inputs(q *question, t graph.Tensor) []place {
	if at, ok := q.resident[s.source(t)]; ok && s.weight(t) {
		return []place{at}
	}
	return s.lie(q, t)
}

// lie are the places in which means let it lie.
func (s *space) lie(q *question, t graph.Tensor) []place {
	weight, all := s.weight(t), s.lies(t)
	for k := range s.degrees {
		m := q.on(k)
		may := func(p place) bool {
			r := roleOf(p[k])
			switch {
			case weight && q.parts[s.from[t]]:
				return FSDP.resident(r)
			case weight:
				return m.resident(r)
			case s.stays(t):
				return m.stays(r)
			}
			return m.fresh(r, 0)
		}
		if !slices.ContainsFunc(all, may) { // nothing fits as it is wanted
			may = func(p place) bool { return p[k] == s.plain()[k] }
		}
		all = slices.DeleteFunc(all, func(p place) bool { return !may(p) })
	}
	return all
}
