package plan

import (
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// layoutOf is a layout of the clusters on a submesh: what each takes of its devices.
type layoutOf struct {
	devices  int
	degrees  []int // of the axes of devices, the last counts fastest
	looks    []look
	clusters []part
}

// piece is an interval of clusters as a stage by a layout, going forward once more or not.
type piece struct {
	from, to int // clusters
	layout   *layoutOf
	again    bool // goes forward once more
	lean     bool // makes anew what is made of weights alone
	// time is that of a micro-batch, with its share of what is done once in a step.
	time machine.Time
}

// intervals is the dynamic program of Alpa over intervals of clusters and submeshes (Zheng et
// al., OSDI 2022, section 5.1): stages in a row that use all devices, so that
// the times of all stages and (M-1) times the slowest are least, each stage within the memory
// that it has with as many micro-batches in flight as there are stages from it on.
type intervals struct {
	n, devices, micro int // clusters, devices, micro-batches
	memory            int64
	sizes             []int // of submeshes
	layouts           []*layoutOf
	most              int // stages

	best  []*piece // by stages from it on, from, to, size
	table state    // of within, which is asked again and again
}

// maxSlowest bounds the times of the slowest stage that are looked at.
const maxSlowest = 48

func (x *intervals) at(s, from, to, size int) int {
	return ((s*x.n+from)*(x.n+1)+to)*len(x.sizes) + size
}

// fill finds the fastest piece of each interval on each submesh that fits with so many
// stages from it on.
func (x *intervals) fill() {
	x.best = make([]*piece, (x.most+1)*x.n*(x.n+1)*len(x.sizes))
	for _, l := range x.layouts {
		size := slices.Index(x.sizes, l.devices)
		for from := range x.n {
			var all part
			for to := from + 1; to <= x.n; to++ {
				all = sumOf([]part{all, l.clusters[to-1]})
				for k := range 4 {
					again, lean := k%2 == 1, k > 1
					p := all
					if lean {
						p = p.lean()
					}
					time := p.forward + p.backward + p.update/machine.Time(x.micro)
					if again {
						time += p.forward
					}
					for s := 1; s <= x.most; s++ {
						if p.holds(int64(min(s, x.micro)), again) > x.memory {
							break
						}
						if b := &x.best[x.at(s, from, to, size)]; *b == nil || time < (*b).time {
							*b = &piece{from, to, l, again, lean, time}
						}
					}
				}
			}
		}
	}
}

// solve lists divisions into stages, by growing time of their slowest stage: for each such
// time that is looked at the one whose times add up to least. done: all times were.
func (x *intervals) solve() (found [][]*piece, done bool) {
	x.fill()
	var times []machine.Time
	for _, p := range x.best {
		if p != nil {
			times = append(times, p.time)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	done = len(times) <= maxSlowest
	least, any := machine.Time(0), false
	for i := range min(len(times), maxSlowest) {
		slowest := times[i]
		if !done { // about as far from each other, the last one with them
			slowest = times[(len(times)-1)*i/(maxSlowest-1)]
		}
		if any && machine.Time(x.micro-1)*slowest >= least {
			break
		}
		list, sum := x.within(slowest)
		if list == nil {
			continue
		}
		most := machine.Time(0)
		for _, p := range list {
			most = max(most, p.time)
		}
		if t := sum + machine.Time(x.micro-1)*most; !any || t < least {
			least, any = t, true
			found = append(found, list)
		}
	}
	return found, done
}

// state is a division of the clusters from one on into stages on so many devices: the sum of
// times, and the first piece, a place in best where there is one.
type state struct {
	sums  []machine.Time
	first []int32
}

// within is the division of least sum of times in which no stage takes more than slowest.
func (x *intervals) within(slowest machine.Time) ([]*piece, machine.Time) {
	const never = machine.Time(1) << 62
	// By stages from it on, first cluster, devices that are left.
	row := x.devices + 1
	if n := (x.most + 1) * (x.n + 1) * row; len(x.table.sums) != n {
		x.table = state{make([]machine.Time, n), make([]int32, n)}
	}
	sums, first := x.table.sums, x.table.first
	for i := range sums {
		sums[i] = never
	}
	at := func(s, from int) int { return (s*(x.n+1) + from) * row }
	sums[at(0, x.n)] = 0
	least, largest := slices.Min(x.sizes), slices.Max(x.sizes)
	for s := 1; s <= x.most; s++ {
		for from := x.n - s; from >= 0; from-- {
			own, firsts := sums[at(s, from):][:row], first[at(s, from):][:row]
			for to := from + 1; to <= x.n-s+1; to++ {
				rest := sums[at(s-1, to):][:row]
				for k, size := range x.sizes {
					best := x.at(s, from, to, k)
					p := x.best[best]
					if p == nil || p.time > slowest {
						continue
					}
					low, high := size+(s-1)*least, min(x.devices, size+(s-1)*largest)
					if low > high {
						continue
					}
					behind, time := rest[low-size:high-size+1], p.time
					here, by := own[low : high+1][:len(behind)], firsts[low : high+1][:len(behind)]
					for d, sum := range behind { // what is never stays so
						if sum += time; sum < here[d] {
							here[d], by[d] = sum, int32(best)
						}
					}
				}
			}
		}
	}
	best, stages := never, 0
	for s := 1; s <= x.most; s++ {
		if t := sums[at(s, 0)+x.devices]; t < best {
			best, stages = t, s
		}
	}
	if stages == 0 {
		return nil, 0
	}
	var out []*piece
	for s, from, d := stages, 0, x.devices; s > 0; s-- {
		p := x.best[first[at(s, from)+d]]
		out = append(out, p)
		from, d = p.to, d-p.layout.devices
	}
	return out, best
}
