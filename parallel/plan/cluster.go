package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
)

// slack is by how much of the mean a cluster's work may be more, at first.
const slack = 0.25

// Clusters divides the model into n parts in a row of about equal work, so that few bytes
// pass from part to part, and says for each node of the training graph in which it is,
// from 1 ([Training.Stages]). Where to cut the order of the activations is found by dynamic
// programming, as Alpa clusters operators (Zheng et al., OSDI 2022, section 5.2): least
// bytes over all cuts with at most so much more work in a part than the mean, which is allowed
// twice as often until there is a way. With fewer activations than n there are fewer parts.
func (t *Training) Clusters(n int) ([]int, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d clusters, want at least 1", n)
	}
	c, err := t.cutter()
	if err != nil {
		return nil, err
	}
	return t.Stages(c.cut(min(n, len(c.list))))
}

// parts are clusters of a number, and it, that is at least least where there are so many
// activations, and among those up to 64, or least, the one with the fewest kinds of clusters
// for their number: that of layers, in a network of layers.
func (t *Training) parts(least int) ([]int, int, error) {
	c, err := t.cutter()
	if err != nil {
		return nil, 0, err
	}
	var best []int
	n, kinds := 0, 0
	for k := min(max(least, 4), len(c.list)); k <= min(max(least, 64), len(c.list)); k++ {
		of := c.cut(k)
		if have := c.kinds(of); best == nil || have*n < kinds*k || have*n == kinds*k && have < kinds {
			best, n, kinds = of, k, have
		}
	}
	of, err := t.Stages(best)
	return of, n, err
}

// cutter cuts the order of the activations.
type cutter struct {
	t      *Training
	list   []graph.NodeID
	work   []int64 // before each place
	passes []int64 // the bytes that pass there
}

func (t *Training) cutter() (*cutter, error) {
	g, list := t.Graph, t.Activations()
	if len(list) == 0 {
		return nil, errors.New("clusters: nothing depends on an input that is no weight")
	}
	work, cut := make([]int64, len(list)+1), make([]int64, len(list)+1)
	place := make([]int, g.Len()+1) // from 1
	for i, id := range list {
		work[i+1] = work[i] + g.WorkOf(id).FLOPs
		place[id] = i + 1
	}
	// What is made before a cut and read behind it passes.
	last := map[graph.Tensor]int{}
	for i, id := range list {
		for _, x := range g.Operands(id) {
			if place[x.Node] > 0 {
				last[x] = i + 1
			}
		}
	}
	for i, id := range list {
		for k := range g.NumOut(id) {
			x := id.Out(k)
			for j := i + 1; j < last[x]; j++ {
				cut[j] += g.Type(x).Bytes()
			}
		}
	}
	return &cutter{t, list, work, cut}, nil
}

// cut gives each activation one of n clusters.
func (c *cutter) cut(n int) []int {
	work := c.work
	for more := slack; ; more *= 2 {
		most := int64(float64(work[len(c.list)]) / float64(n) * (1 + more))
		ends := cutBy(work, c.passes, n, most)
		if ends == nil && more < 1<<20 {
			continue
		}
		of := make([]int, c.t.Graph.Len()+1)
		part := 0
		for i, id := range c.list {
			if part < len(ends) && i >= ends[part] {
				part++
			}
			of[id] = part + 1
		}
		return of
	}
}

// kinds is how many clusters differ: in operators, attributes, or sizes.
func (c *cutter) kinds(of []int) int {
	g := c.t.Graph
	all := map[string]bool{}
	var b strings.Builder
	for i, id := range c.list {
		o := g.Op(id)
		fmt.Fprintf(&b, "%s%s", o.Name, o.FormatAttrs(g.Attrs(id)))
		for _, t := range g.Operands(id) {
			fmt.Fprint(&b, g.Sizes(t))
		}
		if i+1 == len(c.list) || of[c.list[i+1]] != of[id] {
			all[b.String()] = true
			b.Reset()
		}
	}
	return len(all)
}

// cutBy finds n-1 places to cut at, of least cost in sum, so that no part has more work
// than most; nil: there are none.
func cutBy(work, cost []int64, n int, most int64) []int {
	const none = int64(1) << 62
	m := len(work) - 1
	best := make([][]int64, n+1)
	from := make([][]int, n+1)
	for k := range best {
		best[k], from[k] = make([]int64, m+1), make([]int, m+1)
		for i := range best[k] {
			best[k][i] = none
		}
	}
	best[0][0] = 0
	for k := 1; k <= n; k++ {
		for i := k; i <= m; i++ {
			for j := i - 1; j >= k-1; j-- {
				if work[i]-work[j] > most && j < i-1 {
					break
				}
				if best[k-1][j] == none {
					continue
				}
				c := best[k-1][j]
				if j > 0 {
					c += cost[j]
				}
				if c < best[k][i] {
					best[k][i], from[k][i] = c, j
				}
			}
		}
	}
	if best[n][m] == none {
		return nil
	}
	ends := make([]int, n)
	for k, i := n, m; k > 0; k-- {
		ends[k-1] = i
		i = from[k][i]
	}
	return ends
}
