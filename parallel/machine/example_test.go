package machine_test

import (
	"fmt"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

const twoByTwo = `
name: two-by-two
device: v100
nodes: 2
classes:
  near: {latency: 1us, bandwidth: 10GB/s}
  far: {latency: 5us, bandwidth: 1GB/s}
node:
  devices: 2
  switches: [nic]
  links:
    - {class: near, mesh: [0, 1, nic]}
network: {topology: switch, class: far, ports: [nic]}
`

func ExampleParse() {
	c, err := machine.Parse("two.yaml", []byte(twoByTwo), machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Devices(), "devices of", c.Memory>>30, "GiB")
	route, err := c.Route(0, 3)
	for _, l := range route {
		fmt.Println(c.Vertices[c.Links[l].From].Name, "→", c.Vertices[c.Links[l].To].Name, c.Links[l].Class)
	}
	fmt.Println(err)

	_, err = machine.Parse("two.yaml", []byte("name: x\ndevice: v100\nnodes: 1\nclasses: {a: {latency: 2, bandwidth: 1GB/s}}\nnode: {devices: 1}\n"), machine.Options{})
	fmt.Println(err)
	// Output:
	// 4 devices of 16 GiB
	// n0.d0 → n0.nic near
	// n0.nic → switch far
	// switch → n1.nic far
	// n1.nic → n1.d1 near
	// <nil>
	// cluster two.yaml:4: latency of a: time "2" has no unit: want one of ps, ns, us, µs, ms, s
}

func ExampleFind() {
	c, err := machine.Find("summit:32", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Nodes, "nodes,", c.Devices(), "devices,", c.Bisection()/1e9, "GB/s between the halves")
	fmt.Println(machine.Names())
	// Output:
	// 32 nodes, 192 devices, 400 GB/s between the halves
	// [dgx-a100 dgx-h100 k80-cluster laptop p100-cluster p100-pcie p3-16xlarge summit topoopt tpu-like]
}

func ExampleCluster_Charge() {
	c, err := machine.Parse("two.yaml", []byte(twoByTwo), machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range machine.Algorithms(parallel.AllReduce) {
		rounds, err := c.Rounds(parallel.AllReduce, a, c.All(), 4e6)
		if err != nil {
			fmt.Println(err)
			continue
		}
		charge, err := c.Charge(rounds)
		fmt.Println(a, charge.Time, err)
	}
	// Output:
	// ring 6.072 ms <nil>
	// tree 8.826 ms <nil>
	// direct 8.024 ms <nil>
	// hierarchical 4.426 ms <nil>
	// all-reduce by rings over 4 devices: no second ring lets bytes arrive sooner
}

func ExampleCluster_Rewire() {
	c, err := machine.Find("topoopt:4", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Rewire([][2]int{{0, 1}, {1, 0}, {2, 3}, {3, 2}})
	fmt.Println(err)
	line, err := c.Rewire([][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	route, err := line.Route(1, 0)
	fmt.Println(len(route), "links from 1 to 0,", c.Degree(), "would be allowed at each node,", err)
	// Output:
	// cluster topoopt: device n0.d0: no links lead from it to n2.d0
	// 5 links from 1 to 0, 4 would be allowed at each node, <nil>
}

// Four rings side by side, on links that are set for them.
func ExampleCirculant() {
	c, err := machine.Find("topoopt:16", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if c, err = c.Rewire(machine.Circulant(c.Nodes, []int{1, 3, 7, 11})); err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range []machine.Algorithm{machine.Ring, machine.Rings} {
		rounds, err := c.Rounds(parallel.AllReduce, a, c.All(), 100e6)
		if err != nil {
			fmt.Println(err)
			return
		}
		charge, err := c.Charge(rounds)
		fmt.Println(a, charge.Time, err)
	}
	// Output:
	// ring 60.21 ms <nil>
	// rings 15.21 ms <nil>
}

func ExampleCluster_Ring() {
	c, err := machine.Find("p3-16xlarge", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Ring(c.All()))
	// Output: [0 3 2 1 5 6 7 4] <nil>
}

func ExampleCluster_Host() {
	c, err := machine.Find("summit:2", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	host, ok := c.Host(9)
	fmt.Println(c.Vertices[host].Name, c.Vertices[host].Memory>>30, "GiB", ok)
	// Output: n1.cpu1 256 GiB true
}

func ExampleCluster_Summary() {
	c, err := machine.Find("laptop", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := c.Summary()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range s.Collectives[:2] {
		fmt.Printf("%s by %s: %s + b / (%.2f GB/s)\n", x.Kind, x.Algorithm, x.Alpha, x.Beta/1e9)
	}
	// Output:
	// scatter by tree: 5 µs + b / (15.00 GB/s)
	// scatter by direct: 5 µs + b / (15.00 GB/s)
}
