package plan

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// maxAxes is the most axes along which layouts are chosen together.
const maxAxes = 3

// place is how a tensor lies along the axes that are chosen: a role along each, as a code.
type place [maxAxes]int32

// wholes is the code of a tensor that an axis in time does not deal out.
const wholes int32 = -1

const (
	copies int32 = iota
	sums
	shards // and so on: along axis 0, 1, .., and then those of blocks
)

// maxRank is how many axes a tensor has at most of which there are codes.
const maxRank = 16

// axisOf is the axis of a code of shards; -1: it is of none.
func axisOf(c int32) int {
	if c < shards {
		return -1
	}
	return int(c-shards) % maxRank
}

// blocks reports whether a code is of parts of blocks: nothing is converted to or from such.
func blocks(c int32) bool { return c >= shards+maxRank }

// blocks reports whether parts are of blocks along an axis.
func (p place) blocks() bool { return slices.ContainsFunc(p[:], blocks) }

// code is a role's; false: one that no place has.
func code(r parallel.Role) (int32, bool) {
	switch {
	case r == whole:
		return wholes, true
	case r.Kind == parallel.Copy:
		return copies, true
	case r.Kind == parallel.Sum:
		return sums, true
	case r.Kind == parallel.Shard && r.Before+r.After == 0 && r.Axis >= 0 && r.Axis < maxRank && r.Blocks < 1<<20:
		return shards + int32(r.Axis+maxRank*r.Blocks), true
	}
	return 0, false
}

func roleOf(c int32) parallel.Role {
	switch c {
	case wholes:
		return whole
	case copies:
		return parallel.Role{Kind: parallel.Copy}
	case sums:
		return parallel.Role{Kind: parallel.Sum}
	}
	return parallel.Role{Kind: parallel.Shard, Axis: axisOf(c), Blocks: int(c-shards) / maxRank}
}

// text is a place of a mesh of so many axes for people.
func (p place) text(axes int) string {
	var out []string
	for _, c := range p[:axes] {
		out = append(out, roleOf(c).String())
	}
	return strings.Join(out, ", ")
}

// mover prices what brings tensors from one place to another.
type mover struct {
	mesh    *Mesh
	first   int            // of the axes of the mesh along which layouts are chosen
	degrees []int          // of these
	sorts   map[string]int // their numbers
	paths   map[trip]path
	err     error // the first of the mesh

	// Of the last problem, to be written over by the next one.
	nodes []extract.Node
	whats []what
}

// sort is what of a tensor the prices of its paths depend on.
type sort struct {
	graph.TensorType      // of a member along the axes before those that are chosen
	members          int  // along these
	turns            int  // how many of the members a device has, one after the other
	given            bool // it is there before the step
}

// trip is what a path depends on; sort is the number of a tensor's.
type trip struct {
	sort     int
	from, to place
}

// never is the price of what cannot be done.
const never = machine.Time(1) << 50

func newMover(m *Mesh, first int, degrees []int) *mover {
	return &mover{mesh: m, first: first, degrees: degrees, sorts: map[string]int{}, paths: map[trip]path{}}
}

// time reports whether layouts are chosen along an axis in time.
func (m *mover) time() bool { return m.mesh.Axes[m.first].Time }

// plain is the place of what is not dealt out: copies, along an axis in time as it is.
func (m *mover) plain() (p place) {
	if m.time() {
		p[0] = wholes
	}
	return p
}

// bytes are those of a member.
func (m *mover) bytes(t sort, p place) int64 {
	n := t.Bytes()
	for k, d := range m.degrees {
		if p[k] >= shards {
			n /= int64(d)
		}
	}
	return n
}

// member is the type of a member.
func (m *mover) member(t sort, p place) graph.TensorType {
	t.Sizes = slices.Clone(t.Sizes)
	for k, d := range m.degrees {
		if c := axisOf(p[k]); c >= 0 {
			t.Sizes[c] /= d
		}
	}
	return t.TensorType
}

// fits reports whether a tensor can be dealt out so.
func (m *mover) fits(t sort, p place) bool {
	own := slices.Clone(t.Sizes)
	for k, d := range m.degrees {
		if c := axisOf(p[k]); c >= 0 {
			if c >= len(own) || own[c]%d != 0 {
				return false
			}
			own[c] /= d
		}
	}
	return !m.large(t, p)
}

// step is the price of another role along one axis; never: parts of parts are not to be
// had without the larger ones.
func (m *mover) step(t sort, from place, axis int, to int32) machine.Time {
	was := from[axis]
	if was == to {
		return 0
	}
	if blocks(was) || blocks(to) {
		return never
	}
	if m.time() {
		return m.inTime(t, was, to)
	}
	for k := axis + 1; k < len(m.degrees); k++ {
		if c := axisOf(from[k]); c >= 0 && (c == axisOf(was) || c == axisOf(to)) {
			return never
		}
	}
	next := from
	next[axis] = to
	if !m.fits(t, next) {
		return never
	}
	var time machine.Time
	var err error
	if kind := collects(roleOf(was), roleOf(to)); kind != parallel.None {
		time, err = m.mesh.Time(kind, m.first+axis, m.bytes(t, from))
	} else if to == sums {
		time, err = m.mesh.zeros(m.member(t, from))
	}
	return m.checked(time*machine.Time(t.turns), err)
}

// inTime is the price of another role along an axis in time: sums are added up, and a micro-batch makes
// its part of what is whole itself rather than have it made for it.
func (m *mover) inTime(t sort, was, to int32) machine.Time {
	switch {
	case was == sums:
		return m.checked(m.mesh.accumulate(t.TensorType, m.degrees[0]))
	case was == wholes && to >= shards && !t.given:
		return m.checked(m.mesh.zeros(t.TensorType))
	}
	return 0
}

// checked is a price, or never where there is an error. The first error is kept.
func (m *mover) checked(time machine.Time, err error) machine.Time {
	if err == nil {
		return time
	}
	if m.err == nil {
		m.err = err
	}
	return never
}

// price is the cost of the path from one place to another.
func (m *mover) price(t sort, from, to place) machine.Time {
	switch k := m.differs(from, to); k {
	case len(m.degrees):
		return 0
	case len(m.degrees) - 1:
		return m.step(t, from, k, to[k])
	default:
		return m.path(t, from, to).time
	}
}

// differs is the first axis along which places differ, the number of axes if they do not.
func (m *mover) differs(a, b place) int {
	k := 0
	for k < len(m.degrees) && a[k] == b[k] {
		k++
	}
	return k
}

// path is a way to bring a tensor from place to place, which changes its role along one axis after
// the other.
type path struct {
	time  machine.Time
	steps []change
}

// change gives a tensor another role along an axis, after which it is at a place.
type change struct {
	axis int
	to   place
}

// path is the cheapest path that a laying can follow ([parallel.Laying.Along]): what an axis changes is
// changed once along it, and along later axes once before that and once behind it.
func (m *mover) path(t sort, from, to place) path {
	axes, k := len(m.degrees), m.differs(from, to)
	switch k {
	case axes:
		return path{}
	case axes - 1:
		return path{m.step(t, from, k, to[k]), []change{{k, to}}}
	}
	key := trip{m.number(t), from, to}
	if p, ok := m.paths[key]; ok {
		return p
	}
	// Where the role changes, the one along a later axis is what it was, what it is to be, or copies;
	// of sums also parts, so that sums along two axes are added up by a reduce-scatter along one, parts
	// along the other, and an all-gather along the one.
	best := path{time: never}
	var rec func(at place, axis int)
	rec = func(at place, axis int) {
		if axis < axes {
			next := at
			for i, c := range []int32{from[axis], to[axis], copies, m.part(t, from, axis)} {
				if next[axis] = c; i == 0 || c != from[axis] && (i == 1 || c != to[axis]) && (i < 3 || c != copies) {
					rec(next, axis+1)
				}
			}
			return
		}
		first := m.path(t, from, at)
		if first.time >= best.time {
			return
		}
		changed := at
		changed[k] = to[k]
		time := first.time + m.step(t, at, k, to[k])
		if time >= best.time {
			return
		}
		last := m.path(t, changed, to)
		if time += last.time; time < best.time {
			best = path{time, slices.Concat(first.steps, []change{{k, changed}}, last.steps)}
		}
	}
	rec(from, k+1)
	m.paths[key] = best
	return best
}

// number is the number of a sort.
func (m *mover) number(t sort) int {
	b := append(make([]byte, 0, 64), t.DType.String()...)
	b = binary.AppendUvarint(b, uint64(t.members))
	b = binary.AppendUvarint(b, uint64(t.turns))
	for _, n := range t.Sizes {
		b = binary.AppendUvarint(b, uint64(n))
	}
	n, ok := m.sorts[string(b)]
	if !ok {
		n = len(m.sorts)
		m.sorts[string(b)] = n
	}
	return n
}

// part is parts along an axis of the mesh on the way of what is a sum there, along the
// first axis of the tensor that can be dealt out.
func (m *mover) part(t sort, from place, k int) int32 {
	if k == 0 || from[k] != sums {
		return copies
	}
	for c := range t.Sizes {
		p := from
		if p[k] = shards + int32(c); m.fits(t, p) && !slices.ContainsFunc(from[:], func(have int32) bool { return axisOf(have) == c }) {
			return p[k]
		}
	}
	return copies
}

// ends is the price of copies of what is an output, axis by axis from the last.
func (m *mover) ends(t sort, from place) (sum machine.Time) {
	for k := len(m.degrees) - 1; k >= 0; k-- {
		sum += m.step(t, from, k, copies)
		from[k] = copies
	}
	return sum
}

// tooMany reports whether a family of members would have more elements than a tensor may
// have ([graph.MaxElements]): copies and parts of sums are as many times what a member has
// as there are members. Such a choice cannot be laid out, so that it is none.
func tooMany(elements int, times ...int) bool {
	for _, n := range times {
		if elements > graph.MaxElements/max(n, 1) {
			return true
		}
		elements *= n
	}
	return elements > graph.MaxElements
}

// large reports whether a tensor at a place has too many elements.
func (m *mover) large(t sort, p place) bool {
	var times []int
	for k, d := range m.degrees {
		if p[k] < shards && p[k] != wholes {
			times = append(times, d)
		}
	}
	return len(times) > 0 && tooMany(graph.NumElements(t.Sizes), append(times, t.members)...)
}
