package machine

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// Summary is what there is to say of a cluster at a glance.
type Summary struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Nodes    []int  `json:"nodes"` // one number, or the sizes of a torus
	Topology string `json:"topology,omitempty"`
	Devices  int    `json:"devices"`
	Device   string `json:"device"`
	// Memory is that of a device, Hosts that of the hosts of a node, in bytes.
	Memory int64   `json:"memory"`
	Hosts  []int64 `json:"hosts,omitempty"`
	// FLOPS are the peak rates of a device by element type, those of matrix units where it
	// has them, MemoryBandwidth is in bytes a second.
	FLOPS           map[string]float64 `json:"flops"`
	MemoryBandwidth float64            `json:"memory_bandwidth"`
	// Fitted are the classes of operators whose rates were fitted to published
	// measurements, by element type. If there are any, all others are extrapolated.
	Fitted       map[string][]cost.Class `json:"fitted,omitempty"`
	Extrapolated map[string][]cost.Class `json:"extrapolated,omitempty"`
	// Links are counted by class and width.
	Links []LinkSummary `json:"links"`
	// Bisection is in bytes a second.
	Bisection int64 `json:"bisection"`
	// Collectives are over all devices.
	Collectives []CollectiveSummary `json:"collectives"`
}

// LinkSummary is links that are alike.
type LinkSummary struct {
	Class     string       `json:"class"`
	Count     int          `json:"count"` // each direction counts
	Latency   cost.Seconds `json:"latency"`
	Bandwidth int64        `json:"bandwidth"` // bytes a second
}

// CollectiveSummary is a collective by one algorithm: it takes Alpha + b/Beta for b bytes.
type CollectiveSummary struct {
	Kind      string       `json:"kind"`
	Algorithm Algorithm    `json:"algorithm"`
	Alpha     cost.Seconds `json:"alpha"`
	Beta      float64      `json:"beta"` // bytes a second
}

// Summary describes the cluster. Collectives are taken over all devices, rings in the
// order of [Cluster.Ring]; b counts as in [Cluster.Rounds]. What an algorithm cannot do
// with so many devices is left out, and so are messages from each to each of more than
// [EachToEach] devices.
func (c *Cluster) Summary() (*Summary, error) {
	s := &Summary{Name: c.Name, Doc: c.Doc, Nodes: c.Shape, Topology: c.Topology, Devices: c.devices,
		Device: c.Device.Name, Memory: c.Memory, FLOPS: maps.Clone(c.Device.FLOPS), MemoryBandwidth: c.Device.Bandwidth,
		Bisection: c.Bisection()}
	maps.Copy(s.FLOPS, c.Device.Matrix)
	for _, t := range slices.Sorted(maps.Keys(c.Device.Fitted)) {
		d, err := graph.ParseDType(t)
		if err != nil {
			return nil, err
		}
		if s.Fitted == nil {
			s.Fitted, s.Extrapolated = map[string][]cost.Class{}, map[string][]cost.Class{}
		}
		for _, class := range cost.Classes() {
			switch {
			case class == cost.View:
			case c.Device.Extrapolates(cost.Work{Class: class}, d):
				s.Extrapolated[t] = append(s.Extrapolated[t], class)
			default:
				s.Fitted[t] = append(s.Fitted[t], class)
			}
		}
	}
	for _, v := range c.Vertices {
		if v.Node == 0 && v.Memory > 0 {
			s.Hosts = append(s.Hosts, v.Memory)
		}
	}
	for _, l := range c.Links {
		if l.Bandwidth == 0 {
			continue
		}
		x := LinkSummary{Class: l.Class, Latency: l.Latency.Seconds(), Bandwidth: l.Bandwidth}
		i := slices.IndexFunc(s.Links, func(y LinkSummary) bool { return y.Class == x.Class && y.Bandwidth == x.Bandwidth })
		if i < 0 {
			i = len(s.Links)
			s.Links = append(s.Links, x)
		}
		s.Links[i].Count++
	}
	if c.devices == 1 {
		return s, nil
	}
	group, err := c.Ring(c.All())
	if err != nil {
		return nil, err
	}
	bytes := int64(c.devices) << 20
	for _, k := range parallel.Kinds() {
		if k == parallel.SendReceive {
			continue // of neighbours, not of all
		}
		for _, a := range Algorithms(k) {
			if (a == Direct || k == parallel.AllToAll) && c.devices > EachToEach {
				continue
			}
			rounds, err := c.Rounds(k, a, group, bytes)
			if err != nil {
				continue
			}
			charge, err := c.Charge(rounds)
			if err != nil {
				return nil, err
			}
			s.Collectives = append(s.Collectives, CollectiveSummary{Kind: k.String(), Algorithm: a, Alpha: charge.Latency.Seconds(),
				Beta: float64(bytes) / float64((charge.Time - charge.Latency).Seconds())})
		}
	}
	return s, nil
}

// EachToEach is up to how many devices a summary looks at messages from each to each.
const EachToEach = 512
